/** Reads objects by name, from their files or by `git cat-file --batch`; writes commits in git's format. */
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../errors.ts';
import { startOfFile } from '../files/plain-file.ts';
import { replaceFile } from '../files/replace-file.ts';
import { type Git, GitError, type GitObject } from './git.ts';
import { placeOfGit } from './project.ts';
import { isOid } from './tree-entry.ts';

const BATCH = ['cat-file', '--batch'];
const NEW_LINE = 0x0a;

/** Loaded when they are needed: that takes as long as the rest of a short hook. */
const crypto = () => process.getBuiltinModule('node:crypto');
const zlib = () => process.getBuiltinModule('node:zlib');

type Place = Pick<Git, 'directory' | 'gitDir'>;

/** The objects in the order of the names, `undefined` for a missing one. @throws {GitError} */
export async function objectsBy(
  place: Place,
  bytes: Git['bytes'],
  names: readonly string[],
): Promise<(GitObject | undefined)[]> {
  const loose = new Map(names.map((it) => [it, looseObject(place, it)]));
  const isAsked = (it: string) => loose.get(it) === undefined && !NO_OBJECT.test(it);
  const found = await askedFor(bytes, names.filter(isAsked));
  return names.map((it) => (isAsked(it) ? found.shift() : loose.get(it)));
}

/** Git's name for the content that a new or a deleted file does not have. */
const NO_OBJECT = /^0+$/;

async function askedFor(bytes: Git['bytes'], names: readonly string[]) {
  if (names.length === 0) return [];
  // Each line of the input is a name.
  if (names.some((name) => name.includes('\n')))
    throw new GitError(BATCH, 'the name of a file has a line break');
  const output = await bytes(BATCH, names.map((it) => `${it}\n`).join(''));
  let at = 0;
  return names.map(() => {
    // `<oid> <type> <size>`, a new line, the content and a new line; or `<name> missing` and a new line.
    const end = output.indexOf(NEW_LINE, at);
    const header = output.toString('utf8', at, end);
    const [, oid, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header) ?? [];
    const start = end + 1;
    at = size === undefined ? start : start + Number(size) + 1;
    return oid && type ? { oid, type, content: output.subarray(start, at - 1) } : undefined;
  });
}

/**
 * An object that git has not packed yet has a file of its own, which is read without a start of git. `undefined` if the
 * file is damaged or is not what its name says: git prefers a packed object of that name, whatever is in the file.
 */
function looseObject(place: Place, oid: string): GitObject | undefined {
  if (!isOid(oid)) return undefined;
  return attempt(() => {
    const compressed = startOfFile(looseFile(place, oid), MOST_BYTES);
    if (compressed.length === 0) return undefined;
    const bytes = zlib().inflateSync(compressed, { maxOutputLength: MOST_BYTES });
    if (crypto().hash(hashOf(oid), bytes) !== oid) return undefined;
    const end = bytes.indexOf(0);
    const [type = ''] = bytes.toString('latin1', 0, end).split(' ');
    return { oid, type, content: bytes.subarray(end + 1) };
  });
}

/** A larger one is read by git, because this process would do nothing else meanwhile. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Those objects that are blobs of at most so many bytes. */
export async function smallBlobs(git: Git, oids: readonly string[], mostBytes: number) {
  const loose = oids.flatMap((oid) => looseObject(git, oid) ?? []);
  const known = new Set(loose.map(({ oid }) => oid));
  const others = oids.filter((it) => !known.has(it));
  const asked = ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)'];
  const told = others.length === 0 ? '' : await git.text(asked, `${others.join('\n')}\n`);
  const lines = loose.map(({ oid, type, content }) => `${oid} ${type} ${content.length}`);
  const small = lines.concat(told.split('\n')).flatMap((line) => {
    const [oid = '', type, size] = line.split(' ');
    return type === 'blob' && Number(size) <= mostBytes ? oid : [];
  });
  return new Set(small);
}

/** A repository's hash is known by the length of its ids. */
const hashOf = (oid: string): string => (oid.length > 40 ? 'sha256' : 'sha1');

const looseFile = (place: Place, oid: string): string =>
  join(placeOfGit(place).identity, 'objects', oid.slice(0, 2), oid.slice(2));

/**
 * Writes a commit without a start of git, and returns its oid once it is on the disk.
 *
 * @param text begins with `tree <oid>`.
 */
export function writeCommit(git: Place, text: string): string {
  const content = Buffer.from(text);
  const object = Buffer.concat([Buffer.from(`commit ${content.length}\0`), content]);
  const tree = text.slice('tree '.length, text.indexOf('\n'));
  const oid = crypto().hash(hashOf(tree), object);
  const objects = join(placeOfGit(git).identity, 'objects');
  const folder = join(objects, oid.slice(0, 2));
  // In a repository that a group shares, the group can write to its folders.
  if (mkdirSync(folder, { recursive: true })) chmodSync(folder, statSync(objects).mode & 0o7777);
  // git removes the rest of a draft. The time of an existing file is renewed, or git could collect it.
  const draft = join(folder, `tmp_obj_${process.pid}`);
  replaceFile(join(folder, oid.slice(2)), zlib().deflateSync(object), { mode: 0o444, draft });
  return oid;
}
