/** Tests that pass and fail on the same commit, with how often. Pure. */
import type { ValidationRunRecord } from '../../store/lane-validations.ts';

/** One run of the command on one commit. */
type Outcome = Pick<ValidationRunRecord, 'result'> & { readonly failures?: readonly string[] };

export interface FlakyTest {
  readonly name: string;
  readonly failed: number;
  readonly runs: number;
}

/** @param runs of the same commit, command and setup. A run that was killed says nothing. */
export function flakyTests(runs: readonly Outcome[]): FlakyTest[] {
  const told = runs.filter(({ result }) => result === 'pass' || result === 'fail');
  const failures = told.map((it) => (it.result === 'pass' ? [] : (it.failures ?? [])));
  // A failure without names may be any test's.
  if (told.some(({ result }, at) => result === 'fail' && failures[at]?.length === 0)) return [];
  return [...new Set(failures.flat())].sort().flatMap((name) => {
    const failed = failures.filter((names) => names.includes(name)).length;
    return failed < told.length ? [{ name, failed, runs: told.length }] : [];
  });
}

export const flakyWords = ({ name, failed, runs }: FlakyTest): string =>
  `${name}: failed in ${failed} of ${runs} runs`;
