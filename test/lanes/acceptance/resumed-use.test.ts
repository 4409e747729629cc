/** C9: clients that resume a session go on counting; each attempt is charged for itself alone. */
import { expect, test } from 'vitest';
import { kill } from '../../support/attempt-processes.ts';
import type { Step } from '../../support/fake-worker.ts';
import { halfDone } from '../../support/half-done.ts';
import { rows } from '../../support/lane-facts.ts';
import { type LaneProject, laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

/** With what the stand-ins take for their last word or for an edit, 1 220 tokens. */
const BREAKS: readonly Step[] = [
  { usage: { input: 1_000, output: 100 } },
  { write: { broken: 'x' } },
];
/** The same, 670 tokens. */
const MENDS: readonly Step[] = [{ usage: { input: 500, output: 50 } }, { delete: ['broken'] }];

async function broken(agent: 'codex' | 'claude-code', second: readonly Step[]) {
  const project = laneProject({ scenario: { lanes: { a: [BREAKS, second, MENDS] } } });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { agent });
  await run.spawn();
  await run.reaches('a', 'failed');
  await run.orchestrate('retry', 'a');
  return { project, run };
}

function ledger(project: LaneProject) {
  return rows(
    project,
    `SELECT l.used_tokens AS tokens, l.used_usd AS usd FROM ledger AS l
       JOIN attempts AS a ON a.id = l.attempt_id ORDER BY a.n`,
  );
}

const tokens = (project: LaneProject) => ledger(project).map((it) => it.tokens);

test.each(['codex', 'claude-code'] as const)(
  'C9: what a session of %s has used is counted once, however often it is resumed',
  async (agent) => {
    const { project, run } = await broken(agent, [
      { usage: { input: 500, output: 50 } },
      { write: { 'more.txt': 'x' } },
    ]);
    await run.reaches('a', 'failed');
    await run.settled();
    await run.orchestrate('retry', 'a');
    await run.reaches('a', 'verified');
    const [first, ...resumed] = project.starts('a');
    expect(resumed.map((it) => it.resumed)).toEqual([first?.session, first?.session]);
    expect(tokens(project)).toEqual([1_220, 670, 670]);
    expect(run.lane('a').attempts.map(({ usage }) => usage?.tokens)).toEqual([1_220, 670, 670]);
    const { json } = await run.orchestrate('status');
    expect(json.lanes[0].spent.tokens).toBe(2_560);
  },
);

test('C9: the price of a resumed session is counted once, too', async () => {
  const { project, run } = await broken('claude-code', MENDS);
  await run.reaches('a', 'verified');
  const [first, second] = ledger(project).map(({ usd }) => Number(usd));
  expect(first).toBeCloseTo(0.004, 6);
  expect(second).toBeCloseTo(0.004, 6);
});

test('C9: a supervisor that takes a resumed attempt over charges it the same', async () => {
  const { project, run } = await broken('codex', [
    { usage: { input: 500, output: 50 } },
    { raise: 'half' },
    { waitFor: 'go' },
    { delete: ['broken'] },
  ]);
  await project.until('half of the second attempt', () => project.isRaised('half'));
  await project.until('its supervisor', () => run.lane('a').attempt?.state === 'running');
  await kill(project, 'a', ['supervisor']);
  project.raise('go');
  await run.settled();
  expect(run.lane('a')).toMatchObject({ state: 'verified', attempt: { n: 2, epoch: 2 } });
  expect(project.starts('a')[1]?.resumed).toBe(project.starts('a')[0]?.session);
  expect(tokens(project)).toEqual([1_220, 670]);
});

test.each([
  // This client tells what it has used at its end only, and never forgets it.
  ['codex', [0, 1_100 + 120 + 120]],
  // This one tells it with each message, and forgets it with the run that was killed.
  ['claude-code', [1_100 + 120, 120]],
] as const)(
  'C9: what a killed run of %s has used is in the ledger once its session is resumed',
  async (agent, expected) => {
    const { project, run } = await halfDone({
      agent,
      work: [
        { usage: { input: 1_000, output: 100 } },
        ...(agent === 'codex' ? [{ say: 'Half of it.' }] : []),
        { write: { 'half.txt': 'half' } },
        { raise: 'half' },
        { waitFor: 'go' },
      ],
    });
    await kill(project, 'a', ['supervisor', 'guard', 'worker']);
    await run.settled();
    expect(run.lane('a').state).toBe('verified');
    expect(project.starts('a')[1]?.resumed).toBe(project.starts('a')[0]?.session);
    expect(tokens(project)).toEqual(expected);
  },
);
