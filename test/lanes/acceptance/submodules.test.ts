/** A lane's tree and its validation have the submodules of its commit; what is missing is told before any work. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

test('the worker and the validation find the files of a submodule, which stays as it is', async () => {
  const sh = 'cp vendor/library/it.txt copy.txt';
  const project = laneProject({
    scenario: { lanes: { a: [[{ sh }]], b: [[{ sh: 'true > b.txt' }]] } },
  });
  const { box, repo } = project;
  const library = box.repo('library');
  box.write('library/it.txt', 'one\n');
  box.commit(library);
  const add = ['submodule', '--quiet', 'add', library, 'vendor/library'];
  project.git('-c', 'protocol.file.allow=always', ...add);
  box.commit(repo);
  const run = laneRun(project);
  await run.init();
  const added = await run.add('a', { validate: 'cmp copy.txt vendor/library/it.txt' });
  expect(added.json).not.toHaveProperty('obstacles');
  await run.spawn();
  await run.settled();
  expect(run.lane('a')).toMatchObject({ state: 'verified', attempt: { flags: [] } });
  const changed = project.git('diff', '--name-only', 'HEAD', 'lanehold/try-lanes/a');
  expect(changed).toBe('copy.txt');

  project.git('submodule', '--quiet', 'deinit', '--force', 'vendor/library');
  rmSync(join(repo, '.git/modules'), { recursive: true });
  const { json } = await run.add('b', { validate: 'true' });
  expect(json.obstacles).toEqual([
    'submodule `vendor/library` is not here: `git submodule update --init` fetches it',
  ]);
  await run.spawn('b');
  await run.settled();
  expect(run.lane('b').attempt?.flags).toContain(
    'not-included: ["vendor/library (a submodule whose commit is not here)"]',
  );
});
