/** Measures which files smoke tests read, in a temporary tree that nobody else uses. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Feature, SmokeTest } from '../../base/config/feature.ts';
import { type EvidenceRun, hasPassed } from '../../store/evidence.ts';
import { missingProgram } from '../missing-program.ts';
import { ranNoTest } from '../test-count.ts';
import { outcomeOf, runTest, type VerificationCheckout, type Verifier } from '../verify.ts';
import { isSeenByHooks, type StartedRunner, startedRunner } from './runner.ts';
import { traceOf } from './trace.ts';

/** What a command, or one test file of it, reads. */
export interface Unit {
  readonly all: ReadonlySet<string>;
  /** Without what the runner reads also for a test file without tests. */
  readonly own: ReadonlySet<string>;
}

/** Why a smoke test teaches nothing. `unseen`: the disk notes no reads, nor can its program be asked. */
export interface NoLesson {
  readonly because:
    | 'failed'
    | 'program-missing'
    | 'ran-no-test'
    | 'releases'
    | 'unseen'
    | 'no-smoke';
  readonly command: string | null;
}

interface Whole {
  /** The first that it ran for. */
  readonly feature: string;
  readonly run: EvidenceRun;
  readonly unit: Unit;
  readonly crawled: ReadonlySet<string>;
  readonly runner: StartedRunner | undefined;
  /** The test files among what it reads. */
  readonly tests: readonly string[];
}

type WithRunner = Whole & { readonly runner: StartedRunner };

export class InterruptedError extends Error {}

type Measuring = Pick<Verifier, 'onTest' | 'now' | 'signal' | 'refusal'>;

/** @param paths the files of the tree, relative to its root. */
export function measurer(
  checkout: VerificationCheckout,
  paths: readonly string[],
  verifier: Measuring,
) {
  const { root } = checkout.tree.place;
  const trace = traceOf(checkout.tree, paths, checkout.env);
  const everywhere = new Set<string>();
  const wholes = new Map<string, Whole>();
  const singles = new Map<string, Unit>();

  async function run(
    feature: string,
    test: SmokeTest,
    runner: StartedRunner | undefined,
    onTest = verifier.onTest,
  ) {
    const bins = [test.cwd, ''].map((it) => join(root, it, 'node_modules', '.bin'));
    const path = [...(runner?.inScript ? bins : []), trace.env.PATH ?? ''].join(delimiter);
    await trace.begin(runner?.readsChanges ? 'same' : 'now');
    const tree = { ...checkout, env: { ...trace.env, PATH: path } };
    const done = await runTest(tree, feature, test, { ...verifier, onTest });
    if (done === undefined || verifier.signal.aborted) throw new InterruptedError();
    onTest({ kind: 'ended', feature, test, run: done, shared: false, ...outcomeOf(done, root) });
    return { done, read: trace.read() };
  }

  async function runWhole(feature: string, test: SmokeTest): Promise<Whole> {
    const runner = startedRunner(test, root);
    if (runner?.readsChanges) await run(feature, test, runner);
    const { done, read } = await run(feature, test, runner);
    const tests = [...read].filter((path) => runner?.isTest(path)).sort();
    const crawled = (runner && (await readByNoTest(feature, runner, tests))) ?? new Set();
    return { feature, run: done, unit: unitOf(read, crawled), crawled, runner, tests };
  }

  /** What a runner reads for the sake of no test: its settings, or all that lies there. */
  async function readByNoTest(feature: string, runner: StartedRunner, tests: readonly string[]) {
    const [outermost] = tests.toSorted((a, b) => a.split('/').length - b.split('/').length);
    const empty = outermost === undefined ? undefined : runner.emptyBeside(outermost);
    if (empty === undefined || existsSync(join(root, empty))) return undefined;
    writeFileSync(join(root, empty), '');
    // Some runners refuse a file without tests, after they have read the same.
    const { read } = await run(feature, runner.only(empty), runner, () => undefined);
    rmSync(join(root, empty));
    for (const path of read) everywhere.add(path);
    return read;
  }

  /** The test files of a command one by one, or the whole where one of them fails alone. */
  async function apart({
    feature,
    unit,
    tests,
    runner,
    crawled,
  }: WithRunner): Promise<readonly Unit[]> {
    const units = new Set<Unit>();
    for (const path of tests) {
      const key = runner.way(path);
      if (!singles.has(key)) {
        const { done, read } = await run(feature, runner.only(path), runner);
        if (!hasPassed(done)) return [unit];
        singles.set(key, unitOf(read, crawled));
      }
      units.add(singles.get(key) ?? unit);
    }
    const left = [...units].reduce((own, it) => own.difference(it.own), unit.own);
    return left.size === 0 ? [...units] : [...units, { all: unit.all, own: left }];
  }

  function refusalOf(test: SmokeTest): NoLesson['because'] | undefined {
    if (verifier.refusal(test, checkout) !== undefined) return 'releases';
    return trace.seenBy === 'hooks' && !isSeenByHooks(test, root) ? 'unseen' : undefined;
  }

  async function lesson({ name, smoke }: Feature): Promise<readonly Whole[] | NoLesson> {
    if (smoke.length === 0) return { because: 'no-smoke', command: null };
    const found: Whole[] = [];
    for (const test of smoke) {
      const { command } = test;
      const because = refusalOf(test);
      if (because !== undefined) return { because, command };
      const whole = wholes.get(keyOf(test)) ?? (await runWhole(name, test));
      wholes.set(keyOf(test), whole);
      const none = nothingIn(whole, root);
      if (none !== undefined) return { because: none, command };
      found.push(whole);
    }
    return found;
  }

  /** Those of several commands that run the same test files: only there tell test files more than the whole. */
  function overlapping(): readonly WithRunner[] {
    const isAlone = (it: Whole): it is WithRunner => it.runner?.isAlone === true;
    const alone = [...wholes.values()].filter(isAlone);
    const tests = alone.flatMap((it) => it.tests);
    const shared = new Set(tests.filter((path, at) => tests.indexOf(path) !== at));
    return alone.filter((it) => it.tests.some((path) => shared.has(path)));
  }

  return {
    seenBy: trace.seenBy,
    /** Files that a runner reads for every test. */
    everywhere: everywhere as ReadonlySet<string>,
    /** @throws {InterruptedError} */
    async learn(features: readonly Feature[]): Promise<Map<string, readonly Unit[] | NoLesson>> {
      const lessons = new Map<string, readonly Whole[] | NoLesson>();
      for (const feature of features) lessons.set(feature.name, await lesson(feature));
      const split = new Map<Whole, readonly Unit[]>();
      for (const whole of overlapping()) split.set(whole, await apart(whole));
      const unitsOf = (whole: Whole) => split.get(whole) ?? [whole.unit];
      return new Map(
        [...lessons].map(([name, it]) => [name, 'because' in it ? it : it.flatMap(unitsOf)]),
      );
    },
    /** All that the tests of a feature read; `undefined` if they fail. @throws {InterruptedError} */
    async readsOf(feature: Feature): Promise<ReadonlySet<string> | undefined> {
      const learned = await lesson(feature);
      if ('because' in learned) return undefined;
      return learned.reduce((all, { unit }) => all.union(unit.all), new Set<string>());
    },
  };
}

function nothingIn({ run, unit }: Whole, root: string): NoLesson['because'] | undefined {
  if (missingProgram(run) !== undefined) return 'program-missing';
  if (ranNoTest(run, root)) return 'ran-no-test';
  if (!hasPassed(run)) return 'failed';
  return unit.all.size === 0 ? 'unseen' : undefined;
}

const unitOf = (all: ReadonlySet<string>, crawled: ReadonlySet<string>): Unit => ({
  all,
  own: all.difference(crawled),
});

const keyOf = ({ cwd, command }: SmokeTest): string => `${cwd}\0${command}`;
