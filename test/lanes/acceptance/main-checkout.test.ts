/** What lanes write into the checkout of the person pauses the run; what the person writes, or a landing, does not. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

test('the lane and the command that wrote are named; writing at home or into what is ignored is nothing', async () => {
  const project = laneProject({
    files: { '.gitignore': 'cache/\n' },
    scenario: {
      lanes: { a: [[{ write: { 'a.txt': 'a' } }]], b: [[{ write: { 'b.txt': 'b' } }]] },
    },
  });
  const run = laneRun(project);
  await run.init();
  const main = '"$(git rev-parse --git-common-dir)/.."';
  await run.add('a', {
    validate: `echo x > own.txt && mkdir -p ${main}/cache && : > ${main}/cache/x`,
  });
  await run.add('b', { validate: `echo x > ${main}/src/core.txt` });
  await run.spawn('a');
  await run.settled();
  const { json: before } = await run.orchestrate('status');
  expect([run.lane('a').state, before.run.intent]).toEqual(['verified', 'active']);
  expect(existsSync(join(project.repo, 'cache/x'))).toBe(true);

  await run.spawn('b');
  await run.settled();
  const { json: after } = await run.orchestrate('status');
  expect(after.run.intent).toBe('paused');
  expect(after.run.pauseReason).toMatch(
    /^the main checkout was changed while `echo x > .*core\.txt` of lane b ran \(src\/core\.txt\): see `git show refs\/lanehold\/\S+\/b\/main-checkout`$/,
  );
  expect(run.lane('b').validations.at(-1)?.flags).toContain(
    'main-checkout-changed: ["src/core.txt"]',
  );
  const [ref = ''] = /refs[^`]+/.exec(after.run.pauseReason) ?? [];
  expect(project.git('show', '--stat', '--format=', ref)).toContain('src/core.txt');
});

test('where a person works in it, their saves are told once, and a landing is nothing', async () => {
  const work = (key: string) => [[{ waitFor: 'go' }, { write: { [key]: key } }]] as const;
  const project = laneProject({
    scenario: { lanes: { a: [[{ write: { a: 'a' } }]], b: work('b'), c: work('c'), d: work('d') } },
  });
  const person = spawn('sleep', ['600'], { cwd: project.repo });
  onTestFinished(() => void person.kill('SIGKILL'));
  const run = laneRun(project);
  await run.init();
  for (const key of ['a', 'b', 'c']) await run.add(key);
  await run.spawn();
  await run.reaches('a', 'verified');
  await run.orchestrate('integrate');
  await run.orchestrate('land');
  project.box.write(join(project.repo, 'src/core.txt'), 'saved by its owner\n');
  project.raise('go');
  await run.settled();
  expect(run.states()).toEqual({ a: 'landed', b: 'verified', c: 'verified' });
  const told = (['b', 'c'] as const).flatMap((key) => run.lane(key).attempt?.flags ?? []);
  expect(told).toEqual(['main-checkout-changed: ["src/core.txt"]']);
  const { json } = await run.orchestrate('status');
  expect(json.run.intent).toBe('active');
  const helps = json.lanes.flatMap(({ help }: { help: readonly string[] }) => help);
  const [shown] = helps.filter((it: string) => it.startsWith('git show '));
  expect(project.git(...shown.split(' ').slice(1))).toContain('+saved by its owner');

  // A validation that writes there does so again.
  await run.add('d', { validate: 'date +%N > "$(git rev-parse --git-common-dir)/../src/d.txt"' });
  await run.spawn('d');
  await run.settled();
  expect((await run.orchestrate('status')).json.run).toMatchObject({
    intent: 'paused',
    pauseReason: expect.stringContaining('of lane d ran (src/d.txt): see `git show refs/'),
  });
});
