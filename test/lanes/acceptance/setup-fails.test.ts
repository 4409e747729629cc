/** A setup that cannot run stops one lane: the others wait for it, and go on once it has got on. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

const KEYS = ['a', 'b', 'c', 'd'];

test('the first failure holds those with the same setup back, shown with its cause; others go on', async () => {
  const lanes = Object.fromEntries(
    [...KEYS, 'own'].map((key) => [key, [[{ write: { [key]: key } }]]]),
  );
  const project = laneProject({
    files: {
      'lanehold.json': JSON.stringify({
        lanes: { setup: 'test -e "$HOME/tool" || { echo no tool here; exit 3; }', parallel: 2 },
      }),
    },
    scenario: { lanes },
  });
  const run = laneRun(project);
  await run.init();
  for (const key of KEYS) await run.add(key);
  await run.add('own', { more: ['--setup', 'true'] });
  await run.spawn();
  const isLeft = (key: string) => ['parked', 'ready', 'failed'].includes(run.lane(key).state);
  await run.looksUntil('nothing more to start', () => {
    return run.lane('own').state === 'verified' && KEYS.every(isLeft);
  });
  // A further look starts nothing.
  const before = KEYS.flatMap((key) => run.lane(key).attempts.length);
  await run.reconcile();
  expect(KEYS.flatMap((key) => run.lane(key).attempts.length)).toEqual(before);
  const states = run.states();
  const failed = KEYS.filter((key) => states[key] === 'failed');
  // Two run at once, and may fail in the same moment.
  expect(failed.length).toBeGreaterThan(0);
  expect(failed.length).toBeLessThan(3);
  const [first = ''] = failed;
  expect(run.lane(first).attempt).toMatchObject({
    ...{ end_reason: 'crashed', end_cause: 'setup' },
    end_detail: expect.stringContaining('no tool here'),
  });
  const { json } = await run.orchestrate('status');
  const notes = KEYS.flatMap((key, at) => (failed.includes(key) ? [] : json.lanes[at].note));
  expect(notes).toHaveLength(KEYS.length - failed.length);
  for (const note of notes) expect(note).toMatch(/setup failed in lane \w|failed as in lane \w/);
  expect(KEYS.filter((key) => run.lane(key).attempts.length > 0).length).toBeLessThan(4);
  expect(project.starts().map(({ lane }) => lane)).toEqual(['own']);

  project.box.write(join(project.box.home, 'tool'), '');
  await run.orchestrate('retry', first);
  const left = KEYS.filter((key) => key === first || !failed.includes(key));
  await run.looksUntil('the others to go on', () =>
    left.every((key) => run.lane(key).state === 'verified'),
  );
});

test('a setup that cannot run is told by `lane add` and `doctor`, with the ways out', async () => {
  const project = laneProject();
  const run = laneRun(project);
  await run.init();
  const add = ['orchestrate', 'lane', 'add'];
  const agent = ['--agent', 'claude-code', '--validate', 'true'];
  const fine = await project.lanehold(
    ...add,
    'fine',
    '--desc',
    'x',
    ...agent,
    '--setup',
    'cd . && true',
  );
  expect(fine.stdout).toMatch(/^Added lane fine(?![\s\S]*cannot be set up)/);
  const wish = ['--desc', 'x', ...agent, '--setup', 'no-such-installer --all'];
  const { stdout } = await project.lanehold(...add, 'a', ...wish);
  const fact = 'the setup needs `no-such-installer`, which is not installed';
  expect(stdout).toContain(`It cannot be set up here: ${fact}`);
  expect(stdout).toContain("lanehold config set lanes.setup 'COMMAND'");
  const set = await project.lanehold('config', 'set', 'lanes.setup', 'no-such-installer');
  expect(set.stderr).toContain('lanes.setup: `no-such-installer` is not installed here');
  const known = await project.lanehold('config', 'set', 'lanes.validate', 'test -d .');
  expect([known.exitCode, known.stderr]).toEqual([0, '']);
  const doctor = await project.lanehold('doctor');
  expect(doctor.stdout).toContain(fact);
  const { json } = await run.orchestrate('lane', 'add', 'b', '--desc', 'x', ...agent);
  expect(json).toMatchObject({ obstacles: [fact], hint: expect.stringContaining('install it') });
});
