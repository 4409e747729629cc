/** What is shown of a lane is what happened, whoever says something else. */
import { expect, test } from 'vitest';
import { kill } from '../../support/attempt-processes.ts';
import { laneFacts, rows } from '../../support/lane-facts.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

test('work that is all committed is not taken for no work', async () => {
  const project = laneProject({
    scenario: { lanes: { a: [[{ write: { 'a.txt': 'mine' } }, { commit: 'Work' }]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.settled();
  expect(run.lane('a').state).toBe('verified');
  expect(project.git('log', '--format=%s', `main..${run.lane('a').head_sha}`)).toBe('Work');
});

test('an error of the service that ends with exit code 0 is no success', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [{ write: { 'half.txt': 'half' } }, { result: { isError: true, exit: 0 } }],
          [{ write: { 'whole.txt': 'whole' } }],
        ],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.settled();
  const [first, second] = run.lane('a').attempts;
  expect(first).toMatchObject({ end_reason: 'crashed', exit_code: 0 });
  expect(first).toMatchObject({
    end_cause: 'transient',
    end_detail: expect.stringContaining('529'),
  });
  expect(second?.end_reason).toBe('verified');
  expect(project.git('show', `${run.lane('a').head_sha}:half.txt`)).toBe('half');
});

test('a worker does not certify its own lane', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [
            { write: { broken: 'x' } },
            { lanehold: ['orchestrate', 'report', '--done', 'all of it'] },
            { lanehold: ['orchestrate', 'verify', 'a'] },
            { lanehold: ['orchestrate', 'lane', 'edit', 'a', '--validate', 'true'] },
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
  const said = project.journal().filter((it) => it.event === 'lanehold');
  const refused = said.filter(({ args }) => args[1] !== 'report');
  expect(refused.map(({ status }) => status)).toEqual([2, 2]);
  for (const { stderr } of refused) expect(stderr).toContain("is the coordinator's");
  expect(run.lane('a')).toMatchObject({ state: 'failed', attempt: { end_reason: 'rejected' } });
  expect(rows(project, 'SELECT validate_cmd FROM lanes')).toEqual([
    { validate_cmd: 'sh check.sh' },
  ]);
});

test('a cancelled run and the next one of its name have nothing of each other', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [{ write: { 'old.txt': 'old' } }, { raise: 'old' }, { waitFor: 'go' }],
          [{ write: { 'new.txt': 'new' } }],
        ],
      },
    },
  });
  const run = laneRun(project);
  await run.init('Again');
  await run.add('a');
  await run.spawn();
  await project.until('the first worker', () => project.isRaised('old'));
  await run.orchestrate('cancel');
  project.raise('go');
  await run.init('Again');
  await run.add('a');
  await run.spawn();
  await project.until(
    'the second to be verified',
    () => laneFacts(project)[1]?.state === 'verified',
  );
  const [first, second] = laneFacts(project);
  expect(first).toMatchObject({ state: 'cancelled', head_sha: null, validations: [] });
  expect(project.git('ls-tree', '--name-only', second?.head_sha ?? '')).not.toContain('old.txt');
  expect(second?.branch).not.toBe(first?.branch);
  expect(second?.worktree).not.toBe(first?.worktree);
});

test('who only looks at the status after a crash is told what is true, not what was', async () => {
  const project = laneProject({
    files: { 'lanehold.json': JSON.stringify({ lanes: { attempts: 1 } }) },
    scenario: { lanes: { a: [[{ raise: 'works' }, { hang: true }]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await project.until('the worker', () => project.isRaised('works'));
  await kill(project, 'a', ['supervisor', 'guard', 'worker']);
  const text = await project.until('the status to say so', async () => {
    const { stdout } = await project.lanehold('orchestrate', 'status');
    return /\brunning\b/.test(stdout) ? undefined : stdout;
  });
  expect(text).toMatch(/\ba\b/);
  await run.reaches('a', 'failed');
  expect(run.lane('a').attempt).toMatchObject({ end_reason: 'lost' });
  expect(project.starts('a')).toHaveLength(1);
});

test('a task that was changed while somebody worked on the old one is not done by that', async () => {
  const work = [{ raise: 'works' }, { waitFor: 'go' }] as const;
  const project = laneProject({
    scenario: {
      lanes: {
        told: [[{ write: { 'told.txt': 'x' } }, ...work], [{ write: { 'new.txt': 'x' } }]],
        wider: [[{ write: { 'doc/wider.txt': 'x' } }, ...work]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('told');
  await run.add('wider', { touches: ['src/**'] });
  await run.spawn();
  await project.until('both to work', () => project.starts().length === 2);
  await run.orchestrate('lane', 'edit', 'told', '--desc', 'Something else');
  await run.orchestrate('lane', 'widen', 'wider', '--touches', 'doc/**');
  project.raise('go');
  await run.settled();
  // What it may write was judged by what holds in the end; what it was asked to do was not.
  expect(run.states()).toEqual({ told: 'stale', wider: 'verified' });
  await run.orchestrate('retry', 'told');
  await run.reaches('told', 'verified');
  expect(project.starts('told')).toHaveLength(2);
});
