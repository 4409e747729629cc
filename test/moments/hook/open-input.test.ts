/** Agents that do not close the input of a hook. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { EVENT_NAMES } from '../../../src/agents/types.ts';
import { answerCall } from '../../../src/moments/hook/answer.ts';
import { readInTime, UnfinishedInput } from '../../../src/moments/hook/read-in-time.ts';
import { HOOK_PROGRAM, sandbox } from '../../support/sandbox.ts';

const LONG_MS = 60_000;
const payload = (cwd: string) =>
  JSON.stringify({
    ...{ hook_event_name: 'PreToolUse', session_id: '1', cwd },
    ...{ tool_name: 'execute_bash', tool_input: { command: 'echo "{}"' } },
  });

test.each([
  ['in one piece', ['{"a": "}"}\n']],
  ['in several, of which one looks like the end', ['{"a": {"b": 1}', ', "c": "é', '"}']],
])('a payload that came %s is read without an end', async (_, pieces) => {
  const stream = new PassThrough();
  for (const it of pieces) stream.write(it);
  expect((await readInTime(stream, LONG_MS)).toString()).toBe(pieces.join(''));
});

test('what ends is read to its end, whatever it is', async () => {
  const stream = new PassThrough();
  stream.end('no JSON');
  expect((await readInTime(stream, LONG_MS)).toString()).toBe('no JSON');
});

test('what does not come in time is no payload', async () => {
  const stream = new PassThrough();
  stream.write('{"tool_input":');
  await expect(readInTime(stream, 1)).rejects.toThrow(UnfinishedInput);
});

test('without its payload nothing runs that could be a release, and all else goes on', async () => {
  const box = sandbox();
  for (const event of EVENT_NAMES) {
    const limits: (number | undefined)[] = [];
    const answer = await answerCall({
      args: [event, '--agent', 'kiro'],
      env: box.env,
      input: async (limitMs) => {
        limits.push(limitMs);
        throw new UnfinishedInput(5_000);
      },
      cwd: () => box.root,
      now: () => new Date(),
      store: () => Promise.reject(new Error('not asked for')),
      onTerminal: () => false,
      parents: async () => [],
      id: undefined,
      isAwaited: async () => true,
    });
    expect(limits).toEqual([5_000]);
    const isHeld = event === 'before-tool';
    expect({ event, code: answer.exitCode }).toEqual({ event, code: isHeld ? 2 : 0 });
    if (isHeld) expect(answer.stderr).toContain('unfinished for 5 s');
  }
});

test('the built program answers while its input is open', async () => {
  const box = sandbox();
  const args = [HOOK_PROGRAM, 'before-tool', '--agent', 'kiro'];
  const child = spawn(process.execPath, args, { cwd: box.root, env: box.env });
  child.stdin.write(payload(box.root));
  expect(await once(child, 'close')).toEqual([0, null]);
});
