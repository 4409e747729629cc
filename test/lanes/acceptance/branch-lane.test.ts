/** Work that a person has on a branch already, taken in as a lane. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { laneProject, VALIDATE } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

test('a branch is judged and integrated like any lane, and stays as it is', async () => {
  const project = laneProject({
    scenario: { lanes: { bad: [[{ write: { 'bad.txt': 'mended\n' } }, { delete: ['broken'] }]] } },
  });
  const { box, repo } = project;
  const run = laneRun(project);
  await run.init();
  const commitOn = (branch: string, folder: string, file: string) => {
    const path = join(box.root, folder);
    box.git(repo, 'worktree', 'add', '--quiet', '-b', branch, path);
    box.write(join(path, file), `${file}\n`);
    return box.commit(path, `Add ${file}`);
  };
  const search = commitOn('ada/search', 'search', 'search.txt');
  const broken = commitOn('bad', 'bad', 'broken');
  const open = join(box.root, 'search/open.txt');
  box.write(open, 'not committed\n');
  const add = (key: string, branch: string) =>
    project.orchestrate('lane', 'add', key, '--branch', branch, '--validate', VALIDATE, '--spawn');

  const added = await add('search', 'ada/search');
  expect(added.json).toMatchObject({
    uncommittedIn: join(box.root, 'search'),
    lane: { headSha: search, spec: { desc: 'Work of branch ada/search\n\n- Add search.txt' } },
  });
  expect((await add('bad', 'bad')).json.uncommittedIn).toBeUndefined();
  for (const [branch, said] of [
    ['main', '`main` has no commit of its own with the base'],
    ['ada/serch', 'did you mean `ada/search`?'],
  ] as const) {
    const refused = await project.lanehold('orchestrate', 'lane', 'add', 'x', '--branch', branch);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(said)]);
  }
  await run.settled();
  expect(run.states()).toEqual({ search: 'verified', bad: 'failed' });
  expect(project.starts()).toEqual([]);

  await run.orchestrate('retry', 'bad');
  await run.settled();
  expect(run.states().bad).toBe('verified');
  expect(project.starts('bad')).toHaveLength(1);

  box.git(join(box.root, 'search'), 'add', '--all');
  const later = box.commit(join(box.root, 'search'), 'Add open.txt');
  const untrue = async () => (await run.orchestrate('status')).json.untrue;
  expect(await untrue()).toEqual([
    {
      about: 'lane search: origin',
      was: 'it has all of `ada/search`',
      now: `refs/heads/ada/search is at ${later.slice(0, 8)}, which is not in it`,
    },
  ]);
  const tree = (await run.orchestrate('lane', 'open', 'search')).json.worktree;
  box.git(tree, 'merge', '--quiet', '--ff-only', 'ada/search');
  await run.orchestrate('verify', 'search');
  expect([await untrue(), run.lane('search').state]).toEqual([[], 'verified']);

  await run.orchestrate('integrate');
  expect(run.states()).toEqual({ search: 'integrated', bad: 'integrated' });
  expect(box.git(repo, 'rev-parse', 'ada/search', 'bad').split('\n')).toEqual([later, broken]);
});
