/** The order of records is that of writing, even if the clock was set back in between. */
import { expect, test } from 'vitest';
import { attemptStore } from '../../src/store/attempts.ts';
import { breakerStore } from '../../src/store/breakers.ts';
import { handoffStore } from '../../src/store/handoffs.ts';
import { laneEventStore, laneNewsStore, READ_CHANGED } from '../../src/store/lane-events.ts';
import { boardRows } from '../support/board-rows.ts';
import { sandbox } from '../support/sandbox.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

test('the last handoff of a run is the one that knows most', async () => {
  const { store, run, context, later } = await boardRows(sandbox());
  const handoffs = handoffStore(store);
  const give = (id: string, cursor: number): void => {
    const facts = { runId: run.id, agent: 'claude-code', session: 's', body: '{}' };
    store.write(() => handoffs.add({ ...facts, id, cursor, at: context.now() }));
  };
  give('first', 1);
  later(-DAY_MS);
  for (let n = 2; n <= 60; n += 1) give(`handoff ${n}`, n);
  expect(handoffs.last(run.id)?.id).toBe('handoff 60');
  expect(handoffs.byId('first')).toBeUndefined();
});

test('a worker hears of what has changed since it was started, and of nothing before', async () => {
  const rows = await boardRows(sandbox());
  const { store, run, context, later } = rows;
  const lane = rows.lane('api');
  const tell = (type: string, data: object, attemptId?: string): void =>
    store.write(() =>
      laneEventStore(store).add(
        {
          runId: run.id,
          laneId: lane.id,
          type,
          data: { ...data },
          by: 'somebody',
          ...(attemptId === undefined ? {} : { attemptId }),
        },
        context.now(),
      ),
    );
  tell(READ_CHANGED, { with: 'web', paths: ['before'] });
  const { id } = rows.attempt(lane);
  tell('attempt.starting', {}, id);
  later(-DAY_MS);
  tell(READ_CHANGED, { with: 'web', paths: ['after'] });
  const paths = (attempt: string | null) =>
    laneNewsStore(store)
      .changes(lane.id, attempt)
      .flatMap((it) => it.paths);
  expect(paths(id)).toEqual(['after']);
  expect(paths(null)).toEqual(['before', 'after']);
});

test('a limit that is told today counts more than one of a clock that was ahead', async () => {
  const { store, context, later } = await boardRows(sandbox());
  const breakers = breakerStore(store);
  const limited = (hours: number): void => {
    const until = new Date(context.now().getTime() + hours * HOUR_MS);
    store.write(() => breakers.open('claude-code', until, 'a limit', context.now()));
  };
  const hoursLeft = (): number =>
    ((breakers.get('claude-code')?.resumeAt.getTime() ?? 0) - context.now().getTime()) / HOUR_MS;
  limited(5);
  later(HOUR_MS);
  // Of two that were told by one clock the later one.
  limited(3);
  expect(hoursLeft()).toBe(4);
  later(-DAY_MS);
  limited(3);
  expect(hoursLeft()).toBe(3);
});

test('a supervisor is launched once in a while by a clock that goes, jumps and is set back', async () => {
  const rows = await boardRows(sandbox());
  const { store, context, later } = rows;
  const { id } = rows.attempt(rows.lane('api'));
  const claim = (): boolean =>
    store.write(() => attemptStore(store).claimLaunch(id, 1_500, context.now()));
  expect([claim(), claim()]).toEqual([true, false]);
  later(1_600);
  expect([claim(), claim()]).toEqual([true, false]);
  later(3 * DAY_MS);
  expect([claim(), claim()]).toEqual([true, false]);
  later(-5 * DAY_MS);
  expect([claim(), claim()]).toEqual([true, false]);
});
