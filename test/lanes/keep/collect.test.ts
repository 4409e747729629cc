import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { takeLock } from '../../../src/base/process/held-lock.ts';
import { type Attempt, attemptStore } from '../../../src/store/attempts.ts';
import { type LaneView, runStore } from '../../../src/store/lanes.ts';
import { type BoardRows, boardRows } from '../../support/board-rows.ts';
import { command } from '../../support/command.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';

const WEEKS = 60 * 86_400_000;

/** A checkpoint of the worktree, as the supervisor takes them. */
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

async function rowsWithRoot(box: Sandbox) {
  const rows = await boardRows(box);
  // In the folder of worktrees: elsewhere nothing is removed.
  const root = join(box.laneholdHome, 'worktrees');
  mkdirSync(root, { recursive: true });
  return { rows, root };
}

function gc(box: Sandbox, rows: BoardRows, ...argv: readonly string[]) {
  const now = rows.context.now();
  return command(box, rows.repo, ['orchestrate', 'gc', ...argv], { now });
}

const end = ({ store, run }: BoardRows, intent: 'cancelled' | 'closed') =>
  store.write(() => runStore(store).setIntent(run.id, intent, null));

test('removes nothing of an open run', async () => {
  const box = sandbox();
  const { rows } = await rowsWithRoot(box);
  const api = rows.verified('api');
  const ref = checkpoint(box, rows, api);
  const { stdout, exitCode } = await gc(box, rows);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('nothing to remove');
  expect(stdout).toContain('the run is active');
  expect(existsSync(api.worktree ?? '')).toBe(true);
  expect(box.git(rows.repo, 'rev-parse', ref)).toMatch(/^[0-9a-f]{40}$/);
});

test('of a cancelled run it removes what the branch contains, and keeps what only a checkpoint contains', async () => {
  const box = sandbox();
  const { rows } = await rowsWithRoot(box);
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

test('keeps a worktree with content that is nowhere else, and says so', async () => {
  const box = sandbox();
  const { rows } = await rowsWithRoot(box);
  const api = rows.verified('api');
  box.write(join(api.worktree ?? '', 'new.txt'), 'only here\n');
  end(rows, 'closed');
  const { stdout } = await gc(box, rows);
  expect(stdout).toContain('it has changes that no ref keeps');
  expect(existsSync(join(api.worktree ?? '', 'new.txt'))).toBe(true);
});

test('--drop removes what only the refs of a named run keep', async () => {
  const box = sandbox();
  const { rows } = await rowsWithRoot(box);
  const web = rows.verified('web');
  box.write(join(web.worktree ?? '', 'unfinished.txt'), 'half\n');
  const ref = checkpoint(box, rows, web);
  expect(await gc(box, rows, '--drop')).toMatchObject({ exitCode: 2 });
  await gc(box, rows, '--run', 'billing', '--drop');
  expect(existsSync(web.worktree ?? '')).toBe(false);
  expect(box.git(rows.repo, 'for-each-ref', ref)).toBe('');
});

test('of old attempts it keeps only the evidence', async () => {
  const box = sandbox();
  const { rows } = await rowsWithRoot(box);
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

describe('after integrating a run', () => {
  /** Output, refs and a scratch tree as an integration that was killed leaves them. */
  async function integrated() {
    const box = sandbox();
    const { rows } = await rowsWithRoot(box);
    const { repo, run, base } = rows;
    const lanes = [rows.verified('api'), rows.verified('web')];
    const refs = [`refs/lanehold/${run.id}/api/base`];
    for (const ref of refs) box.git(repo, 'update-ref', ref, base);
    const dir = join(box.laneholdHome, `runs/lanes/integration-${run.id}`);
    box.write(join(dir, 'setup.log'), 'much\n');
    const tree = join(dir, 'tree-Xy12', 'integration');
    box.git(repo, 'worktree', 'add', '--quiet', '--detach', tree, base);
    const lock = join(box.laneholdHome, 'locks', `integration-${run.id}.lock`);
    return { box, rows, lanes, tree, refs, dir, lock };
  }

  test('only the evidence stays once the run is over', async () => {
    const { box, rows, lanes, tree, refs, dir, lock } = await integrated();
    const [api] = lanes as [LaneView, LaneView];
    const log = join(dir, 'validate-1.log');
    box.write(log, 'it ran\n');
    const attempt = attemptStore(rows.store).byId(rows.fresh(api).attemptId ?? '') as Attempt;
    rows.validation(api, attempt, { subject: 'integration', laneId: null, logPath: log });
    end(rows, 'closed');
    rows.later(Date.now() - rows.context.now().getTime() + WEEKS);
    await gc(box, rows);
    expect(box.git(rows.repo, 'for-each-ref', ...refs)).toBe('');
    expect(readdirSync(dir)).toEqual(['validate-1.log']);
    expect(existsSync(lock)).toBe(false);
    expect(box.git(rows.repo, 'worktree', 'list')).not.toContain(tree);
  });

  test('a tree with a running validation stays', async () => {
    const { box, rows, tree, lock } = await integrated();
    end(rows, 'closed');
    mkdirSync(join(box.laneholdHome, 'locks'), { recursive: true });
    const held = takeLock(lock);
    onTestFinished(() => held?.release());
    rows.later(Date.now() - rows.context.now().getTime() + WEEKS);
    const { stdout } = await gc(box, rows);
    expect(stdout).toContain(': a validation runs there');
    expect(existsSync(tree)).toBe(true);
  });

  test('saved changes of the main checkout stay until they are dropped', async () => {
    const { box, rows } = await integrated();
    const ref = `refs/lanehold/${rows.run.id}/aside/main-checkout-api`;
    box.git(rows.repo, 'update-ref', ref, rows.base);
    end(rows, 'closed');
    expect((await gc(box, rows)).stdout).toContain('nothing else has it; `--drop` gives it up');
    await gc(box, rows, '--run', 'billing', '--drop');
    expect(box.git(rows.repo, 'for-each-ref', ref)).toBe('');
  });
});
