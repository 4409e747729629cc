import { expect, test } from 'vitest';
import { laneSettings } from '../../../src/lanes/settings/settings.ts';
import { startAttempt } from '../../../src/lanes/start/start.ts';
import { attemptStore } from '../../../src/store/attempts.ts';
import { laneStore } from '../../../src/store/lanes.ts';
import { laneRows } from '../../support/lane-rows.ts';

const WORKER = {
  ...{ agent: 'claude-code', model: undefined, account: 'claude-code', isMetered: false },
  settings: laneSettings({}, {}),
};

test('a start that was decided before another attempt began and ended is refused', async () => {
  const rows = await laneRows();
  const { store } = rows.context;
  const { id } = rows.addLane('a');
  store.write(() => laneStore(store).setIntent(id, 'run'));
  const lane = rows.lane('a');
  const start = () => startAttempt(rows.context, rows.run, { lane, kind: 'work', worker: WORKER });

  const first = start();
  if (first.kind !== 'started') throw new Error(first.why);
  store.write(() => {
    const attempts = attemptStore(store);
    attempts.note(first.attempt.id, 0, { state: 'exited' });
    const detail = { endReason: 'parked', endCause: 'disk', endDetail: '3 MB are free' } as const;
    attempts.note(first.attempt.id, 0, { state: 'ended', ...detail });
  });
  expect(rows.lane('a').state).toBe('parked');
  expect(start()).toEqual({ kind: 'not-now', why: 'an attempt has just begun' });
});
