/** What is shown of a lane is what happened, whoever says something else. */
import { expect, test } from 'vitest';
import { laneFacts, rows } from '../../support/lane-facts.ts';
import { laneRun } from '../../support/lane-run.ts';
import { strike } from '../../support/lane-victims.ts';
import { laneWorld } from '../../support/lanes.ts';

test('work that is all committed is not taken for no work', async () => {
  const world = laneWorld({
    scenario: { lanes: { a: [[{ write: { 'a.txt': 'mine' } }, { commit: 'Work' }]] } },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.settled();
  expect(run.lane('a').state).toBe('verified');
  expect(world.git('log', '--format=%s', `main..${run.lane('a').head_sha}`)).toBe('Work');
});

test('an error of the service that ends with exit code 0 is no success', async () => {
  const world = laneWorld({
    scenario: {
      lanes: {
        a: [
          [{ write: { 'half.txt': 'half' } }, { result: { isError: true, exit: 0 } }],
          [{ write: { 'whole.txt': 'whole' } }],
        ],
      },
    },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.settled();
  const [first, second] = run.lane('a').attempts;
  expect(first).toMatchObject({ end_reason: 'crashed', exit_code: 0 });
  expect(first?.end_detail).toMatch(/^transient: .*529/);
  expect(second?.end_reason).toBe('verified');
  expect(world.git('show', `${run.lane('a').head_sha}:half.txt`)).toBe('half');
});

test('a worker does not certify its own lane', async () => {
  const world = laneWorld({
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
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.settled();
  const said = world.journal().filter((it) => it.event === 'lanehold');
  const refused = said.filter(({ args }) => args[1] !== 'report');
  expect(refused.map(({ status }) => status)).toEqual([2, 2]);
  for (const { stderr } of refused) expect(stderr).toContain("is the coordinator's");
  expect(run.lane('a')).toMatchObject({ state: 'failed', attempt: { end_reason: 'rejected' } });
  expect(rows(world, 'SELECT validate_cmd FROM lanes')).toEqual([{ validate_cmd: 'sh check.sh' }]);
});

test('a cancelled run and the next one of its name have nothing of each other', async () => {
  const world = laneWorld({
    scenario: {
      lanes: {
        a: [
          [{ write: { 'old.txt': 'old' } }, { raise: 'old' }, { waitFor: 'go' }],
          [{ write: { 'new.txt': 'new' } }],
        ],
      },
    },
  });
  const run = laneRun(world);
  await run.init('Again');
  await run.add('a');
  await run.spawn();
  await world.until('the first worker', () => world.isRaised('old'));
  await run.orchestrate('cancel');
  world.raise('go');
  await run.init('Again');
  await run.add('a');
  await run.spawn();
  await world.until('the second to be verified', () => laneFacts(world)[1]?.state === 'verified');
  const [first, second] = laneFacts(world);
  expect(first).toMatchObject({ state: 'cancelled', head_sha: null, validations: [] });
  expect(world.git('ls-tree', '--name-only', second?.head_sha ?? '')).not.toContain('old.txt');
  expect(second?.branch).not.toBe(first?.branch);
  expect(second?.worktree).not.toBe(first?.worktree);
});

test('who only looks at the status after a crash is told what is true, not what was', async () => {
  const world = laneWorld({
    files: { 'lanehold.json': JSON.stringify({ lanes: { attempts: 1 } }) },
    scenario: { lanes: { a: [[{ raise: 'works' }, { hang: true }]] } },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  await run.spawn();
  await world.until('the worker', () => world.isRaised('works'));
  await strike(world, 'a', ['supervisor', 'guard', 'worker']);
  const text = await world.until('the status to say so', async () => {
    const { stdout } = await world.lanehold('orchestrate', 'status');
    return /\brunning\b/.test(stdout) ? undefined : stdout;
  });
  expect(text).toMatch(/\ba\b/);
  await run.reaches('a', 'failed');
  expect(run.lane('a').attempt).toMatchObject({ end_reason: 'lost' });
  expect(world.starts('a')).toHaveLength(1);
});

test('a task that was changed while somebody worked on the old one is not done by that', async () => {
  const work = [{ raise: 'works' }, { waitFor: 'go' }] as const;
  const world = laneWorld({
    scenario: {
      lanes: {
        told: [[{ write: { 'told.txt': 'x' } }, ...work], [{ write: { 'new.txt': 'x' } }]],
        wider: [[{ write: { 'doc/wider.txt': 'x' } }, ...work]],
      },
    },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('told');
  await run.add('wider', { touches: ['src/**'] });
  await run.spawn();
  await world.until('both to work', () => world.starts().length === 2);
  await run.orchestrate('lane', 'edit', 'told', '--desc', 'Something else');
  await run.orchestrate('lane', 'widen', 'wider', '--touches', 'doc/**');
  world.raise('go');
  await run.settled();
  // What it may write was judged by what holds in the end; what it was asked to do was not.
  expect(run.states()).toEqual({ told: 'stale', wider: 'verified' });
  await run.orchestrate('retry', 'told');
  await run.reaches('told', 'verified');
  expect(world.starts('told')).toHaveLength(2);
});
