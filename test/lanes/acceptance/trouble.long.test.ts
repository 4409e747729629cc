/** C2: what happens to a lane besides kills: its tree, its branch, the store, its exit code, daemons. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { BUSY_TIMEOUT_MS } from '../../../src/store/connect.ts';
import { kill } from '../../support/attempt-processes.ts';
import type { Step } from '../../support/fake-worker.ts';
import { expectWell, halfDone } from '../../support/half-done.ts';
import { inTime } from '../../support/in-time.ts';
import { laneEvents, laneFacts, rows } from '../../support/lane-facts.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { statOf } from '../../support/marked-processes.ts';

test('C2: a worktree that is deleted under a worker ends its attempt as lost, and comes back on resume', async () => {
  const { project, run } = await halfDone();
  await project.until('a checkpoint', () => rows(project, 'SELECT 1 FROM checkpoints').length > 0);
  const { worktree } = run.lane('a').attempt ?? { worktree: '' };
  rmSync(worktree, { recursive: true });
  await run.settled();
  expect(run.lane('a')).toMatchObject({ state: 'failed', attempt: { end_reason: 'lost' } });
  expect(run.lane('a').attempt?.end_detail).toContain('worktree');
  expect(project.processesLeft()).toEqual([]);
  expect(existsSync(worktree)).toBe(false);

  await run.orchestrate('resume', 'a');
  await run.settled();
  const lane = run.lane('a');
  expect(lane.state).toBe('verified');
  expect(project.git('show', `${lane.head_sha}:half.txt`)).toBe('half');
  expect(project.git('show', `${lane.head_sha}:whole.txt`)).toBe('whole');
  expectWell(project);
});

test('C2: a worktree that is deleted under a validation changes nothing: its commit is judged', async () => {
  const { project, run } = await halfDone({ validate: 'fake-check slow && test -e half.txt' });
  project.raise('go');
  await project.until('the validation', () => project.isRaised('checking'));
  rmSync(run.lane('a').attempt?.worktree ?? '', { recursive: true });
  project.raise('checked');
  await run.settled();
  expect(run.lane('a').attempt?.end_reason).toBe('verified');
  expectWell(project);
});

test('C2: wherever a worker leaves its branch, the work is on the branch of the lane', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        resets: [
          [
            { write: { 'one.txt': 'one' } },
            { commit: 'One' },
            { git: ['reset', '-q', '--hard', 'HEAD~1'] },
            { write: { 'work.txt': 'work' } },
          ],
        ],
        orphans: [
          [
            { git: ['checkout', '-q', '--orphan', 'alone'] },
            { write: { 'work.txt': 'work' } },
            { commit: 'A history of my own' },
          ],
        ],
        renames: [[{ git: ['branch', '-m', 'mine-now'] }, { write: { 'work.txt': 'work' } }]],
        detaches: [
          [
            { git: ['checkout', '-q', '--detach'] },
            { write: { 'work.txt': 'work' } },
            { commit: 'Nowhere' },
          ],
        ],
        stashes: [
          [{ write: { 'work.txt': 'work' } }, { git: ['stash', '-q', '-u'] }],
          [{ git: ['stash', 'pop', '-q'] }],
        ],
        leaves: [
          [{ git: ['checkout', '-q', '-b', 'left'] }, { say: 'Done.' }],
          [{ write: { 'work.txt': 'work' } }],
        ],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  const keys = ['resets', 'orphans', 'renames', 'detaches', 'stashes', 'leaves'];
  for (const key of keys) await run.add(key);
  await run.spawn();
  await run.settled();
  const flags = Object.fromEntries(
    laneFacts(project).map(({ key, attempt }) => [key, attempt?.flags]),
  );
  expect(flags).toEqual({
    resets: [],
    orphans: ['branch-switched', 'history-rewritten'],
    renames: ['branch-switched'],
    detaches: ['branch-switched'],
    stashes: ['stashed'],
    leaves: ['branch-switched'],
  });
  // These two have nothing to show yet: another worker goes on from the very same tree.
  for (const key of ['stashes', 'leaves']) {
    expect(run.lane(key).attempt?.end_cause).toBe('no-change');
    await run.orchestrate('retry', key);
  }
  await run.settled();
  for (const key of keys) {
    const lane = run.lane(key);
    expect(lane.state, JSON.stringify(lane, undefined, 1)).toBe('verified');
    expect(project.git('rev-parse', `refs/heads/${lane.branch}`)).toBe(lane.head_sha);
    expect(project.git('show', `${lane.head_sha}:work.txt`)).toBe('work');
    const start = lane.attempt?.start_sha ?? '';
    expect(project.git('merge-base', start, lane.head_sha ?? '')).toBe(start);
  }
  expectWell(project);
});

test('C2: a supervisor waits as long as somebody keeps the database to himself', async () => {
  const { project, run } = await halfDone();
  const db = new Database(join(project.box.laneholdHome, 'lanehold.db'));
  onTestFinished(() => void db.close());
  db.exec('BEGIN IMMEDIATE');
  project.raise('go');
  await project.until('the end of the worker', () =>
    project.journal().some(({ event }) => event === 'end'),
  );
  // Whoever waits once is done with it by then.
  await sleep(BUSY_TIMEOUT_MS + 2_000);
  expect(run.lane('a').attempt?.state).toBe('running');
  db.exec('COMMIT');
  await run.reaches('a', 'verified');
  expect(run.lane('a').attempt?.epoch).toBe(1);
  expect(project.starts('a')).toHaveLength(1);
  expectWell(project);
});

test('C2: an exit code that is not written yet is no exit code', async () => {
  const { project, run } = await halfDone();
  const { dir } = run.lane('a').attempt ?? { dir: '' };
  writeFileSync(join(dir, 'exit.json'), '');
  const reads = () => Number(rows(project, 'SELECT max(seq) AS seq FROM checkpoints')[0]?.seq ?? 0);
  await project.until('the supervisor to go round', () => reads() > 0);
  expect(run.lane('a').attempt?.state).toBe('running');
  project.raise('go');
  await run.settled();
  expect(run.lane('a')).toMatchObject({ state: 'verified', attempt: { exit_code: 0, n: 1 } });

  const other = await halfDone();
  await kill(other.project, 'a', ['supervisor', 'guard', 'worker']);
  writeFileSync(join(other.run.lane('a').attempt?.dir ?? '', 'exit.json'), '');
  await other.run.settled();
  expect(other.run.lane('a').attempts[0]).toMatchObject({ end_reason: 'lost', exit_code: null });
  expect(other.run.lane('a').state).toBe('verified');
  expectWell(other.project);
});

test('C2: what a worker leaves running ends with it, in whatever session it is', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [
            { write: { 'a.txt': 'a' } },
            { daemon: { name: 'session', how: 'setsid' } },
            { daemon: { name: 'orphan', how: 'double-fork' } },
            { daemon: { name: 'group', how: 'child', bare: true } },
          ],
        ],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.settled();
  expect(run.lane('a').state).toBe('verified');
  const daemons = project.journal().filter((it) => it.event === 'daemon');
  expect(daemons).toHaveLength(3);
  expect(daemons.filter(({ daemon, start }) => statOf(daemon)?.start === start)).toEqual([]);
  expectWell(project);
});

test('C2: a worker that does not hear SIGTERM is out of time all the same', async () => {
  const deaf: readonly Step[] = [
    { ignore: ['SIGTERM', 'SIGINT', 'SIGHUP'] },
    { write: { a: 'a' } },
    { raise: 'deaf' },
    { hang: true },
  ];
  const { project, run } = await inTime(
    async (timeMs) => {
      const project = laneProject({ scenario: { lanes: { a: [deaf] } } });
      const run = laneRun(project);
      await run.init();
      await run.add('a', { more: ['--timeout', `${timeMs / 1000}s`] });
      await run.spawn();
      await run.settled();
      return project.isRaised('deaf') && { project, run };
    },
    [3_000, 30_000],
  );
  expect(run.lane('a')).toMatchObject({ state: 'failed', attempt: { end_reason: 'timeout' } });
  expect(project.journal().some((it) => it.event === 'ignored')).toBe(true);
  const [{ tree } = {}] = rows(project, 'SELECT tree FROM checkpoints ORDER BY at DESC');
  expect(project.git('ls-tree', '--name-only', String(tree))).toContain('a');
  expectWell(project);
});

test('C2: a cancelled run ends its workers, keeps what they did, and starts nobody again', async () => {
  const { project, run } = await halfDone();
  await run.orchestrate('cancel');
  expect(run.lane('a')).toMatchObject({ state: 'cancelled', attempt: { state: 'cancelled' } });
  expect(project.processesLeft()).toEqual([]);
  const [{ tree } = {}] = rows(project, 'SELECT tree FROM checkpoints ORDER BY at DESC');
  expect(project.git('ls-tree', '--name-only', String(tree))).toContain('half.txt');
  await project.orchestrate('sync');
  expect(project.starts('a')).toHaveLength(1);
  expect(laneEvents(project, 'attempt.cancelled')).toHaveLength(1);
});

test('C2: a lane that is cancelled while nobody looks after it is cancelled by the next who looks', async () => {
  const { project, run } = await halfDone();
  await kill(project, 'a', ['supervisor']);
  await run.orchestrate('lane', 'cancel', 'a');
  expect(run.lane('a')).toMatchObject({ state: 'cancelled', attempt: { state: 'cancelled' } });
  const [{ tree } = {}] = rows(project, 'SELECT tree FROM checkpoints ORDER BY at DESC');
  expect(project.git('ls-tree', '--name-only', String(tree))).toContain('half.txt');
  expectWell(project);
});

test('C2: settings that break while a worker is at work do not break its work, nor a takeover', async () => {
  const { project, run } = await halfDone();
  writeFileSync(join(project.repo, 'lanehold.json'), '{ "lanes": {');
  await kill(project, 'a', ['supervisor']);
  await run.looksUntil('another supervisor', () => run.lane('a').attempt?.epoch === 2);
  project.raise('go');
  await run.reaches('a', 'verified');
  expect(run.lane('a').attempt?.flags).toEqual(['main-checkout-changed: ["lanehold.json"]']);
  expectWell(project);
});
