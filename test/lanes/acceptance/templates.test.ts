/** What is said of many lanes is written once. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sandbox } from '../../support/sandbox.ts';

test('a template says what the options do not, with the key of the lane', async () => {
  const box = sandbox();
  const repo = box.repo();
  const templates = {
    package: {
      desc: 'Move packages/{lane}',
      agent: 'local',
      touches: ['packages/{lane}/**'],
      validate: 'npm test -w packages/{lane}',
    },
  };
  const workers = { local: { adapter: 'command', command: ['true'] } };
  writeFileSync(
    join(repo, 'lanehold.json'),
    JSON.stringify({ lanes: { templates, workers, baseline: 'when-needed' } }),
  );
  box.commit(repo, 'templates');
  const orchestrate = (...argv: string[]) => box.cli(repo, 'orchestrate', ...argv);
  await orchestrate('init', 'Move all');
  const add = ['lane', 'add', 'billing', '--template', 'package', '--validate', 'true', '--json'];
  const { lane } = JSON.parse((await orchestrate(...add)).stdout);
  expect(lane.spec).toMatchObject({
    desc: 'Move packages/billing',
    agent: 'local',
    touches: ['packages/billing/**'],
    validate: 'true',
  });
  const wrong = await orchestrate('lane', 'add', 'other', '--template', 'pakage');
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toBe('error: there is no template `pakage`\nhint: there are: package\n');
});
