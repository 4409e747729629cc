/** C7: a lane starts from the verified work that it needs, and notices when that changes. */
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { kill } from '../../support/attempt-processes.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

// Lanes that are built on each other run one after the other.
vi.setConfig({ testTimeout: 120_000 });

test('C7: a diamond is built from the bottom up, also when its first stone is dropped once', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [{ write: { 'a.txt': 'a' } }, { raise: 'half' }, { hang: true }],
          [{ write: { 'a.txt': 'a' } }],
          [{ append: { 'a.txt': ' again' } }],
        ],
        b: [[{ write: { 'b.txt': 'b' } }]],
        c: [[{ write: { 'c.txt': 'c' } }]],
        d: [
          [{ write: { 'd.txt': 'd' } }, { sh: 'test -e a.txt && test -e b.txt && test -e c.txt' }],
        ],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.add('b', { needs: ['a'] });
  await run.add('c', { needs: ['a'] });
  await run.add('d', { needs: ['b', 'c'] });
  await run.spawn();
  await project.until('the first half of a', () => project.isRaised('half'));
  expect(run.states()).toMatchObject({ b: 'waiting', c: 'waiting', d: 'waiting' });
  await kill(project, 'a', ['supervisor', 'guard', 'worker']);
  await run.settled();

  expect(run.states()).toEqual({ a: 'verified', b: 'verified', c: 'verified', d: 'verified' });
  const base = project.starts('d')[0]?.head ?? '';
  for (const key of ['a', 'b', 'c']) {
    project.git('merge-base', '--is-ancestor', run.lane(key).head_sha ?? '', base);
  }
  expect(project.journal().filter((it) => it.event === 'failed')).toEqual([]);

  const workers = { b: project.starts('b').length, c: project.starts('c').length };
  await run.orchestrate('retry', 'a');
  await project.until(
    () => `what was built on a to be proved again: ${JSON.stringify(run.states())}`,
    async () => {
      await run.settled();
      return Object.values(run.states()).every((state) => state === 'verified');
    },
  );
  expect({ b: project.starts('b').length, c: project.starts('c').length }).toEqual(workers);
  expect(project.git('show', `${run.lane('d').head_sha}:a.txt`)).toBe('a again');
});

test('C7: failure never satisfies a need', async () => {
  const project = laneProject({
    scenario: { lanes: { a: [[{ write: { broken: 'x' } }]], b: [[{ write: { 'b.txt': 'b' } }]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.add('b', { needs: ['a'] });
  await run.spawn();
  await run.reaches('a', 'failed');
  await run.reconcile();
  expect(run.lane('b').state).toBe('waiting');
  expect(project.starts('b')).toEqual([]);
});

test('C7: what no longer fits what it is built on is refused with the files, and nobody is started', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [{ write: { 'src/core.txt': 'by a\n' } }],
          [{ write: { 'src/core.txt': 'again a\n' } }],
        ],
        b: [
          [{ write: { 'src/core.txt': 'by b\n' } }],
          [{ write: { 'src/core.txt': 'again a\n', 'b.txt': 'b' } }],
        ],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.add('b', { needs: ['a'] });
  await run.spawn();
  await run.settled();
  expect(run.states()).toEqual({ a: 'verified', b: 'verified' });
  const { head_sha: before } = run.lane('b');
  await run.orchestrate('retry', 'a');
  await project.until('b to be tried on the new work', async () => {
    await run.settled();
    return run.lane('b').attempt?.kind === 'validate';
  });
  await run.settled();
  expect(run.lane('b')).toMatchObject({ state: 'stale', head_sha: before });
  expect(run.lane('b').attempt?.end_detail).toMatch(/conflict with a: src\/core\.txt/);
  await run.reconcile();
  expect(run.lane('b').attempts).toHaveLength(2);
  expect(project.starts('b')).toHaveLength(1);

  await run.orchestrate('retry', 'b');
  await project.until('b to be proved on the new work', async () => {
    await run.settled();
    return run.lane('b').state === 'verified';
  });
  const prompt = readFileSync(project.starts('b')[1]?.prompt ?? '', 'utf8');
  expect(prompt).toContain('conflict with a: src/core.txt');
  expect(prompt).toContain('a has changed since you built on it');
  expect(project.starts('b')).toHaveLength(2);
  project.git(
    'merge-base',
    '--is-ancestor',
    run.lane('a').head_sha ?? '',
    run.lane('b').head_sha ?? '',
  );
});
