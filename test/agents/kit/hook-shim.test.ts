import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Scope } from '../../../src/agents/install.ts';
import {
  type Runtime,
  shimAgent,
  shimArguments,
  shimRuntime,
} from '../../../src/agents/kit/hook-shim.ts';
import type { EventName } from '../../../src/agents/types.ts';
import { homeOf } from '../../../src/base/files/home.ts';
import { RELEASE_WORDS } from '../../../src/base/text/raw-payload.ts';
import { hookScriptFile, writeHookScript } from '../../../src/install/hook-script.ts';
import { installers, scriptAgents } from '../../../src/install/targets.ts';
import { type Sandbox, sandbox } from '../../install/sandbox.ts';

const AGENTS = await scriptAgents();
const INSTALLERS = await installers();

const shells = ['/bin/sh', '/bin/dash', '/bin/bash'].filter((shell) => existsSync(shell));

let box: Sandbox;
beforeEach(async () => {
  box = sandbox();
  writeHookScript(homeOf({ LANEHOLD_HOME: box.laneholdHome }), AGENTS);
  // Says what reached it, and takes the exit code from its input.
  box.put(
    'package/hooks/lanehold-hook.cjs',
    `const input = (process.env.LANEHOLD_INPUT ?? '') + require('node:fs').readFileSync(0, 'utf8');
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
  const start = { ...runtime, script: hookScriptFile({ root: box.laneholdHome }) };
  const args = shimArguments(start, settings, { given: [event, '--agent', 'claude-code'] });
  const { status, stdout, stderr } = spawnSync(shell, args, {
    input,
    timeout: 20_000,
    encoding: 'utf8',
    // Without SHLVL bash takes the socket on stdin for a remote login and reads ~/.bashrc.
    env: { PATH: '/nowhere', SHLVL: '1', ...env },
  });
  return { status, stdout, stderr };
}

const EVERYDAY = [
  'ls',
  'git status',
  "echo 'a\nb' \\ $HOME `id` %s",
  '"tool_input"',
  '',
  'echo "git push later"',
  'grep -r publish src | head',
  'git commit -m "push later; deploy $(date)"',
  'git commit -F - <<EOF\ngit push\nnpm publish\nEOF',
  "cat > notes.md <<'EOF'\nrun `git push`\n\tEOF\nEOF\nls",
  'git checkout release && git merge main && git stash push -m wip && git log --grep push',
  'git apply fix.patch # then git push',
  'cargo build --release',
  'npm test -- --grep "publish"',
  'find . -name "*.ts" | xargs grep -l deploy',
  'vim docs/release.md; cd deploy && ls',
  'node scripts/build.js --out release',
  'echo "a\\" git push"',
  'x=$(git rev-parse HEAD); echo "$x" > pushed.txt 2>&1',
  'case "$1" in push) echo no ;; esac',
  'printf "%s\\n" "$(cat release.txt)"',
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
  'ls\ndeploy prod',
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

describe.each(shells)('%s', (shell) => {
  test('hands everything to the hook program, and its answer back', () => {
    const input = payload(`echo "it's"; exit 2`);
    expect(runHook(shell, 'before-tool', input)).toEqual({
      status: 2,
      stderr: '',
      stdout: `${JSON.stringify({
        args: ['before-tool', '--agent', 'claude-code'],
        bytes: Buffer.byteLength(input.trimEnd()),
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
      expect(hookSpecificOutput.permissionDecisionReason).toMatch(/lanehold(?:\.js)? install/);
    }
  });

  test('without its hook program, lets everyday commands run, whatever the folder is called', () => {
    expect(refusedOf(EVERYDAY, shell)).toEqual([]);
  });

  test('without its hook program, refuses what a shell would run of it', () => {
    expect(refusedOf(RELEASES, shell)).toEqual(RELEASES);
  });

  function refusedOf(commands: readonly string[], shell: string): string[] {
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

describe('without its hook program, in the form of each agent', () => {
  test.each(AGENTS.map((it) => [it.name, it] as const))('%s', (name, agent) => {
    const script = hookScriptFile({ root: box.laneholdHome });
    const { node, hook } = gone();
    const told = (command: string) => {
      const [keys = ['']] = agent.commands;
      const input = keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), command);
      const args = [script, node, hook, settings, 'before-tool', '--agent', name];
      const start = {
        input: JSON.stringify(input),
        encoding: 'utf8',
        env: { SHLVL: '1' },
      } as const;
      const { status: exitCode, stdout, stderr } = spawnSync('/bin/sh', args, start);
      return { exitCode, stdout, stderr };
    };
    expect(told('git status')).toEqual(agent.silence);
    const refused = told('git push');
    const meant = agent.refusal('held: x');
    expect(refused.stdout + refused.stderr).toMatch(/held: .*install/);
    expect(refused.exitCode).toBe(meant.exitCode);
    // Where the agent takes the reason from both streams, one is enough.
    const stream = meant.stdout === '' ? 'stderr' : 'stdout';
    expect(form(refused[stream])).toEqual(form(meant[stream]));
  });
});

/** Whatever the reason is, and whatever stands behind it. */
function form(text: string): unknown {
  const short = (value: unknown) =>
    typeof value === 'string' ? value.replace(/held: [\s\S]*/, 'held') : value;
  return text.startsWith('{') ? JSON.parse(text, (_, value) => short(value)) : short(text);
}

test('reads past a large file quickly', () => {
  const content = 'a "quoted" word\n'.repeat(50_000);
  const input = JSON.stringify({ tool_name: 'Write', tool_input: { file_path: 'a', content } });
  expect(runHook('/bin/sh', 'before-tool', input, { runtime: gone() })).toEqual(silent);
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

/** What is on PATH. */
let programs: string;

/** Those that an entry may be read by, each with its first arguments. */
const SHELLS = [['dash'], ['bash'], ['busybox', 'sh']].filter(
  ([program = '', ...rest]) => spawnSync(program, [...rest, '-c', ':']).status === 0,
);
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
  const { args = [], line } = found.find((it) => it.args.includes('before-tool')) ?? {};
  const agent = AGENTS.find((it) => it.name === shimAgent(args));
  if (agent === undefined) throw new Error(`no entry of ${name}`);
  const [program = '', ...rest] = shell;
  const start =
    line === undefined ? args : ['-c', line.replace(/^\/bin\/sh /, `${shell.join(' ')} `)];
  const told = (payload: unknown, env: NodeJS.ProcessEnv = {}) => {
    const { status, stdout, stderr } = spawnSync(program, [...rest, ...start], {
      input: typeof payload === 'string' ? payload : JSON.stringify(payload),
      encoding: 'utf8',
      // Without SHLVL bash takes the socket on stdin for a remote login and reads ~/.bashrc.
      env: { PATH: programs, SHLVL: '1', ...env },
    });
    return { exitCode: status, stdout, stderr };
  };
  const call = (command: string): object => {
    const [keys = ['']] = agent.commands;
    const input = keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), command);
    return { cwd: '/home/dev/push-service', ...Object(input) };
  };
  return { agent, args, line, told, call };
}

describe('an entry without the script', () => {
  beforeEach(() => {
    rmSync(hookScriptFile({ root: box.laneholdHome }));
    programs = join(box.root, 'programs');
    mkdirSync(programs);
    const folders = (process.env.PATH ?? '').split(':');
    for (const name of new Set(['awk', 'sed', 'tr', 'sh', ...SHELLS.flat()])) {
      const folder = folders.find((it) => existsSync(join(it, name)));
      if (folder !== undefined) symlinkSync(join(folder, name), join(programs, name));
    }
  });
  const nodeIsGone = () => {
    box = { ...box, start: { ...box.start, node: join(box.root, 'no-node') } };
  };

  describe.each(ENTRIES)('of %s for a %s, in %s', (name, scope, shell) => {
    test('starts the program, with the Node of PATH where its own is gone', () => {
      const { args, told } = entryOf(name, scope, shell);
      expect(JSON.parse(told('{}').stdout).args[0]).toBe('before-tool');
      expect(shimRuntime(args)).toEqual(box.start);
      nodeIsGone();
      const env = { PATH: `${dirname(process.execPath)}:${programs}` };
      const { stdout } = entryOf(name, scope, shell).told('{}', env);
      expect(JSON.parse(stdout).args[0]).toBe('before-tool');
    });

    test.each([
      ['the program', () => rmSync(box.runtime.hook)],
      ['any Node', nodeIsGone],
    ])('without %s, refuses in the form of the agent what may release', (_, prepare) => {
      prepare();
      const { agent, told, call, line = '' } = entryOf(name, scope, shell);
      const meant = agent.refusal('held: x');
      const stream = meant.stderr === '' ? 'stdout' : 'stderr';
      const { exitCode, ...said } = told(call('git push'));
      expect(exitCode).toBe(meant.exitCode);
      expect(said[stream]).toMatch(/held: .* lanehold install; or take its hooks out of /);
      expect(form(said[stream])).toEqual(form(meant[stream]));
      expect(told(call('git status'))).toEqual(agent.silence);
      expect(told(call('git push'), { LANEHOLD_DISABLE: '1' })).toEqual(agent.silence);
      // Nor a backslash, which some shells read in quotes.
      expect(line).not.toMatch(/\/\/|\n|\\(?!')/);
      if (!line.startsWith('/bin/sh')) expect(line).not.toContain('$');
    });
  });

  describe.each(SHELLS.flatMap((it) => [['claude-code', it] as const, ['codex', it] as const]))(
    'of %s without the program, in %s',
    (name, shell) => {
      const codesOf = (payloads: readonly unknown[]) => {
        rmSync(box.runtime.hook);
        const { told } = entryOf(name, 'user', shell);
        return payloads.map((payload) => [payload, told(payload).exitCode]);
      };
      const calls = (commands: readonly string[]) =>
        commands.map((command) => ({ tool_input: { command, description: 'then git push' } }));
      const each = (payloads: readonly unknown[], code: number) => payloads.map((it) => [it, code]);

      test('refuses a release word wherever a shell might run it', () => {
        const payloads = [
          ...calls([...RELEASES, ...RELEASE_WORDS.map((it) => `tool ${it} x`)]),
          ...calls(['npx publish', 'env A=1 npm publish', 'ls\tx\ngit push', 'npm run Deploy']),
          ...calls([
            'cd x && "git" push',
            'make "ls x" push',
            'echo "a" && git push',
            `${'echo filler\n'.repeat(2_000)}git push`,
          ]),
          // Some programs write a few signs so.
          '{"command":"ls \\u0026\\u0026 git push"}',
          '{"toolArgs":"{\\"command\\":\\"git push\\"}"}',
          '{"command":["git","push"]}',
          '{\n  "command": "git push"\n}',
          'git push\n',
        ];
        expect(codesOf(payloads)).toEqual(each(payloads, 2));
      });

      test('lets everything else run, all edits included', () => {
        const edit = { file_path: 'a.md', content: 'git push\n"npm publish"\n' };
        const large = { file_path: 'a', content: 'a "quoted" word\n'.repeat(50_000) };
        const payloads = [
          ...calls([
            'ls',
            'git status',
            'npm test',
            'cargo build --release',
            'cd deploy && ls',
            '',
          ]),
          ...calls(['grep -r publish src | head', 'echo "git push later"', 'git checkout release']),
          ...calls(['git commit -m "push later"', 'cat docs/release.md', 'git log --grep push']),
          ...[{ tool_input: edit }, { tool_input: large }, {}, ''],
        ];
        expect(codesOf(payloads)).toEqual(each(payloads, 0));
      });
    },
  );
});

test('an entry of another event lets everything run where nothing can be started', () => {
  rmSync(hookScriptFile({ root: box.laneholdHome }));
  expect(runHook('/bin/sh', 'stop', '{}').stdout).toContain('"stop"');
  for (const { files } of INSTALLERS) {
    const start = { ...box.start, hook: join(box.root, 'moved.cjs') };
    const [row] = files('user', box.context().context, start);
    const { text = '' } = row?.editor.plan('', { current: undefined, bare: undefined }) ?? {};
    const others = (row?.editor.find('', text) ?? []).filter(
      (it) => !it.args.includes('before-tool'),
    );
    for (const { line = '' } of others) {
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
  const { stdout } = runHook('/bin/sh', 'before-tool', payload('git push'), {
    runtime: { ...box.runtime, hook },
  });
  expect(JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason).toContain(way);
});

test('release words are fit for a shell pattern', () => {
  for (const word of RELEASE_WORDS) expect(word).toMatch(/^[a-z]+$/);
});
