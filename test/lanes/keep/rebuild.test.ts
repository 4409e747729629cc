import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { homeOf } from '../../../src/base/files/home.ts';
import { endMarkedProcesses } from '../../../src/base/process/end-tree.ts';
import { createContext } from '../../../src/fronts/cli/command.ts';
import { runRepair } from '../../../src/fronts/cli/commands/doctor.ts';
import { rebuildLanes } from '../../../src/lanes/keep/rebuild.ts';
import { attemptStore, checkpointStore } from '../../../src/store/attempts.ts';
import { newId } from '../../../src/store/ids.ts';
import { type LaneView, laneStore, runStore } from '../../../src/store/lanes.ts';
import { openStore } from '../../../src/store/open.ts';
import { startAttempt } from '../../support/attempts.ts';
import { type BoardRows, boardRows } from '../../support/board-rows.ts';
import { bufferedHost } from '../../support/buffered-host.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';

/** The spec that the supervisor of the last attempt saves beside its logs. */
function saveSpec({ store, run }: BoardRows, lane: LaneView): string {
  const attempt = attemptStore(store).ofLane(lane.id).at(-1);
  const file = join(attempt?.dir ?? '', 'spec.json');
  writeFileSync(file, JSON.stringify({ run, lane, attempt }));
  return file;
}

/** Deletes the database, creates a new one and repairs it. */
async function loseAndRepair(box: Sandbox, rows: BoardRows) {
  rows.store.close();
  for (const suffix of ['', '-wal', '-shm']) {
    rmSync(join(box.laneholdHome, `lanehold.db${suffix}`), { force: true });
  }
  const { host, said } = bufferedHost([], { env: box.env, cwd: () => rows.repo });
  await runRepair(createContext(host, {}));
  const store = await openStore(homeOf(box.env));
  const run = runStore(store).byId(rows.run.id);
  const lane = (key: string) => laneStore(store).byKey(rows.run.id, key);
  return { store, run, lane, said };
}

test('lanes are rebuilt from saved specs, and none is verified', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  const api = rows.verified('api', { touches: ['src/api/**'] });
  const web = rows.verified('web', { needs: ['api', 'planned'], touches: ['src/**'] });
  rows.lane('planned');
  saveSpec(rows, api);
  saveSpec(rows, web);
  const ref = `refs/lanehold/${rows.run.id}/api/ckpt`;
  box.git(rows.repo, 'update-ref', ref, api.headSha ?? '');
  const { store, run, lane, said } = await loseAndRepair(box, rows);
  expect(run).toMatchObject({ name: 'billing', intent: 'active', goal: rows.run.goal });
  expect(lane('api')).toMatchObject({
    state: 'untested',
    intent: 'hold',
    headSha: api.headSha,
    worktree: api.worktree,
    spec: api.spec,
  });
  expect(laneStore(store).depsOf(lane('web')?.id ?? '')).toHaveLength(1);
  expect(lane('web')?.blocked).toBe('it needs planned, which was lost with the database');
  expect(lane('planned')).toBeUndefined();
  expect(checkpointStore(store).last(api.id)).toMatchObject({ sha: api.headSha, files: 2 });
  expect(attemptStore(store).ofLane(api.id)).toMatchObject([
    { state: 'ended', endReason: 'lost', sessionId: 'session of api' },
  ]);
  expect(said.stderr).toContain('`lanehold orchestrate verify api --run billing`');
});

test('is idempotent', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  saveSpec(rows, rows.verified('api'));
  const { store, run } = await loseAndRepair(box, rows);
  const context = { store, env: box.env, now: rows.context.now };
  expect(await rebuildLanes(context)).toEqual([]);
  expect(runStore(store).all(run?.projectId ?? 0)).toHaveLength(1);
});

test('a live worker is taken over by the next supervisor', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  const api = rows.lane('api');
  const attempt = rows.attempt(api, { through: ['running'] });
  saveSpec(rows, api);
  onTestFinished(async () => void (await endMarkedProcesses(attempt.id, { graceMs: 0 })));
  startAttempt(box, 'sleep', ['60'], {
    env: { LANEHOLD_ATTEMPT: attempt.id, LANEHOLD_STAGE: 'worker' },
  });
  const { store, lane } = await loseAndRepair(box, rows);
  expect(lane('api')?.state).toBe('running');
  // A supervisor in the first epoch would start a worker.
  expect(attemptStore(store).byId(attempt.id)?.epoch).toBe(1);
});

test('unreadable and misplaced specs are skipped', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  saveSpec(rows, rows.verified('api'));
  const cut = saveSpec(rows, rows.verified('web'));
  writeFileSync(cut, '{"run": {"id"');
  const strange = saveSpec(rows, rows.verified('mail'));
  writeFileSync(strange, JSON.stringify({ run: rows.run, lane: {}, attempt: { id: '../..' } }));
  const { lane } = await loseAndRepair(box, rows);
  expect(lane('api')).toBeDefined();
  expect(lane('web')).toBeUndefined();
  expect(lane('mail')).toBeUndefined();
});

type Forged = { readonly [part in 'run' | 'lane' | 'attempt']?: object };

test.each<[string, Forged]>([
  ['a key that leaves its folder', { lane: { key: '../../elsewhere' } }],
  ['a base that is an option', { run: { baseSha: '--output=/tmp/x' } }],
  ['a branch that is a pattern', { lane: { branch: 'x:refs/heads/main' } }],
  ['the ref of another run', { run: { integrationRef: 'refs/heads/main' } }],
  ['times that are none', { attempt: { startedAt: 'yesterday' } }],
  ['a limit that is a poem', { run: { policy: null } }],
])('%s is skipped, and the others are rebuilt', async (_, { run, lane, attempt }) => {
  const box = sandbox();
  const rows = await boardRows(box);
  const file = saveSpec(rows, rows.verified('api'));
  const saved = JSON.parse(readFileSync(file, 'utf8'));
  const forged = {
    run: { ...saved.run, ...run },
    lane: { ...saved.lane, ...lane },
    attempt: { ...saved.attempt, ...attempt },
  };
  const other = saveSpec(rows, rows.verified('web'));
  const web = JSON.parse(readFileSync(other, 'utf8'));
  const id = newId(new Date());
  const integrationRef = `refs/lanehold/${id}/integration`;
  const own = { ...web.run, id, name: 'other', integrationRef };
  writeFileSync(other, JSON.stringify({ ...web, run: own, lane: { ...web.lane, runId: id } }));
  writeFileSync(file, JSON.stringify(forged));
  const repaired = await loseAndRepair(box, rows);
  expect(repaired.run).toBeUndefined();
  expect(runStore(repaired.store).byId(id)?.name).toBe('other');
});
