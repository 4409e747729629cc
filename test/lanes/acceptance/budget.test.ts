/** C9: what may be spent is reserved before a worker starts and watched while it runs. */
import { expect, test } from 'vitest';
import { kill } from '../../support/attempt-processes.ts';
import { laneFacts, rows, tamper } from '../../support/lane-facts.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

const spending = [
  { daemon: { name: 'stray', how: 'setsid' } },
  { repeat: { times: 2000, steps: [{ usage: { input: 4_500, output: 500 } }, { sleep: 250 }] } },
] as const;

test('C9: a lane that passes its cap is stopped with all that it started, and its work is kept', async () => {
  const project = laneProject({
    files: { 'lanehold.json': JSON.stringify({ lanes: { budget: { tokens: 10_000 } } }) },
    scenario: { lanes: { a: [[{ write: { 'a.txt': 'a' } }, ...spending]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.settled();
  expect(run.lane('a')).toMatchObject({ attempt: { end_reason: 'parked' } });
  expect(run.lane('a').attempt?.end_cause).toBe('budget');
  expect(project.processesLeft()).toEqual([]);
  const used = run.lane('a').attempt?.usage?.tokens ?? 0;
  expect(used).toBeGreaterThan(10_000);
  // What it spent until somebody looked: of its 10,000,000 next to nothing.
  expect(used).toBeLessThan(600_000);
  await run.reconcile();
  expect(project.starts('a')).toHaveLength(1);
});

test('C9: what the run can pay for is started, the rest refused before it starts', async () => {
  const keys = ['a', 'b', 'c', 'd', 'e'];
  const project = laneProject({
    files: {
      'lanehold.json': JSON.stringify({
        lanes: { budget: { tokens: 10_000 }, runBudget: { tokens: 25_000 } },
      }),
    },
    scenario: {
      lanes: Object.fromEntries(
        keys.map((key) => [
          key,
          [[{ write: { [`${key}.txt`]: key } }, { usage: { input: 9_000 } }]],
        ]),
      ),
    },
  });
  const run = laneRun(project);
  await run.init();
  for (const key of keys) await run.add(key);
  await run.spawn();
  await run.settled();
  const states = Object.values(run.states());
  expect(states.filter((state) => state === 'verified')).toHaveLength(2);
  expect(states.filter((state) => state === 'blocked')).toHaveLength(3);
  expect(project.starts()).toHaveLength(2);
  const refused = laneFacts(project).filter(({ state }) => state === 'blocked');
  for (const { blocked, attempts } of refused) {
    expect(blocked).toMatch(/^the run has \d+ tokens left, the lane may use 10000$/);
    expect(attempts).toEqual([]);
  }
});

test('C9: what nobody settled counts as spent', async () => {
  const budgets = { budget: { tokens: 10_000 }, runBudget: { tokens: 15_000 } };
  const project = laneProject({
    files: { 'lanehold.json': JSON.stringify({ lanes: { ...budgets, attempts: 1 } }) },
    scenario: { lanes: { a: [[{ raise: 'half' }, { hang: true }]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.add('b');
  await run.spawn('a');
  await project.until('the worker', () => project.isRaised('half'));
  await kill(project, 'a', ['supervisor', 'guard', 'worker']);
  const { json } = await run.orchestrate('spawn', 'b');
  expect(json.waiting.b).toBe('the run has 5000 tokens left, the lane may use 10000');
  expect(rows(project, 'SELECT reserved_tokens, settled FROM ledger')).toEqual([
    { reserved_tokens: 10_000, settled: 0 },
  ]);
  expect(run.lane('b').attempts).toEqual([]);
});

test('C9: lanes without a cap of their own share what the run has', async () => {
  const project = laneProject({
    scenario: { lanes: { '*': [[{ write: { 'same.txt': 'x' } }, { waitFor: 'go' }]] } },
  });
  const run = laneRun(project);
  await run.init('Share', '--run-tokens', '30000', '--parallel', '3');
  for (const key of ['a', 'b', 'c']) await run.add(key);
  await run.spawn();
  await project.until('all at work', () => project.starts().length === 3);
  expect(rows(project, 'SELECT reserved_tokens FROM ledger')).toEqual([
    { reserved_tokens: 10_000 },
    { reserved_tokens: 10_000 },
    { reserved_tokens: 10_000 },
  ]);
  project.raise('go');
  await run.settled();
  expect(run.states()).toEqual({ a: 'verified', b: 'verified', c: 'verified' });
});

test('C9: where nobody knows the price, a cap in dollars is one of turns, and that is told', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [
            { write: { 'a.txt': 'a' } },
            { repeat: { times: 250, steps: [{ say: 'Still at it.' }] } },
            { hang: true },
          ],
        ],
        b: [[{ write: { 'b.txt': 'b' } }]],
        c: [
          [
            { write: { 'c.txt': 'c' } },
            { repeat: { times: 250, steps: [{ say: 'Still at it.' }] } },
            { sleep: 1_000 },
          ],
        ],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { agent: 'codex', more: ['--usd', '5'] });
  await run.add('b', { agent: 'codex', more: ['--usd', '5'] });
  await run.add('c', { agent: 'claude-code', more: ['--usd', '5'] });
  await run.spawn();
  await run.settled();
  const [a, b, c] = ['a', 'b', 'c'].map((key) => run.lane(key));
  expect(a?.attempt).toMatchObject({
    end_reason: 'parked',
    end_cause: 'budget',
    end_detail: expect.stringMatching(/^used \d+ of 200 turns$/),
    flags: expect.arrayContaining(['price-unknown']),
  });
  expect(b).toMatchObject({ state: 'verified', attempt: { flags: ['price-unknown'] } });
  // This client keeps to its cap itself, and tells what it has cost.
  expect(c).toMatchObject({ state: 'verified', attempt: { flags: [] } });
  const spent = rows(project, 'SELECT used_usd FROM ledger ORDER BY used_usd');
  expect(spent.map(({ used_usd }) => Number(used_usd) > 0)).toEqual([true, true, true]);
  expect(spent.at(-1)).toEqual({ used_usd: 5 });
  expect(project.processesLeft()).toEqual([]);
});

test('C9: what the day has no more of waits for the next one', async () => {
  const project = laneProject({
    files: { 'lanehold.json': JSON.stringify({ lanes: { dayBudget: { tokens: 5_000 } } }) },
    scenario: {
      lanes: {
        a: [[{ write: { 'a.txt': 'a' } }, { usage: { input: 9_000 } }]],
        b: [[{ write: { 'b.txt': 'b' } }, { usage: { input: 900 } }]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.looksUntil(
    'the first to end',
    () => run.lane('a').attempts.length === 1 && run.lane('a').attempt?.end_reason !== null,
  );
  await run.add('b');
  const { json } = await run.orchestrate('spawn', 'b');
  expect(json.waiting).toEqual({ b: "the day's tokens are used up" });
  expect(run.lane('b')).toMatchObject({ state: 'ready', blocked: null, attempts: [] });
  const { stdout: status } = await project.lanehold('orchestrate', 'status');
  expect(status).toMatch(/b +ready .*the day's tokens are used up/);
  // As it is on the next day.
  tamper(project, "UPDATE ledger SET day = '2001-01-01'");
  await run.reconcile();
  await run.reaches('b', 'verified');
});
