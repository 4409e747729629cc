import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ExplainedError } from '../../../src/base/errors.ts';
import {
  identityOf,
  processEntry,
  signalProcess,
} from '../../../src/base/process/process-entry.ts';
import { startDetached } from '../../../src/base/process/run.ts';
import { sandbox } from '../../support/sandbox.ts';
import { eventually } from '../../support/until.ts';

test('what is started has a session of its own, no input, and writes to the log', async () => {
  const box = sandbox();
  const logFile = box.write('sup.log', 'before\n');
  const args = [
    '-c',
    'read line || echo "no input"; echo "$1 in $PWD" >&2; sleep 60',
    'sh',
    'it is',
  ];
  const options = { cwd: box.root, env: { PATH: process.env.PATH ?? '' }, logFile };
  const pid = startDetached('/bin/sh', args, options);
  const identity = identityOf(pid);
  onTestFinished(() => {
    if (identity !== undefined) process.kill(-pid, 'SIGKILL');
  });
  expect(processEntry(pid)).toMatchObject({ group: pid, session: pid });
  await eventually(() =>
    expect(readFileSync(logFile, 'utf8')).toBe(`before\nno input\nit is in ${box.root}\n`),
  );
});

test('a new log is its owner’s alone', async () => {
  const box = sandbox();
  const logFile = join(box.root, 'sup.log');
  const pid = startDetached('true', [], { cwd: box.root, env: { PATH: '/bin' }, logFile });
  const identity = identityOf(pid);
  if (identity !== undefined) onTestFinished(() => void signalProcess(identity, 'SIGKILL'));
  expect(statSync(logFile).mode & 0o777).toBe(0o600);
});

test('what cannot be started is explained', () => {
  const box = sandbox();
  const options = { cwd: box.root, env: {}, logFile: join(box.root, 'log') };
  expect(() => startDetached('/nowhere/program', [], options)).toThrow(ExplainedError);
  const cwd = join(box.root, 'nowhere');
  expect(() => startDetached('/bin/true', [], { ...options, cwd })).toThrow(`no folder ${cwd}`);
});
