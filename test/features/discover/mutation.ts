/**
 * Judges proposed features by what they let through: files of a small project are changed so that its own test
 * suite fails, and a push of each change has to be held until a test that notices has run.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { VerificationReport } from '../../../src/app/hold/verification.ts';
import type { Feature, SmokeTest } from '../../../src/base/config/feature.ts';
import { parseRegistryFile } from '../../../src/base/config/files.ts';
import { onPath } from '../../../src/base/files/executable.ts';
import { affectedFeatures } from '../../../src/features/affected.ts';
import { isSource } from '../../../src/features/discover/source-tree.ts';
import { matcher } from '../../../src/features/match.ts';
import { command } from '../../support/command.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { COMPILED } from './kinds/compiled.ts';
import { JAVASCRIPT } from './kinds/javascript.ts';
import { json, type Kind } from './kinds/kind.ts';
import { PYTHON } from './kinds/python.ts';

export const KINDS: readonly Kind[] = [...JAVASCRIPT, ...PYTHON, ...COMPILED];

export interface Score {
  readonly kind: string;
  readonly features: number;
  readonly mutants: number;
  /** What was changed, and why it was let through, for each mutant that was. */
  readonly missed: readonly string[];
  /** Smoke tests that fail on the project as it is. */
  readonly broken: readonly string[];
  /** How long the runs of verifying everything take, as a multiple of the suite. */
  readonly verifyAgainstSuite: number;
  /** How many features a comment in a source file holds, on average. */
  readonly heldByComment: number;
  /** The most features that one source file belongs to, beside the one of the rest. */
  readonly mostPerFile: number;
}

interface Mutant {
  readonly path: string;
  /** `undefined`: the file is deleted. */
  readonly text: string | undefined;
  readonly change: string;
}

/** Programs of a kind that are not on this machine. */
export function missingPrograms(kind: Kind): readonly string[] {
  return kind.needs.filter((program) => onPath(program, process.env) === undefined);
}

/**
 * @param most mutants; they are taken evenly from all that there are.
 * @param map `learned`: the proposals are changed to what their tests read before they are judged.
 */
export async function scoreOf(
  kind: Kind,
  most: number,
  cleanUp?: (remove: () => void) => void,
  map: 'proposed' | 'learned' = 'proposed',
): Promise<Score> {
  const project = await laidOut(kind, cleanUp, map);
  const { features } = project;
  const broken = features.flatMap(({ name, smoke }) =>
    smoke.filter((it) => !project.passes(it)).map((it) => `${name}: ${it.command}`),
  );
  const missed: string[] = [];
  let mutants = 0;
  for (const mutant of spread(mutantsOf(kind), most)) {
    const outcome = await project.tryOut(mutant);
    if (outcome === 'no mutant') continue;
    mutants += 1;
    if (outcome !== 'noticed') missed.push(`${mutant.path} (${mutant.change}): ${outcome}`);
  }
  return {
    kind: kind.name,
    features: features.length,
    mutants,
    missed,
    broken,
    verifyAgainstSuite: await project.verifyAgainstSuite(),
    ...heldOnAverage(kind, features),
  };
}

const NUMBER = /(?<![\w.'"/@~^<>=*-])\d+(?![\w.'"/])/g;
const QUOTED_NUMBER = /(?<=['"`=> ])\d+(?=[ '"`\n])/g;

function mutantsOf({ files, added = {} }: Kind): readonly Mutant[] {
  const changes = Object.entries(files).flatMap(([path, text]): Mutant[] => {
    if (path === '.gitignore') return [];
    const inSource = [...text.matchAll(NUMBER)];
    const found = inSource.length > 0 ? inSource : [...text.matchAll(QUOTED_NUMBER)];
    const places = new Set([found[0], found.at(-1)].flatMap((it) => it?.index ?? []));
    const bumped = [...places].map((at): Mutant => {
      const [number = ''] = /^\d+/.exec(text.slice(at)) ?? [];
      const next = String(Number(number) + 1);
      const changed = text.slice(0, at) + next + text.slice(at + number.length);
      return { path, text: changed, change: `${number} to ${next}` };
    });
    const gone: Mutant = { path, text: undefined, change: 'deleted' };
    return bumped.length === 0 || !isSource(path) ? [...bumped.slice(0, 1), gone] : bumped;
  });
  const additions = Object.entries(added).map(
    ([path, text]): Mutant => ({ path, text, change: 'added' }),
  );
  return [...additions, ...changes];
}

function spread<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  return Array.from(
    { length: most },
    (_, at) => items[Math.floor((at * items.length) / most)] as T,
  );
}

function heldOnAverage({ files }: Kind, features: readonly Feature[]) {
  const registry = new Map(features.map((it) => [it.name, it]));
  const sources = Object.keys(files).filter(isSource);
  const held = sources.map((path) => affectedFeatures(registry, [path]).features.size);
  const own = features.filter(({ files }) => files.length > 0).map(({ files }) => matcher(files));
  const owners = sources.map((path) => own.filter((it) => it.matches(path)).length);
  return {
    heldByComment: held.reduce((sum, it) => sum + it, 0) / Math.max(1, held.length),
    mostPerFile: Math.max(0, ...owners),
  };
}

type Lanehold = (
  ...argv: string[]
) => Promise<{ readonly stdout: string; readonly stderr: string }>;

/** In the checkout that is measured, the setup makes what git ignores. */
async function learn(root: string, kind: Kind, lanehold: Lanehold): Promise<void> {
  const file = join(root, 'lanehold.json');
  if (!existsSync(file)) return;
  const parsed = () => JSON.parse(readFileSync(file, 'utf8'));
  const { links = {}, standIns = {} } = kind;
  const made = [...Object.keys(links), ...Object.keys(standIns).filter((it) => it.includes('/'))];
  const setup = made.map(
    (path) => `mkdir -p '${dirname(path)}' && cp -a '${join(root, path)}' '${path}'`,
  );
  writeFileSync(file, json({ ...parsed(), verify: { setup: ['true', ...setup] } }));
  process.stderr.write((await lanehold('feature', 'learn', '--write')).stdout);
  const { verify: _, ...others } = parsed();
  writeFileSync(file, json(others));
}

async function laidOut(
  kind: Kind,
  cleanUp: ((remove: () => void) => void) | undefined,
  map: 'proposed' | 'learned',
) {
  const box = sandbox(cleanUp);
  const root = box.repo('project');
  for (const [path, text] of Object.entries(kind.files)) box.write(join('project', path), text);
  for (const [path, target] of Object.entries(kind.links ?? {})) {
    const link = join(root, path);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target.startsWith('/') ? target : join(root, target), link);
  }
  for (const [name, text] of Object.entries(kind.standIns ?? {})) {
    const file = name.includes('/') ? join('project', name) : join('bin', name);
    chmodSync(box.write(file, text.startsWith('#!') ? text : `#!/bin/sh\n${text}\n`), 0o755);
  }
  const env = environment(box);
  const lanehold = (...argv: string[]) => command(box, root, argv, { env });
  await lanehold('feature', 'discover', '--write');
  if (map === 'learned') await learn(root, kind, lanehold);
  const features = readFeatures(root);
  const first = box.commit(root);
  const run = (text: string, cwd = '') =>
    spawnSync(text, { shell: true, cwd: join(root, cwd), env, encoding: 'utf8' });
  const passes = ({ command: text, cwd }: SmokeTest): boolean => run(text, cwd).status === 0;
  const suite = run(kind.suite);
  if (suite.status !== 0) throw new Error(`${kind.name}: ${suite.stdout}${suite.stderr}`);

  return {
    features,
    passes,
    /** How a push of the change ends: with a test that notices, or the reason why it is let through. */
    async tryOut({ path, text }: Mutant): Promise<string> {
      const file = join(root, path);
      if (text === undefined) rmSync(file);
      else box.write(file, text);
      box.commit(root);
      const { stdout } = await lanehold('gate', '--base', first, '--head', 'HEAD', '--json');
      const held = heldNames(stdout);
      const smoke = features.filter(({ name }) => held.includes(name)).flatMap((it) => it.smoke);
      const isNoticed = smoke.some((it) => !passes(it));
      const isMutant = isNoticed || run(kind.suite).status !== 0;
      box.git(root, 'reset', '--quiet', '--hard', first);
      if (isNoticed) return 'noticed';
      if (!isMutant) return 'no mutant';
      return held.length === 0 ? 'never held' : `passed after verify of ${held.join(', ')}`;
    },
    async verifyAgainstSuite(): Promise<number> {
      if (features.length === 0) return 0;
      // The first run after a change fills caches.
      run(kind.suite);
      const before = timedMs(() => run(kind.suite));
      const names = features.filter(({ smoke }) => smoke.length > 0).map(({ name }) => name);
      const { stdout } = await lanehold('feature', 'verify', ...names, '--json');
      const after = timedMs(() => run(kind.suite));
      return runsMs(stdout) / Math.max(SHORTEST_SUITE_MS, (before + after) / 2);
    },
  };
}

/** The start of a command takes longer than the suites of the smallest projects. */
const SHORTEST_SUITE_MS = 500;

function timedMs(work: () => unknown): number {
  const begin = performance.now();
  work();
  return performance.now() - begin;
}

/** A run that counts for several features is in the report of each. */
function runsMs(stdout: string): number {
  const report: VerificationReport = JSON.parse(stdout);
  const runs = report.features.flatMap((it) => it.runs ?? []);
  const once = new Map(runs.map((it) => [it.outputFile, it.durationMs]));
  return [...once.values()].reduce((sum, it) => sum + it, 0);
}

const environment = (box: Sandbox) => ({
  ...box.env,
  PATH: [join(box.root, 'bin'), dirname(process.execPath), process.env.PATH].join(':'),
  // What these keep at home is kept from one project to the next.
  GOCACHE: process.env.GOCACHE ?? join(process.env.HOME ?? '/tmp', '.cache/go-build'),
  GOFLAGS: '-mod=mod',
  ...ofUser('CARGO_HOME', '.cargo'),
  ...ofUser('RUSTUP_HOME', '.rustup'),
  ...ofUser('PYENV_ROOT', '.pyenv'),
  PYTHONDONTWRITEBYTECODE: '1',
});

const ofUser = (name: string, folder: string) => ({
  [name]: process.env[name] ?? join(process.env.HOME ?? '', folder),
});

function readFeatures(root: string): readonly Feature[] {
  try {
    return parseRegistryFile(readFileSync(join(root, 'lanehold.json'), 'utf8')).features;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function heldNames(stdout: string): readonly string[] {
  const { held = [] } = JSON.parse(stdout) as { held?: readonly { feature: string }[] };
  return held.map((it) => it.feature);
}
