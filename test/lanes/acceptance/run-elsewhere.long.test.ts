/** What a run is tied to is renamed, moved or lost: each is said with a line that works when it is pasted. */
import { spawnSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type LaneProject, laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { runCli } from '../../support/run-cli.ts';

vi.setConfig({ testTimeout: 120_000 });

function begun() {
  const project = laneProject({ scenario: { lanes: { a: [[{ write: { 'a.txt': 'a' } }]] } } });
  return { project, run: laneRun(project) };
}

/** Runs the command in a text's back quotes that begins so, as a person's shell would. */
function paste({ repo, env }: LaneProject, text: string, begins: string, cwd = repo): string {
  const found = [...text.matchAll(/`([^`]+)`/g)].find(([, it]) => it?.startsWith(begins));
  expect(text).toContain(`\`${begins}`);
  return spawnSync('/bin/sh', ['-c', `${found?.[1]}`], { cwd, env, encoding: 'utf8' }).stdout;
}

test('a run whose branch was renamed or deleted, whose folder was moved, whose database was lost', async () => {
  const { project, run } = begun();
  await run.init();
  await run.add('a');
  await run.spawn('a');
  await run.settled();
  await run.orchestrate('integrate');

  project.git('branch', '--move', 'main', 'trunk');
  const status = await project.lanehold('orchestrate', 'status');
  expect(status.stdout).toContain('amiss run: there is no branch main any more: `lanehold');
  const held = await project.lanehold('orchestrate', 'land');
  const pasted = paste(project, held.stdout, 'lanehold orchestrate land --target trunk');
  expect(pasted).toContain('Landed a on trunk');
  expect(project.git('ls-tree', '--name-only', 'trunk')).toContain('a.txt');

  const moved = join(project.box.root, 'elsewhere');
  renameSync(project.repo, moved);
  const there = (...args: string[]) => runCli(args, moved, project.env);
  const none = await there('orchestrate', 'status');
  expect(none.stderr).toContain(`hint: it had runs in ${project.repo}`);
  paste(project, none.stderr, 'lanehold project move', moved);
  const over = await there('orchestrate', 'status', '--run', 'try-lanes');
  expect(over.stdout).toMatch(/try-lanes: 1 of 1 lane verified, 1 of them landed/);
  expect(over.stdout).not.toContain('amiss');

  const { laneholdHome } = project.box;
  for (const end of ['', '-wal', '-shm']) {
    rmSync(join(laneholdHome, `lanehold.db${end}`), { force: true });
  }
  // Attempts that were saved before the move name the folder of that time.
  renameSync(moved, project.repo);
  const lost = await project.lanehold('orchestrate', 'status');
  expect(lost.stderr).toContain('hint: run try-lanes is not in the database; `lanehold doctor');
  expect((await project.lanehold('status')).stdout).toContain('run try-lanes is not in the data');
  paste(project, lost.stderr, 'lanehold doctor --repair');
  expect((await project.lanehold('orchestrate', 'status')).stdout).toContain('try-lanes: ');
  expect((await project.lanehold('status')).stdout).not.toContain('not in the database');
});

test('a branch that is deleted is made again where it was', async () => {
  const { project, run } = begun();
  await run.init();
  await run.add('a');
  await run.spawn('a');
  await run.settled();
  await run.orchestrate('integrate');
  project.box.write(join(project.repo, 'mine.txt'), 'mine\n');
  const mine = project.box.commit(project.repo, 'mine');
  await project.lanehold('orchestrate', 'integrate');
  project.git('switch', '--quiet', '--detach');
  project.git('branch', '--delete', '--force', 'main');
  const held = await project.lanehold('orchestrate', 'land');
  paste(project, held.stdout, 'git branch main');
  expect(project.git('rev-parse', 'main')).toBe(mine);
  expect((await project.lanehold('orchestrate', 'land')).stdout).toContain('Landed a on main');
});

test('a branch that is in the way of those of lanes is named, another one is not', async () => {
  const { project, run } = begun();
  project.git('branch', 'lanehold-notes');
  project.git('branch', 'lanehold');
  const refused = await project.lanehold('orchestrate', 'init', 'Try lanes');
  expect(refused.stderr).toContain('the branch lanehold is in the way');
  paste(project, refused.stderr, 'git branch --move lanehold ');
  await run.init();
  await run.add('a');
  project.git('branch', 'lanehold/try-lanes');
  await run.spawn('a');
  await run.settled();
  expect(run.lane('a').state).toBe('failed');
  const status = await project.lanehold('orchestrate', 'status');
  paste(project, status.stdout, 'git branch --move lanehold/try-lanes ');
  await run.orchestrate('retry', 'a', '--wait');
  expect(run.lane('a').state).toBe('verified');
});
