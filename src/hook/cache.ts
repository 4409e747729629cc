/**
 * V8's compiled code of the hook's parts, one file for each event: it has the functions that the
 * event called. Node's own compile cache has only what is compiled as a file is loaded.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { makePrivateFolder } from '../files/private-folder.ts';
import { PRIVATE, replaceFile } from '../files/replace-file.ts';

export interface Cache {
  readonly folder: string;
  readonly event: string;
  readonly file: string;
}

/** Compiled code by the name of the part. */
type Compiled = ReadonlyMap<string, Buffer>;

/** @param build part of the name: compiled code of another build must never be run. */
export function cacheOf(event: string | undefined, build: string): Cache | undefined {
  const { LANEHOLD_HOME, LANEHOLD_DISABLE, HOME } = process.env;
  const home = LANEHOLD_HOME || (HOME && join(HOME, '.lanehold'));
  if (!home || !isAbsolute(home)) return undefined;
  if (event === undefined || LANEHOLD_DISABLE === '1') return undefined;
  const folder = join(home, 'cache');
  const file = join(folder, `${event}.${build}.${process.version}-${process.arch}`);
  return { folder, event, file };
}

/** @throws if the file cannot be read, or has another format. */
export function readCache({ file }: Cache): Map<string, Buffer> {
  const compiled = new Map<string, Buffer>();
  const data = proven(readFileSync(file));
  if (data === undefined) return compiled;
  const end = data.indexOf('\n');
  let at = aligned(end + 1);
  for (const [name, length] of JSON.parse(data.toString('latin1', 0, end))) {
    compiled.set(name, data.subarray(at, at + length));
    at += aligned(length);
  }
  return compiled;
}

/**
 * V8 does not check compiled code: one flipped bit would crash every later hook. So each file has
 * its data twice. Comparing the halves is faster than any checksum.
 */
function proven(file: Buffer): Buffer | undefined {
  const half = Math.ceil(file.length / 2);
  const data = file.subarray(0, half);
  return half > 0 && data.equals(file.subarray(half)) ? data : undefined;
}

/** V8 copies data that is not aligned. */
function aligned(at: number): number {
  return Math.ceil(at / 8) * 8;
}

/** `[[name, length],…]`, a new line, and the code of each part. */
function joined(compiled: Compiled): Buffer {
  const header = `${JSON.stringify([...compiled].map(([name, { length }]) => [name, length]))}\n`;
  return Buffer.concat([Buffer.from(header), ...compiled.values()].flatMap(padded));
}

function padded(bytes: Buffer): Buffer[] {
  return [bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)];
}

/** Older builds' code of the same event is removed. */
export function writeCache({ folder, event, file }: Cache, compiled: Compiled): void {
  makePrivateFolder(folder);
  const data = joined(compiled);
  replaceFile(file, Buffer.concat([data, data]), { mode: PRIVATE });
  for (const name of readdirSync(folder)) {
    const other = join(folder, name);
    const isOlder = name.startsWith(`${event}.`) && !name.endsWith('.tmp') && other !== file;
    if (isOlder) rmSync(other, { force: true });
  }
}
