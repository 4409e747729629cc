import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LaneView } from '../../../src/store/lanes.ts';
import { runStore } from '../../../src/store/runs.ts';
import { type BoardRows, boardRows } from '../../support/board-rows.ts';
import { command } from '../../support/command.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';

const WEEKS = 60 * 86_400_000;

/** A checkpoint of what lies in the worktree now, as the supervisor keeps them. */
function checkpoint(box: Sandbox, { run, repo }: BoardRows, lane: LaneView): string {
  const ref = `refs/lanehold/${run.id}/${lane.key}/ckpt`;
  const tree = lane.worktree ?? '';
  box.git(tree, 'add', '--all');
  const oid = box.git(tree, 'write-tree');
  box.git(tree, 'reset', '--quiet');
  const commit = box.git(repo, 'commit-tree', oid, '-p', 'HEAD', '-m', 'checkpoint');
  box.git(repo, 'update-ref', ref, commit);
  return ref;
}

async function world(box: Sandbox) {
  const rows = await boardRows(box);
  // Where worktrees of lanes lie: elsewhere nothing is removed.
  const root = join(box.laneholdHome, 'worktrees');
  mkdirSync(root, { recursive: true });
  return { rows, root };
}

function gc(box: Sandbox, rows: BoardRows, ...argv: readonly string[]) {
  const now = rows.world.now();
  return command(box, rows.repo, ['orchestrate', 'gc', ...argv], { now });
}

const end = ({ store, run }: BoardRows, intent: 'cancelled' | 'closed') =>
  store.write(() => runStore(store).setIntent(run.id, intent, null));

test('touches nothing of a run that goes on', async () => {
  const box = sandbox();
  const { rows } = await world(box);
  const api = rows.verified('api');
  const ref = checkpoint(box, rows, api);
  const { stdout, exitCode } = await gc(box, rows);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('nothing to remove');
  expect(stdout).toContain('the run is active');
  expect(existsSync(api.worktree ?? '')).toBe(true);
  expect(box.git(rows.repo, 'rev-parse', ref)).toMatch(/^[0-9a-f]{40}$/);
});

test('of a cancelled run it removes what the branch has, and keeps what only a checkpoint has', async () => {
  const box = sandbox();
  const { rows } = await world(box);
  const api = rows.verified('api');
  const web = rows.verified('web');
  const clean = checkpoint(box, rows, api);
  box.write(join(web.worktree ?? '', 'unfinished.txt'), 'half\n');
  const dirty = checkpoint(box, rows, web);
  end(rows, 'cancelled');
  const before = await gc(box, rows, '--dry-run', '--json');
  expect(JSON.parse(before.stdout).removed).toHaveLength(3);
  expect(existsSync(api.worktree ?? '')).toBe(true);
  const { removed, kept } = JSON.parse((await gc(box, rows, '--json')).stdout);
  expect(removed.map(({ name }: { name: string }) => name)).toEqual([
    api.worktree,
    web.worktree,
    clean,
  ]);
  expect(existsSync(api.worktree ?? '')).toBe(false);
  expect(rows.fresh(api).worktree).toBeNull();
  expect(box.git(rows.repo, 'show', `${dirty}:unfinished.txt`)).toBe('half');
  expect(kept).toContainEqual(
    expect.objectContaining({ what: 'ref', name: dirty, why: expect.stringContaining('--drop') }),
  );
  expect(box.git(rows.repo, 'rev-parse', api.branch)).toBe(api.headSha);
});

test('keeps a worktree with work that nothing else has, and says so', async () => {
  const box = sandbox();
  const { rows } = await world(box);
  const api = rows.verified('api');
  box.write(join(api.worktree ?? '', 'new.txt'), 'only here\n');
  end(rows, 'closed');
  const { stdout } = await gc(box, rows);
  expect(stdout).toContain('it has changes that no ref keeps');
  expect(existsSync(join(api.worktree ?? '', 'new.txt'))).toBe(true);
});

test('--drop gives up what only the refs of a named run keep', async () => {
  const box = sandbox();
  const { rows } = await world(box);
  const web = rows.verified('web');
  box.write(join(web.worktree ?? '', 'unfinished.txt'), 'half\n');
  const ref = checkpoint(box, rows, web);
  expect(await gc(box, rows, '--drop')).toMatchObject({ exitCode: 2 });
  await gc(box, rows, '--run', 'billing', '--drop');
  expect(existsSync(web.worktree ?? '')).toBe(false);
  expect(box.git(rows.repo, 'for-each-ref', ref)).toBe('');
});

test('of old attempts only the evidence stays', async () => {
  const box = sandbox();
  const { rows } = await world(box);
  const api = rows.verified('api');
  const dir = join(box.laneholdHome, 'runs/lanes', rows.fresh(api).attemptId ?? '');
  writeFileSync(join(dir, 'stdout.log'), 'much\n');
  end(rows, 'closed');
  await gc(box, rows);
  expect(existsSync(join(dir, 'stdout.log'))).toBe(true);
  rows.later(WEEKS);
  await gc(box, rows);
  expect(existsSync(join(dir, 'stdout.log'))).toBe(false);
  expect(existsSync(dir)).toBe(true);
});
