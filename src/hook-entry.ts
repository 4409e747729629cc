/**
 * The first lines of the hook program, in syntax that every Node parses. They load the rest, from
 * V8's own cache of compiled code where there is one: most of what a short process does is compiling
 * its source, function by function. Should there be no rest, they are the last who can hold a
 * release.
 *
 * Node's compile cache keeps what is compiled when a file is loaded; this one keeps, per event, the
 * functions that the event really called.
 */
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';
import { EVENT_NAMES } from './agents/types.ts';
import { makePrivateFolder } from './private-folder.ts';
import { GIT_PRE_PUSH } from './text/git-hook.ts';
import { RELEASE_WORDS } from './text/release-words.ts';
import { commandPart } from './text/tool-payload.ts';

/** Digest of the main file, set by the build: code of another build must never be run for this. */
declare const BUILD_ID: string;

const MAIN = join(__dirname, 'lanehold-hook-main.cjs');
const EVENT = [...EVENT_NAMES, GIT_PRE_PUSH].find((name) => name === process.argv[2]);

function runMain(): void {
  const source = readFileSync(MAIN, 'latin1');
  const cache = source.startsWith(`/*${BUILD_ID}*/`) ? cacheOf(EVENT) : undefined;
  const cached = cache && readCache(cache);
  const parameters = 'exports,require,module,__filename,__dirname';
  const script = new Script(`(function(${parameters}){${source}\n})`, {
    filename: MAIN,
    ...(cached === undefined ? {} : { cachedData: cached.data }),
  });
  const known = script.cachedDataRejected === true ? undefined : cached?.depth;

  const load = createRequire(MAIN);
  let depth: Depth = 'shallow';
  const require = (name: string): unknown => {
    if (name === 'node:child_process') depth = 'deep';
    return load(name);
  };
  if (cache !== undefined) {
    process.on('exit', () => {
      const news = known === undefined || (known === 'shallow' && depth === 'deep');
      if (news) attempt(() => keep(cache, depth, script.createCachedData()));
    });
  }
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, MAIN, __dirname);
}

/**
 * Whether the run that was kept had started git: then it called the half of the program that most
 * runs of the same event never reach.
 */
type Depth = 'shallow' | 'deep';

interface Cache {
  readonly folder: string;
  readonly event: string;
}

function cacheOf(event: string | undefined): Cache | undefined {
  const { LANEHOLD_HOME, LANEHOLD_DISABLE, HOME } = process.env;
  const home = LANEHOLD_HOME || (HOME && join(HOME, '.lanehold'));
  if (!home || !isAbsolute(home)) return undefined;
  if (event === undefined || LANEHOLD_DISABLE === '1') return undefined;
  return { folder: join(home, 'cache'), event };
}

function fileOf({ folder, event }: Cache, depth: Depth): string {
  return join(folder, `${event}.${BUILD_ID}.${process.version}-${process.arch}.${depth}`);
}

function readCache(cache: Cache): { data: Buffer; depth: Depth } | undefined {
  for (const depth of ['deep', 'shallow'] as const) {
    const data = proven(attempt(() => readFileSync(fileOf(cache, depth))));
    if (data !== undefined) return { data, depth };
  }
  return undefined;
}

/**
 * V8 runs what it is given without a look: one flipped bit would crash every hook from then on.
 * Each file holds its data twice; to compare the halves costs less than any sum of them.
 */
function proven(file: Buffer | undefined): Buffer | undefined {
  if (file === undefined) return undefined;
  const half = Math.ceil(file.length / 2);
  const data = file.subarray(0, half);
  return half > 0 && data.equals(file.subarray(half)) ? data : undefined;
}

/** All or nothing; what older builds left goes. */
function keep(cache: Cache, depth: Depth, data: Buffer): void {
  const { folder, event } = cache;
  const file = fileOf(cache, depth);
  makePrivateFolder(folder);
  const next = `${file}.${process.pid}.tmp`;
  const fd = openSync(next, 'wx', 0o600);
  try {
    const twice = Buffer.concat([data, data]);
    for (let at = 0; at < twice.length; ) at += writeSync(fd, twice, at);
    fsyncSync(fd);
  } catch (error) {
    rmSync(next);
    throw error;
  } finally {
    closeSync(fd);
  }
  for (const name of readdirSync(folder)) {
    const isOlder = name.startsWith(`${event}.`) && !name.endsWith('.tmp');
    if (isOlder) rmSync(join(folder, name), { force: true });
  }
  renameSync(next, file);
}

/** The cache is worth no word: without it the same happens, a little later. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** With half of the package gone, only what carries a release word is refused, and what git pushes. */
function holdReleases(error: unknown): void {
  if (process.env.LANEHOLD_DISABLE === '1') return;
  if (EVENT === GIT_PRE_PUSH) hold('push', 'git-hook install', error);
  if (EVENT !== 'before-tool') return;
  const command = commandPart(readFileSync(0, 'utf8'));
  if (!RELEASE_WORDS.some((word) => command.includes(word))) return;
  hold('command', 'install', error);
}

/** Exit code 2 refuses an agent's command, and like every other one a push. */
function hold(what: string, repair: string, error: unknown): void {
  const fact = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  writeSync(
    2,
    `lanehold holds this ${what}: its program is incomplete (${fact}); repair it with \`npm install -g lanehold && lanehold ${repair}\`\n`,
  );
  process.exitCode = 2;
}

try {
  runMain();
} catch (error) {
  holdReleases(error);
}
