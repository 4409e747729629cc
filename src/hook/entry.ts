/**
 * The start of the hook program, in syntax that every Node parses. It loads the rest, with compiled
 * code from a cache if there is one: a short process spends most of its time on compiling. If the
 * rest is missing, it still holds releases.
 */
import { readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { EVENT_NAMES } from '../agents/types.ts';
import { attempt } from '../errors.ts';
import { GIT_PRE_PUSH } from '../text/git-hook.ts';
import { commandPart } from '../text/raw-payload.ts';
import { RELEASE_WORDS } from '../text/release-words.ts';
import { type Bundle, openBundle } from './bundle.ts';
import { cacheOf, readCache, writeCache } from './cache.ts';

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

/** If a part of the package is missing, pushes of git and commands with a release word are refused. */
async function holdReleases(error: unknown): Promise<void> {
  if (process.env.LANEHOLD_DISABLE === '1') return;
  if (EVENT === GIT_PRE_PUSH) hold('push', 'git-hook install', error);
  if (EVENT !== 'before-tool') return;
  const payload = readFileSync(0, 'utf8');
  const { findHookAgent } = await import('../agents/registry.ts');
  const agent = findHookAgent(process.argv[4] ?? '');
  const command = agent ? commandPart(payload, agent.hooks.rawPayload) : payload;
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

try {
  runMain();
} catch (error) {
  void holdReleases(error);
}
