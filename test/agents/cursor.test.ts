import { symlinkSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { cursorHooks } from '../../src/agents/cursor/hooks.ts';
import { cursorInstall } from '../../src/agents/cursor/install.ts';
import { problems } from '../../src/agents/cursor/problems.ts';
import { asQuestion } from '../../src/agents/kit/hooks.ts';
import { PayloadError } from '../../src/agents/kit/payload.ts';
import { EVENT_NAMES, type EventName, type Reply } from '../../src/agents/types.ts';
import type { JsonObject } from '../../src/base/text/json.ts';
import { recordedPayloads, withUnknownFields } from '../support/recorded-payloads.ts';
import { sandbox } from '../support/sandbox.ts';

const { adapter: cursor, capabilities: CAPABILITIES } = cursorHooks;

const recorded = recordedPayloads('cursor');
const SESSION = '7c1f0a52-4a0e-4d5b-9d0c-2f6f1f6d9a10';
const project = '/home/dev/project';
/** The folder of the user's settings, in which the client starts their hooks. */
const ELSEWHERE = '/home/dev/.cursor';
const parse = (event: EventName, payload: unknown, env = {}) =>
  cursor.parse(event, payload, ELSEWHERE, env);

const push = { call: { tool: 'shell', command: 'git push origin main', edited: [] } };
const tested = { kind: 'after-tool', call: { tool: 'shell', command: 'npm test' } };
const edited = {
  failed: false,
  call: { tool: 'edit', paths: [`${project}/src/checkout.ts`] },
};

/** What each file is for us. */
const FILES: Readonly<Record<string, readonly [EventName, object]>> = {
  'sessionStart.documented': ['session-start', { source: 'new' }],
  'beforeSubmitPrompt.documented': ['prompt-submit', {}],
  'beforeShellExecution.documented': ['before-tool', push],
  'beforeShellExecution.cli-headless.documented': ['before-tool', push],
  'preToolUse.documented': ['before-tool', push],
  'preToolUse.cli-headless.documented': ['before-tool', push],
  'preToolUse.cli-subagent.documented': [
    'before-tool',
    { session: 'c0ffee00-2222-4333-8444-555566667777', call: { tool: 'other', name: 'Read' } },
  ],
  'preToolUse.cli-task.documented': ['before-tool', { call: { tool: 'other', name: 'Task' } }],
  'beforeMCPExecution.documented': [
    'before-tool',
    {
      call: {
        tool: 'mcp',
        server: 'tracker',
        name: 'create_issue',
        input: { title: 'Total is wrong' },
      },
    },
  ],
  'afterFileEdit.documented': ['after-tool', edited],
  'afterTabFileEdit.documented': ['after-tool', edited],
  'afterShellExecution.documented': ['after-tool', tested],
  'postToolUse.documented': ['after-tool', tested],
  'postToolUse.cli-headless.documented': ['after-tool', tested],
  'postToolUseFailure.documented': ['after-tool-failure', { ...tested, failed: true }],
  'preCompact.documented': ['before-compact', {}],
  'stop.documented': ['stop', { continued: false }],
  'stop.cli.documented': ['stop', { continued: false }],
  'sessionEnd.documented': ['session-end', { reason: 'completed' }],
};
/** Moments that no hook of ours is asked for. */
const NOT_ASKED_FOR = [
  'afterAgentResponse',
  'afterAgentThought',
  'afterMCPExecution',
  'beforeReadFile',
  'beforeTabFileRead',
  'subagentStart',
  'subagentStop',
  'workspaceOpen',
];

describe('parse', () => {
  test('every recorded payload is known here', () => {
    const asked = recorded.names.filter((it) => !NOT_ASKED_FOR.includes(it.split('.')[0] ?? ''));
    expect(asked.toSorted()).toEqual(Object.keys(FILES).toSorted());
  });

  test.each(Object.entries(FILES))('understands %s', (name, [event, fields]) => {
    const expected = { session: SESSION, cwd: project, kind: event, ...fields };
    const payload = recorded.read(name);
    expect(parse(event, payload)).toMatchObject(expected);
    const { tool_input: input, ...rest } = payload;
    const newer = withUnknownFields(rest) as JsonObject;
    expect(parse(event, { ...newer, tool_input: input })).toMatchObject(expected);
    expect(parse(event, withUnknownFields(payload))).toMatchObject({
      ...expected,
      ...(name.startsWith('beforeMCP') ? { call: { tool: 'mcp' } } : {}),
    });
  });

  const shell = recorded.read('beforeShellExecution.documented');

  test.each([
    ['the command’s own', { cwd: '/home/dev/other' }, {}, '/home/dev/other'],
    ['relative to the workspace', { cwd: 'packages/a' }, {}, `${project}/packages/a`],
    ['empty: the first workspace', { cwd: '' }, { CURSOR_PROJECT_DIR: '/else' }, project],
    [
      'no workspace: the variable',
      { cwd: '', workspace_roots: [] },
      { CURSOR_PROJECT_DIR: '/p' },
      '/p',
    ],
    ['no workspace, only the command’s own', { workspace_roots: [] }, {}, project],
  ])('the folder of a command: %s', (_, fields, env, cwd) => {
    expect(parse('before-tool', { ...shell, ...fields }, env)).toMatchObject({ cwd });
  });

  test('without any folder a command is not judged as if it ran where the settings are', () => {
    const lost = { ...shell, cwd: '', workspace_roots: [] };
    expect(() => parse('before-tool', lost)).toThrow('it names no folder');
    expect(parse('stop', lost)).toBeUndefined();
  });

  test.each([
    ['Write', { file_path: 'src/a.ts', content: 'x' }],
    ['Write', { path: `${project}/src/a.ts`, old_string: 'a', new_string: 'b' }],
    ['Delete', { file_path: `${project}/src/a.ts` }],
  ])('%s edits the file of %j', (tool_name, tool_input) => {
    const payload = { ...shell, hook_event_name: 'preToolUse', cwd: '', tool_name, tool_input };
    const call = { tool: 'edit', paths: [`${project}/src/a.ts`] };
    expect(parse('before-tool', payload)).toMatchObject({ call });
  });

  const server = recorded.read('beforeMCPExecution.documented');

  test.each([
    ['a text of JSON', '{"a":1}', { a: 1 }],
    ['an object', { a: 1 }, { a: 1 }],
    ['nothing', undefined, {}],
    ['an empty text', '', {}],
  ])('the input of a server’s tool is %s', (_, tool_input, input) => {
    const call = { tool: 'mcp', server: 'tracker', name: 'create_issue', input };
    expect(parse('before-tool', { ...server, tool_input })).toMatchObject({ call });
  });

  test.each([
    ['no object', []],
    ['neither a tool nor a command', { workspace_roots: [project] }],
    ['a command that is no text', { ...shell, command: ['git', 'push'] }],
    ['a shell without a command', { ...shell, tool_name: 'Shell', tool_input: {} }],
    ['a shell without input', { ...shell, tool_name: 'Shell' }],
    ['an input that is cut', { ...server, tool_input: '{"a":' }],
  ])('before a tool, %s is an error; otherwise it is no event', (_, payload) => {
    expect(() => parse('before-tool', payload)).toThrow(PayloadError);
    expect(parse('after-tool', payload)).toBeUndefined();
  });
});

describe('render', () => {
  const reason = 'lanehold holds this push: cart';
  const REPLIES: readonly Reply[] = [
    { decision: 'none' },
    { decision: 'none', context: 'news' },
    { decision: 'deny', reason },
    { decision: 'ask', reason },
    { decision: 'rewrite', input: { command: 'true' }, context: reason },
  ];
  const rendered = (event: EventName, reply: Reply, payload?: unknown) =>
    JSON.parse(cursor.render(event, reply, payload).stdout);
  const shell = recorded.read('beforeShellExecution.documented');
  const headless = recorded.read('beforeShellExecution.cli-headless.documented');
  const tool = recorded.read('preToolUse.documented');
  const server = recorded.read('beforeMCPExecution.documented');

  test('every answer is one JSON object and nothing else', () => {
    for (const event of EVENT_NAMES)
      for (const reply of REPLIES)
        for (const payload of [shell, undefined, null, 'text']) {
          const output = cursor.render(event, reply, payload);
          expect(output).toMatchObject({ exitCode: 0, stderr: '' });
          expect(JSON.parse(output.stdout)).toBeTypeOf('object');
        }
  });

  test('before a tool, no opinion is an explicit permission', () => {
    for (const payload of [shell, tool, server, undefined])
      for (const reply of REPLIES.slice(0, 2))
        expect(rendered('before-tool', reply, payload)).toEqual({ permission: 'allow' });
  });

  const plain = { permission: 'deny', user_message: reason, agent_message: reason };

  test('a denial', () => {
    const [, , denial] = REPLIES as [Reply, Reply, Reply];
    for (const payload of [shell, server, undefined])
      expect(rendered('before-tool', denial, payload)).toEqual(plain);
  });

  test('a denial that may be read from the file of another client has its form, too', () => {
    const hookSpecificOutput = {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    };
    expect(rendered('before-tool', { decision: 'deny', reason }, tool)).toEqual({
      ...plain,
      hookSpecificOutput,
    });
  });

  test('a question is asked of a shell command where a person is; elsewhere it is a denial', () => {
    const ask: Reply = { decision: 'ask', reason };
    const question = asQuestion(reason);
    expect(rendered('before-tool', ask, shell)).toEqual({
      permission: 'ask',
      user_message: question,
      agent_message: question,
    });
    for (const payload of [headless, tool, server, undefined]) {
      const said = rendered('before-tool', ask, payload);
      expect(said).toMatchObject({ permission: 'deny' });
      expect(said.agent_message).toContain('a person has to do it');
    }
  });

  test('an input that would be changed is refused: it would run as it was', () => {
    const [, , , , rewrite] = REPLIES as [Reply, Reply, Reply, Reply, Reply];
    expect(rendered('before-tool', rewrite, shell)).toEqual(plain);
  });

  test('text is told when a session starts, and nowhere else', () => {
    for (const event of EVENT_NAMES.filter((it) => it !== 'before-tool')) {
      const told = { decision: 'none', context: 'news' } as const;
      const expected = {
        'session-start': { additional_context: 'news' },
        'prompt-submit': { continue: true },
      }[event as string];
      expect(rendered(event, told)).toEqual(expected ?? {});
    }
    expect(CAPABILITIES.takesContext).toEqual(['session-start']);
  });
});

describe('through the hook program', () => {
  const box = sandbox(afterAll);
  const by = { agent: 'cursor' };
  const payload = recorded.read('beforeShellExecution.documented');
  const text = JSON.stringify(payload);
  const allowed = { exitCode: 0, stdout: '{"permission":"allow"}' };

  test('a payload that is cut short is denied if a release word stands in its command', async () => {
    const cut = text.slice(0, text.indexOf('origin'));
    const denied = await box.hook('before-tool', cut, by);
    expect(denied).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(denied.stdout)).toMatchObject({ permission: 'deny' });
    const harmless = cut.replace('git push', 'git status');
    expect(await box.hook('before-tool', harmless, by)).toMatchObject(allowed);
    expect(await box.hook('after-tool', cut, by)).toMatchObject({ exitCode: 0, stdout: '{}' });
    const edit = '{"tool_name":"Write","tool_input":{"content":"git push';
    expect(await box.hook('before-tool', edit, by)).toMatchObject(allowed);
  });

  test('byte order marks before a payload are passed over', async () => {
    const sent = JSON.stringify({ ...payload, cwd: box.root, command: 'ls' });
    for (const marks of ['\uFEFF', '\uFEFF\uFEFF'])
      expect(await box.hook('before-tool', marks + sent, by)).toMatchObject(allowed);
  });

  test('switched off, it says what lets the client work on', async () => {
    const off = { ...by, env: { LANEHOLD_DISABLE: '1' } };
    expect(await box.hook('before-tool', payload, off)).toMatchObject(allowed);
  });

  test('in the hook file of another client it is known by the payload, and denied in both forms', async () => {
    const sent = { ...recorded.read('preToolUse.documented'), tool_input: 'git push' };
    const denied = await box.hook('before-tool', sent, { agent: 'claude-code' });
    expect(denied.exitCode).toBe(0);
    expect(JSON.parse(denied.stdout)).toMatchObject({
      permission: 'deny',
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' },
    });
    const harmless = { ...recorded.read('preToolUse.cli-task.documented') };
    expect(await box.hook('before-tool', harmless, { agent: 'claude-code' })).toMatchObject(
      allowed,
    );
  });
});

describe('installation', () => {
  const box = sandbox(afterAll);
  const start = { node: '/usr/bin/node', hook: '/p/hook.cjs', script: '/p/hook.sh' };
  const place = { env: box.env, cwd: box.root };
  const [hooks] = cursorInstall.files('user', place, start);
  const file = hooks?.file ?? '';
  const text = hooks?.editor.plan(file, { current: undefined, bare: undefined }).text ?? '';

  test('few events, each known to the client, and what can be refused fails closed', () => {
    const written = JSON.parse(text);
    expect(written.version).toBe(1);
    const closed = Object.entries<{ failClosed?: boolean }[]>(written.hooks).map(
      ([event, [entry]]) => [event, entry?.failClosed ?? false],
    );
    expect(Object.fromEntries(closed)).toEqual({
      beforeShellExecution: true,
      beforeMCPExecution: true,
      preToolUse: true,
      afterFileEdit: false,
      beforeSubmitPrompt: false,
      sessionStart: false,
      stop: false,
    });
    expect(CAPABILITIES.failClosed).toBe('failClosed: true');
  });

  test('nothing in the file is taken for a comment', () => {
    expect(text).not.toContain('//');
    expect(problems(text, file)).toEqual([]);
  });

  test('what makes the client drop the file is told', () => {
    const link = box.write('home/.cursor/dotfile.json', text).replace('dotfile', 'hooks');
    symlinkSync('dotfile.json', link);
    expect(problems(text, link)).toEqual([expect.stringContaining('a link')]);
    const other = '{"version": 2, "hooks": {"stop": [{"command": "curl https://x"}, 7], "x": 7}}';
    expect(problems(other, file.replace('hooks.json', 'none'))).toEqual([
      'version: is not 1',
      expect.stringMatching(/^hooks\.stop\[0\]\.command: has `\/\/`/),
    ]);
    expect(problems('no JSON', '/none')).toEqual([]);
  });
});
