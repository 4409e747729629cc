import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { definedOnly } from '../../../src/base/environment.ts';
import { processEntry, procIds, readProc } from '../../../src/base/process/process-entry.ts';
import { sendSignal } from '../../../src/base/process/run.ts';
import { beforeCommand } from '../../support/payloads.ts';
import { ask, requestBytes, residentOf, startedResident } from '../../support/resident-process.ts';
import { HOOK_PROGRAM, type Sandbox, sandbox } from '../../support/sandbox.ts';
import { eventually } from '../../support/until.ts';

interface Hook {
  readonly env?: Readonly<Record<string, string>>;
  readonly program?: string;
  /** Lines of bash that start it by `"$NODE" "$HOOK" $ARGS`; by default it is started at once. */
  readonly within?: string;
  readonly stdio?: readonly ('pipe' | 'ignore')[];
}

const ARGS = ['--start-resident', 'before-tool', '--agent', 'claude-code'];
const START = '"$NODE" "$HOOK" $ARGS';

/** A hook that has found no resident process, in a process group of its own. */
function startHook(box: Sandbox, { env = {}, program = HOOK_PROGRAM, within, stdio }: Hook = {}) {
  const given = { ...box.env, LANEHOLD_RESIDENT: undefined, ...env };
  const own = { NODE: process.execPath, HOOK: program, ARGS: ARGS.join(' ') };
  const [start = '', ...words] = within
    ? ['bash', '-c', within]
    : [process.execPath, program, ...ARGS];
  const child: ChildProcess = spawn(start, words, {
    ...{ cwd: box.root, env: definedOnly({ ...given, ...own }), detached: true },
    stdio: [...(stdio ?? ['pipe', 'pipe', 'pipe'])],
  });
  child.stdout?.resume();
  child.stderr?.resume();
  child.stdin?.end(JSON.stringify(beforeCommand(box.root, 'ls')));
  return child;
}

/** It is written whenever one is started, and before its hook ends. */
const wasStarted = (box: Sandbox): boolean => existsSync(`${residentOf(box).file}.started`);

/** All of a sandbox that run. */
const residents = (box: Sandbox): readonly number[] =>
  procIds().filter((pid) => {
    const isOne = readProc(`/proc/${pid}/cmdline`)?.includes('\0resident\0') === true;
    return isOne && readProc(`/proc/${pid}/environ`)?.includes(`=${box.laneholdHome}\0`) === true;
  });

test('a hook starts one that has nothing of the agent', async () => {
  const box = sandbox();
  // Descriptors that the agent has left open, close to one another and not.
  const stdio = Array.from({ length: 41 }, (_, fd) =>
    fd < 4 || fd === 40 ? ('pipe' as const) : ('ignore' as const),
  );
  const hook = startHook(box, { env: { SECRET: 'x' }, stdio });
  const closed = once(hook, 'close');
  const address = await startedResident(box);
  // All pipes are closed as well, although the other process runs.
  expect(await closed).toEqual([0, null]);
  const { pid } = address;
  expect(processEntry(pid)).toMatchObject({ state: 'runs', session: pid, group: pid });
  expect(readlinkSync(`/proc/${pid}/cwd`)).toBe('/');
  const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  const ofBash = ['OLDPWD', 'PWD', 'SHLVL', '_'];
  const names = variables.map((it) => it.replace(/=.*/s, '')).filter((it) => !ofBash.includes(it));
  expect(names.sort()).toEqual(['HOME', 'LANEHOLD_HOME', 'MALLOC_ARENA_MAX', 'PATH']);
  sendSignal(-(hook.pid ?? 0), 'SIGKILL');
  const event = { event: 'before-tool', payload: beforeCommand(box.root, 'ls') };
  expect(await ask(address, requestBytes(box, event))).toMatchObject({ exitCode: 0 });
});

test('ten hooks at once start one', async () => {
  const box = sandbox();
  await Promise.all(Array.from({ length: 10 }, () => once(startHook(box), 'close')));
  const { pid } = await startedResident(box);
  await eventually(() => expect(residents(box)).toEqual([pid]));
});

test('one that was killed is followed by another', async () => {
  const box = sandbox();
  await once(startHook(box), 'close');
  const first = await startedResident(box);
  sendSignal(first.pid, 'SIGKILL');
  await eventually(async () => {
    await once(startHook(box), 'close');
    expect((await startedResident(box)).pid).not.toBe(first.pid);
  });
});

test('two installations have one each', async () => {
  const box = sandbox();
  symlinkSync(dirname(dirname(HOOK_PROGRAM)), join(box.root, 'other'));
  const program = join(box.root, 'other/hooks/lanehold-hook.cjs');
  await Promise.all([once(startHook(box), 'close'), once(startHook(box, { program }), 'close')]);
  const found = [await startedResident(box), await startedResident(box, program)];
  expect(new Set(found.map(({ pid }) => pid)).size).toBe(2);
  const bytes = requestBytes(box, { event: 'session-start', payload: { session_id: 'a' } });
  for (const it of found) expect(await ask(it, bytes)).toMatchObject({ exitCode: 0 });
});

test.each([
  ['LANEHOLD_RESIDENT=off', { env: { LANEHOLD_RESIDENT: 'off' } }],
  ['LANEHOLD_DISABLE=1', { env: { LANEHOLD_DISABLE: '1' } }],
  ['a worker of a lane', { env: { LANEHOLD_ATTEMPT: 'a1' } }],
  ['a limit that the agent has not', { within: `ulimit -f 100000; exec ${START}` }],
  [
    'a limit below an agent that is known',
    {
      env: { LIMITED: `ulimit -f 100000; ${START}; exit` },
      within: `exec -a claude bash -c 'bash -c "$LIMITED"; exit'`,
    },
  ],
])('none is started with %s', async (_, hook: Hook) => {
  const box = sandbox();
  const ended = await once(startHook(box, hook), 'close');
  expect(ended).toEqual([0, null]);
  expect(wasStarted(box)).toBe(false);
});

test('none is started where the settings say so', async () => {
  const box = sandbox();
  box.write(join(box.laneholdHome, 'config.json'), '{"hooks": {"resident": "off"}}\n');
  await once(startHook(box), 'close');
  expect(wasStarted(box)).toBe(false);
});

test('one is started where the agent has the same limits as its hooks', async () => {
  const box = sandbox();
  const within = `ulimit -f 100000; exec -a claude bash -c '${START}; exit'`;
  await once(startHook(box, { within }), 'close');
  onTestFinished(() => {
    for (const pid of residents(box)) sendSignal(pid, 'SIGKILL');
  });
  expect(wasStarted(box)).toBe(true);
});
