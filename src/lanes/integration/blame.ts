/** Finds which of several merged members breaks the result. */
import type { Git } from '../../git/git.ts';
import type { Validation } from '../../store/lane-validations.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { type Batch, type Member, nameOf } from './batch.ts';
import type { ProofCommand } from './commands.ts';
import { type Proof, prove } from './prove.ts';
import type { Culprit } from './report.ts';

export interface Site {
  readonly context: LaneContext;
  readonly run: Run;
  readonly git: Git;
  /** The commit whose failures do not count as new. */
  readonly base: string;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
  /** Members found to break the result. Recorded at once, and reported even if the round is lost. */
  readonly culprits: Culprit[];
}

/** Validates the tip with the first `steps` members of the batch. */
export async function proveStep(
  { context, run, base, signal, progress }: Site,
  batch: Batch,
  steps: number,
  commands: readonly ProofCommand[],
  evidence: 'commit' | 'content',
): Promise<Proof> {
  const sha = batch.steps[steps - 1]?.commit ?? batch.tip;
  const names = batch.steps.slice(0, steps).map(({ member }) => nameOf(member));
  const what = names.length === 0 ? 'the tip' : names.join(' + ');
  progress(`validating ${what}`);
  const question = { context, run, purpose: 'integration', sha, commands, base } as const;
  const proof = await prove({ ...question, evidence, priority: PRIORITY, signal });
  progress(`${what}: ${WORDS[proof.kind]}`);
  return proof;
}

const WORDS = { pass: 'passed', fail: 'failed', unclear: 'no result' } as const;

/** Finished work waits for it, so it runs before validations of work in progress. */
const PRIORITY = 10;

export type Blame =
  | {
      readonly kind: 'member';
      readonly member: Member;
      readonly at: number;
      readonly validation: Validation;
    }
  | { readonly kind: 'unclear'; readonly why: string };

/** The first member with which the failing command fails. */
export async function findCulprit(
  site: Site,
  batch: Batch,
  commands: readonly ProofCommand[],
  failed: Validation,
): Promise<Blame> {
  const failing = commands.filter(({ cmdHash }) => cmdHash === failed.cmdHash);
  const failures = new Map([[batch.steps.length, failed]]);
  let unclear: string | undefined;
  const at = await firstFailing(batch.steps.length, async (steps) => {
    if (unclear !== undefined) return false;
    const proof = await proveStep(site, batch, steps, failing, 'content');
    if (proof.kind === 'fail') failures.set(steps, proof.validation);
    if (proof.kind === 'unclear') unclear = proof.why;
    return proof.kind === 'fail';
  });
  if (unclear !== undefined) return { kind: 'unclear', why: unclear };
  const member = batch.steps[at - 1]?.member;
  if (member === undefined) return { kind: 'unclear', why: failed.why };
  return { kind: 'member', member, at, validation: failures.get(at) ?? failed };
}

/**
 * Finds where a series of steps begins to fail, by bisection.
 *
 * @param length how many steps there are; with all of them it fails, with none it passes.
 * @param fails whether it fails with the first `n` steps.
 * @returns the number of steps with which it fails first, at least 1.
 */
async function firstFailing(
  length: number,
  fails: (n: number) => Promise<boolean>,
): Promise<number> {
  let passing = 0;
  let failing = length;
  while (failing - passing > 1) {
    const middle = Math.floor((passing + failing) / 2);
    if (await fails(middle)) failing = middle;
    else passing = middle;
  }
  return failing;
}
