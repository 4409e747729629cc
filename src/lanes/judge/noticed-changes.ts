/** How many small changes of the lines that a lane has changed are noticed by its validation. */
import { plural } from '../../base/text/count.ts';
import type { LaneContext } from '../spec/context.ts';
import { flagText } from '../spec/flags.ts';
import { type CleanRunWish, cleanRun } from './clean-run.ts';
import { mutantsOf } from './mutants.ts';
import { changedSources } from './proof.ts';

type Wish = CleanRunWish & Parameters<typeof changedSources>[0];

const MOST = 20;
const ALL_MS = 60_000;
/** A change may make tests wait for what never comes: that is noticed, too. */
const limitFor = (usualMs: number): number => 3 * usualMs + 2_000;

/**
 * The changes are tried one at a time where the validation has passed, and only if the runner names its tests. One with
 * which no test of theirs fails although the command does, as where it does not compile, is not counted.
 *
 * @param leastPercent the share below which a person has to look.
 */
export async function noticedChanges(
  context: LaneContext,
  wish: Wish,
  log: string,
  leastPercent: number,
): Promise<string[]> {
  const mutants = await mutantsOf(await changedSources(wish), MOST);
  if (mutants.length === 0) return [];
  let noticed = 0;
  const missed: string[] = [];
  await cleanRun(context, wish, {
    sha: wish.sha,
    log,
    more: async (again, { tests, durationMs }) => {
      const names = new Set(tests?.executed);
      const end = Date.now() + ALL_MS;
      const limitMs = limitFor(durationMs);
      for (const { what, ...file } of names.size === 0 ? [] : mutants) {
        // One that has no time to end says nothing.
        if (end - Date.now() < limitMs) break;
        const { result, failures } = await again(file, limitMs);
        if (result === 'timeout' || failures.some((name) => names.has(name))) noticed += 1;
        else if (result === 'pass') missed.push(what);
      }
    },
  });
  const tried = noticed + missed.length;
  if (tried === 0) return [];
  const words = `${noticed} of ${plural(tried, 'change')} of these lines ${tried === 1 ? 'is' : 'are'} noticed`;
  const isLess = noticed * 100 < leastPercent * tried;
  return [flagText(isLess ? 'changes-not-noticed' : 'changes-noticed', [words, ...missed])];
}
