import { afterAll, describe, expect, test } from 'vitest';
import { asQuestion } from '../../src/agents/kit/hooks.ts';
import { PayloadError } from '../../src/agents/kit/payload.ts';
import { EVENT_NAMES, type EventName, type Reply } from '../../src/agents/types.ts';
import { vscodeCopilot } from '../../src/agents/vscode-copilot/agent.ts';
import { vscodeCopilotHooks } from '../../src/agents/vscode-copilot/hooks.ts';
import { vscodeCopilotInstall } from '../../src/agents/vscode-copilot/install.ts';
import { recordedPayloads, withUnknownFields } from '../support/recorded-payloads.ts';
import { sandbox } from '../support/sandbox.ts';

const { adapter: vscode, capabilities: CAPABILITIES, events: EVENTS } = vscodeCopilotHooks;

const PLACES = ['chat.hookFilesLocations'];
const recorded = recordedPayloads('vscode-copilot');
const SESSION = '8e4d1c2b-3333-4444-8555-666677778888';
const project = '/home/dev/project';
const parse = (event: EventName, payload: unknown) => vscode.parse(event, payload, '/elsewhere');

/** What each file is for us. */
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
  'PostToolUse.edit.documented': [
    'after-tool',
    { failed: false, call: { tool: 'edit', paths: [`${project}/src/tax.ts`] } },
  ],
  'PreCompact.documented': ['before-compact', {}],
  'Stop.documented': ['stop', { continued: false }],
};
const NOT_ASKED_FOR = ['SubagentStart', 'SubagentStop'];

describe('parse', () => {
  test('every recorded payload is known here', () => {
    const asked = recorded.names.filter((it) => !NOT_ASKED_FOR.includes(it.split('.')[0] ?? ''));
    expect(asked.toSorted()).toEqual(Object.keys(FILES).toSorted());
  });

  test.each(Object.entries(FILES))('understands %s, in both spellings', (name, [event, fields]) => {
    const expected = { session: SESSION, cwd: project, kind: event, ...fields };
    const payload = recorded.read(name);
    const camel = Object.fromEntries(
      Object.entries(payload).map(([key, value]) => [
        key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
        value,
      ]),
    );
    for (const sent of [payload, withUnknownFields(payload), camel])
      expect(parse(event, sent)).toMatchObject(expected);
  });

  const call = (tool_name: string, tool_input: unknown) =>
    parse('before-tool', { cwd: project, tool_name, tool_input });
  const edits = (...paths: string[]) => ({
    tool: 'edit',
    paths: paths.map((it) => `${project}/${it}`),
  });

  test.each([
    ['runTerminalCommand', { command: 'git push' }, { tool: 'shell', command: 'git push' }],
    ['runInTerminal', { command: 'git push' }, { tool: 'shell', command: 'git push' }],
    ['a_new_shell', { command: 'git push' }, { tool: 'shell', command: 'git push' }],
    ['insert_edit_into_file', { filePath: 'a.ts', code: 'x' }, edits('a.ts')],
    [
      'multi_replace_string_in_file',
      { replacements: [{ filePath: 'a.ts' }, { filePath: 'b.ts' }, { filePath: 'a.ts' }, 7] },
      edits('a.ts', 'b.ts'),
    ],
    ['editFiles', { files: ['a.ts', 'b.ts'] }, edits('a.ts', 'b.ts')],
    [
      'apply_patch',
      { input: '*** Begin Patch\n*** Update File: a.ts\n@@\n*** End Patch\n' },
      edits('a.ts'),
    ],
    ['create_file', { filePath: 'run.sh', command: 'git push' }, edits('run.sh')],
    ['read_file', { filePath: 'a.ts' }, { tool: 'other', name: 'read_file' }],
    ['runSubagent', { prompt: 'git push' }, { tool: 'other', name: 'runSubagent' }],
    ['mcp_github_push_files', {}, { tool: 'mcp', server: 'github', name: 'push_files' }],
  ])('%s %j', (name, input, expected) => {
    expect(call(name, input)).toMatchObject({ call: expected });
  });

  test.each([
    ['no object', null],
    ['no tool', {}],
    ['no command', { tool_name: 'run_in_terminal', tool_input: {} }],
    ['a command that is no text', { tool_name: 'run_in_terminal', tool_input: { command: [1] } }],
  ])('before a tool, %s is an error; otherwise it is no event', (_, payload) => {
    expect(() => parse('before-tool', payload)).toThrow(PayloadError);
    expect(parse('after-tool', payload)).toBeUndefined();
  });

  test('a stop that follows one that was held is known', () => {
    const payload = { ...recorded.read('Stop.documented'), stop_hook_active: true };
    expect(parse('stop', payload)).toMatchObject({ continued: true });
  });
});

describe('render', () => {
  const reason = 'lanehold holds this push: cart';
  const nothing = { stdout: '', stderr: '', exitCode: 0 };
  const decided = (permissionDecision: string, reason: string) => ({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision,
      permissionDecisionReason: reason,
    },
  });

  test('a denial is JSON, an exit code and a reason on stderr', () => {
    const refusals: readonly Reply[] = [
      { decision: 'deny', reason },
      { decision: 'rewrite', input: {}, context: reason },
    ];
    for (const reply of refusals) {
      const { stdout, ...rest } = vscode.render('before-tool', reply);
      expect(rest).toEqual({ stderr: reason, exitCode: 2 });
      expect(JSON.parse(stdout)).toEqual(decided('deny', reason));
    }
  });

  test('a question is JSON alone', () => {
    const { stdout, ...rest } = vscode.render('before-tool', { decision: 'ask', reason });
    expect(rest).toEqual({ stderr: '', exitCode: 0 });
    expect(JSON.parse(stdout)).toEqual(decided('ask', asQuestion(reason)));
  });

  test('text goes under the name of the event, where it is taken', () => {
    for (const event of EVENT_NAMES) {
      expect(vscode.render(event, { decision: 'none' })).toEqual(nothing);
      const output = vscode.render(event, { decision: 'none', context: 'news' });
      if (!CAPABILITIES.takesContext.includes(event)) expect(output).toEqual(nothing);
      else
        expect(JSON.parse(output.stdout)).toEqual({
          hookSpecificOutput: { hookEventName: EVENTS[event], additionalContext: 'news' },
        });
    }
  });
});

describe('installed', () => {
  test.each([
    ['{"chat.useHooks": false}', ['chat.useHooks']],
    ['{ // mine\n "chat.hookFilesLocations": {"~/.copilot/hooks": false,}, }', PLACES],
    ['{"chat.hookFilesLocations": {".github/hooks": false}}', PLACES],
    ['{"chat.hookFilesLocations": {"elsewhere": false, ".github/hooks": true}}', []],
    ['{"chat.useHooks": true}', []],
    ['[]', []],
  ])('what turns its hooks off in %s', (text, keys) => {
    expect(vscodeCopilotInstall.offSwitches?.('settings.json', text)).toEqual(keys);
  });

  test('for a repository it has a file of its own, in its own form', () => {
    const start = { node: '/node', hook: '/hook.cjs', script: '/script' };
    const place = { env: { HOME: '/home/dev' }, cwd: '/' };
    const [row] = vscodeCopilotInstall.files('project', place, start);
    expect(row?.file).toBe('/.github/hooks/lanehold.json');
    const { text } = row?.editor.plan('', { current: undefined, bare: undefined }) ?? { text: '' };
    const { PreToolUse } = JSON.parse(text).hooks;
    expect(PreToolUse).toEqual([
      { type: 'command', command: expect.stringContaining('before-tool'), timeout: 60 },
    ]);
  });
});

describe('through the hook program', () => {
  const box = sandbox(afterAll);
  const payload = recorded.read('PreToolUse.shell.documented');

  test('a payload that is cut short is denied if a release word stands in its command', async () => {
    const by = { agent: 'vscode-copilot' };
    const text = JSON.stringify(payload);
    const cut = text.slice(0, text.indexOf('origin'));
    expect(await box.hook('before-tool', cut, by)).toMatchObject({ exitCode: 2 });
    const harmless = cut.replace('git push', 'git status');
    const passed = { exitCode: 0, stdout: '', stderr: '' };
    expect(await box.hook('before-tool', harmless, by)).toMatchObject(passed);
    expect(await box.hook('after-tool', cut, by)).toMatchObject(passed);
  });

  test('in the hook file of another client its tools are known', async () => {
    const sent = { ...payload, tool_input: { command: ['git push'] } };
    const denied = await box.hook('before-tool', sent, { agent: 'claude-code' });
    expect(denied).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('lanehold') });
  });

  test('whose payload it is', () => {
    const isOurs = vscodeCopilot.hooks?.sends ?? (() => false);
    for (const name of recorded.names.filter((it) => !it.startsWith('Subagent')))
      expect([name, isOurs(recorded.read(name), {})]).toEqual([name, true]);
    expect(isOurs(payload, { COPILOT_CLI: '1' })).toBe(false);
    expect(isOurs({ ...payload, workspaceRoot: project }, {})).toBe(false);
    const session = recorded.read('SessionStart.documented');
    expect(isOurs({ ...session, source: 'startup' }, {})).toBe(false);
    expect(isOurs({ ...payload, hook_event_name: 'BeforeTool' }, {})).toBe(false);
  });
});
