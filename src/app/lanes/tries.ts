/** Several tries of one task: compared, and one of them picked. */
import { actorOf } from '../../agents/actor.ts';
import { UsageError } from '../../base/errors.ts';
import { changedBetween } from '../../base/git/tree-objects.ts';
import { gitOfRun } from '../../lanes/spec/context.ts';
import { assertVerified } from '../../lanes/spec/edit.ts';
import { is } from '../../lanes/spec/lane-states.ts';
import { findLane } from '../../lanes/spec/names.ts';
import { lanesMeant, pickTry } from '../../lanes/spec/tries.ts';
import { reconcile } from '../../lanes/start/reconcile.ts';
import { ledgerStore } from '../../store/ledger.ts';
import type { AppContext } from '../context.ts';
import { untilIdle } from './lane-waiting.ts';
import type { LaneWish } from './lanes.ts';
import { openRun } from './open-run.ts';
import { type RunWish, readRun } from './runs.ts';

export type Comparison = Awaited<ReturnType<typeof compareLanes>>;

/** Compares lanes. @param wish keys of lanes, or names of tasks with several tries. */
export async function compareLanes(
  context: AppContext,
  wish: RunWish & { readonly keys: readonly string[] },
) {
  const { laneContext, run } = await openRun(context, wish.run);
  const { store } = laneContext;
  const ids = wish.keys.flatMap((key) => lanesMeant(store, run, key)).map(({ id }) => id);
  const { lanes } = await readRun(laneContext, run);
  const git = gitOfRun(laneContext, run);
  const use = ledgerStore(store).byLane(run.id);
  const compared = ids
    .flatMap((id) => lanes.find((lane) => lane.id === id) ?? [])
    .map(async ({ id, key, state, spec, attempt, diff, note, flags, tests, ...lane }) => {
      const base = lane.baseSha ?? run.baseSha;
      return {
        key,
        state,
        diff,
        note,
        flags,
        agent: attempt?.agent ?? spec.agent,
        model: attempt?.model ?? spec.model ?? null,
        files: lane.tip === null ? [] : await changedBetween(git, base, lane.tip),
        tests,
        used: use.get(id)?.used ?? null,
        task: spec.tries?.of ?? null,
        rivals: lane.rivals,
      };
    });
  return { run: run.name, lanes: await Promise.all(compared) };
}

/** Picks one try of a task, and gives up the others, even one that was picked before. */
export async function pickLane(context: AppContext, wish: LaneWish & { readonly pick: string }) {
  const { laneContext, run } = await openRun(context, wish.run);
  const { store } = laneContext;
  const tries = lanesMeant(store, run, wish.key).filter(({ spec }) => spec.tries !== undefined);
  const lane = tries.find(({ key }) => key === wish.pick || key === `${wish.key}.${wish.pick}`);
  if (lane === undefined) {
    const keys = tries.map(({ key }) => key).join(', ');
    throw new UsageError(`\`${wish.key}\` has no try \`${wish.pick}\` to pick`, {
      hint: `there are: ${keys || 'none'}`,
    });
  }
  const taken = tries.find(
    ({ id, state }) => id !== lane.id && (is('inside', state) || state === 'integrating'),
  );
  if (taken !== undefined) {
    throw new UsageError(`\`${taken.key}\` was picked, and is ${taken.state}`, {
      hint: `add a lane with what \`${lane.key}\` has: \`lanehold orchestrate lane add KEY --branch ${lane.branch}\``,
    });
  }
  const given = store.write(() => {
    const others = pickTry(laneContext, lane, actorOf(context).name);
    assertVerified(run, findLane(store, run, lane.key));
    return others;
  });
  await reconcile(laneContext);
  const ids = given.map(({ id }) => id);
  await untilIdle(laneContext, ids, context.progress);
  const lost = given.map(({ key, state }) => ({ key, state }));
  return { lane: findLane(store, run, lane.key), given: given.map(({ key }) => key), lost };
}
