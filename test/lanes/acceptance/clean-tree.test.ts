/** A validation says something of the commit alone: what else lies in a worker's tree does not count. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

test('files that are in no commit prove nothing, and are named', async () => {
  const project = laneProject({
    files: {
      '.gitignore': 'answers/\n.env.local\ncount\n',
      // Each run begins anew: a file of an earlier one would be found.
      'check.sh': 'test ! -e count || exit 9; touch count; cat answers/one.txt && cat .env.local\n',
      '.worktreeinclude': '.env.local\n',
    },
    scenario: {
      lanes: { a: [[{ write: { 'a.txt': 'a', 'answers/one.txt': 'made here' } }]] },
    },
  });
  project.box.write(join(project.repo, '.env.local'), 'KEY=1\n');
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await run.settled();
  const { attempt, state, validations } = run.lane('a');
  expect(state).toBe('failed');
  expect(attempt?.end_detail).toContain('in no commit: `answers`');
  expect(attempt?.end_detail).not.toContain('.env.local');
  expect(validations.at(-1)?.exit_code).toBe(1);
});
