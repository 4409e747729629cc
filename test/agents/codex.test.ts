import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { codexHooks } from '../../src/agents/codex/hooks.ts';
import { codexInstall } from '../../src/agents/codex/install.ts';
import { problems } from '../../src/agents/codex/problems.ts';
import { hookKeys, trustOf } from '../../src/agents/codex/trust.ts';
import { PayloadError } from '../../src/agents/kit/payload.ts';
import { EVENT_NAMES, type EventName, type Reply } from '../../src/agents/types.ts';
import { recordedPayloads, withUnknownFields } from '../support/recorded-payloads.ts';
import { sandbox } from '../support/sandbox.ts';

const { adapter: codex, capabilities: CAPABILITIES } = codexHooks;

const recorded = recordedPayloads('codex');
const project = '/home/dev/project';
const shell = (command: string) => ({ call: { tool: 'shell', command, edited: [] } });
const edit = (...paths: string[]) => ({
  call: { tool: 'edit', paths: paths.map((it) => `${project}/${it}`) },
});
const other = (name: string) => ({ call: { tool: 'other', name } });
const memo = { call: { tool: 'mcp', server: 'memo', name: 'save_note' } };

/** What each file is for us. */
const FILES: Readonly<Record<string, readonly [EventName, object]>> = {
  'PostToolUse.Bash': ['after-tool', { call: { tool: 'shell' } }],
  'PostToolUse.Bash.code-mode': ['after-tool', { call: { tool: 'shell' } }],
  'PostToolUse.Bash.exit-7': ['after-tool', { call: { tool: 'shell' } }],
  'PostToolUse.Bash.finished-by-write_stdin': ['after-tool', { call: { tool: 'shell' } }],
  'PostToolUse.Bash.git-push': ['after-tool', { call: { tool: 'shell' } }],
  'PostToolUse.Bash.subagent': ['after-tool', { call: { tool: 'shell' } }],
  'PostToolUse.apply_patch.add': ['after-tool', edit('src/hello.txt')],
  'PostToolUse.apply_patch.code-mode': ['after-tool', edit('src/hello.txt')],
  'PostToolUse.apply_patch.update-move-delete': [
    'after-tool',
    edit('src/hello.txt', 'src/greeting.txt', 'README.md'),
  ],
  'PostToolUse.mcp': ['after-tool', memo],
  'PostToolUse.spawn_agent.v1': ['after-tool', other('spawn_agent')],
  'PostToolUse.spawn_agent.v2': ['after-tool', other('collaborationspawn_agent')],
  'PreCompact.auto': ['before-compact', {}],
  'PreCompact.manual': ['before-compact', {}],
  'PreToolUse.Bash': ['before-tool', shell('git status --short')],
  'PreToolUse.Bash.apply_patch-heredoc': ['before-tool', { call: { tool: 'shell' } }],
  'PreToolUse.Bash.code-mode': ['before-tool', shell('git push origin main')],
  'PreToolUse.Bash.git-push': ['before-tool', shell('git push origin main')],
  'PreToolUse.Bash.linked-worktree': [
    'before-tool',
    { ...shell('git status'), cwd: '/home/dev/project-worktree' },
  ],
  'PreToolUse.Bash.subagent': ['before-tool', shell('ls')],
  'PreToolUse.Bash.workdir': ['before-tool', { ...shell('pwd'), cwd: `${project}/sub` }],
  'PreToolUse.apply_patch.add': ['before-tool', edit('src/hello.txt')],
  'PreToolUse.apply_patch.code-mode': ['before-tool', edit('src/hello.txt')],
  'PreToolUse.apply_patch.update-move-delete': [
    'before-tool',
    edit('src/hello.txt', 'src/greeting.txt', 'README.md'),
  ],
  'PreToolUse.mcp': ['before-tool', memo],
  'PreToolUse.mcp.code-mode': ['before-tool', memo],
  'PreToolUse.spawn_agent.v1': ['before-tool', other('spawn_agent')],
  'PreToolUse.spawn_agent.v2': ['before-tool', other('collaborationspawn_agent')],
  'PreToolUse.view_image': ['before-tool', other('view_image')],
  SessionEnd: ['session-end', { reason: 'other' }],
  'SessionStart.clear': ['session-start', { source: 'cleared' }],
  'SessionStart.compact': ['session-start', { source: 'compacted' }],
  'SessionStart.ephemeral': ['session-start', { source: 'new' }],
  'SessionStart.fork': ['session-start', { source: 'resumed' }],
  'SessionStart.resume': ['session-start', { source: 'resumed' }],
  'SessionStart.startup': ['session-start', { source: 'new' }],
  Stop: ['stop', { continued: false }],
  'Stop.active': ['stop', { continued: true }],
  UserPromptSubmit: ['prompt-submit', {}],
  'UserPromptSubmit.subagent': ['prompt-submit', {}],
};
const NOT_ASKED_FOR = [
  'Interrupt',
  'PermissionRequest',
  'PostCompact',
  'PostModelRequest',
  'PreModelRequest',
  'SubagentStart',
  'SubagentStop',
];
const MEMORIES = 'SessionStart.memory-consolidation';

describe('parse', () => {
  test('every recorded payload is known here', () => {
    const unnamed = recorded.names.filter((it) => !NOT_ASKED_FOR.includes(it.split('.')[0] ?? ''));
    expect(unnamed.toSorted()).toEqual([...Object.keys(FILES), MEMORIES].toSorted());
  });

  test.each(Object.entries(FILES))('understands %s', (name, [event, fields]) => {
    const payload = recorded.read(name);
    const expected = { session: payload.session_id, cwd: payload.cwd, kind: event, ...fields };
    expect(codex.parse(event, payload, '/elsewhere')).toMatchObject(expected);
    expect(codex.parse(event, withUnknownFields(payload), '/elsewhere')).toMatchObject(expected);
  });

  test('sessions in which the client writes its memories do not concern us', () => {
    expect(codex.parse('session-start', recorded.read(MEMORIES), '/')).toBeUndefined();
  });

  test('a command that the model runs in the folder of memories is looked at all the same', () => {
    const payload = {
      ...recorded.read('PreToolUse.Bash.workdir'),
      cwd: '/home/dev/.codex/memories',
      tool_input: { command: 'git -C /home/dev/project push' },
    };
    const call = { tool: 'shell', command: 'git -C /home/dev/project push' };
    expect(codex.parse('before-tool', payload, project)).toMatchObject({ call });
    expect(codex.parse('after-tool', payload, project)).toMatchObject({ call });
  });

  test.each([
    ['no object', []],
    ['no tool', {}],
    ['no input', { tool_name: 'Bash' }],
    ['no command', { tool_name: 'Bash', tool_input: {} }],
    ['no patch', { tool_name: 'apply_patch', tool_input: {} }],
  ])('before a tool, %s is an error; otherwise it is no event', (_, payload) => {
    expect(() => codex.parse('before-tool', payload, '/')).toThrow(PayloadError);
    expect(codex.parse('after-tool', payload, '/')).toBeUndefined();
  });
});

describe('render', () => {
  const reason = 'lanehold holds this push: cart';

  test('a denial is the exit code and the reason on stderr, without which the command would run', () => {
    expect(codex.render('before-tool', { decision: 'deny', reason })).toEqual({
      stdout: '',
      stderr: reason,
      exitCode: 2,
    });
  });

  test('a question is a denial that names who can agree', () => {
    const { stdout, stderr, exitCode } = codex.render('before-tool', { decision: 'ask', reason });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain(reason);
    expect(stderr).toContain('a person has to do it');
  });

  test('a rewritten command would need an allow, so it is denied', () => {
    expect(CAPABILITIES.rewritesInput).toEqual([]);
    const reply: Reply = { decision: 'rewrite', input: { command: 'true' }, context: reason };
    expect(codex.render('before-tool', reply)).toMatchObject({ exitCode: 2, stderr: reason });
  });

  test.each(EVENT_NAMES)('at %s it prints only keys that the client knows, or nothing', (event) => {
    const { stdout, stderr, exitCode } = codex.render(event, { decision: 'none', context: 'news' });
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(codex.render(event, { decision: 'none' }).stdout).toBe('');
    if (!CAPABILITIES.takesContext.includes(event)) return expect(stdout).toBe('');
    return expect(JSON.parse(stdout)).toEqual({
      hookSpecificOutput: { hookEventName: expect.any(String), additionalContext: 'news' },
    });
  });

  test('a long text stays below what the model is shown whole', () => {
    const { stdout } = codex.render('after-tool', {
      decision: 'none',
      context: 'x'.repeat(20_000),
    });
    expect(JSON.parse(stdout).hookSpecificOutput.additionalContext.length).toBeLessThan(8_001);
  });
});

describe('through the hook program', () => {
  const box = sandbox(afterAll);
  const by = { agent: 'codex' };
  const cut = (name: string) =>
    JSON.stringify(recorded.read(name)).replace(/ origin.*$|hello\n.*$/s, '');

  test('a payload that is cut short is denied if a release word stands in its command', async () => {
    const push = cut('PreToolUse.Bash.git-push');
    expect(await box.hook('before-tool', push, by)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('lanehold holds this command'),
    });
    const harmless = push.replace('git push', 'git status');
    expect(await box.hook('before-tool', harmless, by)).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: '',
    });
  });
});

describe('trust', () => {
  const box = sandbox(afterAll);
  const place = { env: { HOME: box.home }, cwd: box.root };
  const start = { node: '/opt/node', hook: '/opt/hook.cjs', script: '/opt/hook.sh' };
  const file = join(box.home, '.codex/hooks.json');
  const config = join(box.home, '.codex/config.toml');
  const installed = (bare?: string) => {
    const [hooks] = codexInstall.files('user', place, start);
    return hooks?.editor.plan(file, { current: bare, bare }).text ?? '';
  };

  test('a hook is known by its place and what it is, as the client itself says', () => {
    const text = JSON.stringify({
      hooks: {
        SessionStart: [{ hooks: [{ type: 'command', command: 'echo hi', timeout: 5 }] }],
        PreToolUse: [
          { matcher: 'Bash', hooks: [{ type: 'prompt' }, { type: 'command', command: 'true' }] },
        ],
      },
    });
    expect(hookKeys('/a/hooks.json', text)).toEqual([
      {
        key: '/a/hooks.json:session_start:0:0',
        command: 'echo hi',
        hash: 'sha256:9e87c3ad0f08b294d080bebd23a4971ebf5c8d908f22a10ac0a01510508c7917',
      },
      {
        key: '/a/hooks.json:pre_tool_use:0:1',
        command: 'true',
        hash: 'sha256:39057ebd30cc98418da09c661f1ff844e076ba83820ea7f8a14b085993f1a440',
      },
    ]);
  });

  test('untrusted, trusted by what `--trust` writes, and modified by another program', async () => {
    box.write(file, installed());
    expect(await codexInstall.trust?.('user', place)).toMatchObject({
      state: 'untrusted',
      skips: true,
    });
    const [trust] = codexInstall.trusting?.('user', place, start) ?? [];
    expect(trust).toMatchObject({ file: config, what: 'trust' });
    const before = '# mine\nmodel = "gpt-6"\n';
    const { text = '' } = trust?.editor.plan(config, { current: before, bare: before }) ?? {};
    box.write(config, text);
    expect(await codexInstall.trust?.('user', place)).toMatchObject({ state: 'trusted' });
    expect(trust?.editor.withoutOurs(config, text, before)).toBe(before);

    const moved = { ...start, node: '/opt/newer' };
    const [hooks] = codexInstall.files('user', place, moved);
    const current = installed();
    box.write(file, hooks?.editor.plan(file, { current, bare: undefined }).text ?? '');
    expect(await codexInstall.trust?.('user', place)).toMatchObject({ state: 'modified' });
  });

  test('of a project: the folder as well, whose hooks are else not even listed', async () => {
    const own = sandbox(afterAll);
    const there = { env: { HOME: own.home }, cwd: own.root };
    const hooksFile = join(own.root, '.codex/hooks.json');
    const [hooks] = codexInstall.files('project', there, start);
    const plan = { current: undefined, bare: undefined };
    own.write(hooksFile, hooks?.editor.plan(hooksFile, plan).text ?? '');
    const settings = join(own.home, '.codex/config.toml');
    const trusting = () => codexInstall.trusting?.('project', there, start)[0]?.editor;
    const text = trusting()?.plan(settings, plan).text ?? '';
    own.write(settings, text.replace('trust_level = "trusted"', 'trust_level = "untrusted"'));
    expect(await codexInstall.trust?.('project', there)).toMatchObject({
      state: 'untrusted',
      how: expect.stringContaining('trust the folder'),
    });
    own.write(settings, text);
    expect(await codexInstall.trust?.('project', there)).toMatchObject({ state: 'trusted' });

    const refused = `[projects.${JSON.stringify(own.root)}]\ntrust_level = "untrusted"\n`;
    own.write(settings, refused);
    const beside = trusting()?.plan(settings, { current: refused, bare: refused }).text;
    expect(beside).toContain(refused);
    expect(beside).not.toContain('trust_level = "trusted"');
  });

  test('hooks of the user before ours keep their place, and so their trust', () => {
    const mine = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'mine' }] }] } };
    const [first] = hookKeys(file, JSON.stringify(mine));
    expect(hookKeys(file, installed(JSON.stringify(mine)))).toContainEqual(first);
  });

  test('a hook that the user has switched off is not trusted', () => {
    const [hook] = hookKeys(file, installed());
    if (hook === undefined) throw new Error('there is no hook');
    const table = `[hooks.state.${JSON.stringify(hook.key)}]\ntrusted_hash = "${hook.hash}"\n`;
    expect(trustOf(table, [hook])).toBe('trusted');
    expect(trustOf(`${table}enabled = false\n`, [hook])).toBe('untrusted');
    expect(trustOf('no [toml', [hook])).toBe('unknown');
  });

  test('hooks that a person trusted before an upgrade are left to that person', async () => {
    const text = installed();
    const stale = hookKeys(file, text)
      .map(({ key }) => `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "sha256:0"\n`)
      .join('\n');
    box.write(file, text);
    box.write(config, stale);
    const trust = await codexInstall.trust?.('user', place);
    expect(trust).toMatchObject({ state: 'modified' });
    expect(trust?.how).not.toContain('--trust');
    const tables = codexInstall.trusting?.('user', place, start)[0];
    expect(tables?.editor.plan(config, { current: stale, bare: stale })).toEqual({
      state: 'current',
      text: stale,
    });
  });

  test('what a person has trusted stays at an uninstallation, and is named', () => {
    const [hook] = hookKeys(file, installed());
    box.write(config, `[hooks.state.${JSON.stringify(hook?.key)}]\ntrusted_hash = "x"\n`);
    expect(codexInstall.leftBehind?.(place)).toEqual([expect.stringContaining(config)]);
    // Two tables of one name would make the client drop its settings.
    const tables = codexInstall.trusting?.('user', place, start)[0];
    expect(tables?.editor.plan(config, { current: '', bare: '' }).text).not.toContain(
      JSON.stringify(hook?.key),
    );
  });
});

describe('settings', () => {
  test.each([
    ['{"hooks": {}, "description": "mine"}', []],
    ['{"hooks": {}, "version": 1}', ['`version` is no key that it knows']],
    ['{"hooks": {"Stop": [{"hooks": [{"type": "command", "timeout": 1.5}]}]}}', ['integer']],
    ['{"hooks": {"Stop": [{"hooks": [{"type": "http"}]}]}}', ['no known `type`']],
    ['[]', ['no JSON object']],
  ])('the client drops the whole of %s for %j', (text, said) => {
    expect(problems(text)).toEqual(said.map((it) => expect.stringContaining(it)));
  });

  test.each([
    ['/p/.codex/config.toml', '[features]\nhooks = false\n', ['features.hooks']],
    ['/p/.codex/config.toml', '[features]\nhooks = true\n', []],
    ['/p/.codex/config.toml', 'allow_managed_hooks_only = true\n', []],
    [
      '/etc/codex/requirements.toml',
      'allow_managed_hooks_only = true\n',
      ['allow_managed_hooks_only'],
    ],
    ['/p/.codex/config.toml', 'broken [', []],
  ])('%s with %j switches off by %j', (file, text, keys) => {
    expect(codexInstall.offSwitches?.(file, text)).toEqual(keys);
  });
});
