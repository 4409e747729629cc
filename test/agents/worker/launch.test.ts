import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { claudeCodeWorker } from '../../../src/agents/claude-code/worker.ts';
import { codexWorker } from '../../../src/agents/codex/worker.ts';
import type { Scope } from '../../../src/agents/install.ts';
import { commandWorker } from '../../../src/agents/worker/command.ts';
import { isOtherLogin } from '../../../src/agents/worker/environment.ts';
import { inboxOf } from '../../../src/agents/worker/launch.ts';
import type { WorkerLaunch, WorkerRequest } from '../../../src/agents/worker/worker.ts';
import { installerOf } from '../../../src/install/targets.ts';
import { AGENT_WORKERS, commandAdapter } from '../../../src/lanes/settings/registry.ts';
import { PROMPT, SECRET, worker } from './request.ts';
import { SESSION } from './streams.ts';

const ADAPTERS = await Promise.all(
  [...AGENT_WORKERS, commandAdapter(['my-agent'])].map(async (it) => ({
    ...it,
    ...(await it.load()),
  })),
);

function adapterOf(name: string) {
  const found = ADAPTERS.find((it) => it.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}
/** One of them does not start without. */
const model = 'provider/some-model';

describe.each(ADAPTERS)('$name', (adapter) => {
  test('is started with its prompt, and with nothing that others may not see', () => {
    const { argv, stdin, env, stdinFile, args } = worker().start(adapter, { model });
    expect(argv).toEqual(args);
    expect(argv.join('\n')).not.toContain(SECRET);
    expect(argv.join('\n').length).toBeLessThan(4_000);
    expect(stdinFile === undefined ? '' : PROMPT).toBe(stdin);
    expect(env).toMatchObject({ ANTHROPIC_API_KEY: SECRET, LANEHOLD_ATTEMPT: 'attempt' });
    expect(Object.keys(env)).not.toContain('CLAUDECODE');
    expect(Object.keys(env)).not.toContain('CLAUDE_CODE_SESSION_ID');
    expect(Object.keys(env)).not.toContain('LANEHOLD_AGENT');
  });

  test('takes the program and the arguments of the settings', () => {
    const { program, args } = adapter.launch({
      ...worker().request,
      model,
      program: '/opt/agent',
      args: ['--mine', '$(id)'],
    });
    expect(program).toBe('/opt/agent');
    expect(args.join(' ')).toContain('--mine $(id)');
  });

  test('names no model of its own', () => {
    const line = adapter.launch({ ...worker().request, model }).args.join(' ');
    expect(line.replace(/(?:--model|-m) provider\/some-model/, '')).not.toMatch(
      /--model|-m |gpt|opus/,
    );
  });

  test('goes on with a session that the stream has named', () => {
    const { args } = adapter.launch({ ...worker().request, model, resume: 'earlier' });
    expect(args.join(' ').includes('earlier')).toBe(adapter.name !== 'command');
    expect(args).not.toContain('--session-id');
  });

  test('has files of its own only in the folder of the attempt, and none in the worktree', () => {
    const { request } = worker();
    for (const { path } of adapter.launch({ ...request, model }).files) {
      expect(path.startsWith(`${request.dir}/`)).toBe(true);
    }
  });

  test('names an account without giving away its key', () => {
    const one = adapter.account({ ANTHROPIC_API_KEY: SECRET, OPENAI_API_KEY: SECRET });
    expect(one).not.toContain(SECRET);
    expect(adapter.account({ ANTHROPIC_API_KEY: SECRET, OPENAI_API_KEY: SECRET })).toBe(one);
  });
});

test('workers with other keys have other accounts', () => {
  const account = (key: string) => adapterOf('claude-code').account({ ANTHROPIC_API_KEY: key });
  expect(account('a')).not.toBe(account('b'));
  expect(adapterOf('claude-code').account({ PATH: '/bin' })).toBe('claude-code');
  expect(adapterOf('codex').account({ CODEX_HOME: '/a' })).not.toBe(
    adapterOf('codex').account({ CODEX_HOME: '/b' }),
  );
});

test('a renewed key is the same login, none is another one', () => {
  const account = (key?: string) => adapterOf('claude-code').account({ ANTHROPIC_API_KEY: key });
  expect(isOtherLogin(account('a'), account('b'))).toBe(false);
  expect(isOtherLogin(account('a'), account())).toBe(true);
  expect(isOtherLogin(account(), account('a'))).toBe(true);
  expect(isOtherLogin(account(), account())).toBe(false);
});

describe('claude-code', () => {
  test('edits without being asked, and runs what is allowed by name', () => {
    const { args, files } = claudeCodeWorker.launch(worker().request);
    expect(args).toEqual(expect.arrayContaining(['--permission-mode', 'acceptEdits']));
    expect(args.join(' ')).toContain(`--session-id ${SESSION}`);
    const settings = JSON.parse(files[0]?.content ?? '');
    expect(settings.permissions.allow).toEqual(
      expect.arrayContaining(['Edit', 'Write', 'Bash(npm test)', 'Bash(npm test *)']),
    );
  });

  test('goes on with a session, within caps, as it is told', () => {
    const { args } = claudeCodeWorker.launch({
      ...worker().request,
      resume: 'earlier',
      model: 'a-model',
      effort: 'high',
      permissions: 'full',
      caps: { turns: 40, usd: 1.5, tokens: 1_000, seconds: 60 },
    });
    const line = args.join(' ');
    expect(line).not.toContain('--session-id');
    for (const option of [
      '--resume earlier',
      '--model a-model',
      '--effort high',
      '--permission-mode bypassPermissions',
      '--max-turns 40',
      '--max-budget-usd 1.5',
    ]) {
      expect(line).toContain(option);
    }
  });

  test.each([
    ['npm run build && npm test -- "a && b"', ['npm run build', 'npm test -- "a && b"']],
    ['make; ./check.sh | tee log', ['make', './check.sh', 'tee log']],
  ])('allows %s whole and by its parts', (line, parts) => {
    const { files } = claudeCodeWorker.launch({ ...worker().request, allow: [line] });
    const { allow } = JSON.parse(files[0]?.content ?? '').permissions;
    expect(allow).toEqual(expect.arrayContaining([line, ...parts].map((it) => `Bash(${it})`)));
  });

  test.each(['a (b)', 'a)b', 'a\u0000b', 'a:* b', ''])('writes no rule for %j', (line) => {
    const allowed = (allow: readonly string[]) =>
      claudeCodeWorker.launch({ ...worker().request, allow }).files[0]?.content;
    expect(allowed([line])).toBe(allowed([]));
  });
});

describe('codex', () => {
  test('works in a sandbox with hooks, the prompt on stdin', () => {
    const { request } = worker();
    const { args } = codexWorker.launch(request);
    expect(args.slice(0, 5)).toEqual(['exec', '-C', request.worktree, '-s', 'workspace-write']);
    expect(args).toEqual(expect.arrayContaining(['--json', '--enable', 'hooks']));
    expect(args.at(-1)).toBe('-');
  });

  test('goes on with a session, which takes neither folder nor sandbox', () => {
    const { args } = codexWorker.launch({
      ...worker().request,
      resume: 'earlier',
      model: 'a-model',
      effort: 'hi"gh',
      permissions: 'full',
    });
    expect(args.slice(0, 2)).toEqual(['exec', 'resume']);
    expect(args).not.toContain('-C');
    expect(args).not.toContain('-s');
    expect(args).toContain('sandbox_mode="danger-full-access"');
    expect(args).toContain('model_reasoning_effort="hi\\"gh"');
    expect(args.slice(-2)).toEqual(['earlier', '-']);
  });
});

test('a command gets what its placeholders stand for, each as one argument', () => {
  const argv = [
    'my-agent',
    '{worktree}',
    '--prompt',
    '{prompt-file}',
    '{session}',
    'x{model}',
    '{lane}',
  ] as const;
  const started = worker().start(commandWorker(argv.slice(1)), { model: '{worktree}; $(id)' });
  const [worktree, option, prompt, session, literal, lane] = started.argv;
  expect(worktree).toBe(started.cwd);
  expect([option, session, literal, lane]).toEqual(['--prompt', SESSION, 'x{model}', 'api']);
  expect(prompt).toBe(started.stdinFile);
});

test('agents that only take an argument are told where the prompt lies', () => {
  for (const name of ['cursor', 'opencode', 'copilot-cli']) {
    const adapter = adapterOf(name);
    const { argv, files } = worker().start(adapter, { model });
    const [prompt] = files;
    expect(prompt?.content).toBe(PROMPT);
    expect(argv.join(' ')).toContain(prompt?.path);
  }
});

test('a command that only takes an argument is told where the prompt lies', () => {
  const { argv, files } = worker().start(commandWorker(['--task', '{prompt}']), {});
  expect(files).toMatchObject([{ content: PROMPT }]);
  expect(argv).toEqual(['--task', expect.stringContaining(files[0]?.path ?? '?')]);
});

test('gemini-cli trusts the worktree by a variable, and has a shell only with full permissions', () => {
  const adapter = adapterOf('gemini-cli');
  const { request } = worker();
  const modes = (['edit', 'full'] as const).map((permissions) => {
    const launch = adapter.launch({ ...request, permissions });
    expect(launch?.env).toMatchObject({ GEMINI_CLI_TRUST_WORKSPACE: 'true' });
    expect(launch?.args).not.toContain('--skip-trust');
    return launch?.args.find((_, index, all) => all[index - 1] === '--approval-mode');
  });
  expect(modes).toEqual(['auto_edit', 'yolo']);
});

test('opencode denies by rules what is not allowed, since a question would end the turn', () => {
  const adapter = adapterOf('opencode');
  const { request } = worker();
  const rules = (permissions: 'edit' | 'full') =>
    adapter.launch({ ...request, model, permissions }).env.OPENCODE_PERMISSION;
  expect(JSON.parse(rules('edit') ?? '')).toMatchObject({
    edit: 'allow',
    bash: { '*': 'deny', 'npm test': 'allow', 'npm test *': 'allow', 'git diff *': 'allow' },
  });
  expect(Object.entries(JSON.parse(rules('edit') ?? '').bash).at(-1)?.[1]).toBe('deny');
  expect(rules('full')).toBeUndefined();
  expect(() => adapter.launch(request)).toThrow('needs to be told which model');
});

test('copilot-cli allows tools by name, and more only with full permissions', () => {
  const adapter = adapterOf('copilot-cli');
  const { request } = worker();
  const { args = [], env } = adapter.launch(request) ?? {};
  expect(args).toEqual(
    expect.arrayContaining(['--allow-tool=write', '--allow-tool=shell(npm test)']),
  );
  expect(args).not.toContain('--allow-all');
  expect(env).toMatchObject({ GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS: 'true' });
  expect(adapter.launch({ ...request, permissions: 'full' }).args).toContain('--allow-all');
  // The client refuses these two together.
  expect(adapter.launch({ ...request, resume: 'x' }).args).not.toContain('--trust-folder');
});

test('codex may write its worktree and an inbox, and nothing of git', () => {
  const { request } = worker();
  const { args, files } = codexWorker.launch(request);
  const inbox = inboxOf(request.dir);
  expect(args.filter((_, index) => args[index - 1] === '--add-dir')).toEqual([inbox]);
  expect(files).toEqual([]);
  expect(statSync(inbox).mode & 0o777).toBe(0o700);
  const resumed = codexWorker.launch({ ...request, resume: 'x' }).args;
  expect(resumed).toContain(`sandbox_workspace_write.writable_roots=[${JSON.stringify(inbox)}]`);
});

describe('hooks that only the main checkout has, because they are installed for the project', () => {
  /** A lane's worktree and its main checkout, as far as files tell. */
  async function lane(name: string) {
    const made = worker();
    const { box, request } = made;
    const main = join(box.root, 'main');
    for (const it of ['objects', 'refs', 'worktrees/lane']) {
      mkdirSync(join(main, '.git', it), { recursive: true });
    }
    box.write('main/.git/HEAD', 'ref: refs/heads/main\n');
    box.write('main/.git/worktrees/lane/commondir', '../..\n');
    box.write(`${request.worktree}/.git`, `gitdir: ${main}/.git/worktrees/lane\n`);
    const installer = await installerOf(name);
    const start = { node: '/node', hook: '/hook.cjs', script: '/script' };
    const put = (scope: Scope, cwd: string): string => {
      const [row] = installer.files(scope, { env: request.env, cwd }, start);
      const plan = row?.editor.plan('', { current: undefined, bare: undefined });
      return box.write(row?.file ?? '', plan?.text ?? '');
    };
    const launch = (changes: Partial<WorkerRequest> = {}) =>
      adapterOf(name).launch({ ...request, model, ...changes });
    return { ...made, main, put, launch };
  }

  const ARMED: Readonly<
    Record<string, (launch: WorkerLaunch, file: string) => string | undefined>
  > = {
    opencode: ({ env }, file) =>
      env.OPENCODE_CONFIG_CONTENT?.includes(pathToFileURL(file).href) ? 'before-tool' : undefined,
    'gemini-cli': ({ env, files }) =>
      files.find(({ path }) => path === env.GEMINI_CLI_SYSTEM_SETTINGS_PATH)?.content,
    'copilot-cli': ({ args, files }) => {
      const folder = args[args.indexOf('--plugin-dir') + 1] ?? '/nowhere';
      const plugin = files.find(({ path }) => path === join(folder, 'plugin.json'));
      const hooks = files.find(({ path }) => path === join(folder, 'hooks.json'));
      return plugin && hooks?.content;
    },
  };

  test.each(Object.entries(ARMED))('%s gets them', async (name, hooksIn) => {
    const { main, put, launch, request } = await lane(name);
    const nothing = launch();
    expect(hooksIn(nothing, 'x')).toBeUndefined();
    const file = put('project', main);
    expect(hooksIn(launch(), file)).toContain('before-tool');
    const again = { OPENCODE_CONFIG_CONTENT: '{"plugin": ["mine"], "theme": "x"}' };
    const { env } = launch({ env: { ...request.env, ...again } });
    if (name === 'opencode') {
      expect(JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? '')).toMatchObject({
        plugin: ['mine', pathToFileURL(file).href],
        theme: 'x',
      });
    }
    // Twice would ask twice.
    put('user', request.worktree);
    expect(hooksIn(launch(), file)).toBeUndefined();
  });

  test('only the entries of lanehold go along', async () => {
    const { main, put, launch } = await lane('copilot-cli');
    const file = put('project', main);
    const settings = JSON.parse(readFileSync(file, 'utf8'));
    settings.hooks.preToolUse.push({ type: 'command', bash: 'rm -rf /' });
    writeFileSync(file, JSON.stringify(settings));
    const content = ARMED['copilot-cli']?.(launch(), file) ?? '';
    expect(JSON.parse(content).hooks.preToolUse).toHaveLength(1);
    expect(content).not.toContain('rm -rf');
  });
});
