/** Verified lanes with flags that stop them: a person looks at what they are about, and accepts it. */
import { UsageError } from '../../base/errors.ts';
import { addLaneEvent } from '../../lanes/spec/context.ts';
import { acceptFlags, flagsOf, flagWords } from '../../lanes/spec/flags.ts';
import { findLane } from '../../lanes/spec/names.ts';
import { agreedBy } from '../agreement.ts';
import type { AppContext } from '../context.ts';
import type { OpenRun } from './open-run.ts';

/**
 * @param keys of lanes; those without such flags are left as they are.
 * @throws {UsageError} if a lane is not verified. @throws {ExplainedError} if no person has agreed.
 */
export async function acceptLanes(
  context: AppContext,
  { laneContext, run, workspace }: OpenRun,
  keys: readonly string[],
): Promise<void> {
  const { store, now } = laneContext;
  const flagged = keys.flatMap((key) => {
    const lane = findLane(store, run, key);
    if (!['verified', 'conflict', 'culprit'].includes(lane.state)) {
      throw new UsageError(`lane \`${key}\` is not verified: it is ${lane.state}`, {
        hint: `see what it needs: \`lanehold orchestrate status --run ${run.name}\``,
      });
    }
    const flags = flagsOf(store, lane).filter(({ stops }) => stops);
    return flags.length === 0 ? [] : [{ lane, flags }];
  });
  if (flagged.length === 0) return;
  const what = flagged.map(({ lane, flags }) => `${lane.key}: ${flags.map(flagWords).join(', ')}`);
  const question = {
    text: `Integrate work that has to be looked at first?\n${what.join('\n')}`,
    agree: 'I have looked at it: integrate it',
    decline: 'Leave it out',
  };
  const { name: by } = await agreedBy(context, workspace, { kind: 'acceptance', question });
  for (const { lane, flags } of flagged) {
    acceptFlags(store, lane, { by, now: now() });
    const data = { sha: lane.headSha, flags: flags.map(({ kind }) => kind) };
    store.write(() => addLaneEvent(laneContext, lane, { type: 'lane.accepted', data, by }));
  }
}
