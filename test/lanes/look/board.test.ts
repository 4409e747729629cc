import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { takeLock } from '../../../src/base/process/held-lock.ts';
import { clock } from '../../../src/base/text/time.ts';
import { type Board, readBoard } from '../../../src/lanes/look/board.ts';
import { noteOn, summary } from '../../../src/lanes/look/note.ts';
import type { Attempt } from '../../../src/store/attempts.ts';
import { breakerStore } from '../../../src/store/breakers.ts';
import { compositionStore } from '../../../src/store/integrations.ts';
import { laneStore } from '../../../src/store/lanes.ts';
import { type BoardRows, boardRows } from '../../support/board-rows.ts';
import { sandbox } from '../../support/sandbox.ts';

const MINUTE = 60_000;

function hold({ dir }: Attempt): () => void {
  const lock = takeLock(join(dir, 'sup.lock'));
  const release = () => lock?.release();
  onTestFinished(release);
  return release;
}

function cardOf({ context, run }: BoardRows, key: string): Board['lanes'][number] {
  const card = readBoard(context, run).lanes.find((it) => it.key === key);
  if (card === undefined) throw new Error(`no lane ${key}`);
  return card;
}

const noted = (rows: BoardRows, key: string) => noteOn(cardOf(rows, key), rows.context.now());

describe('a live attempt', () => {
  test('is supervised while its lock is held, and unresponsive without activity', async () => {
    const rows = await boardRows(sandbox());
    hold(rows.attempt(rows.lane('api'), { through: ['running'] }));
    expect(cardOf(rows, 'api')).toMatchObject({ state: 'running', supervision: 'supervised' });
    rows.later(6 * MINUTE);
    expect(cardOf(rows, 'api').supervision).toBe('unresponsive');
    expect(noted(rows, 'api')).toContain('unresponsive');
  });

  test('has no supervisor once the lock is free, whatever its row says', async () => {
    const rows = await boardRows(sandbox());
    const attempt = rows.attempt(rows.lane('api'), {
      through: ['running'],
      note: { progressAt: rows.context.now() },
    });
    const release = hold(attempt);
    expect(cardOf(rows, 'api').supervision).toBe('supervised');
    release();
    expect(cardOf(rows, 'api').supervision).toBe('none');
    expect(noted(rows, 'api')).toBe('no supervisor: a reconcile will take it over');
  });

  test('from before a reboot has no supervisor, even if the lock file is locked', async () => {
    const rows = await boardRows(sandbox());
    hold(rows.attempt(rows.lane('api'), { through: ['running'], note: { bootId: 'earlier' } }));
    expect(cardOf(rows, 'api').supervision).toBe('none');
  });

  test('that has just begun is launching', async () => {
    const rows = await boardRows(sandbox());
    rows.attempt(rows.lane('api'));
    expect(cardOf(rows, 'api').supervision).toBe('launching');
    rows.later(10_000);
    expect(cardOf(rows, 'api').supervision).toBe('none');
    // After the clock was set back, its start lies in the future.
    rows.later(-86_400_000);
    expect(cardOf(rows, 'api').supervision).toBe('none');
  });
});

test('says what a lane waits for: a need, or a live lane that touches the same files', async () => {
  const rows = await boardRows(sandbox());
  const api = rows.lane('api', { touches: ['src/**'] });
  const web = rows.lane('web', {}, { intent: 'run' });
  rows.lane('docs', { touches: ['src/*.ts'] }, { intent: 'run' });
  hold(rows.attempt(api, { through: ['running'] }));
  rows.store.write(() => laneStore(rows.store).addDep(web.id, api.id));
  expect(noted(rows, 'web')).toBe('needs api');
  expect(noted(rows, 'docs')).toBe('touches what api touches');
});

test('says until when a lane is parked, and whose account is used up', async () => {
  const rows = await boardRows(sandbox());
  const at = new Date(rows.context.now().getTime() + 3 * 60 * MINUTE);
  rows.attempt(rows.lane('api'), {
    through: ['running', 'exited', 'ended'],
    note: { endReason: 'parked', endCause: 'quota', endDetail: 'resets at 9', resumeAt: at },
  });
  rows.store.write(() =>
    breakerStore(rows.store).open('claude', at, 'usage limit', rows.context.now()),
  );
  expect(noted(rows, 'api')).toBe(`quota: resets at 9; until ${clock(at, rows.context.now())}`);
  expect(readBoard(rows.context, rows.run).breakers).toMatchObject([{ account: 'claude' }]);
});

test('says what a parked lane waits for after its resume time', async () => {
  const rows = await boardRows(sandbox());
  const at = rows.context.now();
  rows.attempt(rows.lane('api'), {
    through: ['running', 'exited', 'ended'],
    note: { endReason: 'parked', endCause: 'quota', endDetail: 'resets at 9', resumeAt: at },
  });
  rows.later(10 * MINUTE);
  const why = 'another lane tries whether claude has quota again';
  const board = readBoard(rows.context, rows.run, { api: why });
  expect(board.lanes.map((lane) => noteOn(lane, board.at))).toEqual([`quota: resets at 9; ${why}`]);
  expect(noted(rows, 'api')).toBe('quota: resets at 9; due now');
});

test('shows a conflict of two lanes until they are merged without it, or one is gone', async () => {
  const rows = await boardRows(sandbox());
  const a = rows.lane('a', {}, { headSha: 'a1' });
  const b = rows.lane('b', {}, { headSha: 'b1' });
  for (const lane of [a, b]) hold(rows.attempt(lane, { through: ['running'] }));
  const look = (aSha: string, conflicts: readonly string[]) =>
    rows.store.write(() =>
      compositionStore(rows.store).add({
        runId: rows.run.id,
        aLaneId: a.id,
        bLaneId: b.id,
        aSha,
        bSha: 'b1',
        tree: 't',
        conflicts,
        related: true,
        validationId: null,
        at: rows.context.now(),
      }),
    );
  const move = (sha: string) =>
    rows.store.write(() => laneStore(rows.store).setHead(a.id, sha, ''));
  const open = () => readBoard(rows.context, rows.run).conflicts.map(({ paths }) => paths);
  look('a1', ['src/x.ts']);
  expect(open()).toEqual([['src/x.ts']]);
  move('a2');
  expect(open()).toEqual([['src/x.ts']]);
  look('a2', []);
  expect(open()).toEqual([]);
  move('a3');
  look('a3', ['src/y.ts']);
  expect(open()).toEqual([['src/y.ts']]);
  rows.store.write(() => laneStore(rows.store).setIntent(b.id, 'cancelled'));
  expect(open()).toEqual([]);
});

test('a summary counts each lane once, and no cancelled one among those that are wanted', async () => {
  const rows = await boardRows(sandbox());
  const [a] = [rows.verified('a'), rows.verified('b'), rows.lane('c')];
  rows.store.write(() => laneStore(rows.store).setIntent(a.id, 'cancelled'));
  const board = readBoard(rows.context, rows.run);
  expect(summary(board)).toBe('1 of 2 lanes verified, 1 cancelled, 1 planned');
  const stops = { kind: 'proof-changed', data: [], stops: true };
  const lanes = board.lanes.map((it) => (it.key === 'b' ? { ...it, flags: [stops] } : it));
  const all = { ...board, lanes, untried: ['b'] } as unknown as typeof board;
  expect(summary(all)).toContain('1 of 2 lanes verified, 1 of them to be looked at, 1 cancelled');
});

test('two verified lanes that conflict are not simply called verified', async () => {
  const rows = await boardRows(sandbox());
  const [a, b] = [rows.verified('a'), rows.verified('b')];
  const summarised = () => summary(readBoard(rows.context, rows.run));
  expect(summarised()).toBe('2 of 2 lanes verified');
  const pair = { runId: rows.run.id, aLaneId: a.id, bLaneId: b.id };
  const shas = { aSha: a.headSha ?? '', bSha: b.headSha ?? '' };
  const found = { tree: 't', conflicts: [], related: true, validationId: null };
  const composition = { ...pair, ...shas, ...found, at: rows.context.now() };
  const compositions = compositionStore(rows.store);
  rows.store.write(() => compositions.add(composition));
  expect(summarised()).toBe('2 of 2 lanes verified, 2 of them not tried with the others yet');
  rows.store.write(() => compositions.judge({ ...composition, conflicts: ['x.ts'] }));
  expect(summarised()).toBe('2 of 2 lanes verified, 2 of them in conflict');
});

test('reports a missing worktree and a missing log', async () => {
  const rows = await boardRows(sandbox());
  const api = rows.verified('api');
  expect(cardOf(rows, 'api').amiss).toEqual([]);
  rmSync(api.worktree ?? '', { recursive: true });
  rmSync(cardOf(rows, 'api').verdict?.logPath ?? '');
  expect(cardOf(rows, 'api').amiss).toEqual([
    'its worktree is gone',
    'the log of its validation is gone',
  ]);
});
