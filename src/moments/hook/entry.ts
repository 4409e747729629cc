/**
 * The start of the hook program, in syntax that every Node parses. It runs the rest with V8's compiled code
 * from a cache if there is one: a short process spends most of its time on compiling.
 */
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';
import { EVENT_NAMES } from '../../agents/types.ts';
import { attempt } from '../../base/errors.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { GIT_PRE_PUSH } from '../../base/text/git-hook.ts';

/** Options of the program stand before the event. */
const NAME = process.argv.slice(2).find((it) => !it.startsWith('--'));
const EVENT = [...EVENT_NAMES, GIT_PRE_PUSH].find((it) => it === NAME);

function runMain(): void {
  const file = join(__dirname, 'lanehold-hook-main.cjs');
  const { source, build } = readBundle(file);
  const cache = cacheFile(build);
  const known = cache && readCache(cache);
  const script = new Script(
    `(function(exports,require,module,__filename,__dirname){${source}\n})`,
    known ? { filename: file, cachedData: known.compiled } : { filename: file },
  );
  const load = createRequire(file);
  const loaded = new Set<string>();
  if (cache !== undefined) {
    process.on('exit', () => {
      // A run that came further has loaded more of Node, and called more functions.
      const isNew = !known || script.cachedDataRejected === true || loaded.size > known.loaded;
      if (isNew) attempt(() => writeCache(cache, script.createCachedData(), loaded.size));
    });
  }
  const require = Object.assign(
    (name: string): unknown => {
      loaded.add(name);
      return load(name);
    },
    { resolve: load.resolve },
  );
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, file, __dirname);
}

/**
 * All of it at once, so that it is of one build even if the file is replaced meanwhile. The build writes
 * ASCII only, so a byte is a character; V8 stores such text in one byte each.
 *
 * @throws {Error} if the file is missing or incomplete.
 */
function readBundle(file: string): { source: string; build: string } {
  const source = readFileSync(file, 'latin1');
  const [, build, length] = /^\/\*([0-9a-f]{16}) (\d+)\*\//.exec(source.slice(0, 40)) ?? [];
  if (build === undefined) throw new Error(`${file} does not begin as it should`);
  if (source.length !== Number(length)) throw new Error(`${file} is not whole`);
  return { source, build };
}

/**
 * V8's compiled code, one file for each event: it has the functions that the event called. Node's own
 * compile cache has only what is compiled as a file is loaded.
 *
 * @param build part of the name, as Node's version is: compiled code of another build must never be run.
 */
function cacheFile(build: string): string | undefined {
  const { LANEHOLD_HOME, LANEHOLD_DISABLE, HOME } = process.env;
  const home = LANEHOLD_HOME || (HOME && join(HOME, '.lanehold'));
  if (!home || !isAbsolute(home) || EVENT === undefined || LANEHOLD_DISABLE === '1')
    return undefined;
  return join(home, 'cache', `${EVENT}.${build}.${process.version}-${process.arch}`);
}

/** V8 copies data that is not aligned to this. */
const START_BYTES = 8;

/**
 * The file has its content twice, since V8 checks nothing and one flipped bit would crash every later hook:
 * comparing the halves is faster than any checksum, and needs no wait for the disk.
 */
function readCache(file: string): { compiled: Buffer; loaded: number } | undefined {
  return attempt(() => {
    if (!isPrivate(lstatSync(dirname(file))) || !isPrivate(lstatSync(file))) return undefined;
    const data = readFileSync(file);
    const half = data.length / 2;
    const content = data.subarray(0, half);
    if (half <= START_BYTES || !content.equals(data.subarray(half))) return undefined;
    return { compiled: content.subarray(START_BYTES), loaded: content.readUInt32LE() };
  });
}

/** Whether no other user can have written it. */
const isPrivate = ({ uid, mode }: Stats): boolean =>
  (mode & 0o077) === 0 && (process.getuid === undefined || uid === process.getuid());

/** In one step; files of the same event by older builds are removed. */
function writeCache(file: string, compiled: Buffer, loaded: number): void {
  const folder = dirname(file);
  makePrivateFolder(folder);
  if (!isPrivate(lstatSync(folder))) chmodSync(folder, 0o700);
  const start = Buffer.alloc(START_BYTES);
  start.writeUInt32LE(loaded);
  const draft = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, Buffer.concat([start, compiled, start, compiled]), { mode: 0o600 });
    renameSync(draft, file);
  } catch {
    rmSync(draft, { force: true });
  }
  for (const name of readdirSync(folder)) {
    const other = join(folder, name);
    const isOlder = name.startsWith(`${EVENT}.`) && !name.endsWith('.tmp') && other !== file;
    if (isOlder) rmSync(other, { force: true });
  }
}

runMain();
