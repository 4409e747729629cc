import { afterAll, describe, expect, test } from 'vitest';
import { antigravityHooks } from '../../src/agents/antigravity/hooks.ts';
import { antigravityInstall } from '../../src/agents/antigravity/install.ts';
import { problems } from '../../src/agents/antigravity/problems.ts';
import { PayloadError } from '../../src/agents/kit/payload.ts';
import { EVENT_NAMES, type EventName, type Reply } from '../../src/agents/types.ts';
import { recordedPayloads, withUnknownFields } from '../support/recorded-payloads.ts';
import { sandbox } from '../support/sandbox.ts';

const { adapter: antigravity, capabilities: CAPABILITIES } = antigravityHooks;

const recorded = recordedPayloads('antigravity');
const SESSION = '1f2e3d4c-5b6a-4788-9900-aabbccddeeff';
const project = '/home/dev/project';
/** The folder of the user's settings, in which the client starts hooks. */
const ELSEWHERE = '/home/dev/.gemini/config';
const parse = (event: EventName, payload: unknown) => antigravity.parse(event, payload, ELSEWHERE);

/** What each file is for us. */
const FILES: Readonly<Record<string, readonly [EventName, object | undefined]>> = {
  'PreToolUse.run_command.documented': [
    'before-tool',
    { call: { tool: 'shell', command: 'git push origin main', edited: [] } },
  ],
  'PreToolUse.headless-empty-workspace.documented': [
    'before-tool',
    { call: { tool: 'shell', command: 'git push origin main', edited: [] } },
  ],
  'PreToolUse.replace_file_content.documented': [
    'before-tool',
    { call: { tool: 'edit', paths: [`${project}/src/checkout.ts`] } },
  ],
  'PreToolUse.view_file.documented': [
    'before-tool',
    { call: { tool: 'other', name: 'view_file' } },
  ],
  'PostToolUse.cli.documented': [
    'after-tool',
    { failed: false, call: { tool: 'edit', paths: [`${project}/src/tax.ts`] } },
  ],
  'PostToolUse.ide.documented': ['after-tool', undefined],
  'PreInvocation.documented': ['prompt-submit', { kind: 'session-start', source: 'new' }],
  'PostInvocation.documented': ['task-created', undefined],
  'SessionStart.documented': ['session-start', undefined],
  'Stop.documented': ['stop', { continued: false }],
};

describe('parse', () => {
  test('every recorded payload is known here', () => {
    expect(recorded.names.toSorted()).toEqual(Object.keys(FILES).toSorted());
  });

  test.each(Object.entries(FILES))('understands %s', (name, [event, fields]) => {
    const payload = recorded.read(name);
    for (const sent of [payload, withUnknownFields(payload)]) {
      if (fields === undefined) expect(parse(event, sent)).toBeUndefined();
      else {
        const expected = { session: SESSION, cwd: project, kind: event, ...fields };
        expect(parse(event, sent)).toMatchObject(expected);
      }
    }
  });

  const call = (name: string, args: object, workspacePaths: unknown = [project]) =>
    parse('before-tool', { conversationId: 's', workspacePaths, toolCall: { name, args } });
  const run = (args: object, workspacePaths?: unknown) =>
    call('run_command', { CommandLine: 'ls', ...args }, workspacePaths);

  test('the folder of a command is its own, then that of the workspace, never that of the process', () => {
    expect(run({ Cwd: '/home/dev/other' })).toMatchObject({ cwd: '/home/dev/other' });
    expect(run({ Cwd: 'packages/a' })).toMatchObject({ cwd: `${project}/packages/a` });
    expect(run({})).toMatchObject({ cwd: project });
    expect(run({ Cwd: '/home/dev/other' }, [])).toMatchObject({ cwd: '/home/dev/other' });
    expect(() => run({}, [])).toThrow(PayloadError);
    expect(() => run({}, undefined as unknown as [])).not.toThrow();
    expect(() => run({ Cwd: 'packages/a' }, [7])).toThrow('it names no folder');
  });

  test('the folder of an edit is that of the workspace, else that of the file', () => {
    const edit = (TargetFile: string, paths: unknown) =>
      call('write_to_file', { TargetFile }, paths);
    expect(edit(`${project}/src/a.ts`, [project])).toMatchObject({ cwd: project });
    expect(edit(`${project}/src/a.ts`, [])).toMatchObject({ cwd: `${project}/src` });
    expect(edit('src/a.ts', [project])).toMatchObject({
      call: { tool: 'edit', paths: [`${project}/src/a.ts`] },
    });
    expect(() => edit('src/a.ts', [])).toThrow(PayloadError);
  });

  test.each(['write_to_file', 'replace_file_content', 'multi_replace_file_content'])(
    '%s edits a file',
    (name) => {
      const TargetFile = `${project}/src/a.ts`;
      expect(call(name, { TargetFile })).toMatchObject({
        call: { tool: 'edit', paths: [TargetFile] },
      });
    },
  );

  test.each([
    [{ ServerName: 'github', ToolName: 'push_files', Arguments: { branch: 'main' } }],
    [{ server: 'github', tool: 'push_files', arguments: '{"branch":"main"}' }],
  ])('a tool of a server, as %j', (args) => {
    const expected = {
      tool: 'mcp',
      server: 'github',
      name: 'push_files',
      input: { branch: 'main' },
    };
    expect(call('call_mcp_tool', args)).toMatchObject({ call: expected });
  });

  test('only the first call of a turn is the start of one', () => {
    const invocation = (fields: object) =>
      parse('prompt-submit', { ...recorded.read('PreInvocation.documented'), ...fields });
    expect(invocation({})).toMatchObject({ kind: 'session-start' });
    expect(invocation({ invocationNum: 1 })).toMatchObject({ kind: 'prompt-submit' });
    expect(invocation({ workspacePaths: [] })).toBeUndefined();
  });

  test('a stop counts when nothing runs in the background any more', () => {
    const stopped = (fields: object) =>
      parse('stop', { ...recorded.read('Stop.documented'), ...fields });
    expect(stopped({ fullyIdle: false })).toBeUndefined();
    expect(stopped({ terminationReason: 'ERROR' })).toMatchObject({ kind: 'stop' });
  });

  test('an older version says nothing of the tool after it', () => {
    const payload = { ...recorded.read('PostToolUse.cli.documented'), toolCall: null };
    expect(parse('after-tool', payload)).toBeUndefined();
  });

  test.each([
    ['no object', []],
    ['no tool', {}],
    ['no name', { toolCall: {} }],
    ['no command', { toolCall: { name: 'run_command' } }],
    ['no file', { toolCall: { name: 'write_to_file', args: {} } }],
  ])('before a tool, %s is an error; otherwise it is no event', (_, payload) => {
    expect(() => parse('before-tool', payload)).toThrow(PayloadError);
    expect(parse('after-tool', payload)).toBeUndefined();
  });
});

describe('render', () => {
  const reason = 'lanehold holds this push: cart';
  const nothing = { stdout: '', stderr: '', exitCode: 0 };
  const REPLIES: readonly Reply[] = [
    { decision: 'none' },
    { decision: 'none', context: 'news' },
    { decision: 'deny', reason },
    { decision: 'ask', reason },
    { decision: 'rewrite', input: { CommandLine: 'true' }, context: reason },
  ];

  test('no answer to any event has an exit code that blocks', () => {
    for (const event of EVENT_NAMES)
      for (const reply of REPLIES)
        expect(antigravity.render(event, reply)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('before a tool, no opinion is nothing at all: an empty object would deny', () => {
    expect(antigravity.render('before-tool', { decision: 'none' })).toEqual(nothing);
    expect(antigravity.render('before-tool', { decision: 'none', context: 'news' })).toEqual(
      nothing,
    );
  });

  test.each(REPLIES.slice(2))('before a tool, $decision is a denial with its reason', (reply) => {
    const said = JSON.parse(antigravity.render('before-tool', reply).stdout);
    expect(said).toEqual({ decision: 'deny', reason: expect.stringContaining(reason) });
    expect(said.reason.includes('a person has to do it')).toBe(reply.decision === 'ask');
  });

  test('before a call of the model nothing is said but what is put before it', () => {
    const shown = REPLIES.map((it) => JSON.parse(antigravity.render('prompt-submit', it).stdout));
    const put = (ephemeralMessage: string) => ({ injectSteps: [{ ephemeralMessage }] });
    expect(shown).toEqual([{}, put('news'), put(reason), put(reason), put(reason)]);
  });

  test.each(['after-tool', 'stop'] as const)('%s is answered with an empty object', (event) => {
    for (const it of REPLIES) expect(antigravity.render(event, it).stdout).toBe('{}');
  });

  test('an event that the client does not have is answered with nothing', () => {
    for (const event of ['session-end', 'task-created', 'before-compact'] as const)
      for (const it of REPLIES) expect(antigravity.render(event, it)).toEqual(nothing);
  });

  test('what it says of itself is what it does', () => {
    expect(CAPABILITIES).toMatchObject({
      asks: [],
      rewritesInput: [],
      takesContext: ['prompt-submit'],
    });
  });
});

describe('install', () => {
  const start = { node: '/opt/node', hook: '/opt/hook.cjs', script: '/home/dev/.lanehold/hook.sh' };
  const place = { env: { HOME: '/home/dev' }, cwd: project };
  const [file] = antigravityInstall.files('user', place, start);
  const written = (current?: string) =>
    file?.editor.plan(file.file, { current, bare: current }).text ?? '';

  test('its hooks stand under a name of their own, in groups only where they belong to a tool', () => {
    const { lanehold } = JSON.parse(written());
    const entry = (event: string, timeout: number) => ({
      type: 'command',
      command: expect.stringMatching(
        new RegExp(`^/bin/sh -c .* '${event}' '--agent' 'antigravity'$`),
      ),
      timeout,
    });
    const edits = 'write_to_file|replace_file_content|multi_replace_file_content';
    expect(lanehold).toEqual({
      PreInvocation: [entry('prompt-submit', 15)],
      PreToolUse: [
        { matcher: `run_command|${edits}|call_mcp_tool`, hooks: [entry('before-tool', 60)] },
      ],
      PostToolUse: [{ matcher: edits, hooks: [entry('after-tool', 15)] }],
      Stop: [entry('stop', 30)],
    });
    expect(file?.file).toBe('/home/dev/.gemini/config/hooks.json');
    expect(problems(written())).toEqual([]);
  });

  test('what the user has there stays', () => {
    const mine = '{\n  "mine": { "Stop": [] }\n}\n';
    const text = written(mine);
    expect(JSON.parse(text)).toMatchObject({ mine: { Stop: [] }, lanehold: {} });
    expect(file?.editor.withoutOurs(file.file, text, mine)).toBe(mine);
  });

  test.each([
    ['{"a": {"Stop": [{"timeout": 1.5}]}}', 'a.Stop[0].timeout: is no whole number of seconds'],
    ['{"a": {"PreToolUse": [{"hooks": [{"timeout": "20"}]}]}}', 'a.PreToolUse[0].hooks[0].timeout'],
    ['{"enabled": true}', 'enabled: is no object'],
    ['{"a": {"enabled": 1}}', 'a.enabled: is neither true nor false'],
    ['[]', 'it is no JSON object'],
  ])('doctor says why the client would drop all of %s', (text, problem) => {
    expect(problems(text)).toEqual([expect.stringContaining(problem)]);
  });

  test('doctor finds that they were switched off', () => {
    const off = (text: string) => antigravityInstall.offSwitches?.('hooks.json', text);
    expect(off('{"lanehold": {"enabled": false}}')).toEqual(['lanehold.enabled']);
    expect(off('{"lanehold": {"enabled": true}, "b": {"enabled": false}}')).toEqual([]);
  });
});

describe('through the hook program', () => {
  const box = sandbox(afterAll);
  const by = { agent: 'antigravity' };
  const payload = recorded.read('PreToolUse.run_command.documented');
  const text = JSON.stringify(payload);

  test('a payload that is cut short is denied if a release word stands in its command', async () => {
    const cut = text.slice(0, text.indexOf('origin'));
    const denied = await box.hook('before-tool', cut, by);
    expect(denied).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(denied.stdout)).toEqual({ decision: 'deny', reason: expect.any(String) });
    const harmless = cut.replace('git push', 'git status');
    expect(await box.hook('before-tool', harmless, by)).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await box.hook('after-tool', cut, by)).toMatchObject({ exitCode: 0, stdout: '{}' });
    expect(await box.hook('prompt-submit', cut, by)).toMatchObject({ exitCode: 0, stdout: '{}' });
  });

  test('switched off, it says what lets the client work on', async () => {
    const off = { ...by, env: { LANEHOLD_DISABLE: '1' } };
    expect(await box.hook('before-tool', payload, off)).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await box.hook('stop', payload, off)).toMatchObject({ exitCode: 0, stdout: '{}' });
  });

  test('in the hook file of another client it is known by the shape of the payload', async () => {
    const sent = {
      ...payload,
      workspacePaths: [],
      toolCall: { name: 'run_command', args: 'git push' },
    };
    const said = await box.hook('before-tool', sent, { agent: 'claude-code' });
    expect(said.exitCode).toBe(0);
    expect(JSON.parse(said.stdout)).toMatchObject({ decision: 'deny' });
  });
});
