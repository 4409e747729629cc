/**
 * A cache of facts about git objects that never change: what the name of one leads to, the fingerprint of a
 * feature in a commit. One file for each folder in which git is asked; what was used least recently goes first.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '../environment.ts';
import { attempt } from '../errors.ts';
import { sha256 } from '../text/sha256.ts';
import { cacheFolder, readCacheFile, writeCacheFile } from './cache-file.ts';

export interface FactCache {
  isEmpty(): boolean;
  find(key: string): Buffer | undefined;
  /** For later processes, too. */
  keep(key: string, value: Buffer): void;
}

/** Of a file. */
const MOST_BYTES = 1024 * 1024;
/** Of what a process adds. */
const MOST_ADDED_BYTES = 4 * MOST_BYTES;
const MOST_FOLDERS = 20;
const NEW_LINE = 0x0a;

/** Those who look at one folder for one event share what they find. */
const known = new WeakMap<Environment, Map<string, FactCache | undefined>>();

/** `undefined` without a home; none is made for this. */
export function factCache(env: Environment, folder: string): FactCache | undefined {
  const all = known.get(env) ?? new Map<string, FactCache | undefined>();
  known.set(env, all);
  if (!all.has(folder)) all.set(folder, factsOf(env, folder));
  return all.get(folder);
}

function factsOf(env: Environment, folder: string): FactCache | undefined {
  const cache = cacheFolder(env);
  if (cache === undefined || !existsSync(dirname(cache))) return undefined;
  let file = '';
  let read: Map<string, Buffer> | undefined;
  // Not all who could ask do.
  const before = (): Map<string, Buffer> => {
    if (read !== undefined) return read;
    file = join(cache, `${PREFIX}${sha256(folder).slice(0, 16)}`);
    read = readFacts(readCacheFile(file) ?? Buffer.alloc(0));
    return read;
  };
  const used = new Map<string, Buffer>();
  let added = 0;
  const use = (key: string, value: Buffer): void => {
    used.delete(key);
    used.set(key, value);
  };
  return {
    isEmpty: () => before().size === 0,
    find(key) {
      const value = used.get(key) ?? before().get(key);
      if (value !== undefined) use(key, value);
      return value;
    },
    keep(key, value) {
      added += value.length;
      if (added > MOST_ADDED_BYTES) return;
      use(key, value);
      const earlier = before();
      // The last one may have been worked out from those before, which are then not asked for again.
      writeAtExit(file, () => asBytes([...[...used].reverse(), ...earlier]));
    },
  };
}

const PREFIX = 'facts.';

/** By file, its content. */
const unwritten = new Map<string, () => Buffer>();

function writeAtExit(file: string, content: () => Buffer): void {
  if (unwritten.size === 0) process.once('exit', write);
  unwritten.set(file, content);
}

function write(): void {
  for (const [file, content] of unwritten) {
    const folder = dirname(file);
    if (!existsSync(dirname(folder))) continue;
    const isNew = !existsSync(file);
    writeCacheFile(file, content());
    if (isNew) attempt(() => forgetOldest(folder));
  }
  unwritten.clear();
}

function forgetOldest(folder: string): void {
  const files = readdirSync(folder)
    .filter((it) => it.startsWith(PREFIX))
    .map((name) => join(folder, name))
    .map((file) => ({ file, at: statSync(file).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { file } of files.slice(MOST_FOLDERS)) rmSync(file, { force: true });
}

/** Each fact is a line with the numbers of bytes of key and value, and these. */
function asBytes(facts: Iterable<readonly [string, Buffer]>): Buffer {
  const parts: Buffer[] = [];
  const keys = new Set<string>();
  let bytes = 0;
  for (const [key, value] of facts) {
    const start = Buffer.from(`${Buffer.byteLength(key)} ${value.length}\n${key}`);
    const size = start.length + value.length;
    if (keys.has(key) || bytes + size > MOST_BYTES) continue;
    keys.add(key);
    bytes += size;
    parts.push(start, value);
  }
  return Buffer.concat(parts);
}

function readFacts(bytes: Buffer): Map<string, Buffer> {
  const facts = new Map<string, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    const line = bytes.indexOf(NEW_LINE, at);
    const [, keyBytes, valueBytes] = /^(\d+) (\d+)$/.exec(bytes.toString('latin1', at, line)) ?? [];
    if (keyBytes === undefined || valueBytes === undefined) return new Map();
    const valueAt = line + 1 + Number(keyBytes);
    at = valueAt + Number(valueBytes);
    facts.set(bytes.toString('utf8', line + 1, valueAt), bytes.subarray(valueAt, at));
  }
  return facts;
}
