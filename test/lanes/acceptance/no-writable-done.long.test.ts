/** C1: a lane is verified if lanehold has seen its validation pass on its commit; nobody says so. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { isLive, laneFacts, whatIf } from '../../support/lane-facts.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

// Eight lanes run to their ends, one of them into its time limit.
vi.setConfig({ testTimeout: 120_000 });

test('C1: of eight ways to say "done" exactly those that are proved are verified', async () => {
  const project = laneProject({
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
  const run = laneRun(project);
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
  await run.settled(90_000);
  await run.spawn('earlier');
  await run.settled();

  const ends = Object.fromEntries(
    laneFacts(project).map(({ key, state, attempt }) => [
      key,
      `${state}: ${attempt?.end_reason} ${attempt?.end_cause ?? ''}`.trim(),
    ]),
  );
  expect(ends).toMatchObject({
    'no-change': 'failed: rejected no-change',
    uncommitted: expect.stringMatching(/^verified: verified/),
    failing: 'failed: rejected validation',
    'exit-3': expect.stringMatching(/^verified: verified/),
    earlier: 'failed: rejected no-change',
    elsewhere: expect.stringMatching(/^verified: verified/),
    // Its own check passes without the one that it deleted; what it deleted is told.
    untested: expect.stringMatching(/^(verified: verified|failed: rejected tests-removed)/),
    hangs: expect.stringMatching(/^failed: timeout/),
  });
  expect(run.lane('exit-3').attempt?.flags).toContain('exit-3');
  expect(run.lane('elsewhere').attempt?.flags).toContain('branch-switched');
  expect(project.git('show', `${run.lane('elsewhere').head_sha}:elsewhere.txt`)).toBe('mine');
  expect(project.git('show', `${run.lane('uncommitted').head_sha}:uncommitted.txt`)).toBe('mine');
  expect(project.starts().map(({ others }) => others)).toEqual(project.starts().map(() => 0));
  expect(project.processesLeft()).toEqual([]);

  for (const { validations, state, head_sha } of laneFacts(project)) {
    const passes = validations.filter((it) => it.result === 'pass' && it.sha === head_sha);
    if (state !== 'verified') continue;
    const log = readFileSync(passes[0]?.log_path ?? '');
    expect(createHash('sha256').update(log).digest('hex')).toBe(passes[0]?.log_sha256);
  }
});

test('C1: no change by hand makes a lane verified', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        good: [[{ write: { 'good.txt': 'mine' } }]],
        bad: [[{ write: { broken: 'x' } }]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('good');
  await run.add('bad');
  await run.spawn();
  await run.settled();
  await run.orchestrate('integrate');
  expect(run.states()).toEqual({ good: 'integrated', bad: 'failed' });
  const { id, attempt, head_sha: head } = run.lane('bad');
  const good = run.lane('good');
  expect(isLive(attempt)).toBe(false);
  const bad = `lane_id = '${id}'`;

  for (const sql of [
    `UPDATE attempts SET end_reason = 'verified' WHERE ${bad}`,
    `UPDATE attempts SET state = 'validating', end_reason = NULL WHERE ${bad}`,
    `UPDATE attempts SET end_sha = '${good.head_sha}', end_reason = 'verified' WHERE ${bad}`,
    `DELETE FROM attempts WHERE ${bad}`,
    `INSERT INTO attempts (id, lane_id, n, kind, state, end_reason, spec_hash, start_sha, worktree, dir, started_at)
     SELECT 'x', lane_id, 9, kind, 'ended', 'verified', spec_hash, start_sha, worktree, dir, 0 FROM attempts WHERE ${bad}`,
    `UPDATE validations SET result = 'pass', exit_code = 0 WHERE ${bad}`,
    `UPDATE validations SET ${bad}, sha = '${head}' WHERE result = 'pass'`,
    `DELETE FROM validations WHERE ${bad}`,
    ...insertedBy("'worker'", "'pass'", '0', id),
    ...insertedBy("'lanehold'", "'pass'", '1', id),
    `UPDATE integrations SET ${bad}, lane_sha = '${head}'`,
    `UPDATE integrations SET result_sha = '${head}'`,
    `INSERT INTO integrations (id, run_id, lane_id, lane_sha, state, at)
     SELECT 'x', run_id, id, head_sha, 'landed', 0 FROM lanes WHERE id = '${id}'`,
    "UPDATE lane_events SET type = 'attempt.verified'",
    'DELETE FROM lane_events',
    "UPDATE lane_states SET state = 'verified'",
  ]) {
    expect(() => whatIf(project, sql, id), sql).toThrow();
  }
  for (const sql of [
    `UPDATE lanes SET head_sha = '${good.head_sha}' WHERE id = '${id}'`,
    `UPDATE lanes SET head_sha = base_sha WHERE id = '${id}'`,
    `UPDATE lanes SET intent = 'run', wants_after = 9 WHERE id = '${id}'`,
    `UPDATE lanes SET cmd_hash = 'x', setup_hash = 'y', spec_hash = 'z' WHERE id = '${id}'`,
    `INSERT INTO integrations (id, run_id, lane_id, lane_sha, state, at)
     SELECT 'x', run_id, id, head_sha, 'queued', 0 FROM lanes WHERE id = '${id}'`,
    `INSERT INTO reports (id, lane_id, kind, body, by, at) VALUES ('x', '${id}', 'claims_done', 'done', 'me', 0)`,
  ]) {
    expect(['verified', 'integrated', 'landed'], sql).not.toContain(whatIf(project, sql, id));
  }
  expect(run.lane('bad').state).toBe('failed');
});

/** The verdict on the lane once more, but with another runner, result and exit code. */
function insertedBy(runner: string, result: string, exitCode: string, lane: string): string[] {
  return [
    `INSERT INTO validations (id, run_id, subject, lane_id, attempt_id, sha, tree, cmd, cwd, cmd_hash, setup_hash,
       spec_hash, result, exit_code, duration_ms, log_path, log_sha256, runs, runner, host, at)
     SELECT 'x', run_id, subject, lane_id, attempt_id, sha, tree, cmd, cwd, cmd_hash, setup_hash, spec_hash,
       ${result}, ${exitCode}, duration_ms, log_path, log_sha256, runs, ${runner}, host, at
       FROM validations WHERE lane_id = '${lane}'`,
  ];
}
