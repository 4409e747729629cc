/**
 * The start of the hook program, in syntax that every Node parses. It loads the rest, with compiled
 * code from a cache if there is one: a short process spends most of its time on compiling. If the
 * rest is missing, it still holds releases.
 */
import { readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { EVENT_NAMES } from '../../agents/types.ts';
import { attempt } from '../../base/errors.ts';
import { cacheFolder, readCacheFile, writeCacheFile } from '../../base/files/cache-file.ts';
import { GIT_PRE_PUSH } from '../../base/text/git-hook.ts';
import { hasReleaseWord } from '../../base/text/raw-payload.ts';
import { inputStart } from './input-start.ts';

/** The module that the program begins in, set by the build. */
declare const FIRST_MODULE: string;

const EVENT = [...EVENT_NAMES, GIT_PRE_PUSH].find((name) => name === process.argv[2]);

function runMain(): void {
  const file = join(__dirname, 'lanehold-hook-main.cjs');
  const { source, build } = readBundle(file);
  const cache = cacheOf(EVENT, build);
  // The cache only saves time: if it cannot be used, the code is compiled again.
  const { compiled, modules: known = 0 } = (cache && readCache(cache)) ?? {};
  const script = new Script(
    source,
    compiled ? { filename: file, cachedData: compiled } : { filename: file },
  );
  const loaded = new Map<string, { exports: unknown }>();
  if (cache !== undefined) {
    process.on('exit', () => {
      const modules = loaded.size;
      // A run that came further has called more functions.
      const isNew = compiled === undefined || script.cachedDataRejected === true || modules > known;
      if (isNew) attempt(() => writeCache(cache, { compiled: script.createCachedData(), modules }));
    });
  }
  requireFrom(script.runInThisContext(), file, loaded)(FIRST_MODULE);
}

type Modules = Readonly<Record<string, (...args: unknown[]) => void>>;

/** The `require` of the bundled modules; other names go to Node's own. */
function requireFrom(modules: Modules, file: string, loaded: Map<string, { exports: unknown }>) {
  const load = createRequire(file);
  const require = (name: string): unknown => {
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    const run = modules[name];
    if (run === undefined) return load(name);
    const module = { exports: {} };
    loaded.set(name, module);
    run(module.exports, require, module, file, __dirname);
    return module.exports;
  };
  return require;
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

/** Pushes of git and commands that may release something are refused if a part of the package is missing. */
function holdReleases(error: unknown): void {
  if (process.env.LANEHOLD_DISABLE === '1') return;
  if (EVENT === GIT_PRE_PUSH) hold('push', 'git-hook install', error);
  if (EVENT !== 'before-tool') return;
  const input = inputStart(process.env) + readFileSync(0, 'utf8');
  const { spawnSync } = createRequire(__filename)('node:child_process');
  const rule = join(__dirname, 'runs-no-release.sh');
  if (spawnSync('/bin/sh', [rule], { input }).status !== 0) hold('command', 'install', error);
}

/** Exit code 2 denies an agent's command; git refuses a push at any code but 0. */
function hold(what: string, repair: string, error: unknown): void {
  const fact = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  writeSync(
    2,
    `lanehold holds this ${what}: its program is incomplete (${fact}); repair it with \`npm install -g lanehold && lanehold ${repair}\`\n`,
  );
  process.exitCode = 2;
}

/**
 * V8's compiled code of the hook, one file for each event: it has the functions that the event called.
 * Node's own compile cache has only what is compiled as a file is loaded.
 */
interface Cache {
  readonly folder: string;
  readonly event: string;
  readonly file: string;
}

interface Compiled {
  readonly compiled: Buffer;
  /** How many modules the run loaded that it is of. */
  readonly modules: number;
}

/** @param build part of the name: compiled code of another build must never be run. */
function cacheOf(event: string | undefined, build: string): Cache | undefined {
  const folder = cacheFolder(process.env);
  if (folder === undefined || event === undefined) return undefined;
  if (process.env.LANEHOLD_DISABLE === '1') return undefined;
  // Most commands release nothing, and need half of the code.
  const isRelease = event === 'before-tool' && hasReleaseWord(process.env.LANEHOLD_INPUT ?? '');
  const name = isRelease ? `${event}-release` : event;
  const file = join(folder, `${name}.${build}.${process.version}-${process.arch}`);
  return { folder, event: name, file };
}

/** V8 does not check compiled code: one flipped bit would crash every later hook. */
function readCache({ file }: Cache): Compiled | undefined {
  const data = readCacheFile(file);
  if (data === undefined || data.length <= START_BYTES) return undefined;
  return { compiled: data.subarray(START_BYTES), modules: data.readUInt32LE() };
}

/** V8 copies data that is not aligned to this. */
const START_BYTES = 8;

/** Older builds' code of the same event is removed. */
function writeCache({ folder, event, file }: Cache, { compiled, modules }: Compiled): void {
  const start = Buffer.alloc(START_BYTES);
  start.writeUInt32LE(modules);
  writeCacheFile(file, Buffer.concat([start, compiled]));
  for (const name of readdirSync(folder)) {
    const other = join(folder, name);
    const isOlder = name.startsWith(`${event}.`) && !name.endsWith('.tmp') && other !== file;
    if (isOlder) rmSync(other, { force: true });
  }
}

try {
  runMain();
} catch (error) {
  holdReleases(error);
}
