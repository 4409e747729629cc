/**
 * The start of the hook program, in syntax that every Node parses. It loads the rest, with compiled
 * code from a cache if there is one: a short process spends most of its time on compiling. If the
 * rest is missing, it still holds releases.
 */
import {
  chmodSync,
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';
import { EVENT_NAMES } from '../agents/types.ts';
import { attempt } from '../errors.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import { PRIVATE, replaceFile } from '../files/replace-file.ts';
import { GIT_PRE_PUSH } from '../text/git-hook.ts';
import { commandPart, type RawPayload, RELEASE_WORDS } from '../text/raw-payload.ts';
import { inputStart } from './input-start.ts';

/** The module that the program begins in, set by the build. */
declare const FIRST_MODULE: string;

const EVENT = [...EVENT_NAMES, GIT_PRE_PUSH].find((name) => name === process.argv[2]);

function runMain(): void {
  const bundle = openBundle(join(__dirname, 'lanehold-hook-main.cjs'));
  const cache = cacheOf(EVENT, bundle.id);
  // The cache only saves time: if it cannot be used, the code is compiled again.
  const compiled = (cache && attempt(() => readCache(cache))) ?? new Map<string, Buffer>();
  const { require, scripts } = partsOf(bundle, compiled);
  if (cache !== undefined) {
    process.on('exit', () => {
      const isNew = (script: Script): boolean => script.cachedDataRejected !== false;
      if (![...scripts.values()].some(isNew)) return;
      // Of all parts, because more of their functions have been called by now.
      for (const [name, script] of scripts) compiled.set(name, script.createCachedData());
      attempt(() => writeCache(cache, compiled));
    });
  }
  require(FIRST_MODULE);
}

type Modules = Record<string, (...args: unknown[]) => void>;

/** The `require` of the bundled modules; other names go to Node's own. */
function partsOf({ file, partOf, source }: Bundle, compiled: ReadonlyMap<string, Buffer>) {
  const load = createRequire(file);
  const scripts = new Map<string, Script>();
  const parts = new Map<string, Modules>();
  const loaded = new Map<string, { exports: unknown }>();

  const read = (part: string): Modules => {
    const cachedData = compiled.get(part);
    const options = { filename: join(file, part) };
    const script = new Script(source(part), cachedData ? { ...options, cachedData } : options);
    const modules = script.runInThisContext();
    scripts.set(part, script);
    parts.set(part, modules);
    return modules;
  };
  const require = (name: string): unknown => {
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    const part = partOf.get(name);
    if (part === undefined) return load(name);
    const module = { exports: {} };
    loaded.set(name, module);
    const modules = parts.get(part) ?? read(part);
    modules[name]?.(module.exports, require, module, file, __dirname);
    return module.exports;
  };
  return { require, scripts };
}

/** By the name of the agent; set by the build, because every start would compile the definitions. */
declare const RAW_PAYLOADS: Readonly<Record<string, RawPayload>>;

/** If a part of the package is missing, pushes of git and commands with a release word are refused. */
function holdReleases(error: unknown): void {
  if (process.env.LANEHOLD_DISABLE === '1') return;
  if (EVENT === GIT_PRE_PUSH) hold('push', 'git-hook install', error);
  if (EVENT !== 'before-tool') return;
  const payload = inputStart(process.env) + readFileSync(0, 'utf8');
  const raw = RAW_PAYLOADS[process.argv[4] ?? ''];
  const command = raw ? commandPart(payload, raw) : payload;
  if (!RELEASE_WORDS.some((word) => command.includes(word))) return;
  hold('command', 'install', error);
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

/** Length of the header, set by the build. */
declare const HEADER_BYTES: number;

/**
 * The file with the hook's code: a header with the place of each part, and the parts. An event reads
 * only the parts whose modules it needs.
 */
interface Bundle {
  readonly file: string;
  /** Digest of the code. */
  readonly id: string;
  /** Name of the part that a module belongs to. */
  readonly partOf: ReadonlyMap<string, string>;
  /** Text of a part. */
  source(part: string): string;
}

interface Header {
  readonly id: string;
  /** Size of the file. */
  readonly bytes: number;
  readonly parts: Readonly<
    Record<string, readonly [at: number, length: number, modules: string[]]>
  >;
}

/**
 * The file stays open, so that all parts are of one build even if it is replaced meanwhile.
 *
 * @throws {Error} if the file is missing or incomplete.
 */
function openBundle(file: string): Bundle {
  const fd = openSync(file, 'r');
  try {
    const { id, bytes, parts } = headerOf(read(fd, 0, HEADER_BYTES), file);
    if (fstatSync(fd).size !== bytes) throw new Error(`${file} is not whole`);
    return {
      file,
      id,
      partOf: new Map(
        Object.entries(parts).flatMap(([part, [, , names]]) => names.map((name) => [name, part])),
      ),
      source(part) {
        const [at = 0, length = 0] = parts[part] ?? [];
        return read(fd, at, length);
      },
    };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** The build writes ASCII only, so a byte is a character; V8 stores such text in one byte each. */
function read(fd: number, at: number, length: number): string {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const count = readSync(fd, bytes, done, length - done, at + done);
    if (count === 0) throw new Error('the hook’s code ends too early');
    done += count;
  }
  return bytes.toString('latin1');
}

function headerOf(text: string, file: string): Header {
  try {
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  } catch (cause) {
    throw new Error(`${file} does not begin as it should`, { cause });
  }
}

/**
 * V8's compiled code of the hook's parts, one file for each event: it has the functions that the
 * event called. Node's own compile cache has only what is compiled as a file is loaded.
 */
interface Cache {
  readonly folder: string;
  readonly event: string;
  readonly file: string;
}

/** Compiled code by the name of the part. */
type Compiled = ReadonlyMap<string, Buffer>;

/** @param build part of the name: compiled code of another build must never be run. */
function cacheOf(event: string | undefined, build: string): Cache | undefined {
  const { LANEHOLD_HOME, LANEHOLD_DISABLE, HOME } = process.env;
  const home = LANEHOLD_HOME || (HOME && join(HOME, '.lanehold'));
  if (!home || !isAbsolute(home)) return undefined;
  if (event === undefined || LANEHOLD_DISABLE === '1') return undefined;
  const folder = join(home, 'cache');
  const file = join(folder, `${event}.${build}.${process.version}-${process.arch}`);
  return { folder, event, file };
}

/**
 * Its content is run as code, so it is read only if no other user can write or replace it.
 *
 * @throws if the file cannot be read, or has another format.
 */
function readCache({ folder, file }: Cache): Map<string, Buffer> {
  const compiled = new Map<string, Buffer>();
  if (!isPrivate(lstatSync(folder)) || !isPrivate(lstatSync(file))) return compiled;
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

function isPrivate({ uid, mode }: Stats): boolean {
  return (mode & OTHERS) === 0 && (process.getuid === undefined || uid === process.getuid());
}

const OTHERS = 0o077;

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
function writeCache({ folder, event, file }: Cache, compiled: Compiled): void {
  makePrivateFolder(folder);
  if (!isPrivate(lstatSync(folder))) chmodSync(folder, 0o700);
  const data = joined(compiled);
  replaceFile(file, Buffer.concat([data, data]), { mode: PRIVATE });
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
