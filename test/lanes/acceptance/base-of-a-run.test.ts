import { expect, test } from 'vitest';
import { sandbox } from '../../support/sandbox.ts';

test('a run begins from what the remote has now, if that is asked for', async () => {
  const box = sandbox();
  const theirs = box.repo('theirs');
  box.write('theirs/a.txt', 'a\n');
  const old = box.commit(theirs, 'first');
  box.git(box.root, 'clone', '--quiet', theirs, 'ours');
  const ours = `${box.root}/ours`;
  box.write('theirs/a.txt', 'b\n');
  const now = box.commit(theirs, 'second');
  const init = (goal: string, ...args: string[]) =>
    box.cli(ours, 'orchestrate', 'init', goal, ...args);

  const without = await init('As fetched last', '--base', 'origin/main', '--json');
  expect(JSON.parse(without.stdout)).toMatchObject({ run: { baseSha: old }, ahead: 0 });
  expect(box.git(ours, 'rev-parse', 'origin/main')).toBe(old);

  box.write('ours/mine.txt', 'mine\n');
  const mine = box.commit(ours, 'mine');
  const fetched = await init('As it is', '--name', 'now', '--base', 'origin/main', '--fetch');
  expect(fetched.stdout.split('\n').slice(0, 2)).toEqual([
    `Began run now at ${now.slice(0, 12)} of origin/main, to land on main`,
    'Lanes start without 1 commit of main: `integrate` merges them',
  ]);
  expect(box.git(ours, 'rev-parse', 'origin/main', 'main')).toBe(`${now}\n${mine}`);

  const local = await init('Of no remote', '--base', 'main', '--fetch');
  expect([local.exitCode, local.stderr]).toEqual([
    2,
    expect.stringMatching(/`main` is no branch of a remote.*\nhint: .*origin\/main --fetch/),
  ]);
  const none = await init('Of no branch', '--name', 'none', '--base', 'origin/x', '--fetch');
  expect([none.exitCode, none.stderr]).toEqual([
    1,
    expect.stringMatching(/cannot fetch x of origin: .*\nhint: `git fetch origin` says more/),
  ]);
  box.git(ours, 'remote', 'set-url', 'origin', `${theirs}-gone`);
  const gone = await init('Gone', '--name', 'gone', '--base', 'origin/main', '--fetch');
  expect([gone.exitCode, gone.stderr]).toEqual([1, expect.stringMatching(/cannot fetch main/)]);
  const { runs } = JSON.parse((await box.cli(ours, 'orchestrate', 'status', '--json')).stdout);
  expect(runs.map((it: { run: { name: string } }) => it.run.name).sort()).toEqual([
    'as-fetched-last',
    'now',
  ]);
  expect((await box.cli(ours, 'orchestrate', 'status', '--run', 'gone')).exitCode).toBe(2);
});
