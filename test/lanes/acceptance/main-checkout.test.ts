/**
 * What lanes write into the checkout or the settings of the person pauses the run; what the person writes, or a landing,
 * does not.
 */
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
      lanes: Object.fromEntries(
        ['a', 'b', 'c', 'd', 'e'].map((key) => [key, [[{ write: { [`${key}.txt`]: key } }]]]),
      ),
    },
  });
  const run = laneRun(project);
  await run.init();
  const main = '"$(git rev-parse --git-common-dir)/.."';
  await run.add('a', {
    validate: `echo x > own.txt && mkdir -p ${main}/cache && : > ${main}/cache/x &&
      git config branch.a.remote origin && git config user.name A && git config alias.st status &&
      mkdir -p ~/.cache && : > ~/.cache/x && echo '//registry/:_authToken=x' > ~/.npmrc`,
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
    /^the main checkout was changed while `echo x > .*core\.txt` of lane b ran \(src\/core\.txt\): see `git show refs\/lanehold\/\S+\/aside\/main-checkout-b`$/,
  );
  expect(run.lane('b').validations.at(-1)?.flags).toContain(
    'main-checkout-changed: ["src/core.txt"]',
  );
  const [ref = ''] = /refs[^`]+/.exec(after.run.pauseReason) ?? [];
  expect(project.git('show', '--stat', '--format=', ref)).toContain('src/core.txt');

  project.git('checkout', '--quiet', '.');
  await run.orchestrate('resume');
  await run.add('c', {
    validate: 'git config core.autocrlf true; echo ignore-scripts=true >> ~/.npmrc',
  });
  await run.spawn('c');
  await run.settled();
  const { json: last } = await run.orchestrate('status');
  expect([last.run.intent, last.run.pauseReason]).toEqual([
    'paused',
    expect.stringMatching(
      /^settings were changed while `git config .*` of lane c ran: core\.autocrlf, ~\/\.npmrc$/,
    ),
  ]);
  // The next one has a checkout without that, though nobody has taken it back.
  await run.orchestrate('resume');
  await run.add('d', { validate: `! grep -q "$(printf '\\r')" src/core.txt` });
  await run.add('e', { validate: 'true' });
  await run.spawn('d');
  await run.settled();
  expect(run.lane('d').state).toBe('verified');
  // No setting replaces these.
  project.box.write(join(project.repo, '.git/info/attributes'), '* text eol=crlf\n');
  await run.spawn('e');
  await run.settled();
  expect([run.lane('e').state, run.lane('e').attempt?.end_detail]).toEqual([
    'untested',
    expect.stringContaining('`.git/info/attributes` of the repository, changed since'),
  ]);
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

  expect(await project.orchestrate('retry', 'a')).toMatchObject({
    exitCode: 2,
    json: { error: { message: 'lane a is landed: nobody works on it any more' } },
  });

  // A validation that writes there does so again.
  await run.add('d', { validate: 'date +%N > "$(git rev-parse --git-common-dir)/../src/d.txt"' });
  await run.spawn('d');
  await run.settled();
  expect((await run.orchestrate('status')).json.run).toMatchObject({
    intent: 'paused',
    pauseReason: expect.stringContaining('of lane d ran (src/d.txt): see `git show refs/'),
  });
  await run.orchestrate('resume');
  expect(await project.orchestrate('integrate')).toMatchObject({ exitCode: 0 });
  expect((await run.orchestrate('status')).json.run.pauseReason).toContain(
    'of the integration ran',
  );
});

test('a lane that moves the target to its own work pauses the run; a person who moves it does not', async () => {
  const work = (key: string) => [[{ write: { [key]: key } }]] as const;
  const project = laneProject({ scenario: { lanes: { a: work('a'), b: work('b') } } });
  const run = laneRun(project);
  await run.init();
  const main = 'git -C "$(git rev-parse --git-common-dir)/.."';
  await run.add('a', { validate: `${main} commit --quiet --allow-empty --message 'By a person'` });
  await run.spawn('a');
  await run.settled();
  expect((await run.orchestrate('status')).json.run.intent).toBe('active');
  await run.add('b', { validate: 'git update-ref refs/heads/main HEAD' });
  await run.spawn('b');
  await run.settled();
  expect((await run.orchestrate('status')).json.run).toMatchObject({
    intent: 'paused',
    pauseReason: expect.stringContaining('of lane b ran (b)'),
  });
});
