/** `--wait` ends with what came of the lanes that were waited for. */
import { expect, test } from 'vitest';
import { flagText } from '../../../../src/lanes/spec/flags.ts';
import { attemptStore } from '../../../../src/store/attempts.ts';
import { integrationStore } from '../../../../src/store/integrations.ts';
import { type LaneState, laneStore } from '../../../../src/store/lanes.ts';
import { type BoardRows, boardRows } from '../../../support/board-rows.ts';
import { command } from '../../../support/command.ts';
import { laneProject } from '../../../support/lane-project.ts';
import { laneRun } from '../../../support/lane-run.ts';
import { sandbox } from '../../../support/sandbox.ts';

const lastLine = (stdout: string) => stdout.trimEnd().split('\n').at(-1);

/** The lane `api`, come to rest in some state. */
type Arrange = (rows: BoardRows) => void;

const ended =
  (reason: 'rejected' | 'parked'): Arrange =>
  (rows) => {
    rows.attempt(rows.lane('api'), {
      through: ['running', 'exited', 'ended'],
      note: { endReason: reason, endCause: 'validation' },
    });
  };

const integration =
  (state: 'queued' | 'integrated' | 'landed' | 'conflict' | 'culprit'): Arrange =>
  (rows) => {
    const { id: laneId, headSha, validationId } = rows.verified('api');
    const store = integrationStore(rows.store);
    const sha = headSha ?? '';
    rows.store.write(() => {
      store.add({ id: 'i', runId: rows.run.id, laneId, laneSha: sha }, rows.context.now());
      const proof = { resultSha: sha, validationId: validationId ?? '' };
      store.note({ id: 'i', epoch: 0 }, { state, ...proof });
    });
  };

const stale: Arrange = (rows) => {
  const { id } = rows.verified('api');
  rows.store.db.prepare("UPDATE lanes SET spec_hash = 'another' WHERE id = ?").run(id);
};

const asks: Arrange = (rows) => {
  rows.ask(rows.lane('api'), 'Which name?');
};

const needsOther: Arrange = (rows) => {
  const other = rows.lane('db');
  const api = rows.lane('api', {}, { intent: 'run' });
  rows.store.write(() => laneStore(rows.store).addDep(api.id, other.id));
};

const NEXT = 'lanehold orchestrate';

test.each<readonly [LaneState, Arrange, string | undefined]>([
  ['verified', (rows) => void rows.verified('api'), undefined],
  ['integrating', integration('queued'), undefined],
  ['integrated', integration('integrated'), undefined],
  ['landed', integration('landed'), undefined],
  // Nobody has asked for these, or any more.
  ['planned', (rows) => void rows.lane('api'), undefined],
  ['cancelled', (rows) => void rows.lane('api', {}, { intent: 'cancelled' }), undefined],
  ['failed', ended('rejected'), `${NEXT} logs api`],
  ['parked', ended('parked'), `${NEXT} resume api`],
  ['asks', asks, `${NEXT} answer api 'ANSWER'`],
  [
    'blocked',
    (rows) => void rows.lane('api', {}, { blocked: 'not yet' }),
    `${NEXT} lane block api --clear`,
  ],
  ['conflict', integration('conflict'), `${NEXT} logs api`],
  ['culprit', integration('culprit'), `${NEXT} logs api`],
  ['stale', stale, `${NEXT} verify api`],
  ['waiting', needsOther, `${NEXT} status`],
])('what is %s', async (state, arrange, next) => {
  const box = sandbox();
  const rows = await boardRows(box);
  arrange(rows);
  const sync = (...more: readonly string[]) =>
    command(box, rows.repo, ['orchestrate', 'sync', '--wait', ...more], {
      now: rows.context.now(),
    });
  const { exitCode, stdout } = await sync();
  const last = next === undefined ? 'Nothing to do' : `Not done: api (${state}); next: ${next}`;
  expect({ exitCode, last: lastLine(stdout) }).toEqual({
    exitCode: next === undefined ? 0 : 1,
    last,
  });
  const told = await sync('--json');
  expect(told.exitCode).toBe(exitCode);
  const json = JSON.parse(told.stdout);
  expect(json.lanes.find(({ key }: { key: string }) => key === 'api').state).toBe(state);
  expect(json.next).toBe(next ?? null);
  expect(json.notDone).toEqual(
    next === undefined
      ? []
      : [
          {
            ...{ key: 'api', state, isStopped: false, why: expect.any(String) },
            next: expect.arrayContaining([next]),
          },
        ],
  );
});

test('a verified lane that somebody has to look at is named as that', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  const lane = rows.verified('api');
  const [attempt] = attemptStore(rows.store).ofLane(lane.id);
  if (attempt === undefined) throw new Error('no attempt');
  rows.validation(lane, attempt, { flags: [flagText('secrets-added', ['src/a.js:1 (github)'])] });
  const { exitCode, stdout } = await command(box, rows.repo, ['orchestrate', 'sync', '--wait']);
  expect([exitCode, lastLine(stdout)]).toEqual([
    1,
    `Not done: api (verified, to be looked at); next: ${NEXT} lane diff api`,
  ]);
});

test('a lane that may not start now is not done', async () => {
  const box = sandbox();
  const rows = await boardRows(box, { intent: 'paused' });
  rows.lane('api', {}, { intent: 'run' });
  const { exitCode, stdout } = await command(box, rows.repo, ['orchestrate', 'sync', '--wait']);
  expect(exitCode).toBe(1);
  expect(lastLine(stdout)).toBe('Not done: api (ready); next: lanehold orchestrate status');
});

test('without --wait nothing is said of how it went', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  ended('rejected')(rows);
  const { exitCode, stdout } = await command(box, rows.repo, ['orchestrate', 'sync', '--json']);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).not.toHaveProperty('notDone');
});

test('spawn and retry end with 1 as long as a lane that they wait for fails', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [[{ write: { 'a.txt': 'a' } }]],
        b: [
          [{ write: { 'checks/b.sh': 'exit 1\n' } }],
          [{ say: 'No idea.' }],
          [{ write: { 'checks/b.sh': 'true\n' } }],
        ],
        c: [[{ write: { 'c.txt': 'c' } }]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.add('b');
  await run.add('c', { needs: ['b'] });
  const cli = (...words: readonly string[]) => project.lanehold('orchestrate', ...words);

  expect(await cli('spawn', 'a', '--wait')).toMatchObject({ exitCode: 0, stdout: 'a: verified\n' });
  const all = await cli('spawn', '--ready', '--wait');
  expect(all.exitCode).toBe(1);
  expect(lastLine(all.stdout)).toBe(
    'Not done: b (failed), c (waiting); next: lanehold orchestrate status',
  );
  // Of what it was not asked to wait for it says nothing.
  const again = await cli('retry', 'b', '--wait');
  expect(again.exitCode).toBe(1);
  expect(again.stdout).toBe('b: failed\nNot done: b (failed); next: lanehold orchestrate logs b\n');
  const mended = await project.orchestrate('retry', 'b', '--wait');
  expect(mended).toMatchObject({
    exitCode: 0,
    json: { lane: { state: 'verified' }, notDone: [], next: null },
  });
  expect((await cli('sync', '--wait')).exitCode).toBe(0);
  expect(run.states()).toEqual({ a: 'verified', b: 'verified', c: 'verified' });
});

test('a lane that is cancelled while somebody waits for it is not done', async () => {
  const project = laneProject({
    scenario: { lanes: { a: [[{ raise: 'works' }, { hang: true }]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  const waiting = project.lanehold('orchestrate', 'spawn', 'a', '--wait');
  await project.until('the worker', () => project.isRaised('works'));
  await run.orchestrate('lane', 'cancel', 'a');
  const { exitCode, stdout } = await waiting;
  expect(exitCode).toBe(1);
  expect(lastLine(stdout)).toBe('Not done: a (cancelled); next: lanehold orchestrate status');
  expect((await project.lanehold('orchestrate', 'sync', '--wait')).exitCode).toBe(0);
});
