/** C2: the power goes: what was not on the disk yet is cut short or empty, and the lane is right all the same. */
import { existsSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kill } from '../../support/attempt-processes.ts';
import { expectWell, halfDone } from '../../support/half-done.ts';
import { rows, tamper } from '../../support/lane-facts.ts';
import type { LaneProject } from '../../support/lane-project.ts';

/** Absolute paths of the loose objects that the repository has now. */
function looseObjects({ repo }: LaneProject): string[] {
  const objects = join(repo, '.git/objects');
  return readdirSync(objects)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((folder) => readdirSync(join(objects, folder)).map((it) => join(objects, folder, it)));
}

/** Half done, with a checkpoint of it; then everybody is gone at once, and the machine starts anew. */
async function cut() {
  const { project, run } = await halfDone();
  const before = new Set(
    project
      .git('rev-list', '--objects', '--no-object-names', 'HEAD')
      .split('\n')
      .map((oid) => join(project.repo, '.git/objects', oid.slice(0, 2), oid.slice(2))),
  );
  await project.until('a checkpoint', () => rows(project, 'SELECT 1 FROM checkpoints').length > 0);
  await kill(project, 'a', ['supervisor', 'guard', 'worker']);
  await project.until('nobody left', () => project.processes().length === 0);
  tamper(project, "UPDATE attempts SET boot_id = 'before'");
  const fresh = looseObjects(project).filter((file) => !before.has(file));
  expect(fresh.length).toBeGreaterThan(2);
  const { dir, worktree } = run.lane('a').attempt ?? { dir: '', worktree: '' };
  return { project, run, fresh, dir, worktree };
}

/** A clone has all that the commit of the lane is made of. */
function expectWhole(project: LaneProject, sha: string): void {
  for (const [file, text] of [
    ['half.txt', 'half'],
    ['whole.txt', 'whole'],
  ] as const) {
    expect(project.git('show', `${sha}:${file}`)).toBe(text);
  }
  const oids = project.git('rev-list', '--objects', '--no-object-names', sha).split('\n');
  for (const oid of oids)
    expect(project.git('cat-file', '-t', oid)).toMatch(/^(blob|tree|commit)$/);
}

test('C2: objects of a checkpoint that are empty after a power loss are made again from the tree', async () => {
  const { project, run, fresh } = await cut();
  for (const file of fresh) truncateSync(file, 0);
  await run.settled();
  const lane = run.lane('a');
  expect(lane.attempts[0]).toMatchObject({ end_reason: 'lost', end_detail: 'reboot' });
  expect(lane.state).toBe('verified');
  expectWhole(project, lane.head_sha ?? '');
  expectWell(project);
});

test('C2: files of an attempt that are cut short say nothing, and nobody believes them', async () => {
  const { project, run, dir } = await cut();
  for (const name of readdirSync(dir).filter((it) => /\.(json|index|source)$/.test(it))) {
    const file = join(dir, name);
    truncateSync(file, Math.floor(statSync(file).size / 2));
  }
  await run.settled();
  expect(run.lane('a').state).toBe('verified');
  expectWhole(project, run.lane('a').head_sha ?? '');
  expectWell(project);
});

test('C2: an index and refs that are empty after a power loss cost nothing of what lies in the tree', async () => {
  const { project, run, worktree } = await cut();
  const gitDir = readFileSync(join(worktree, '.git'), 'utf8').slice('gitdir: '.length).trim();
  expect(existsSync(join(gitDir, 'index'))).toBe(true);
  truncateSync(join(gitDir, 'index'), 0);
  const kept = project.git('for-each-ref', '--format=%(refname)', 'refs/lanehold/*/a/ckpt');
  for (const ref of [kept, `refs/heads/${run.lane('a').branch}`]) {
    truncateSync(join(project.repo, '.git', ref), 0);
  }
  await run.settled();
  expect(run.lane('a').state).toBe('verified');
  expectWhole(project, run.lane('a').head_sha ?? '');
  expectWell(project);
});
