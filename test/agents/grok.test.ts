import { afterAll, describe, expect, test } from 'vitest';
import { grokHooks } from '../../src/agents/grok/hooks.ts';
import { grokInstall } from '../../src/agents/grok/install.ts';
import { PayloadError } from '../../src/agents/kit/payload.ts';
import { EVENT_NAMES, type EventName, type Reply } from '../../src/agents/types.ts';
import { recordedPayloads, withUnknownFields } from '../support/recorded-payloads.ts';
import { sandbox } from '../support/sandbox.ts';

const { adapter: grok, capabilities: CAPABILITIES } = grokHooks;

const recorded = recordedPayloads('grok');
const SESSION = '0197d3a0-5b1c-7c3d-9e4f-112233445566';
const project = '/home/dev/project';

/** What each file is for us; those that no hook of ours is asked for have no event. */
const FILES: Readonly<Record<string, readonly [EventName, object]>> = {
  'SessionStart.documented': ['session-start', { source: 'new' }],
  'UserPromptSubmit.documented': ['prompt-submit', {}],
  'PreToolUse.shell.documented': [
    'before-tool',
    { call: { tool: 'shell', command: 'git push origin main', edited: [] } },
  ],
  'PreToolUse.edit.documented': [
    'before-tool',
    { call: { tool: 'edit', paths: [`${project}/src/checkout.ts`] } },
  ],
  'PostToolUse.shell.documented': ['after-tool', { failed: false, call: { command: 'npm test' } }],
  'PostToolUseFailure.documented': [
    'after-tool-failure',
    { kind: 'after-tool', failed: true, call: { command: 'npm run missing' } },
  ],
  'Stop.documented': ['stop', { continued: false }],
  'Stop.close.documented': ['stop', {}],
  'StopFailure.documented': ['stop', {}],
  'StopCancelled.documented': ['stop', {}],
  'PreCompact.documented': ['before-compact', {}],
  'SessionEnd.documented': ['session-end', { reason: 'shutdown' }],
};
const NOT_ASKED_FOR = [
  'Notification',
  'PermissionDenied',
  'PostCompact',
  'SubagentStart',
  'SubagentStop',
];

describe('parse', () => {
  test('every recorded payload is known here', () => {
    const unnamed = recorded.names.filter((it) => !NOT_ASKED_FOR.includes(it.split('.')[0] ?? ''));
    expect(unnamed.toSorted()).toEqual(Object.keys(FILES).toSorted());
  });

  test.each(Object.entries(FILES))('understands %s', (name, [event, fields]) => {
    const kind = (fields as { kind?: string }).kind ?? event;
    const expected = { session: SESSION, cwd: project, kind, ...fields };
    const payload = recorded.read(name);
    expect(grok.parse(event, payload, '/elsewhere')).toMatchObject(expected);
    expect(grok.parse(event, withUnknownFields(payload), '/elsewhere')).toMatchObject(expected);
  });

  test.each(Object.entries(FILES))(
    '%s is the same in snake_case alone, and without it',
    (name, [event]) => {
      const payload = recorded.read(name);
      const common = ['cwd', 'reason', 'source', 'error', 'prompt'];
      const camel = Object.entries(payload).filter(([key]) => !key.includes('_'));
      const snake = Object.entries(payload).filter(
        ([key]) => key.includes('_') || common.includes(key),
      );
      const heard = grok.parse(event, payload, '/elsewhere');
      expect(grok.parse(event, Object.fromEntries(camel), '/elsewhere')).toEqual(heard);
      expect(grok.parse(event, Object.fromEntries(snake), '/elsewhere')).toEqual(heard);
    },
  );

  test.each([
    ['startup', 'new'],
    ['load', 'resumed'],
    ['resume', 'resumed'],
    ['teleport', 'new'],
  ])('a session start of source %s is %s', (source, expected) => {
    const payload = { ...recorded.read('SessionStart.documented'), source };
    expect(grok.parse('session-start', payload, '/')).toMatchObject({ source: expected });
  });

  const tool = (fields: object) => ({ ...camelTool, ...fields });
  const camelTool = {
    hookEventName: 'pre_tool_use',
    sessionId: 's',
    cwd: project,
    workspaceRoot: project,
  };

  test.each(['run_terminal_command', 'run_terminal_cmd', 'bash'])('%s is a shell', (toolName) => {
    const payload = tool({ toolName, toolInput: { command: 'ls', timeout: 5_000 } });
    expect(grok.parse('before-tool', payload, '/')).toMatchObject({
      call: { tool: 'shell', command: 'ls', timeLimitMs: 5_000 },
    });
  });

  test('a sub-agent runs commands like its parent', () => {
    const toolInput = { command: 'git push' };
    const payload = tool({ toolName: 'run_terminal_command', toolInput, subagentType: 'explore' });
    expect(grok.parse('before-tool', payload, '/')).toMatchObject({
      call: { command: 'git push' },
    });
  });

  test('a tool of a server, and others', () => {
    expect(
      grok.parse(
        'before-tool',
        tool({ toolName: 'git_hub__push_files', toolInput: { a: 1 } }),
        '/',
      ),
    ).toMatchObject({
      call: { tool: 'mcp', server: 'git_hub', name: 'push_files', input: { a: 1 } },
    });
    expect(grok.parse('before-tool', tool({ toolName: 'spawn_subagent' }), '/')).toMatchObject({
      call: { tool: 'other', name: 'spawn_subagent' },
    });
  });

  test.each([
    ['no object', []],
    ['no tool', tool({})],
    ['no input', tool({ toolName: 'bash' })],
    ['no command', tool({ toolName: 'bash', toolInput: {} })],
    ['a file that is no path', tool({ toolName: 'write', toolInput: { file_path: '' } })],
    [
      'a cut command',
      tool({ toolName: 'bash', toolInput: { command: 'l' }, toolInputTruncated: true }),
    ],
  ])('before a tool, %s is an error; otherwise it is no event', (_, payload) => {
    expect(() => grok.parse('before-tool', payload, '/')).toThrow(PayloadError);
    expect(grok.parse('after-tool', payload, '/')).toBeUndefined();
  });
});

describe('render', () => {
  const reason = 'lanehold holds this push: cart';

  test('a denial is said in both spellings, by the exit code and on stderr', () => {
    const { stdout, stderr, exitCode } = grok.render('before-tool', { decision: 'deny', reason });
    expect(JSON.parse(stdout)).toEqual({
      decision: 'deny',
      reason,
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: reason,
      },
    });
    expect({ stderr, exitCode }).toEqual({ stderr: reason, exitCode: 2 });
  });

  test('a question is a denial that names who can agree', () => {
    const { stdout, exitCode } = grok.render('before-tool', { decision: 'ask', reason });
    expect(JSON.parse(stdout)).toMatchObject({ decision: 'deny' });
    expect(stdout).toContain('a person has to do it');
    expect(exitCode).toBe(2);
  });

  test('a command that would be rewritten is denied: older versions would run it as it was', () => {
    expect(CAPABILITIES.rewritesInput).toEqual([]);
    const reply: Reply = { decision: 'rewrite', input: { command: 'true' }, context: reason };
    expect(JSON.parse(grok.render('before-tool', reply).stdout)).toMatchObject({
      decision: 'deny',
    });
  });

  test.each(EVENT_NAMES)('text at %s goes only where the model sees it', (event) => {
    const { stdout, exitCode } = grok.render(event, { decision: 'none', context: 'news' });
    const takes = CAPABILITIES.takesContext.includes(event);
    expect(exitCode).toBe(0);
    expect(stdout.includes('"additionalContext":"news"')).toBe(takes);
    expect(stdout === '').toBe(!takes);
    expect(grok.render(event, { decision: 'none' }).stdout).toBe('');
  });

  test('a long text stays below what the model is shown', () => {
    const { stdout } = grok.render('after-tool', { decision: 'none', context: 'x'.repeat(20_000) });
    expect(JSON.parse(stdout).hookSpecificOutput.additionalContext.length).toBeLessThan(10_000);
  });
});

describe('install', () => {
  const start = {
    node: '/opt/node',
    hook: "/opt/it's/hook.cjs",
    script: '/home/dev/.lanehold/lanehold-hook.sh',
  };
  const place = { env: { HOME: '/home/dev' }, cwd: project };
  const [file] = grokInstall.files('user', place, start);
  const text = file?.editor.plan(file.file, { current: undefined, bare: undefined }).text ?? '';
  const { hooks } = JSON.parse(text) as { hooks: Record<string, { hooks: Entry[] }[]> };
  type Entry = { command: string; timeout: number };
  const entries = Object.values(hooks).flatMap((groups) => groups.flatMap((it) => it.hooks));

  test('the file stands among the user’s, or where GROK_HOME says', () => {
    expect(file?.file).toBe('/home/dev/.grok/hooks/lanehold.json');
    const env = { ...place.env, GROK_HOME: '/opt/grok' };
    const [other] = grokInstall.files('user', { ...place, env }, start);
    expect(other?.file).toBe('/opt/grok/hooks/lanehold.json');
  });

  test('every time limit is a whole number: another would void the file', () => {
    expect(entries.every(({ timeout }) => Number.isInteger(timeout))).toBe(true);
  });

  test('no command has a `$`, with which the client would let a tool run', () => {
    expect(entries.filter(({ command }) => command.includes('$'))).toEqual([]);
    expect(entries[0]?.command).toMatch(
      /\/bin\/sh '\/home\/dev\/\.lanehold\/lanehold-hook\.sh' '\/opt\/node' .* 'lanehold'; .*exit 0$/,
    );
  });

  test.each(['run_terminal_command', 'bash', 'search_replace', 'write', 'git_hub__push_files'])(
    'the matcher before a tool has %s, as a pattern',
    (name) => {
      const [{ matcher = '' } = {}] = hooks.PreToolUse as { matcher?: string }[];
      expect(new RegExp(matcher).test(name)).toBe(true);
      expect(new RegExp(matcher).test('read_file')).toBe(false);
    },
  );

  test('a turn that ends in another way is the end of a turn', () => {
    for (const event of ['Stop', 'StopFailure', 'StopCancelled'])
      expect(hooks[event]?.[0]?.hooks[0]?.command).toContain("'stop' '--agent' 'grok'");
  });

  test('doctor finds what they start', () => {
    const found = file?.editor.find(file.file, text) ?? [];
    expect(found).toHaveLength(entries.length);
    for (const { shim, line } of found) {
      expect(shim).toMatchObject(start);
      expect(line).toContain('lanehold-hook.sh');
    }
  });

  test('settings of an administrator that switch it off are found', () => {
    const off = (text: string) => grokInstall.offSwitches?.('/etc/grok/requirements.toml', text);
    expect(off('allow_managed_hooks_only = true\n')).toEqual(['allow_managed_hooks_only']);
    expect(off('# allow_managed_hooks_only = true\n')).toEqual([]);
  });
});

describe('through the hook program', () => {
  const box = sandbox(afterAll);
  const by = { agent: 'grok' };
  const text = JSON.stringify(recorded.read('PreToolUse.shell.documented'));

  test('a payload that is cut short is denied if a release word stands in its command', async () => {
    const cut = text.slice(0, text.indexOf('origin'));
    expect(await box.hook('before-tool', cut, by)).toMatchObject({
      exitCode: 2,
      stdout: expect.stringContaining('"decision":"deny"'),
    });
    const harmless = cut.replace('git push', 'git status');
    expect(await box.hook('before-tool', harmless, by)).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: '',
    });
    expect(await box.hook('after-tool', cut, by)).toMatchObject({ exitCode: 0, stdout: '' });
  });

  test.each([
    ['the shape of the payload', { hookEventName: 'pre_tool_use', workspaceRoot: '/p' }, {}],
    ['its environment', {}, { GROK_HOOK_EVENT: 'PreToolUse' }],
  ])('in the hook file of another client it is known by %s', async (_, fields, env) => {
    // Without an input nothing can be judged, which is denied in the form of whoever has sent it.
    const payload = { ...fields, sessionId: 's', toolName: 'bash', toolInput: 'git push' };
    const said = await box.hook('before-tool', payload, { agent: 'claude-code', env });
    expect(JSON.parse(said.stdout)).toMatchObject({
      decision: 'deny',
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
  });
});
