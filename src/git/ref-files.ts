/**
 * Reads refs from the files in which git keeps them: a start of git takes longer than most of what a
 * lane asks it for. git is asked wherever they are kept otherwise, and where a file holds anything
 * but the id of an object.
 *
 * @see https://git-scm.com/docs/gitrepository-layout
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPlainFile } from '../files/plain-file.ts';
import type { Git } from './git.ts';
import { type ProjectPlace, placeOfGitDir, projectPlace } from './project.ts';

/** `none`: there is no such ref. `unknown`: git has to be asked. */
export function refInFiles(git: Git, ref: string): { oid: string } | 'none' | 'unknown' {
  const { identity, kind } = placeOf(git);
  if (kind === 'folder' || !SHARED.test(ref) || !keepsFiles(identity)) return 'unknown';
  // In this order: git deletes the file of a ref only after it was packed.
  const loose = readPlainFile(join(identity, ref))?.replace(/\n$/, '');
  if (loose === undefined) return packedRef(join(identity, 'packed-refs'), ref);
  return isOid(loose) ? { oid: loose } : 'unknown';
}

/** Full name of the branch that is checked out, also before its first commit. */
export function branchInFiles(git: Git): string | undefined {
  const { gitDir, identity } = placeOf(git);
  if (gitDir === undefined || !keepsFiles(identity)) return undefined;
  const head = readPlainFile(join(gitDir, 'HEAD')) ?? '';
  return /^ref: (refs\/heads\/\S+)\n$/.exec(head)?.[1];
}

const placeOf = ({ directory, gitDir }: Git): ProjectPlace =>
  gitDir === undefined ? projectPlace(directory) : placeOfGitDir(gitDir);

/** Refs that all working trees of a repository have in common. */
const SHARED = /^refs\/(?!bisect\/|worktree\/|rewritten\/)(?!.*\.\.)/;

const isOid = (text: string): boolean => /^(?!0+$)(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

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
