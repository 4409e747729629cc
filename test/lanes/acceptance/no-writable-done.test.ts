/** C1: a lane is verified if lanehold has seen its validation pass on its commit; nobody says so. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isLive, laneFacts, tamper } from '../../support/lane-facts.ts';
import { laneRun } from '../../support/lane-run.ts';
import { laneWorld } from '../../support/lanes.ts';

test('C1: of eight ways to say "done" exactly those that are proved are verified', async () => {
  const world = laneWorld({
    scenario: {
      lanes: {
        'no-change': [[{ say: 'All done.' }]],
        uncommitted: [[{ write: { 'uncommitted.txt': 'mine' } }]],
        failing: [[{ write: { broken: 'x' } }, { commit: 'Work' }]],
        'exit-3': [[{ write: { 'exit-3.txt': 'mine' } }, { exit: 3 }]],
        earlier: [[{ write: { broken: 'x' } }, { commit: 'Work' }], [{ say: 'All done.' }]],
        elsewhere: [
          [
            { git: ['checkout', '-q', '-b', 'elsewhere'] },
            { write: { 'elsewhere.txt': 'mine' } },
            { commit: 'On a branch of my own' },
          ],
        ],
        untested: [[{ delete: ['checks/core.sh'] }, { write: { 'checks/none.sh': 'true\n' } }]],
        hangs: [[{ write: { 'hangs.txt': 'mine' } }, { result: { text: 'done' } }, { hang: true }]],
      },
    },
  });
  const run = laneRun(world);
  await run.init();
  const keys = [
    'no-change',
    'uncommitted',
    'failing',
    'exit-3',
    'earlier',
    'elsewhere',
    'untested',
  ];
  for (const key of keys) await run.add(key);
  await run.add('hangs', { more: ['--timeout', '4s'] });
  await run.spawn();
  await run.settled();
  await run.spawn('earlier');
  await run.settled();

  const ends = Object.fromEntries(
    laneFacts(world).map(({ key, state, attempt }) => [
      key,
      `${state}: ${attempt?.end_reason} ${attempt?.end_detail?.split(/[\s:]/, 1)[0] ?? ''}`.trim(),
    ]),
  );
  expect(ends).toMatchObject({
    'no-change': 'failed: rejected no_change',
    uncommitted: expect.stringMatching(/^verified: verified/),
    failing: 'failed: rejected validation',
    'exit-3': expect.stringMatching(/^verified: verified/),
    earlier: 'failed: rejected no_change',
    elsewhere: expect.stringMatching(/^verified: verified/),
    hangs: expect.stringMatching(/^failed: timeout/),
  });
  expect(run.lane('exit-3').attempt?.flags).toContain('exit-3');
  expect(run.lane('elsewhere').attempt?.flags).toContain('branch-switched');
  expect(world.git('show', `${run.lane('elsewhere').head_sha}:elsewhere.txt`)).toBe('mine');
  expect(world.git('show', `${run.lane('uncommitted').head_sha}:uncommitted.txt`)).toBe('mine');
  expect(world.starts().map(({ others }) => others)).toEqual(world.starts().map(() => 0));
  expect(world.processesLeft()).toEqual([]);

  for (const { validations, state, head_sha } of laneFacts(world)) {
    const passes = validations.filter((it) => it.result === 'pass' && it.sha === head_sha);
    if (state !== 'verified') continue;
    const log = readFileSync(passes[0]?.log_path ?? '');
    expect(createHash('sha256').update(log).digest('hex')).toBe(passes[0]?.log_sha256);
  }
}, 120_000);

test('C1: no change by hand makes a lane verified', async () => {
  const world = laneWorld({ scenario: { lanes: { a: [[{ write: { broken: 'x' } }]] } } });
  const run = laneRun(world);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.settled();
  const lane = run.lane('a');
  expect(isLive(lane.attempt)).toBe(false);
  for (const sql of [
    "UPDATE attempts SET end_reason = 'verified'",
    "UPDATE attempts SET state = 'validating', end_reason = NULL",
    "UPDATE validations SET result = 'pass', exit_code = 0",
    'DELETE FROM validations',
    'DELETE FROM attempts',
    "UPDATE lane_events SET type = 'attempt.verified'",
    "UPDATE lane_states SET state = 'verified'",
  ]) {
    expect(() => tamper(world, sql), sql).toThrow();
  }
  expect(run.lane('a').state).toBe('failed');
}, 60_000);
