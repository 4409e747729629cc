/** Measures which files smoke tests read, in a temporary tree that nothing else uses. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Feature, SmokeTest } from '../../base/config/feature.ts';
import { type EvidenceRun, hasPassed } from '../../store/evidence.ts';
import { missingProgram } from '../missing-program.ts';
import { ranNoTest } from '../test-count.ts';
import { outcomeOf, runTest, type VerificationCheckout, type Verifier } from '../verify.ts';
import { type StartedRunner, startedRunner } from './runner.ts';
import { traceOf } from './trace.ts';

/** The files that a command reads. */
export interface Unit {
  readonly all: ReadonlySet<string>;
  /** The files without those that the runner reads even for a test file without tests. */
  readonly own: ReadonlySet<string>;
}

/** Why a smoke test gives no result. `unseen`: the disk of the checkout records no reads. */
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
  const known = new Map<string, Unit | NoLesson['because']>();

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
    return { done, all: trace.read() };
  }

  async function measured(feature: string, test: SmokeTest): Promise<Unit | NoLesson['because']> {
    if (verifier.refusal(test, checkout) !== undefined) return 'releases';
    if (!trace.isKept) return 'unseen';
    const runner = startedRunner(test, root);
    if (runner?.readsChanges) await run(feature, test, runner);
    const { done, all } = await run(feature, test, runner);
    const crawled = runner === undefined ? [] : await readByNoTest(feature, runner, [...all]);
    for (const path of crawled) everywhere.add(path);
    const own = all.difference(new Set(crawled));
    return whyNothing(done, root) ?? (all.size === 0 ? 'unseen' : { all, own });
  }

  /** The files that a runner reads for no test: its settings, or everything in the tree. */
  async function readByNoTest(feature: string, runner: StartedRunner, read: readonly string[]) {
    const tests = read.filter(runner.isTest).sort();
    const [outermost] = tests.sort((a, b) => a.split('/').length - b.split('/').length);
    if (outermost === undefined) return [];
    const empty = runner.emptyBeside(outermost);
    if (existsSync(join(root, empty))) return [];
    writeFileSync(join(root, empty), '');
    // Some runners refuse a file without tests, after they have read the same files.
    const { all } = await run(feature, runner.only(empty), runner, () => undefined);
    rmSync(join(root, empty));
    return all;
  }

  /** The files that each of a feature's commands reads. @throws {InterruptedError} */
  async function lesson({ name, smoke }: Feature): Promise<readonly Unit[] | NoLesson> {
    if (smoke.length === 0) return { because: 'no-smoke', command: null };
    const units: Unit[] = [];
    for (const test of smoke) {
      const key = `${test.cwd}\0${test.command}`;
      const unit = known.get(key) ?? (await measured(name, test));
      known.set(key, unit);
      if (typeof unit === 'string') return { because: unit, command: test.command };
      units.push(unit);
    }
    return units;
  }

  return {
    lesson,
    /** Files that a runner reads for every test. */
    everywhere: everywhere as ReadonlySet<string>,
  };
}

/** Why a run gives no result. */
function whyNothing(run: EvidenceRun, root: string): NoLesson['because'] | undefined {
  if (missingProgram(run) !== undefined) return 'program-missing';
  if (ranNoTest(run, root)) return 'ran-no-test';
  return hasPassed(run) ? undefined : 'failed';
}
