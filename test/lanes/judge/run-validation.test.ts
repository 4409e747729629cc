import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifyLog } from '../../../src/lanes/judge/log.ts';
import { validationProject } from './validation-project.ts';

test('exit code 0 is a pass, whatever the log says', async () => {
  const { validate } = validationProject();
  expect(await validate('echo 1..1; echo "not ok 1 - adds"')).toMatchObject({
    result: 'pass',
    exitCode: 0,
    detail: null,
    failures: ['adds'],
  });
});

test('any other exit code of the tests is a fail', async () => {
  const { validate } = validationProject();
  expect(await validate('echo 1..1; echo "not ok 1 - adds"; exit 3')).toMatchObject({
    result: 'fail',
    exitCode: 3,
    detail: null,
    failures: ['adds'],
  });
});

describe('no result of the tests is an error', () => {
  test.each([
    ['a signal that ends the shell', 'kill -KILL $$', 'was killed by SIGKILL'],
    [
      'a child that was killed, as by lack of memory',
      "sh -c 'kill -KILL $$'; exit $?",
      'was killed by SIGKILL (exit code 137)',
    ],
    [
      'a child that crashed',
      "sh -c 'kill -SEGV $$'; exit $?",
      'was killed by SIGSEGV (exit code 139)',
    ],
    [
      'a child that gave up',
      "sh -c 'kill -ABRT $$'; exit $?",
      'was killed by SIGABRT (exit code 134)',
    ],
    [
      'a port that is taken',
      'echo "Error: listen EADDRINUSE: 127.0.0.1:80"; exit 1',
      'a port is in use',
    ],
    ['a full disk', 'echo "cp: No space left on device"; exit 1', 'no space is left on a disk'],
    ['a program that is not there', 'lanehold-nowhere', '`lanehold-nowhere` was not found'],
    [
      'a test runner that is not installed',
      "echo '/usr/bin/python3: No module named pytest' >&2; exit 1",
      '`pytest` was not found',
    ],
    ['a file that is no program', './data', 'could not be executed (exit code 126)'],
  ])('%s', async (_, command, detail) => {
    const { validate, write } = validationProject();
    write('data', 'no program');
    expect(await validate(command)).toMatchObject({ result: 'error', detail });
  });

  test('a missing folder', async () => {
    const { validate, repo } = validationProject();
    const cwd = join(repo, 'packages/nowhere');
    expect(await validate('true', { cwd })).toMatchObject({
      result: 'error',
      exitCode: null,
      detail: `could not start: there is no folder ${cwd}`,
    });
  });

  test('a command that removes the worktree', async () => {
    const { validate, repo } = validationProject();
    expect(await validate(`rm -rf '${repo}'`)).toMatchObject({ result: 'error', exitCode: 0 });
  });

  test('an endless log', async () => {
    const { validate } = validationProject();
    const run = await validate('yes not ok', { maxLogBytes: 100_000 });
    expect(run).toMatchObject({ result: 'error', detail: 'wrote more than 100000 bytes' });
    expect(statSync(run.logPath).size).toBeLessThan(101_000);
    expect(readFileSync(run.logPath, 'utf8')).toMatch(
      /^(?:not ok\n)+\[lanehold: \d+ bytes left out\]\n(?:not ok\n)+/,
    );
  });

  test('a log that exceeds the limit quickly', async () => {
    const { validate } = validationProject();
    const run = await validate('head -c 200000 /dev/zero', { maxLogBytes: 100_000 });
    expect(run).toMatchObject({ result: 'error', detail: 'wrote more than is kept of a log' });
  });

  test('a caller who aborts', async () => {
    const { validate } = validationProject();
    const signal = AbortSignal.abort();
    expect(await validate('sleep 30', { signal })).toMatchObject({
      result: 'error',
      detail: 'interrupted',
    });
  });
});

test('a tool that exits with the number of failures has not been killed', async () => {
  const { validate } = validationProject();
  const command =
    'echo 1..137; i=0; while [ $i -lt 137 ]; do i=$((i+1)); echo "not ok $i - t$i"; done; exit 137';
  expect(await validate(command)).toMatchObject({ result: 'fail', exitCode: 137 });
});

test('the time limit is a timeout, and names it', async () => {
  const { validate } = validationProject();
  expect(await validate('sleep 30', { timeoutMs: 300 })).toMatchObject({
    result: 'timeout',
    exitCode: null,
    detail: 'took longer than 0.3 s',
  });
});

describe('the log', () => {
  const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

  test('is redacted, private, and has the digest of what is stored', async () => {
    const { validate } = validationProject();
    const run = await validate(`echo "token ${TOKEN}"; echo done`);
    const stored = readFileSync(run.logPath, 'utf8');
    expect(stored).not.toContain(TOKEN);
    expect(run.tail).toBe(stored);
    expect((statSync(run.logPath).mode & 0o777).toString(8)).toBe('600');
    expect(await verifyLog(run.logPath, run.logSha256)).toBe('intact');
  });

  test('names no secret in the failures either', async () => {
    const { validate } = validationProject();
    const run = await validate(`echo 1..1; echo "not ok 1 - logs in with ${TOKEN}"; exit 1`);
    expect(run.failures).toEqual([expect.stringMatching(/^logs in with \[redacted:/)]);
  });

  test('for any text of a command', async () => {
    const { validate } = validationProject();
    const run = await validate('echo \'$(touch x) | "q" 😀\'\necho second');
    expect(run.tail).toBe('$(touch x) | "q" 😀\nsecond\n');
  });
});

describe('changes by the command', () => {
  test('lists changed, new, deleted and staged files, but not ignored ones', async () => {
    const { validate, write, commit, git, repo } = validationProject();
    for (const path of ['kept', 'changed', 'deleted', 'staged']) write(path, path);
    write('.gitignore', 'ignored\n');
    commit();
    const run = await validate(
      'echo x > changed; rm deleted; echo x > staged; git add staged; echo x > ignored; mkdir -p "new dir"; echo x > "new dir/😀"',
    );
    expect(run).toMatchObject({
      result: 'pass',
      dirtied: ['changed', 'deleted', 'new dir/😀', 'staged'],
    });
    expect(git(repo, 'status', '--porcelain', 'kept')).toBe('');
  });

  test('does not count earlier changes', async () => {
    const { validate, write, commit } = validationProject();
    write('a', '1');
    write('b', '1');
    commit();
    write('a', '2');
    write('b', '2');
    write('new', '1');
    expect((await validate('true')).dirtied).toEqual([]);
  });

  test('counts if it was committed', async () => {
    const { validate, write, commit } = validationProject();
    write('a', '1');
    commit();
    const identity = 'git -c user.name=a -c user.email=a@example.org';
    expect((await validate(`echo 2 > a; ${identity} commit -qam hidden`)).dirtied).toEqual(['a']);
  });

  test('are found from a subfolder of the worktree', async () => {
    const { validate, write, commit, repo } = validationProject();
    write('packages/a/x', '1');
    commit();
    const run = await validate('echo 2 > x; echo 2 > ../y', { cwd: join(repo, 'packages/a') });
    expect(run.dirtied).toEqual(['packages/a/x', 'packages/y']);
  });
});

test('the command gets the given environment only', async () => {
  const { validate } = validationProject();
  const run = await validate('echo "[$LANEHOLD_STAGE$VITEST]"', {
    env: { PATH: process.env.PATH ?? '', LANEHOLD_STAGE: 'validate' },
  });
  expect(run.tail).toBe('[validate]\n');
});

test('a changed or removed log is detected', async () => {
  const { validate } = validationProject();
  const { logPath, logSha256 } = await validate('echo one');
  rmSync(logPath);
  expect(existsSync(logPath)).toBe(false);
  expect(await verifyLog(logPath, logSha256)).toBe('missing');
  const again = await validate('echo two');
  expect(await verifyLog(again.logPath, logSha256)).toBe('changed');
});
