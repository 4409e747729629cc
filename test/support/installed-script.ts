/** The script that settings start, beside a hook program that only says how it was started. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import type { EventName } from '../../src/agents/types.ts';
import { homeOf } from '../../src/base/files/home.ts';
import { hookScriptFile, writeHookScript } from '../../src/install/hook-script.ts';
import { HOOK_PROGRAM, type Sandbox } from './sandbox.ts';

type Program = readonly [node: string, hook: string];
type Shell = readonly [program: string, ...options: string[]];

const WANTED: readonly Shell[] = [
  ['/bin/dash'],
  ['/bin/bash'],
  ['/bin/bash', '--posix'],
  ['/bin/busybox', 'sh'],
  ['/bin/zsh', '--emulate', 'sh'],
  ['/bin/mksh'],
  ['/bin/ksh'],
];

/** The shells of this machine that can run the script. */
export const SHELLS = WANTED.filter(([program]) => existsSync(program));

const missing = WANTED.filter((it) => !SHELLS.includes(it)).map(([program]) => program);
if (missing.length > 0)
  process.stdout.write(`not tried, not on this machine: ${missing.join(' ')}\n`);

/** @param repo the working directory of the agent. */
export function installedScript(
  box: Sandbox,
  repo: string,
  [shell, ...options]: Shell = ['/bin/sh'],
) {
  mkdirSync(box.laneholdHome, { recursive: true });
  writeHookScript(homeOf(box.env));
  const stub = box.write('stub', '#!/bin/sh\n[ "$LANEHOLD_INPUT" ] && echo handed || echo node\n');
  chmodSync(stub, 0o700);
  const start = (name: EventName, input: object, env: object, [node, hook]: Program) => {
    const script = hookScriptFile({ root: box.laneholdHome });
    const args = [...options, script, node, hook, 'settings.json', name];
    const { stdout, stderr, status } = spawnSync(shell, [...args, '--agent', 'claude-code'], {
      cwd: repo,
      input: JSON.stringify({ session_id: 'one', cwd: repo, ...input }),
      env: { ...box.env, ...env },
      encoding: 'utf8',
    });
    return status === 0 ? stdout + stderr : `${status}: ${stdout}${stderr}`;
  };
  return {
    /** What is said: nothing, or by a hook program that says whether it was handed the whole input. */
    event: (name: EventName, input: object, env: object = {}, hook?: string) =>
      start(name, input, env, hook === undefined ? [stub, stub] : [process.execPath, hook]),
    /** What the hook program says, if it is asked. */
    real: (name: EventName, input: object, env: object = {}) =>
      start(name, input, env, [process.execPath, HOOK_PROGRAM]),
  };
}
