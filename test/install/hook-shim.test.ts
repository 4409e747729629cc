import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { claudeCodeInstall } from '../../src/agents/claude-code/install.ts';
import type { EventName } from '../../src/agents/types.ts';
import type { Runtime } from '../../src/install/hook-shim.ts';
import { RELEASE_WORDS } from '../../src/text/raw-payload.ts';
import { type Sandbox, sandbox } from './sandbox.ts';

const shells = ['/bin/sh', '/bin/dash', '/bin/bash'].filter((shell) => existsSync(shell));

let box: Sandbox;
beforeEach(() => {
  box = sandbox();
  // Says what reached it, and takes the exit code from its input.
  box.put(
    'package/hooks/lanehold-hook.cjs',
    `const input = require('node:fs').readFileSync(0, 'utf8');
     console.log(JSON.stringify({ args: process.argv.slice(2), bytes: Buffer.byteLength(input) }));
     process.exitCode = Number(/exit (\\d)/.exec(input)?.[1] ?? 0);`,
  );
});

const settings = '/home/o\'neil/"dir"/settings.json';

function runHook(
  shell: string,
  event: EventName,
  input: string | Buffer,
  { runtime = box.runtime, env = {} }: { runtime?: Runtime; env?: NodeJS.ProcessEnv } = {},
) {
  const wanted = claudeCodeInstall
    .wantedHooks(runtime, settings)
    .find(({ entry }) => (entry.args as string[]).includes(event));
  const { status, stdout, stderr } = spawnSync(shell, wanted?.entry.args as string[], {
    input,
    encoding: 'utf8',
    // Without SHLVL bash takes the socket on stdin for a remote login and reads ~/.bashrc.
    env: { PATH: '/nowhere', SHLVL: '1', ...env },
  });
  return { status, stdout, stderr };
}

const payload = (command: string, description = 'run') =>
  `${JSON.stringify({
    session_id: 's',
    cwd: '/home/dev/push-service',
    tool_name: 'Bash',
    tool_input: { command, description },
  })}\n`;

const gone = (): Runtime => ({ ...box.runtime, hook: join(box.root, 'moved.cjs') });
const nodeGone = (): Runtime => ({ ...box.runtime, node: join(box.root, 'no-node') });
const silent = { status: 0, stdout: '', stderr: '' };

describe.each(shells)('%s', (shell) => {
  test('hands everything to the hook program, and its answer back', () => {
    const input = payload(`echo "it's"; exit 2`);
    expect(runHook(shell, 'before-tool', input)).toEqual({
      status: 2,
      stderr: '',
      stdout: `${JSON.stringify({
        args: ['before-tool', '--agent', 'claude-code'],
        bytes: Buffer.byteLength(input),
      })}\n`,
    });
  });

  test('takes the Node of PATH when its own is gone', () => {
    const env = { PATH: join(process.execPath, '..') };
    expect(runHook(shell, 'stop', '{}', { runtime: nodeGone(), env }).stdout).toContain('"stop"');
  });

  test('takes a folder, or what may not be started, for no Node', () => {
    const folder = { ...box.runtime, node: box.root };
    const plain = { ...box.runtime, node: box.put('node', 'not a program') };
    chmodSync(plain.node, 0o644);
    for (const runtime of [folder, plain]) {
      expect(runHook(shell, 'before-tool', payload('ls'), { runtime })).toEqual(silent);
    }
  });

  test.each([
    ['its Node', nodeGone],
    ['its hook program', gone],
  ])('without %s, refuses what carries a release word', (_, runtime) => {
    for (const word of RELEASE_WORDS) {
      const { status, stdout, stderr } = runHook(shell, 'before-tool', payload(`tool ${word} x`), {
        runtime: runtime(),
      });
      expect({ word, status, stderr }).toEqual({ word, status: 2, stderr: '' });
      const { hookSpecificOutput } = JSON.parse(stdout);
      expect(hookSpecificOutput).toMatchObject({
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
      });
      expect(hookSpecificOutput.permissionDecisionReason).toMatch(/^held: /);
      expect(hookSpecificOutput.permissionDecisionReason).toContain(settings);
      expect(hookSpecificOutput.permissionDecisionReason).toContain('lanehold install');
    }
  });

  test.each(['ls', 'git status', "echo 'a\nb' \\ $HOME `id` %s", '"tool_input"', ''])(
    'without its hook program, lets %j run, whatever the folder is called',
    (command) => {
      const options = { runtime: gone() };
      expect(runHook(shell, 'before-tool', payload(command), options)).toEqual(silent);
    },
  );

  test('without its hook program, finds the word anywhere in a long command of several lines', () => {
    const command = `${'echo filler\n'.repeat(2_000)}git push`;
    expect(runHook(shell, 'before-tool', payload(command), { runtime: gone() }).status).toBe(2);
    const pretty = `{\n "tool_input": {\n  "command": "git push"\n }\n}`;
    expect(runHook(shell, 'before-tool', pretty, { runtime: gone() }).status).toBe(2);
  });

  test('without its hook program, looks at all of what it cannot place', () => {
    expect(runHook(shell, 'before-tool', 'git push', { runtime: gone() }).status).toBe(2);
    expect(runHook(shell, 'before-tool', '', { runtime: gone() })).toEqual(silent);
    const bytes = Buffer.from([0xff, 0xfe, 0, 0xc3, 0x28]);
    expect(runHook(shell, 'before-tool', bytes, { runtime: gone() }).status).toBe(0);
  });

  test.each(['session-start', 'after-tool', 'after-tool-failure', 'stop', 'session-end'] as const)(
    'without its hook program, is silent at %s',
    (event) => {
      expect(runHook(shell, event, payload('git push'), { runtime: gone() })).toEqual(silent);
    },
  );

  test('without its hook program, LANEHOLD_DISABLE=1 lets everything run', () => {
    const env = { LANEHOLD_DISABLE: '1' };
    const input = payload('git push');
    expect(runHook(shell, 'before-tool', input, { runtime: gone(), env })).toEqual(silent);
  });
});

test.each(['Edit', 'Write', 'NotebookEdit'])('never refuses an %s', (tool) => {
  const input = JSON.stringify({
    session_id: 's',
    tool_name: tool,
    tool_input: { file_path: 'a.md', content: 'git push, "tool_name":"Bash","tool_input"' },
  });
  for (const shell of shells) {
    expect(runHook(shell, 'before-tool', input, { runtime: gone() })).toEqual(silent);
  }
});

test('starts nothing but the shell where it refuses', () => {
  // `PATH` leads nowhere in these tests, so that a program that is no builtin would not be found.
  expect(runHook('/bin/sh', 'before-tool', payload('git push'), { runtime: gone() })).toMatchObject(
    {
      status: 2,
      stderr: '',
    },
  );
});

test('release words are fit for a shell pattern', () => {
  for (const word of RELEASE_WORDS) expect(word).toMatch(/^[a-z]+$/);
});
