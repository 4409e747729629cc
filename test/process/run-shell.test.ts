/** Smoke tests that misbehave: however they end, the outcome says how, and nothing is left. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runShell, type ShellOutcome } from '../../src/process/run-shell.ts';
import { expectGone } from '../support/pids.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';

interface Limits {
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  readonly signal?: AbortSignal;
}

function runIn(box: Sandbox, command: string, limits: Limits = {}): Promise<ShellOutcome> {
  return runShell({
    command,
    cwd: box.root,
    env: box.env,
    timeoutMs: 60_000,
    maxOutputBytes: 10_000_000,
    signal: new AbortController().signal,
    outputFile: join(box.root, 'output.log'),
    ...limits,
  });
}

test('output without end is stopped', async () => {
  const box = sandbox();
  const outcome = await runIn(box, 'echo $$ > pid; exec yes', { maxOutputBytes: 100_000 });
  expect(outcome).toMatchObject({
    kind: 'killed',
    why: 'wrote more than 100000 bytes',
    aborted: false,
  });
  await expectGone(Number(readFileSync(join(box.root, 'pid'), 'utf8')));
});

test('what ignores the polite signal is ended by force', async () => {
  const box = sandbox();
  const stubborn = "trap '' TERM; echo $$ > pid; while :; do sleep 1; done";
  expect(await runIn(box, stubborn, { timeoutMs: 100 })).toMatchObject({ kind: 'timed-out' });
  await expectGone(Number(readFileSync(join(box.root, 'pid'), 'utf8')));
});

test('a caller that gives up ends it, also before it has begun', async () => {
  const box = sandbox();
  const late = new AbortController();
  const running = runIn(box, 'echo $$ > pid; sleep 600', { signal: late.signal });
  const pid = await vi.waitFor(() => {
    const text = readFileSync(join(box.root, 'pid'), 'utf8');
    expect(text).toMatch(/\n$/);
    return Number(text);
  }, 10_000);
  late.abort();
  expect(await running).toMatchObject({ kind: 'killed', aborted: true });
  await expectGone(pid);
  expect(await runIn(box, 'sleep 600', { signal: AbortSignal.abort() })).toMatchObject({
    kind: 'killed',
    aborted: true,
  });
});

test('a test that reads its input finds none, and its output is for its owner only', async () => {
  const box = sandbox();
  expect(await runIn(box, 'cat; echo end')).toMatchObject({ kind: 'exited', exitCode: 0 });
  expect(readFileSync(join(box.root, 'output.log'), 'utf8')).toBe('end\n');
  expect(statSync(join(box.root, 'output.log')).mode & 0o077).toBe(0);
});
