import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { givenInFile, lastGiven, untrueLines } from '../../../src/lanes/look/check.ts';
import { handoff, storeHandoff } from '../../../src/lanes/look/handoff.ts';
import { handoffStore } from '../../../src/store/handoffs.ts';
import { laneReportStore } from '../../../src/store/lane-events.ts';
import { laneStore, runStore } from '../../../src/store/lanes.ts';
import { type BoardRows, boardRows } from '../../support/board-rows.ts';
import { sandbox } from '../../support/sandbox.ts';

const NOBODY = { agent: '', session: '' };

/** Makes a handoff, changes something, and returns the lines that are no longer true. */
async function afterwards({ context, run }: BoardRows, happens: () => void) {
  const { lines } = handoff(context, run, NOBODY);
  expect(await untrueLines(context, run, lines)).toEqual([]);
  happens();
  return (await untrueLines(context, run, lines)).map(({ about, now }) => `${about}: ${now}`);
}

test('a changed log is no evidence', async () => {
  const rows = await boardRows(sandbox());
  rows.verified('api');
  const path = handoff(rows.context, rows.run, NOBODY).board.lanes[0]?.verdict?.logPath ?? '';
  expect(await afterwards(rows, () => appendFileSync(path, 'all is well\n'))).toEqual([
    'lane api: evidence: the log was changed',
  ]);
});

test('reports an answered question, a paused run and a cancelled lane', async () => {
  const rows = await boardRows(sandbox());
  const api = rows.lane('api');
  const web = rows.lane('web');
  const id = rows.ask(api, 'Which currency?');
  const { store, context, run } = rows;
  const untrue = await afterwards(rows, () =>
    store.write(() => {
      laneReportStore(store).answer(id, 'euros', 'person ada', context.now());
      laneStore(store).setIntent(web.id, 'cancelled');
      runStore(store).setIntent(run.id, 'paused', 'lunch');
    }),
  );
  expect(untrue).toEqual([
    `question ${id}: person ada has answered it`,
    'lane api: state: it is planned, was asks',
    'lane web: state: it is cancelled, was planned',
    'run: the run is paused',
  ]);
});

test('reports a missing branch, and a worktree that git does not know', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  const api = rows.verified('api');
  const untrue = await afterwards(rows, () => {
    box.git(rows.repo, 'worktree', 'remove', '--force', api.worktree ?? '');
    box.git(rows.repo, 'branch', '--quiet', '-D', api.branch);
    box.write(`${api.worktree}/left.txt`, 'somebody else made this folder');
  });
  expect(untrue).toEqual([
    'lane api: commit: refs/heads/lanehold/billing/api is gone',
    'lane api: worktree: git does not know the worktree',
  ]);
});

test('a file names a handoff that was given out, and says nothing by itself', async () => {
  const box = sandbox();
  const { context, run, ...rows } = await boardRows(box);
  rows.lane('api');
  const { id, lines } = storeHandoff(context, run, NOBODY);
  const about = lines.map((it) => it.about);
  const forged = [{ about: 'log', text: '', claims: [{ kind: 'log', path: '/dev/zero' }] }];
  const contents = [`Handoff ${id}, up to event 3`, JSON.stringify({ id, lines: forged })];
  for (const content of contents) {
    const given = givenInFile(context, run, box.write('handoff', content));
    expect(given.lines.map((it) => it.about)).toEqual(about);
  }
  box.write('handoff', JSON.stringify({ id: run.id, lines: forged }));
  for (const file of ['handoff', 'nowhere'].map((it) => join(box.root, it))) {
    expect(() => givenInFile(context, run, file)).toThrow('is no handoff of run billing');
  }
});

test('only the last handoffs are kept, of each what can be checked', async () => {
  const rows = await boardRows(sandbox());
  const text = 'long '.repeat(20_000);
  rows.lane('docs', { desc: text, notes: text });
  for (let count = 0; count < 60; count += 1) {
    rows.later(1_000);
    storeHandoff(rows.context, rows.run, { agent: 'claude-code', session: `s${count}` });
  }
  const bytes = 'SELECT count(*), max(octet_length(lines)) FROM handoffs';
  const [count, largest] = rows.store.db.prepare(bytes).raw().get() as [number, number];
  expect(count).toBe(50);
  expect(largest).toBeLessThan(2_000);
  const newest = handoffStore(rows.store).last(rows.run.id);
  expect(newest?.at).toEqual(rows.context.now());
  expect(lastGiven(rows.context, rows.run)?.id).toBe(newest?.id);
});
