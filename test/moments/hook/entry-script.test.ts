/** The script that starts at every hook: whom it asks, what it hands on, and what it does where nobody answers. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import { agentsWith } from '../../../src/agents/registry.ts';
import { commandKeys } from '../../support/command-keys.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { type Conduct, standIn, writeAddress } from '../../support/stand-in-resident.ts';

const SCRIPT = resolve(import.meta.dirname, '../../../dist/lanehold-hook.sh');

const WANTED = [['dash'], ['busybox', 'sh'], ['bash'], ['zsh', '--emulate', 'sh']];
const SHELLS = WANTED.filter(
  ([program = '', ...rest]) => spawnSync(program, [...rest, '-c', ':']).status === 0,
);
const missing = WANTED.filter((it) => !SHELLS.includes(it)).map(([program]) => program);
if (missing.length > 0)
  process.stdout.write(`not tried, not on this machine: ${missing.join(' ')}\n`);

const AGENTS = await Promise.all(
  agentsWith('hooks').map(async ({ name, hooks }) => ({
    name,
    keys: commandKeys(name),
    render: hooks.adapter.render,
  })),
);

/** Says how it was started and what it was sent, as an answer. */
const PROGRAM = `
const { readFileSync } = require('node:fs');
let input = '';
try { input = readFileSync(0, 'utf8'); } catch {}
const words = process.argv.slice(2);
const mark = words.shift().slice('--mark='.length);
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('T_')));
process.stdout.write(JSON.stringify({ words, input, env, cwd: process.cwd() }) + mark + '=0');
`;

let box: Sandbox;
let hook: string;
beforeEach(() => {
  box = sandbox();
  hook = box.write('package/hooks/lanehold-hook.cjs', PROGRAM);
});

type Input = 'socket' | 'pipe' | 'file' | 'closed';

interface Start {
  readonly shell?: readonly string[];
  readonly script?: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly as?: Input;
  readonly node?: string;
  readonly cwd?: string;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const BEFORE_TOOL = ['before-tool', '--agent', 'claude-code'];

function run(
  input: string,
  {
    shell = ['dash'],
    script = SCRIPT,
    args = BEFORE_TOOL,
    env = {},
    as = 'socket',
    node,
    cwd,
  }: Start = {},
): Promise<Ended> {
  const words = [
    ...shell,
    script,
    node ?? process.execPath,
    hook,
    '/home/dev/settings.json',
    ...args,
  ];
  const file = box.write('input', input);
  const around = { pipe: 'cat "$0" | "$@"', closed: 'exec "$@" <&-', socket: '', file: '' }[as];
  const [program = '', ...rest] = around ? ['/bin/sh', '-c', around, file, ...words] : words;
  const fd = as === 'file' ? openSync(file, 'r') : undefined;
  const child = spawn(program, rest, {
    cwd: cwd ?? box.root,
    env: { PATH: process.env.PATH, HOME: box.home, LANEHOLD_HOME: box.laneholdHome, ...env },
    stdio: [fd ?? 'pipe', 'pipe', 'pipe'],
  });
  if (fd !== undefined) closeSync(fd);
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  const said = { stdout: '', stderr: '' };
  for (const it of ['stdout', 'stderr'] as const)
    child[it]?.setEncoding('utf8').on('data', (piece) => {
      said[it] += piece;
    });
  return new Promise((resolved, rejected) => {
    child.on('error', rejected);
    child.on('close', (code) => resolved({ code, ...said }));
  });
}

const INPUT = JSON.stringify({ tool_input: { command: 'echo \'ä\' \\ "$HOME"\n' } });
const PUSH = JSON.stringify({ tool_name: 'Bash', tool_input: { command: 'git push' } });
const answered = ({ stdout }: Ended) => JSON.parse(stdout);

describe.each(SHELLS.map((it) => [it.join(' '), it] as const))('started by %s', (_, shell) => {
  test.each(['socket', 'pipe', 'file'] as const)(
    'the program is handed what comes through a %s',
    async (as) => {
      const ended = await run(INPUT, { shell, as });
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(answered(ended)).toMatchObject({
        input: INPUT,
        words: expect.arrayContaining(BEFORE_TOOL),
      });
    },
  );

  test('a closed input is an empty one', async () => {
    expect(answered(await run('', { shell, as: 'closed' })).input).toBe('');
    expect(answered(await run('', { shell })).input).toBe('');
  });

  test.each(['socket', 'pipe', 'file'] as const)(
    'the resident process is handed what comes through a %s',
    async (as) => {
      const said = { stdout: 'töld\n\n', stderr: 'why\n', exitCode: 2 };
      const resident = await standIn(box.laneholdHome, hook, 'answers', said);
      const env = { T_TEXT: 'a "b"\n$c' };
      expect(await run(INPUT, { shell, as, env })).toEqual({
        code: 2,
        stdout: 'töld\n\n',
        stderr: 'why\n',
      });
      const [[id = '', parent, folder, bytes, count, ...rest] = []] = resident.events;
      expect(id).toMatch(/^\d+-\d+-\d+$/);
      expect([folder, count, ...rest.slice(0, 3)]).toEqual([box.root, '3', ...BEFORE_TOOL]);
      expect(bytes).toBe(String(Buffer.byteLength(INPUT)));
      if (as !== 'pipe') expect(parent).toBe(String(process.pid));
      const variables = rest.slice(3, -2);
      expect(variables).toEqual(
        expect.arrayContaining([`LANEHOLD_HOME=${box.laneholdHome}`, `T_TEXT=${env.T_TEXT}`]),
      );
      expect(variables.join()).not.toMatch(/lanehold_/);
      expect(rest.at(-1)).toBe(INPUT);
    },
  );

  test('what the environment says to shells changes nothing', async () => {
    const ends = box.write('ends.sh', 'exit 0\n');
    const env = {
      BASH_ENV: ends,
      ENV: ends,
      TMOUT: '1',
      CDPATH: '/',
      // A shell that is told to run nothing itself cannot be helped.
      ...(shell[0] === 'bash'
        ? {}
        : { SHELLOPTS: 'noexec', POSIXLY_CORRECT: '1', BASH_VERSION: '5' }),
      ...Object.fromEntries(
        ['[', 'read', 'printf', 'exec', 'unset', 'command', 'node'].map((it) => [
          `BASH_FUNC_${it}%%`,
          '() { exit 0; }',
        ]),
      ),
    };
    // As sh, bash runs its own special commands before functions.
    const link = join(box.root, 'sh');
    symlinkSync('/bin/bash', link);
    const sh = shell[0] === 'bash' ? [link] : shell;
    expect(answered(await run(INPUT, { shell: sh, env })).input).toBe(INPUT);
    const resident = await standIn(box.laneholdHome, hook, 'answers', { stdout: '{}' });
    expect(await run(INPUT, { shell: sh, env })).toEqual({ code: 0, stdout: '{}', stderr: '' });
    expect(resident.events).toHaveLength(1);
  });

  test('the hook of git that was there before runs once, after a push was let through', async () => {
    const { events } = await standIn(box.laneholdHome, hook, 'answers', { stderr: 'judged\n' });
    const recorder = `#!/bin/sh\necho "$(basename "$0") $*" >&2; cat >&2; exit "\${T_EXIT:-0}"\n`;
    const before = box.write('hooks/pre-push.before-lanehold', recorder);
    const args = ['git-pre-push', before, 'origin', 'https://example.org'];
    // git passes over what may not be executed.
    expect((await run('lines\n', { shell, args })).stderr).toBe('judged\n');
    chmodSync(before, 0o755);
    const said = 'pre-push origin https://example.org\nlines\n';
    const both = await run('lines\n', { shell, args });
    expect(both).toEqual({ code: 0, stdout: '', stderr: `judged\n${said}` });
    const failed = await run('lines\n', { shell, args, env: { T_EXIT: '3' } });
    expect(failed).toEqual({ code: 3, stdout: '', stderr: `judged\n${said}` });
    expect(events.map((it) => it.at(-1))).toEqual(['lines\n', 'lines\n', 'lines\n']);
    await standIn(box.laneholdHome, hook, 'answers', { stderr: 'held\n', exitCode: 1 });
    expect(await run('lines\n', { shell, args })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'held\n',
    });
  });

  test('without bash, Node answers', async () => {
    const resident = await standIn(box.laneholdHome, hook, 'answers');
    // A copy for a machine that has none.
    const script = readFileSync(SCRIPT, 'utf8').replaceAll('/bin/bash', '/nowhere/bash');
    const copy = box.write('without-bash.sh', script);
    const PATH = join(box.root, 'no-bash');
    for (const name of ['cat', 'env', 'grep', 'sed', 'tr'])
      box.write(`no-bash/${name}`, `#!/bin/sh\nexec /usr/bin/${name} "$@"\n`);
    for (const name of ['cat', 'env', 'grep', 'sed', 'tr']) chmodSync(join(PATH, name), 0o755);
    if (shell[0] === 'bash') return;
    const words = [...shell.slice(1), copy, process.execPath, hook, 'settings', ...BEFORE_TOOL];
    const program = spawnSync('which', [shell[0] ?? ''])
      .stdout.toString()
      .trim();
    const said = spawnSync(program, words, {
      input: INPUT,
      env: { PATH, LANEHOLD_HOME: box.laneholdHome },
      encoding: 'utf8',
    });
    expect(said).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(said.stdout)).toMatchObject({ input: INPUT, words: BEFORE_TOOL });
    expect(resident.events).toEqual([]);
  });
});

test('a bash that is old sends its environment, and reads the answer as it can', async () => {
  // A copy that takes any bash for one.
  const old = readFileSync(SCRIPT, 'utf8').replaceAll(/lanehold_is_before \d+/g, 'true');
  const script = box.write('old.sh', old);
  const said = { stdout: 'töld\n\n', stderr: 'why\n', exitCode: 2 };
  const resident = await standIn(box.laneholdHome, hook, 'answers', said);
  const env = { T_TEXT: 'a "b"\n$c', LC_ALL: 'C.UTF-8' };
  const { exitCode, ...streams } = said;
  expect(await run(INPUT, { script, env })).toEqual({ code: exitCode, ...streams });
  const fields = resident.events[0] ?? [];
  const variables = Object.entries(env).map((it) => it.join('='));
  expect(fields).toEqual(expect.arrayContaining(variables));
  expect(fields.join()).not.toMatch(/lanehold_/);
  expect(fields.at(-1)).toBe(INPUT);
});

test('names of variables that it uses reach no program', async () => {
  const { env } = answered(await run(INPUT, { env: { T_ONE: '1', TMOUT: '5' } }));
  expect(env).toEqual({ T_ONE: '1' });
});

test.each([
  ['says nothing', ['--start-resident'], true],
  ['allows without a secret', ['--start-resident'], false],
  ['floods', ['--start-resident'], false],
  ['closes', ['--start-resident'], false],
] as const)('a stranger on the port that %s learns nothing', async (conduct, words, isGone) => {
  const stranger = await standIn(box.laneholdHome, hook, conduct);
  const ended = await run(INPUT);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(answered(ended)).toMatchObject({ input: INPUT, words: [...words, ...BEFORE_TOOL] });
  expect([stranger.events, stranger.bytes()]).toEqual([[], 0]);
  expect(existsSync(stranger.addressFile)).toBe(!isGone);
});

test.each<[Conduct, boolean]>([
  ['takes the event and says nothing', true],
  ['takes the event and closes', false],
  ['cuts its answer', false],
])('where a resident process %s, Node answers the same event', async (conduct, isGone) => {
  const long = JSON.stringify({ text: 'x'.repeat(400_000) });
  const resident = await standIn(box.laneholdHome, hook, conduct, { stdout: '{"a":1}' });
  for (const input of isGone ? [long] : [INPUT, long]) {
    const ended = await run(input, { args: ['after-tool', '--agent', 'codex'] });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const id = resident.events.at(-1)?.[0];
    expect(answered(ended)).toMatchObject({
      input,
      words: [`--event-id=${id}`, 'after-tool', '--agent', 'codex'],
    });
    expect(existsSync(resident.addressFile)).toBe(!isGone);
  }
});

test('a large environment that a resident process does not take keeps no hook waiting', async () => {
  const resident = await standIn(box.laneholdHome, hook, 'takes nothing of the event');
  // As bash writes it, it is four times as long.
  const names = Array.from({ length: 14 }, (_, at) => `LARGE_${at}`);
  const env = Object.fromEntries(names.map((it) => [it, '\x01'.repeat(100_000)]));
  const ended = await run(INPUT, { env });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(answered(ended)).toMatchObject({
    input: INPUT,
    words: [expect.stringMatching(/^--event-id=/), ...BEFORE_TOOL],
  });
  expect(existsSync(resident.addressFile)).toBe(false);
});

test('a locale that is not there is no reason to say anything', async () => {
  const env = { LC_ALL: 'xx_YY.UTF-8' };
  expect(await run(INPUT, { env })).toMatchObject({ code: 0, stderr: '' });
  await standIn(box.laneholdHome, hook, 'answers', { stdout: '{}' });
  expect(await run(INPUT, { env })).toEqual({ code: 0, stdout: '{}', stderr: '' });
});

test.each([
  ['of another version', { version: '1' }],
  ['of another program', { path: '/opt/other.cjs' }],
  ['of nobody', { port: 1 }],
  ['of a process elsewhere', { pid: 2 ** 22 + 1 }],
])('an address file %s is not used', async (_, address) => {
  const { events } = await standIn(box.laneholdHome, hook, 'answers');
  const [, port = ''] = readFileSync(writeAddress(box.laneholdHome, hook), 'utf8').split(' ');
  writeAddress(box.laneholdHome, hook, { port: Number(port), ...address });
  expect(answered(await run(INPUT)).words).toEqual(['--start-resident', ...BEFORE_TOOL]);
  expect(events).toEqual([]);
});

test('LANEHOLD_RESIDENT=off starts Node alone, and asks for no resident process', async () => {
  const { events } = await standIn(box.laneholdHome, hook, 'answers');
  expect(answered(await run(INPUT, { env: { LANEHOLD_RESIDENT: 'off' } })).words).toEqual(
    BEFORE_TOOL,
  );
  expect(events).toEqual([]);
});

test('a payload of 10 MB comes whole both ways', async () => {
  const large = JSON.stringify({ text: 'ä'.repeat(5_000_000) });
  expect(answered(await run(large)).input === large).toBe(true);
  const resident = await standIn(box.laneholdHome, hook, 'answers', { stdout: '{}' });
  expect(await run(large)).toEqual({ code: 0, stdout: '{}', stderr: '' });
  expect(resident.events[0]?.at(-1) === large).toBe(true);
});

test('an agent that leaves its input open is answered all the same', async () => {
  const words = [SCRIPT, process.execPath, hook, 'settings', 'before-tool', '--agent', 'kiro'];
  const said = async (input: string) => {
    const env = { PATH: process.env.PATH, LANEHOLD_HOME: box.laneholdHome };
    const child = spawn('dash', words, { env });
    child.stdin.write(input);
    const outputs = [text(child.stdout), text(child.stderr)];
    const [code] = await once(child, 'exit');
    child.stdin.destroy();
    const [stdout = '', stderr = ''] = await Promise.all(outputs);
    return { code, stdout, stderr };
  };
  expect(answered(await said(PUSH)).input).toBe(PUSH);
  // Each piece of it looks like the end.
  const long = JSON.stringify({ text: '}'.repeat(400_000) });
  expect(answered(await said(long)).input === long).toBe(true);
  // The rest may be anything.
  const unfinished = await said('{"tool_input":{"command":"ls');
  expect(unfinished).toMatchObject({ code: 2, stdout: '' });
  expect(unfinished.stderr).toContain('left its payload unfinished');
});

test('a Node that does not know an option of memory is started without it', async () => {
  const node = box.write(
    'node',
    `#!/bin/sh\ncase $1 in --min-*) exit 9 ;; esac\nexec '${process.execPath}' "$@"\n`,
  );
  chmodSync(node, 0o755);
  for (const input of [PUSH, '']) {
    const ended = await run(input, { node });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(answered(ended)).toMatchObject({ input, words: expect.arrayContaining(BEFORE_TOOL) });
  }
});

test('a Node that ends with the code of an unknown option after its answer is not started again', async () => {
  const starts = box.write('starts', '');
  const node = box.write(
    'node',
    `#!/bin/sh\necho start >>'${starts}'\n'${process.execPath}' "$@"\nexit 9\n`,
  );
  chmodSync(node, 0o755);
  expect(answered(await run(PUSH, { node }))).toMatchObject({ input: PUSH });
  expect(readFileSync(starts, 'utf8')).toBe('start\n');
});

/** How Node can end without an answer, as a start that is not ours to choose. */
const FAILURES: readonly [what: string, program: string, env: NodeJS.ProcessEnv][] = [
  ['stale NODE_OPTIONS', PROGRAM, { NODE_OPTIONS: '--require /nowhere/js-debug/bootloader.js' }],
  ['an unknown flag', PROGRAM, { NODE_OPTIONS: '--no-such-flag' }],
  [
    'no memory',
    `const all = []; for (;;) all.push('x'.repeat(1e6) + all.length);`,
    { NODE_OPTIONS: '--max-old-space-size=8' },
  ],
  ['a crash', 'throw new Error("crash")', {}],
  ['a kill', 'process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1e6);', {}],
  ['half an answer', 'process.stdout.write("{\\"permission\\":\\"allow\\"}")', {}],
];

function form(text: string): unknown {
  const short = (value: unknown) =>
    typeof value === 'string' ? value.replace(/held: [\s\S]*/, 'held') : value;
  return text.startsWith('{') ? JSON.parse(text, (_, value) => short(value)) : short(text);
}

describe.each(AGENTS)('a Node without an answer, for $name', ({ name, keys, render }) => {
  const payload = (command: string): string =>
    JSON.stringify(keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), command));
  const args = ['before-tool', '--agent', name];

  test.each(FAILURES)(
    'after %s, what may release is refused in its own form',
    async (_, program, env) => {
      box.write('package/hooks/lanehold-hook.cjs', program);
      const meant = render('before-tool', { decision: 'deny', reason: 'held: x' });
      const refused = await run(payload('git push'), { args, env });
      expect(refused.code).toBe(meant.exitCode);
      expect(form(refused.stdout)).toEqual(form(meant.stdout));
      if (meant.stderr !== '') expect(refused.stderr).toContain('held: ');
      const silence = render('before-tool', { decision: 'none' });
      const passed = await run(payload('git status'), { args, env });
      expect(passed).toMatchObject({ code: 0, stdout: silence.stdout });
      expect(passed.stderr).toContain('without an answer');
      const off = await run(payload('git push'), { args, env: { ...env, LANEHOLD_DISABLE: '1' } });
      expect(off).toMatchObject({ code: 0, stdout: silence.stdout });
    },
  );

  test('other events fail as a program does', async () => {
    box.write('package/hooks/lanehold-hook.cjs', 'process.exit(2)');
    expect(await run('{}', { args: ['stop', '--agent', name] })).toMatchObject({
      code: 1,
      stdout: '',
    });
  });
});

test('a push of git is refused where Node gives no answer', async () => {
  const args = ['git-pre-push', '', 'origin', 'https://example.org'];
  expect(answered(await run('a b c d\n', { args }))).toMatchObject({
    words: ['--start-resident', ...args],
    input: 'a b c d\n',
  });
  for (const program of ['process.exit(0)', undefined]) {
    if (program === undefined) rmSync(hook);
    else box.write('package/hooks/lanehold-hook.cjs', program);
    const refused = await run('a b c d\n', { args });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/lanehold holds this push: .*repair it/);
    const env = { LANEHOLD_DISABLE: '1' };
    expect(await run('a b c d\n', { args, env })).toMatchObject({ code: 1, stdout: '' });
  }
});
