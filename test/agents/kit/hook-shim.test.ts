import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Scope } from '../../../src/agents/install.ts';
import { type Runtime, shimAgent, shimCommandLine } from '../../../src/agents/kit/hook-shim.ts';
import { agentsWith } from '../../../src/agents/registry.ts';
import type { EventName } from '../../../src/agents/types.ts';
import { homeOf } from '../../../src/base/files/home.ts';
import { RELEASE_WORDS } from '../../../src/base/text/release-words.ts';
import { hookScriptFile, writeHookScript } from '../../../src/install/hook-script.ts';
import { installers } from '../../../src/install/targets.ts';
import { answering, type Sandbox, sandbox } from '../../install/sandbox.ts';
import { commandKeys } from '../../support/command-keys.ts';

const INSTALLERS = await installers();
/** How each agent is refused a command, how it is told nothing, and where it puts a command. */
const FORMS = new Map(
  await Promise.all(
    agentsWith('hooks').map(async ({ name, hooks }) => {
      const { render } = hooks.adapter;
      const refusal = (reason: string) => render('before-tool', { decision: 'deny', reason });
      const silence = render('before-tool', { decision: 'none' });
      return [name, { render, refusal, silence, keys: commandKeys(name) }] as const;
    }),
  ),
);

/** Those that an entry may be read by, each with its first arguments. */
const SHELLS = [['dash'], ['bash'], ['busybox', 'sh'], ['zsh', '--emulate', 'sh']].filter(
  ([program = '', ...rest]) => spawnSync(program, [...rest, '-c', ':']).status === 0,
);

let box: Sandbox;
beforeEach(async () => {
  box = sandbox();
  writeHookScript(homeOf({ LANEHOLD_HOME: box.laneholdHome }));
  // Says what reached it, and takes the exit code from its input.
  box.put(
    'package/hooks/lanehold-hook.cjs',
    answering(`const input = require('node:fs').readFileSync(0, 'utf8');
     console.log(JSON.stringify({ args: process.argv.slice(2), bytes: Buffer.byteLength(input) }));
     process.exitCode = Number(/exit (\\d)/.exec(input)?.[1] ?? 0);`),
  );
});

const settings = '/home/o\'neil/"dir"/settings.json';

/** Runs an entry of Claude Code. */
function runHook(
  [shell = '', ...options]: readonly string[],
  event: EventName,
  input: string | Buffer,
  { runtime = box.runtime, env = {} }: { runtime?: Runtime; env?: NodeJS.ProcessEnv } = {},
) {
  const start = { ...runtime, script: hookScriptFile({ root: box.laneholdHome }) };
  const given = [event, '--agent', 'claude-code'];
  const adapter = FORMS.get('claude-code');
  const line = shimCommandLine(start, settings, { given, ...(adapter ? { adapter } : {}) });
  const own = line.replace(/^\/bin\/sh /, `${[shell, ...options].join(' ')} `);
  const { status, stdout, stderr } = spawnSync(shell, [...options, '-c', own], {
    input,
    timeout: 20_000,
    encoding: 'utf8',
    // Without SHLVL bash takes the socket on stdin for a remote login and reads ~/.bashrc.
    env: { PATH: programs(), SHLVL: '1', ...env },
  });
  return { status, stdout, stderr };
}

/** A folder with what a shell finds everywhere, and no Node. */
function programs(): string {
  const folder = join(box.root, 'programs');
  if (existsSync(folder)) return folder;
  mkdirSync(folder);
  const folders = (process.env.PATH ?? '').split(':');
  for (const name of ['cat', 'env', 'grep', 'sed', 'sh', 'tr', ...SHELLS.flat()]) {
    const from = folders.find((it) => existsSync(join(it, name)));
    if (from !== undefined && !existsSync(join(folder, name)))
      symlinkSync(join(from, name), join(folder, name));
  }
  return folder;
}

const EVERYDAY = [
  'ls',
  'git status',
  'npm test && npx tsc',
  "echo 'a\nb' \\ $HOME `id` %s",
  '"tool_input"',
  '',
  'git commit -m "a \\"new\\" relationship"',
  "cat > notes.md <<'EOF'\nrun `git pull`\n\tEOF\nEOF\nls",
  'find . -name "*.ts" | xargs grep -l checkout',
  'x=$(git rev-parse HEAD); echo "$x" > head.txt 2>&1',
  `echo "${'"'.repeat(40)}"`,
];

const RELEASES = [
  'git push',
  'cd x && npm publish',
  'git -C x -c a=b push origin main',
  'FOO=1 git push',
  'ls; sudo git push',
  'echo "$(git push)"',
  'echo `git push`',
  '(cd x; git push)',
  'if true; then git push; fi',
  "sh -c 'git push'",
  'bash -lc "cd x && git push"',
  'eval "git push"',
  'bash <<EOF\ngit push\nEOF',
  'ls \\\n && git \\\n push',
  'find . -name x -exec npm publish {} \\;',
  'npm run deploy:prod',
  './scripts/release.sh',
  'bash scripts/deploy.sh',
  'node tools/publish.mjs',
  'gh release create v1',
  'docker buildx build --push .',
  "ssh host 'git push'",
  '"git" \'push\'',
  'make && true & git push',
  'cat <<EOF\nx\nEOF\ngit push',
  'git subtree push --prefix x origin y',
  'timeout 60 git push',
  'gh pr create --fill',
  'gh  pr \t create',
  'gh pr \\\n create',
  "gh 'pr' -R a/b create",
  'gh pr new',
  'ls\ndeploy prod',
  'npx publish',
  'npm run Deploy',
  'ls\tx\ngit push',
  "git pu''sh",
  'git pu\\\nsh',
  'git pu\\sh',
  'ship prod',
];

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

describe.each(SHELLS.map((it) => [it.join(' '), it] as const))('an entry in %s', (_, shell) => {
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
    const env = { PATH: `${dirname(process.execPath)}:${programs()}` };
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
      expect(hookSpecificOutput.permissionDecisionReason).toMatch(/lanehold install/);
    }
  });

  test('without its hook program, lets everyday commands run, whatever the folder is called', () => {
    expect(refusedOf(EVERYDAY, shell)).toEqual([]);
  });

  test('without its hook program, refuses what a shell would run of it', () => {
    expect(refusedOf(RELEASES, shell)).toEqual(RELEASES);
  });

  function refusedOf(commands: readonly string[], shell: readonly string[]): string[] {
    return commands.filter((command) => {
      // A description is about the command, and no part of it.
      const input = payload(command, 'then git push, "npm publish"');
      const { status, stdout, stderr } = runHook(shell, 'before-tool', input, { runtime: gone() });
      expect({ command, stderr }).toEqual({ command, stderr: '' });
      if (status === 0) expect(stdout).toBe('');
      return status === 2;
    });
  }

  test('without its hook program, finds the word anywhere in a long command of several lines', () => {
    const command = `${'echo filler\n'.repeat(2_000)}git push`;
    expect(runHook(shell, 'before-tool', payload(command), { runtime: gone() }).status).toBe(2);
    const pretty = `{\n "tool_input": {\n  "command": "git push"\n }\n}`;
    expect(runHook(shell, 'before-tool', pretty, { runtime: gone() }).status).toBe(2);
  });

  test('without its hook program, looks at all of what it cannot place', () => {
    expect(runHook(shell, 'before-tool', 'git push', { runtime: gone() }).status).toBe(2);
    expect(runHook(shell, 'before-tool', '', { runtime: gone() }).status).toBe(2);
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

/** Whatever the reason is, and whatever stands behind it. */
function form(text: string): unknown {
  const short = (value: unknown) =>
    typeof value === 'string' ? value.replace(/held: [\s\S]*/, 'held') : value;
  return text.startsWith('{') ? JSON.parse(text, (_, value) => short(value)) : short(text);
}

const EDIT = { file_path: 'a.md', content: 'git push, "tool_name":"Bash","tool_input"\n' };
const LARGE = { file_path: 'a', content: 'a "quoted" word\n'.repeat(50_000) };

test.each(SHELLS)('never refuses an edit, and reads past a large one quickly: %s', (...shell) => {
  for (const tool_input of [EDIT, LARGE]) {
    const input = JSON.stringify({ session_id: 's', tool_name: 'Write', tool_input });
    expect(runHook(shell, 'before-tool', input, { runtime: gone() })).toEqual(silent);
  }
});

test.each([
  // Some programs write a few signs so.
  '{"command":"ls \\u0026\\u0026 git push"}',
  '{"toolArgs":"{\\"command\\":\\"git push\\"}"}',
  '{"command":["git","push"]}',
  '{"toolCall":{"args":{"CommandLine":"git push","Cwd":"/home/dev"}}}',
  '{"tool_info":{"cwd":"/home/dev","command_line":"git push"}}',
  '{"command":["gh","pr","create"]}',
  '{"command":"git pus\\u0068"}',
  '{"comm\\u0061nd":"git push"}',
  '\0{"command":"git push"}',
  '{"command":"git push \0"}\0',
  '{"tool_name":"mcp__hub__merge_pull_request","tool_input":{"number":1}}',
  '{"tool_name":"mcp__hub__create_pull_request","tool_input":{"title":"x"}}',
])('refuses a release in the form of any client: %s', (input) => {
  for (const shell of SHELLS)
    expect(runHook(shell, 'before-tool', input, { runtime: gone() }).status).toBe(2);
});

test.each([
  '{"hook_event_name":"beforeShellExecution","command":"ls","workspace_roots":["/dev/push-service"]}',
  '{"tool_info":{"command_line":"ls","cwd":"/home/dev/push-service"}}',
])('does not mind what the folder is called: %s', (input) => {
  expect(runHook(['/bin/sh'], 'before-tool', input, { runtime: gone() })).toEqual(silent);
});

test('refuses all where not even the programs of sh are on PATH', () => {
  rmSync(hookScriptFile({ root: box.laneholdHome }));
  const env = { PATH: '/nowhere' };
  const input = payload('ls');
  expect(runHook(['/bin/sh'], 'before-tool', input, { runtime: gone(), env }).status).toBe(2);
});

test('the script refuses a release itself, for entries that only start it', () => {
  const script = hookScriptFile({ root: box.laneholdHome });
  const { node, hook } = gone();
  const told = (event: EventName, command: string) => {
    const args = [script, node, hook, settings, event, '--agent', 'codex'];
    const { status, stdout, stderr } = spawnSync('/bin/sh', args, {
      input: payload(command),
      encoding: 'utf8',
      env: { SHLVL: '1' },
    });
    return { status, stdout, stderr };
  };
  expect(told('before-tool', 'git push')).toMatchObject({ status: 2, stdout: '' });
  expect(told('before-tool', 'git push').stderr).toContain(`take its hooks out of ${settings}`);
  expect(told('before-tool', 'git status')).toEqual(silent);
  expect(told('stop', 'git push')).toEqual(silent);
});

const ENTRIES = SHELLS.flatMap((shell) =>
  INSTALLERS.flatMap(({ name }) =>
    (['user', 'project'] as const).map((scope) => [name, scope, shell] as const),
  ),
);

/** The entry before a tool, run as the agent does, but for the shell. */
function entryOf(name: string, scope: Scope, shell: readonly string[]) {
  const { context } = box.context();
  const [row] = INSTALLERS.find((it) => it.name === name)?.files(scope, context, box.start) ?? [];
  const { text = '' } = row?.editor.plan('', { current: undefined, bare: undefined }) ?? {};
  const found = row?.editor.find('', text) ?? [];
  const { line = '', shim } = found.find((it) => it.shim?.given.includes('before-tool')) ?? {};
  const agent = shim && FORMS.get(shimAgent(shim) ?? '');
  if (agent === undefined) throw new Error(`no entry of ${name}`);
  const [program = '', ...rest] = shell;
  const start = ['-c', line.replace(/^\/bin\/sh /, `${shell.join(' ')} `)];
  const told = (payload: unknown, env: NodeJS.ProcessEnv = {}) => {
    const { status, stdout, stderr } = spawnSync(program, [...rest, ...start], {
      input: typeof payload === 'string' ? payload : JSON.stringify(payload),
      encoding: 'utf8',
      // Without SHLVL bash takes the socket on stdin for a remote login and reads ~/.bashrc.
      env: { PATH: programs(), SHLVL: '1', ...env },
    });
    return { exitCode: status, stdout, stderr };
  };
  const call = (command: string): object => {
    const input = agent.keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), command);
    return { cwd: '/home/dev/push-service', ...Object(input) };
  };
  return { agent, shim, line, told, call };
}

describe.each(ENTRIES)('an entry of %s for a %s, in %s', (name, scope, shell) => {
  const nodeIsGone = () => {
    box = { ...box, start: { ...box.start, node: join(box.root, 'no-node') } };
  };

  test('starts the script of the package without its own, with the Node of PATH where that is gone', () => {
    const script = hookScriptFile({ root: box.laneholdHome });
    box.put('package/dist/lanehold-hook.sh', readFileSync(script));
    rmSync(script);
    const { shim, told } = entryOf(name, scope, shell);
    expect(JSON.parse(told('{}').stdout).args[0]).toBe('before-tool');
    expect(shim).toMatchObject(box.start);
    nodeIsGone();
    const env = { PATH: `${dirname(process.execPath)}:${programs()}` };
    const { stdout } = entryOf(name, scope, shell).told('{}', env);
    expect(JSON.parse(stdout).args[0]).toBe('before-tool');
  });

  test.each([
    ['the program', () => rmSync(box.runtime.hook)],
    ['any Node', nodeIsGone],
    ['the program and the script', () => rmSync(box.runtime.hook)],
  ])('without %s, refuses in the form of the agent what may release', (what, prepare) => {
    prepare();
    if (what.endsWith('script')) rmSync(hookScriptFile({ root: box.laneholdHome }));
    const { agent, told, call, line } = entryOf(name, scope, shell);
    const meant = agent.refusal('held: x');
    const stream = meant.stderr === '' ? 'stdout' : 'stderr';
    const { exitCode, ...said } = told(call('git push'));
    expect(exitCode).toBe(meant.exitCode);
    expect(said[stream]).toMatch(/held: .* lanehold install; or take its hooks out of /);
    expect(form(said[stream])).toEqual(form(meant[stream]));
    expect(told(call('git status'))).toEqual(agent.silence);
    expect(told(call('git push'), { LANEHOLD_DISABLE: '1' })).toEqual(agent.silence);
    // Nor what fish reads in quotes, but for a quote that stands outside of them.
    expect(line).not.toMatch(/\/\/|\n|\\\\|(?<!')\\'/);
    if (!line.startsWith('/bin/sh')) expect(line).not.toContain('$');
  });
});

test('functions of the environment answer for no entry, where sh is bash', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanehold-sh-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync('/bin/bash', join(folder, 'sh'));
  const names = ['[', 'printf', 'exec', 'exit', 'set', 'shift', 'unset'];
  const env = Object.fromEntries(names.map((it) => [`BASH_FUNC_${it}%%`, '() { exit 0; }']));
  for (const isGone of [false, true]) {
    if (isGone) rmSync(hookScriptFile({ root: box.laneholdHome }));
    else rmSync(box.runtime.hook);
    const { agent, told, call } = entryOf('codex', 'user', [join(folder, 'sh')]);
    expect(told(call('git push'), env).exitCode).toBe(agent.refusal('held: x').exitCode);
  }
});

test('an entry of another event lets everything run where nothing can be started', () => {
  rmSync(hookScriptFile({ root: box.laneholdHome }));
  expect(runHook(['/bin/sh'], 'stop', '{}')).toEqual(silent);
  for (const { files } of INSTALLERS) {
    const start = { ...box.start, hook: join(box.root, 'moved.cjs') };
    const [row] = files('user', box.context().context, start);
    const { text = '' } = row?.editor.plan('', { current: undefined, bare: undefined }) ?? {};
    const others = (row?.editor.find('', text) ?? []).filter(
      (it) => !it.shim?.given.includes('before-tool'),
    );
    for (const { line } of others) {
      const input = JSON.stringify({ command: 'git push' });
      const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], {
        input,
        encoding: 'utf8',
      });
      expect({ line, status, stdout, stderr }).toEqual({ line, ...silent });
    }
  }
});

test.each([
  ['/usr/lib/node_modules/lanehold/hooks/x.cjs', 'npm install -g lanehold && lanehold install;'],
  ['/home/ada/shop/node_modules/lanehold/hooks/x.cjs', 'npm install in /home/ada/shop, then npx'],
  ['/home/ada/lanehold/hooks/x.cjs', 'npm start in /home/ada/lanehold, then'],
])('the way to mend %s is the one that it was installed by', (hook, way) => {
  const { stdout } = runHook(['/bin/sh'], 'before-tool', payload('git push'), {
    runtime: { ...box.runtime, hook },
  });
  expect(JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason).toContain(way);
});

test('release words are fit for a shell pattern', () => {
  for (const word of RELEASE_WORDS) expect(word).toMatch(/^[a-z]+$/);
});
