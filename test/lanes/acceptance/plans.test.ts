/** The list that a worker keeps for itself is in the store as soon as its stream shows it. */
import { expect, test } from 'vitest';
import { kill } from '../../support/attempt-processes.ts';
import { halfDone } from '../../support/half-done.ts';
import { rows } from '../../support/lane-facts.ts';
import { type LaneProject, laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

const SECRET = `ghp_${'a1B2'.repeat(9)}`;

const tasks = (project: LaneProject) =>
  rows(project, 'SELECT agent, session, title, status FROM session_tasks ORDER BY position').map(
    (it) => Object.values(it),
  );

/** Waits for what the supervisor stores while the worker runs. */
const stored = (project: LaneProject, title: string) =>
  project.until(
    () => `${title} among ${JSON.stringify(tasks(project))}`,
    () => JSON.stringify(tasks(project)).includes(title),
  );

test('the plan of a worker is stored while it works, without secrets, and told in the handoff', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [
            { plan: { 'Read the code': true, [`Log in with ${SECRET}`]: false, Third: false } },
            { waitFor: 'go' },
            { plan: { 'Log in': true, 'Write `it` down': false } },
            { write: { broken: 'x' } },
          ],
        ],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { agent: 'codex' });
  await run.spawn();
  await stored(project, 'Third');
  const session = project.starts('a')[0]?.session;
  expect(tasks(project)).toEqual([
    ['codex', session, 'Read the code', 'completed'],
    ['codex', session, expect.stringMatching(/^Log in with \[redacted:/), 'pending'],
    ['codex', session, 'Third', 'pending'],
  ]);
  expect(JSON.stringify(tasks(project))).not.toContain(SECRET);
  project.raise('go');
  await run.reaches('a', 'failed');
  expect(tasks(project)).toEqual([
    ['codex', session, 'Log in', 'completed'],
    ['codex', session, 'Write `it` down', 'pending'],
  ]);
  const { stdout } = await project.lanehold('orchestrate', 'handoff');
  expect(stdout).toContain('task list of codex: 1 open, 1 done, next ``Write `it` down``');
});

test('a plan outlives its supervisor, and the next session of the lane has its own', async () => {
  const { project, run } = await halfDone({
    agent: 'codex',
    work: [
      { plan: { 'One thing': false } },
      { raise: 'half' },
      { waitFor: 'go' },
      { say: 'Going on.' },
      { plan: { 'One thing': true, 'Another thing': false } },
      { raise: 'planned' },
      { waitFor: 'never' },
    ],
  });
  const planned = () =>
    project.until('the second plan to be written', () => project.isRaised('planned'));
  await stored(project, 'One thing');
  await kill(project, 'a', ['supervisor']);
  project.raise('go');
  await planned();
  await run.looksUntil('a supervisor that has read on', () =>
    JSON.stringify(tasks(project)).includes('Another thing'),
  );
  await kill(project, 'a', ['supervisor', 'guard', 'worker']);
  await run.settled();
  expect(run.lane('a').state).toBe('verified');
  expect(tasks(project).map(([, , title, status]) => [title, status])).toEqual([
    ['One thing', 'completed'],
    ['Another thing', 'pending'],
  ]);
  const { stdout } = await project.lanehold('orchestrate', 'handoff');
  // It was killed with a task open: a person looks at it first.
  expect(stdout).toContain('unfinished-tasks (Another thing)');
  expect(stdout).toContain('integrate --accept a');
});

test('what a worker planned in its last moment is stored although nobody was there to see it', async () => {
  const { project, run } = await halfDone({
    agent: 'codex',
    work: [
      { say: 'Beginning.' },
      { raise: 'half' },
      { waitFor: 'go' },
      { plan: { 'Last words': false } },
      { raise: 'planned' },
      { waitFor: 'never' },
    ],
  });
  await kill(project, 'a', ['supervisor']);
  project.raise('go');
  await project.until('the plan to be written', () => project.isRaised('planned'));
  await kill(project, 'a', ['guard', 'worker']);
  await run.settled();
  expect(tasks(project).map(([, , title]) => title)).toEqual(['Last words']);
});
