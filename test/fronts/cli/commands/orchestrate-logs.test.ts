import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { attemptStore } from '../../../../src/store/attempts.ts';
import { boardRows } from '../../../support/board-rows.ts';
import { command } from '../../../support/command.ts';
import { CLI_PROGRAM, sandbox } from '../../../support/sandbox.ts';
import { eventually } from '../../../support/until.ts';

const said = (text: string) =>
  `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } })}\n`;

test('shows what was said, the errors, and the end of the validation', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  const api = rows.verified('api');
  const attempt = attemptStore(rows.store).byId(api.attemptId ?? '');
  const dir = attempt?.dir ?? '';
  writeFileSync(join(dir, 'stdout.log'), said('I begin') + said('I am done'));
  writeFileSync(join(dir, 'stderr.log'), 'a warning\n');
  const token = `ghp_${'A1b2'.repeat(9)}`;
  const run = (...argv: readonly string[]) =>
    command(box, rows.repo, ['orchestrate', 'logs', 'api', ...argv], { now: rows.context.now() });
  expect((await run()).stdout).toBe(
    [
      'attempt 1 by claude-code: ended, verified, 0 s',
      'I begin',
      'I am done',
      'stderr:',
      '  a warning',
      'validation `npm test`: pass, exit code 0',
      '  it ran',
      '',
    ].join('\n'),
  );
  expect(await run('--raw')).toMatchObject({
    stdout: said('I begin') + said('I am done'),
    stderr: 'a warning\n',
  });
  appendFileSync(join(dir, 'stderr.log'), `token=${token}`);
  expect((await run('--raw')).stderr).toMatch(/^a warning\ntoken=(?!ghp_)/);
  writeFileSync(join(dir, 'stderr.log'), 'a warning\n');
  expect(JSON.parse((await run('--json')).stdout)).toMatchObject({
    stream: ['I begin', 'I am done'],
    stderr: ['a warning'],
    validation: ['it ran'],
  });
  expect(await run('--attempt', '2')).toMatchObject({ exitCode: 2 });
});

test('of a lane that nobody has worked on it says so', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  rows.lane('api');
  const { exitCode, stderr } = await command(box, rows.repo, ['orchestrate', 'logs', 'api']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('lanehold orchestrate spawn api');
});

test('-f follows until the attempt has ended, and misses nothing', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  const attempt = rows.attempt(rows.lane('api'), { through: ['running'] });
  const log = join(attempt.dir, 'stdout.log');
  writeFileSync(log, said('I begin'));
  const child = spawn(process.execPath, [CLI_PROGRAM, 'orchestrate', 'logs', 'api', '-f'], {
    cwd: rows.repo,
    env: box.env,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    shown += text;
  });
  const ended = once(child, 'close');
  await eventually(() => expect(shown).toBe('I begin\n'));
  appendFileSync(log, said('I go on').slice(0, 30));
  appendFileSync(log, said('I go on').slice(30));
  await eventually(() => expect(shown).toBe('I begin\nI go on\n'));
  appendFileSync(log, said('the end').trimEnd());
  rows.store.write(() => {
    const attempts = attemptStore(rows.store);
    attempts.note(attempt.id, 0, { state: 'exited' });
    attempts.note(attempt.id, 0, { state: 'ended', endReason: 'crashed' });
  });
  expect(await ended).toEqual([0, null]);
  expect(shown).toBe('I begin\nI go on\nthe end\n');
});
