/** A validation does not run through a link: it could lead out of the commit that it proves. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

test('a lane is not added with a folder that is a link, or behind one', async () => {
  const project = laneProject({ files: { 'part/inner/file': '' } });
  symlinkSync(project.box.root, join(project.repo, 'link'));
  const run = laneRun(project);
  await run.init();
  const add = (key: string, folder: string) =>
    project.orchestrate(
      'lane',
      'add',
      key,
      '--desc',
      'x',
      '--validate',
      'true',
      ...['--validate-cwd', folder],
    );
  for (const folder of ['link', 'link/home', 'README.md']) {
    const ran = await add('a', folder);
    expect(ran).toMatchObject({
      exitCode: 2,
      json: { error: { code: 'USAGE' } },
    });
  }
  expect(await add('a', 'part/inner')).toMatchObject({ exitCode: 0 });
  const edited = await project.orchestrate('lane', 'edit', 'a', '--validate-cwd', 'link');
  expect(edited).toMatchObject({ exitCode: 2 });
});

test('one that became a link in the work is not gone through', async () => {
  const outside = { 'package.json': '{}', 'package-lock.json': '{}' };
  const project = laneProject({
    files: { 'part/check.sh': 'exit 1\n' },
    scenario: { lanes: { a: [[{ delete: ['part'] }, { sh: 'ln -s "$HOME/outside" part' }]] } },
  });
  for (const [name, text] of Object.entries(outside)) {
    project.box.write(join(project.box.home, 'outside', name), text);
  }
  project.box.write(join(project.box.home, 'outside/check.sh'), 'touch "$HOME/ran"\n');
  const run = laneRun(project);
  await run.init();
  await run.add('a', { validate: 'sh check.sh', more: ['--validate-cwd', 'part'] });
  await run.spawn();
  await run.reaches('a', 'failed');
  expect(run.lane('a').attempt?.end_detail).toContain('part is no plain folder');
  const { stdout } = await project.lanehold('orchestrate', 'logs', 'a');
  expect(stdout).toContain('not run: part is no plain folder');
});
