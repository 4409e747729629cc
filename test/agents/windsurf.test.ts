import { afterAll, describe, expect, test } from 'vitest';
import { PayloadError } from '../../src/agents/kit/payload.ts';
import { EVENT_NAMES, type EventName, type Reply } from '../../src/agents/types.ts';
import { windsurfHooks } from '../../src/agents/windsurf/hooks.ts';
import { recordedPayloads, withUnknownFields } from '../support/recorded-payloads.ts';
import { sandbox } from '../support/sandbox.ts';

const { adapter: windsurf } = windsurfHooks;

const recorded = recordedPayloads('windsurf');
const SESSION = '5a1d5f0e-8a5b-4d0b-9b7e-0d3f7a2c9b11';
/** Hooks start in the folder of the workspace. */
const project = '/home/dev/project';
const parse = (event: EventName, payload: unknown, env = {}) =>
  windsurf.parse(event, payload, project, env);

const edited = { call: { tool: 'edit', paths: [`${project}/src/checkout.ts`] } };
const called = { call: { tool: 'mcp', server: 'tracker', name: 'create_issue' } };

/** What each file is for us. */
const FILES: Readonly<Record<string, readonly [EventName, object]>> = {
  'pre_run_command.documented': [
    'before-tool',
    { call: { tool: 'shell', command: 'git push origin main', edited: [] } },
  ],
  'pre_write_code.documented': ['before-tool', edited],
  'pre_mcp_tool_use.documented': ['before-tool', called],
  'pre_read_code.documented': ['before-tool', { call: { tool: 'other' } }],
  'post_write_code.documented': ['after-tool', { ...edited, failed: false }],
  'post_run_command.documented': ['after-tool', { call: { command: 'npm test' } }],
  'post_mcp_tool_use.documented': ['after-tool', called],
  'post_read_code.documented': ['after-tool', { call: { tool: 'other' } }],
  'pre_user_prompt.documented': ['prompt-submit', {}],
  'post_cascade_response.documented': ['stop', { continued: false }],
  'post_cascade_response_with_transcript.documented': ['stop', {}],
  'post_setup_worktree.documented': ['after-tool', { call: { tool: 'other' } }],
};

describe('parse', () => {
  test('every recorded payload is known here', () => {
    expect(recorded.names.toSorted()).toEqual(Object.keys(FILES).toSorted());
  });

  test.each(Object.entries(FILES))('understands %s', (name, [event, fields]) => {
    const expected = { session: SESSION, cwd: project, kind: event, ...fields };
    const payload = recorded.read(name);
    expect(parse(event, payload)).toMatchObject(expected);
    expect(parse(event, withUnknownFields(payload))).toMatchObject(expected);
  });

  test('only a command names its folder', () => {
    const command = (cwd: unknown) =>
      parse('before-tool', {
        agent_action_name: 'pre_run_command',
        tool_info: { command_line: 'ls', cwd },
      });
    expect(command('/home/dev/other')).toMatchObject({ cwd: '/home/dev/other' });
    expect(command('packages/a')).toMatchObject({ cwd: `${project}/packages/a` });
    expect(command('')).toMatchObject({ cwd: project });
  });

  /** Of its other agent. */
  const local = (tool_name: string, tool_input: unknown, more = {}) => ({
    hook_event_name: 'PreToolUse',
    session_id: 'local',
    tool_name,
    tool_input,
    ...more,
  });

  test.each([
    ['exec', { command: 'git push', shell_id: '1' }, { tool: 'shell', command: 'git push' }],
    ['edit', { file_path: 'src/a.ts' }, { tool: 'edit', paths: [`${project}/src/a.ts`] }],
    ['mcp__github__push_files', { branch: 'main' }, { tool: 'mcp', server: 'github' }],
    ['read', { file_path: 'src/a.ts' }, { tool: 'other', name: 'read' }],
  ])('Devin Local: %s', (name, input, call) => {
    const expected = { session: 'local', cwd: project, call };
    expect(parse('before-tool', local(name, input))).toMatchObject(expected);
  });

  test('Devin Local: the folder, and the other moments', () => {
    const env = { DEVIN_PROJECT_DIR: '/home/dev/other' };
    const payload = local('exec', { command: 'ls' });
    expect(parse('before-tool', payload, env)).toMatchObject({ cwd: '/home/dev/other' });
    expect(parse('before-tool', { ...payload, cwd: '/x' }, env)).toMatchObject({ cwd: '/x' });
    const moment = (hook_event_name: string) => ({ hook_event_name, session_id: 'local' });
    expect(parse('session-start', moment('SessionStart'))).toMatchObject({ source: 'new' });
    const stop = { ...moment('Stop'), stop_hook_active: true };
    expect(parse('stop', stop)).toMatchObject({ continued: true });
  });

  test.each([
    ['no object', 7],
    ['no name', { tool_info: { command_line: 'git push' } }],
    ['no command', { agent_action_name: 'pre_run_command', tool_info: {} }],
    ['no input', { agent_action_name: 'pre_run_command' }],
    ['no tool', { hook_event_name: 'PreToolUse' }],
    ['no command for Devin Local', local('exec', null)],
  ])('before a tool, %s is an error; otherwise it is no event', (_, payload) => {
    expect(() => parse('before-tool', payload)).toThrow(PayloadError);
    expect(parse('after-tool', payload)).toBeUndefined();
  });
});

describe('render', () => {
  const reason = 'lanehold holds this push: cart';
  const nothing = { stdout: '', stderr: '', exitCode: 0 };
  const REFUSALS: readonly Reply[] = [
    { decision: 'deny', reason },
    { decision: 'ask', reason },
    { decision: 'rewrite', input: {}, context: reason },
  ];
  const command = recorded.read('pre_run_command.documented');

  test.each(REFUSALS)('$decision is an exit code and a reason on stderr', (reply) => {
    for (const payload of [command, undefined]) {
      const output = windsurf.render('before-tool', reply, payload);
      expect(output).toEqual({
        stdout: '',
        stderr: expect.stringContaining(reason),
        exitCode: 2,
      });
      expect(output.stderr.includes('a person has to do it')).toBe(reply.decision === 'ask');
    }
  });

  test.each(REFUSALS)('Devin Local: $decision is JSON', (reply) => {
    const output = windsurf.render('before-tool', reply, { hook_event_name: 'PreToolUse' });
    expect(output).toMatchObject({ stderr: '', exitCode: 0 });
    expect(JSON.parse(output.stdout)).toEqual({
      decision: 'block',
      reason: expect.stringContaining(reason),
    });
  });

  test('everything else is silence, but for the start of a session of Devin Local', () => {
    const told: Reply = { decision: 'none', context: 'news' };
    for (const event of EVENT_NAMES) {
      expect(windsurf.render(event, { decision: 'none' })).toEqual(nothing);
      if (event === 'session-start') continue;
      expect(windsurf.render(event, told)).toEqual(nothing);
      if (event === 'before-tool') continue;
      for (const reply of REFUSALS) expect(windsurf.render(event, reply)).toEqual(nothing);
    }
    expect(JSON.parse(windsurf.render('session-start', told).stdout)).toEqual({
      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'news' },
    });
  });
});

describe('through the hook program', () => {
  const box = sandbox(afterAll);
  const by = { agent: 'windsurf' };
  const payload = recorded.read('pre_run_command.documented');
  const text = JSON.stringify(payload);

  test('a payload that is cut short is denied if a release word stands in its command', async () => {
    const cut = text.slice(0, text.indexOf('origin'));
    const denied = await box.hook('before-tool', cut, by);
    expect(denied).toMatchObject({ exitCode: 2, stdout: '' });
    expect(denied.stderr).toContain('lanehold holds this command');
    const harmless = cut.replace('git push', 'git status');
    const passed = { exitCode: 0, stdout: '', stderr: '' };
    expect(await box.hook('before-tool', harmless, by)).toMatchObject(passed);
    for (const event of ['after-tool', 'prompt-submit', 'stop'] as const)
      expect(await box.hook(event, cut, by)).toMatchObject(passed);
  });

  test('in the hook file of another client it is known by the payload', async () => {
    const sent = { ...payload, tool_info: 'git push' };
    const denied = await box.hook('before-tool', sent, { agent: 'claude-code' });
    expect(denied).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
