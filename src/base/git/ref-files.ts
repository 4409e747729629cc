/**
 * Reads refs from the files in which git keeps them: a start of git takes longer than most of what a
 * lane asks it for. git is asked wherever they are kept otherwise, and where a file holds anything
 * but the id of an object.
 *
 * @see https://git-scm.com/docs/gitrepository-layout
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../errors.ts';
import { readPlainFile } from '../files/plain-file.ts';
import type { Git } from './git.ts';
import { placeOfGit } from './project.ts';

/** `none`: there is no such ref. `unknown`: git has to be asked. */
export function refInFiles(git: Git, ref: string): { oid: string } | 'none' | 'unknown' {
  const { identity, kind } = placeOfGit(git);
  if (kind === 'folder' || !SHARED.test(ref) || !keepsFiles(identity)) return 'unknown';
  // In this order: git deletes the file of a ref only after it was packed.
  const loose = readPlainFile(join(identity, ref))?.replace(/\n$/, '');
  if (loose === undefined) return packedRef(join(identity, 'packed-refs'), ref);
  return isOid(loose) ? { oid: loose } : 'unknown';
}

export interface RefListing {
  /** Full name to oid; symbolic ones are left out. */
  readonly oids: Map<string, string>;
  /** The full name of the default branch of each remote. */
  readonly defaults: Map<string, string>;
  /** Full name of the branch that is checked out, if it has a commit. */
  readonly current: string | undefined;
}

/** All refs; `undefined`: git has to be asked. */
export function refsInFiles(git: Git): RefListing | undefined {
  const { identity, kind, gitDir } = placeOfGit(git);
  if (kind === 'folder' || !keepsFiles(identity)) return undefined;
  // Refs of one working tree, which only git tells from those of another.
  const own = ['bisect', 'worktree', 'rewritten'].map((it) => join(gitDir ?? identity, 'refs', it));
  if (own.some((it) => existsSync(it))) return undefined;
  const loose = attempt(() => looseRefs(identity));
  if (loose === undefined) return undefined;
  const packed = packedRefs(join(identity, 'packed-refs'));
  if (packed === undefined) return undefined;
  const oids = new Map(packed);
  const links: [remote: string, ref: string][] = [];
  for (const [ref, content] of loose) {
    const [, remote = '', target] = REMOTE_HEAD.exec(`${ref} ${content}`) ?? [];
    if (isOid(content)) oids.set(ref, content);
    else if (target !== undefined) links.push([remote, target]);
    else return undefined;
  }
  const branch = branchInFiles(git);
  return {
    oids,
    defaults: new Map(links.filter(([, target]) => oids.has(target))),
    current: branch !== undefined && oids.has(branch) ? branch : undefined,
  };
}

/** A HEAD that points at a local branch says nothing about the remote. */
const REMOTE_HEAD = /^refs\/remotes\/(.+)\/HEAD ref: (refs\/remotes\/\1\/\S+)$/;

/** With more, git is faster. */
const MOST_LOOSE = 300;

/** What the file of each ref holds. */
function looseRefs(commonDir: string): Map<string, string> | undefined {
  const refs: string[] = [];
  const folders = ['refs'];
  for (const folder of folders) {
    for (const entry of readdirSync(join(commonDir, folder), { withFileTypes: true })) {
      if (entry.isSymbolicLink()) return undefined;
      const within = entry.isDirectory() ? folders : refs;
      within.push(`${folder}/${entry.name}`);
    }
  }
  const known = refs.filter((it) => !it.endsWith('.lock'));
  if (known.length > MOST_LOOSE || !known.every(isRefName)) return undefined;
  const contents = known.map((it) => readPlainFile(join(commonDir, it))?.replace(/\n$/, ''));
  // One that is gone by now may have been packed.
  if (contents.includes(undefined)) return undefined;
  return new Map(known.map((it, at) => [it, contents[at] ?? '']));
}

/** Stricter than git, which is asked about others. */
const isRefName = (name: string): boolean =>
  /^[\w./@#+=,%-]+$/.test(name) && !/\.\.|@\{|\/\.|\.$/.test(name);

/** Full name of the branch that is checked out, also before its first commit. */
export function branchInFiles(git: Git): string | undefined {
  const { gitDir, identity } = placeOfGit(git);
  if (gitDir === undefined || !keepsFiles(identity)) return undefined;
  const head = readPlainFile(join(gitDir, 'HEAD')) ?? '';
  return /^ref: (refs\/heads\/\S+)\n$/.exec(head)?.[1];
}

/** Refs that all working trees of a repository have in common. */
const SHARED = /^refs\/(?!bisect\/|worktree\/|rewritten\/)(?!.*\.\.)/;

/** Not the zeros that stand for none. */
export const isOid = (text: string): boolean => /^(?!0+$)(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** A repository whose refs are kept otherwise says so in its own settings. */
function keepsFiles(commonDir: string): boolean {
  const settings = readPlainFile(join(commonDir, 'config')) ?? '';
  return !/refstorage/i.test(settings);
}

/** Each line is `<oid> <ref>`, or `^<oid>` of what the tag before it names. */
function packedRef(file: string, ref: string): { oid: string } | 'none' | 'unknown' {
  const lines = readPlainFile(file);
  // Too large, or no plain file.
  if (lines === undefined) return existsSync(file) ? 'unknown' : 'none';
  const end = lines.indexOf(` ${ref}\n`);
  if (end === -1) return 'none';
  const oid = lines.slice(lines.lastIndexOf('\n', end) + 1, end);
  return isOid(oid) ? { oid } : 'unknown';
}

function packedRefs(file: string): [ref: string, oid: string][] | undefined {
  const lines = readPlainFile(file);
  if (lines === undefined) return existsSync(file) ? undefined : [];
  const found: [string, string][] = [];
  for (const line of lines.split('\n')) {
    if (line === '' || line.startsWith('#') || line.startsWith('^')) continue;
    const at = line.indexOf(' ');
    if (!isOid(line.slice(0, at))) return undefined;
    found.push([line.slice(at + 1), line.slice(0, at)]);
  }
  return found;
}
