/** Counts the small changes of a lane's lines that its validation notices. */
import { plural } from '../../base/text/count.ts';
import type { LaneContext } from '../spec/context.ts';
import { flagText } from '../spec/flags.ts';
import { type CleanRunWish, cleanRun } from './clean-run.ts';
import { mutantsOf } from './mutants.ts';
import { changedSources } from './proof.ts';

type Wish = CleanRunWish & Parameters<typeof changedSources>[0];

const MOST = 20;
const ALL_MS = 60_000;
/** The time limit: a change may make tests wait for ever, which counts as noticed. */
const limitFor = (usualMs: number): number => 3 * usualMs + 2_000;

/**
 * Tries the changes one by one after the validation has passed, if the runner names its tests. A change that only
 * breaks the command, as where it does not compile, is not counted.
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
        // A change without time to finish does not count.
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
