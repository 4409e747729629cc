/**
 * Objects that git was asked for before in the same folder. What the name of an object leads to never
 * changes, so an event that asks for nothing else needs no start of git.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '../environment.ts';
import { attempt } from '../errors.ts';
import { cacheFolder, readCacheFile, writeCacheFile } from '../files/cache-file.ts';
import { sha256 } from '../text/sha256.ts';
import { answerAt, type GitObject, type ReadObjects } from './objects.ts';

/** One that is not there may come. */
const LASTING = /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?:\^\{\w+\}|:.*)?$/;
const MOST_BYTES = 1024 * 1024;
const MOST_FOLDERS = 20;

type Objects = Map<string, GitObject>;

/** @param directory in which git is asked. */
export function remembering(read: ReadObjects, directory: string, env: Environment): ReadObjects {
  const folder = cacheFolder(env);
  // A home that is not there is not made for this.
  if (folder === undefined || !existsSync(dirname(folder))) return read;
  const file = join(folder, `objects.${sha256(directory).slice(0, 16)}`);
  let known: Objects | undefined;
  const used: Objects = new Map();
  return async (names) => {
    known ??= objectsIn(readCacheFile(file));
    const before = known;
    // git is to be started for questions that come.
    if (names.length === 0) return before.size === 0 ? read([]) : [];
    const unknown = names.filter((name) => !used.has(name) && !before.has(name));
    const answers = unknown.length === 0 ? [] : await read(unknown);
    const fresh = new Map(unknown.map((name, at) => [name, answers[at]]));
    return names.map((name) => {
      const object = fresh.get(name) ?? used.get(name) ?? before.get(name);
      if (object === undefined || !LASTING.test(name)) return object;
      if (fresh.has(name)) keepAtExit(file, () => asBytes([...used, ...before]));
      used.set(name, object);
      return object;
    });
  };
}

/** By file, its content. */
const unkept = new Map<string, () => Buffer>();

function keepAtExit(file: string, content: () => Buffer): void {
  if (unkept.size === 0) process.once('exit', keep);
  unkept.set(file, content);
}

function keep(): void {
  for (const [file, content] of unkept) {
    if (!existsSync(dirname(dirname(file)))) continue;
    const isNew = !existsSync(file);
    writeCacheFile(file, content());
    if (isNew) attempt(() => forgetOldest(dirname(file)));
  }
  unkept.clear();
}

function forgetOldest(folder: string): void {
  const files = readdirSync(folder).filter((it) => it.startsWith('objects.'));
  const byAge = files
    .map((name) => join(folder, name))
    .map((file) => ({ file, at: statSync(file).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { file } of byAge.slice(MOST_FOLDERS)) rmSync(file, { force: true });
}

/** Each object as `git cat-file --batch` prints it, after a line with the name that it was asked by. */
function asBytes(objects: Iterable<readonly [string, GitObject]>): Buffer {
  const parts: Buffer[] = [];
  const names = new Set<string>();
  let bytes = 0;
  for (const [name, { oid, type, content }] of objects) {
    if (names.has(name)) continue;
    const all = [Buffer.from(`${name}\n${oid} ${type} ${content.length}\n`), content, NEW_LINE];
    const size = all.reduce((sum, it) => sum + it.length, 0);
    if (bytes + size > MOST_BYTES) continue;
    bytes += size;
    names.add(name);
    parts.push(...all);
  }
  return Buffer.concat(parts);
}

const NEW_LINE = Buffer.from('\n');

function objectsIn(bytes: Buffer = Buffer.alloc(0)): Objects {
  const found: Objects = new Map();
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(NEW_LINE, at);
    const { next, object } = answerAt(bytes, end + 1);
    if (object === undefined || next > bytes.length) break;
    found.set(bytes.toString('utf8', at, end), object);
    at = next;
  }
  return found;
}
