import { afterAll, describe, expect, test } from 'vitest';
import { copilotCliHooks } from '../../src/agents/copilot-cli/hooks.ts';
import { copilotCliInstall as install } from '../../src/agents/copilot-cli/install.ts';
import { taskChange } from '../../src/agents/copilot-cli/task-table.ts';
import { PayloadError } from '../../src/agents/kit/payload.ts';
import { EVENT_NAMES, type EventName } from '../../src/agents/types.ts';
import type { JsonObject } from '../../src/base/text/json.ts';
import { answerInProcess } from '../support/hook-in-process.ts';
import { recordedPayloads, withUnknownFields } from '../support/recorded-payloads.ts';
import { sandbox } from '../support/sandbox.ts';

const {
  adapter: copilot,
  capabilities: CAPABILITIES,
  events: EVENTS,
  sends: isFromCopilot = () => false,
} = copilotCliHooks;

const recorded = recordedPayloads('copilot-cli');
const project = '/home/dev/project';

/** What the client calls our events where an entry, or another agent's settings, has them in this spelling. */
const PASCAL: Readonly<Record<string, EventName>> = {
  SessionStart: 'session-start',
  UserPromptSubmit: 'prompt-submit',
  PreToolUse: 'before-tool',
  PostToolUse: 'after-tool',
  PostToolUseFailure: 'after-tool-failure',
  Stop: 'stop',
  PreCompact: 'before-compact',
  SessionEnd: 'session-end',
};

const shell = (command: string) => ({ call: { tool: 'shell', command, edited: [] } });
const edit = (...paths: string[]) => ({
  call: { tool: 'edit', paths: paths.map((it) => `${project}/${it}`) },
});
const other = (name: string) => ({ call: { tool: 'other', name } });
const server = { call: { tool: 'mcp', server: 'tiny', name: 'add', input: { a: 2, b: 3 } } };
const added = {
  kind: 'tasks',
  change: { of: 'several', tasks: [{ id: 'a', title: 'b', status: 'pending' }] },
};
const patched = edit('src/app.txt', 'src/added.txt');

/** What a file is for us beyond its event; the others have nothing more. */
const MORE: Readonly<Record<string, object>> = {
  sessionStart: { source: 'new' },
  'sessionStart.resume': { source: 'resumed' },
  'preToolUse.bash': shell('git push origin HEAD'),
  'preToolUse.bash.async': shell('sleep 1; echo bg'),
  'preToolUse.bash.in-subagent': shell('git push origin HEAD:refs/heads/sub'),
  'preToolUse.edit': edit('src/app.txt'),
  'preToolUse.create': edit('src/new.txt'),
  'preToolUse.apply_patch': patched,
  'preToolUse.task': other('task'),
  'preToolUse.tiny-add': server,
  'preToolUse.sql': other('sql'),
  'postToolUse.edit': { ...edit('src/app.txt'), failed: false },
  'postToolUse.apply_patch': { ...patched, failed: false },
  'postToolUse.tiny-add': server,
  'postToolUse.sql': added,
  'postToolUseFailure.edit': { ...edit('src/app.txt'), failed: true },
  agentStop: { continued: false },
  'agentStop.after-block': { continued: true },
  sessionEnd: { reason: 'complete' },
  'sessionEnd.error': { reason: 'error' },
  'pascal.SessionStart': { source: 'new' },
  'pascal.PreToolUse.Bash': shell('echo out; echo err >&2; exit 3'),
  'pascal.PreToolUse.Edit': edit('src/app.txt'),
  'pascal.PreToolUse.Write': edit('src/new.txt'),
  'pascal.PostToolUse.sql': added,
  'pascal.PostToolUseFailure.Edit': { ...edit('src/app.txt'), failed: true },
  'pascal.Stop': { continued: false },
};

function eventOf(name: string): EventName | undefined {
  const [first = '', second = ''] = name.split('.');
  if (first === 'pascal') return PASCAL[second];
  return EVENT_NAMES.find((it) => (EVENTS as Partial<Record<EventName, string>>)[it] === first);
}

const asked = recorded.names.flatMap((name) => {
  const event = eventOf(name);
  return event === undefined ? [] : [[name, event] as const];
});
/** A call without the arguments that it needs: the client itself refuses it. */
const INCOMPLETE = ['postToolUseFailure.create', 'pascal.PostToolUseFailure.Write'];

describe('parse', () => {
  test.each(asked.filter(([name]) => !INCOMPLETE.includes(name)))(
    'understands the recorded %s',
    (name, event) => {
      const payload = recorded.read(name);
      const kind = event.replace('-failure', '');
      const session = payload.sessionId ?? payload.session_id;
      const expected = { session, cwd: project, kind, ...MORE[name] };
      expect(copilot.parse(event, payload, '/elsewhere')).toMatchObject(expected);
      expect(copilot.parse(event, withUnknownFields(payload), '/elsewhere')).toMatchObject(
        expected,
      );
    },
  );

  test('each of them says more than that it happened, or is expected to', () => {
    const names = asked.map(([name]) => name);
    expect(Object.keys(MORE).filter((it) => !names.includes(it))).toEqual([]);
    expect(
      recorded.names.filter((it) => !names.includes(it)).map((it) => it.replace('pascal.', '')),
    ).toSatisfy((rest: string[]) =>
      rest.every((it) => /^(?:errorO|notif|permissionR|subagentS|userPromptT)/i.test(it)),
    );
  });

  const callOf = (fields: object): JsonObject => ({
    ...recorded.read('preToolUse.bash'),
    ...fields,
  });

  test('arguments as the text of an object, and a patch in an object', () => {
    const text = callOf({ toolArgs: '{"command":"git push","description":"p"}' });
    expect(copilot.parse('before-tool', text, '/')).toMatchObject(shell('git push'));
    const { toolArgs: input } = recorded.read('preToolUse.apply_patch');
    const patch = callOf({ toolName: 'apply_patch', toolArgs: { input } });
    expect(copilot.parse('before-tool', patch, '/')).toMatchObject(patched);
  });

  test.each([
    ['github-mcp-server-push_files', 'github-mcp-server', 'push_files'],
    ['npm-publish-package', 'npm', 'publish-package'],
    ['github/push_files', 'github', 'push_files'],
  ])('the tool %s is of the server %s', (toolName, its, name) => {
    const payload = callOf({ toolName, toolArgs: {} });
    expect(copilot.parse('before-tool', payload, '/')).toMatchObject({
      call: { tool: 'mcp', server: its, name },
    });
  });

  test.each([
    ['no object', 7],
    ['no tool', callOf({ toolName: undefined })],
    ['no input', callOf({ toolArgs: 'ls' })],
    ['no command', callOf({ toolArgs: {} })],
    ['a patch that is no text', callOf({ toolName: 'apply_patch', toolArgs: 7 })],
    ['a file that is no path', callOf({ toolName: 'create', toolArgs: { path: '' } })],
  ])('before a tool, %s is an error; otherwise it is no event', (_, payload) => {
    expect(() => copilot.parse('before-tool', payload, '/')).toThrow(PayloadError);
    expect(copilot.parse('after-tool', payload, '/')).toBeUndefined();
  });
});

describe('the table of tasks', () => {
  const one = (id: string, title: string | undefined, status: string | undefined) => ({
    id,
    title,
    status,
  });
  test.each([
    [
      "INSERT INTO todos (id, title, description, status) VALUES ('a', 'It''s (new)', 'x, y', 'in_progress'), ('b', 'B', '', 'done');",
      [one('a', "It's (new)", 'in_progress'), one('b', 'B', 'completed')],
    ],
    ["insert or replace into todos(title,id) values('A','a')", [one('a', 'A', 'pending')]],
    ["UPDATE todos SET status = 'done' WHERE id = 'a'", [one('a', undefined, 'completed')]],
    [
      "UPDATE todos SET status='done', title='x; y' WHERE id IN ('a','b'); UPDATE todos SET status='pending' WHERE id='c'",
      [
        one('a', 'x; y', 'completed'),
        one('b', 'x; y', 'completed'),
        one('c', undefined, 'pending'),
      ],
    ],
    ['SELECT * FROM todos', undefined],
    ["UPDATE todos SET status = 'done'", undefined],
    ["INSERT INTO todo_deps (todo_id, depends_on) VALUES ('a','b')", undefined],
    ["INSERT INTO todos (id, title) VALUES ('a'", undefined],
  ])('%s', (query, tasks) => {
    expect(taskChange(query)).toEqual(tasks && { of: 'several', tasks });
  });
});

describe('render', () => {
  const reason = 'lanehold holds this push: cart';

  test('a denial has no wrapper, which counts in both spellings, and an exit code that denies alone', () => {
    const { stdout, stderr, exitCode } = copilot.render('before-tool', {
      decision: 'deny',
      reason,
    });
    expect(JSON.parse(stdout)).toEqual({
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    });
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 2 });
  });

  test('a question is asked: without a person the client takes it for a denial', () => {
    const { stdout, exitCode } = copilot.render('before-tool', { decision: 'ask', reason });
    expect(JSON.parse(stdout)).toMatchObject({ permissionDecision: 'ask' });
    expect(exitCode).toBe(0);
  });

  test('a rewritten command comes with all its other arguments, and is granted nothing', () => {
    const event = copilot.parse('before-tool', recorded.read('preToolUse.bash'), '/');
    if (event?.kind !== 'before-tool' || event.call.tool !== 'shell') throw new Error('no shell');
    const input = event.call.rewritten?.('true && git push') ?? {};
    const { stdout } = copilot.render('before-tool', {
      decision: 'rewrite',
      input,
      context: 'why',
    });
    expect(JSON.parse(stdout)).toEqual({
      modifiedArgs: { command: 'true && git push', description: 'Publish the branch' },
      additionalContext: 'why',
    });
  });

  test.each(EVENT_NAMES)('%s: nothing but one JSON document, and no failure', (event) => {
    expect(copilot.render(event, { decision: 'none' })).toEqual({
      stdout: '',
      stderr: '',
      exitCode: 0,
    });
    const told = copilot.render(event, { decision: 'none', context: 'news' }).stdout;
    const takes = CAPABILITIES.takesContext.includes(event);
    expect(told === '' ? undefined : JSON.parse(told)).toEqual(
      takes ? { additionalContext: 'news' } : undefined,
    );
    if (event === 'before-tool') return;
    // Refused by any other event, a prompt would be lost, and a turn never end.
    const denied = copilot.render(event, { decision: 'deny', reason });
    expect(denied).toMatchObject({ exitCode: 0, stderr: '' });
    expect(denied.stdout).not.toMatch(/decision|permission/);
  });
});

describe('the hook program', () => {
  const box = sandbox(afterAll);
  const hook = (input: string, { agent = 'copilot-cli', more = {} } = {}) =>
    answerInProcess({
      args: ['before-tool', '--agent', agent],
      cwd: box.root,
      env: { ...box.env, COPILOT_CLI: '1', ...more },
      input,
    });
  const push = JSON.stringify(recorded.read('preToolUse.bash'));
  const pascal = JSON.stringify({
    ...recorded.read('pascal.PreToolUse.Bash'),
    tool_input: { command: ['git push'] },
  });

  test.each([
    ['cut short', push.slice(0, push.indexOf('HEAD'))],
    ['no JSON', 'git push'],
    ['of an unknown form', pascal],
  ])('denies a payload that is %s and has a release word', async (_, input) => {
    const { stdout, exitCode } = await hook(input);
    expect(JSON.parse(stdout)).toMatchObject({ permissionDecision: 'deny' });
    expect(exitCode).toBe(2);
  });

  test.each([
    ['without such a word', push.replace('git push', 'git log').slice(0, -20)],
    ['of an edit', '{"toolName":"create","toolArgs":{"file_text":"git push'],
  ])('says nothing to a payload %s: any failure would block the tool', async (_, input) => {
    expect(await hook(input)).toMatchObject({ stdout: '', stderr: '', exitCode: 0 });
  });

  test('answers in the form of this client where another agent’s settings made it call, each time', async () => {
    const first = await hook(pascal, { agent: 'claude-code' });
    expect(JSON.parse(first.stdout)).toMatchObject({ permissionDecision: 'deny' });
    expect(await hook(pascal, { agent: 'claude-code' })).toEqual(first);
  });

  test('knows its own payloads, and none of others', () => {
    const own = { COPILOT_CLI: '1' };
    for (const [name, event] of asked) {
      // Of these two there is no spelling without the variable.
      expect([name, event, isFromCopilot(recorded.read(name), own)]).toEqual([name, event, true]);
    }
    expect(isFromCopilot(JSON.parse(pascal), {})).toBe(false);
    for (const agent of ['grok', 'antigravity']) {
      const theirs = recordedPayloads(agent);
      for (const name of theirs.names) {
        expect([name, isFromCopilot(theirs.read(name), {})]).toEqual([name, false]);
      }
    }
    // Another agent that was started in a shell of this one inherits the variable.
    const nested = { hook_event_name: 'PreToolUse', session_id: 's', permission_mode: 'default' };
    expect(isFromCopilot(nested, own)).toBe(false);
  });
});

describe('installation', () => {
  const place = { env: { HOME: '/home/dev' }, cwd: '/' };
  const start = { node: '/n/node', hook: '/p/hook.cjs', script: '/home/dev/.lanehold/hook.sh' };
  const [file] = install.files('user', place, start);
  const text = file?.editor.plan(file.file, { current: undefined, bare: undefined }).text ?? '';
  const { version, hooks } = JSON.parse(text);

  test('is a file of its own in the user’s folder, which needs no trust', () => {
    expect(file?.file).toBe('/home/dev/.copilot/hooks/lanehold.json');
    expect(version).toBe(1);
    // In this spelling payloads have the client's own names.
    expect(Object.keys(hooks)).toEqual(Object.values(EVENTS));
    expect(hooks.preToolUse[0]).toMatchObject({
      type: 'command',
      bash: expect.stringMatching(/^\/bin\/sh -c /),
      timeoutSec: 60,
    });
    expect(file?.editor.withoutOurs(file.file, text)?.trim()).toMatch(
      /^\{\s*\}$|^\{\s*"version": 1\s*\}$/,
    );
  });

  test.each([
    ['bash', true],
    ['edit', true],
    ['create', true],
    ['apply_patch', true],
    ['github-mcp-server-push_files', true],
    ['view', false],
    ['read_bash', false],
    ['grep', false],
  ])('before the tool %s a hook is asked: %s', (tool, isAsked) => {
    // The client compares with the whole name.
    expect(new RegExp(`^(?:${hooks.preToolUse[0].matcher})$`).test(tool)).toBe(isAsked);
  });

  test.each([
    ['postToolUse', 'sql', true],
    ['postToolUse', 'bash', false],
    ['postToolUseFailure', 'edit', true],
  ])('%s of %s is heard: %s', (event, tool, isHeard) => {
    expect(new RegExp(`^(?:${hooks[event][0].matcher})$`).test(tool)).toBe(isHeard);
  });

  test('for a project it is in the settings that are not committed', () => {
    const [local] = install.files('project', { ...place, cwd: '/' }, start);
    expect(local?.file).toMatch(/\/\.github\/copilot\/settings\.local\.json$/);
  });

  test('follows the variable that moves the folder', () => {
    const [moved] = install.files('user', { ...place, env: { COPILOT_HOME: '/other' } }, start);
    expect(moved?.file).toBe('/other/hooks/lanehold.json');
  });

  test('a switch of the repository turns off the user’s hooks too', () => {
    expect(install.offSwitches?.('/s.json', '{"disableAllHooks": true}')).toEqual([
      'disableAllHooks',
    ]);
    expect(install.offSwitches?.('/s.json', '{"disableAllHooks": false}')).toEqual([]);
    expect(install.settingsFilesInForce({ ...place, cwd: '/' })).toEqual(
      expect.arrayContaining(['/.github/copilot/settings.json', '/.claude/settings.json']),
    );
  });
});
