import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { kiroHooks } from '../../src/agents/kiro/hooks.ts';
import { asQuestion } from '../../src/agents/kit/hooks.ts';
import { PayloadError } from '../../src/agents/kit/payload.ts';
import { EVENT_NAMES, type EventName, type Reply } from '../../src/agents/types.ts';
import { installHooks, uninstallHooks } from '../../src/app/setup/installation.ts';
import { sandbox as installSandbox } from '../install/sandbox.ts';
import { recordedPayloads, withUnknownFields } from '../support/recorded-payloads.ts';
import { sandbox } from '../support/sandbox.ts';

const { adapter: kiro } = kiroHooks;

const recorded = recordedPayloads('kiro');
const SESSION = 'd3a1f5c2-7777-4888-9999-aaaabbbbcccc';
const project = '/home/dev/project';
const parse = (event: EventName, payload: unknown) => kiro.parse(event, payload, '/elsewhere');

const push = { call: { tool: 'shell', command: 'git push origin main', edited: [] } };
const written = { failed: false, call: { tool: 'edit', paths: [`${project}/src/tax.ts`] } };
const task = { id: 'checkout: 1.2 Add tax to total', title: '1.2 Add tax to total' };

/** What each file is for us. */
const FILES: Readonly<Record<string, readonly [EventName, object]>> = {
  'SessionStart.documented': ['session-start', { source: 'new' }],
  'UserPromptSubmit.documented': ['prompt-submit', {}],
  'PreToolUse.shell.documented': ['before-tool', push],
  'PreToolUse.str_replace.documented': [
    'before-tool',
    { call: { tool: 'edit', paths: [`${project}/src/checkout.ts`] } },
  ],
  'PostToolUse.fs_write.documented': ['after-tool', written],
  'PreCompact.documented': ['before-compact', {}],
  'PostCompact.documented': ['session-start', { source: 'compacted' }],
  'PreTaskExec.documented': [
    'task-created',
    { kind: 'tasks', change: { of: 'one', ...task, status: 'in_progress' } },
  ],
  'PostTaskExec.documented': [
    'task-completed',
    { kind: 'tasks', change: { of: 'one', ...task, status: 'completed' } },
  ],
  'Stop.documented': ['stop', { continued: false }],
  'SessionEnd.documented': ['session-end', {}],
  'v2.agentSpawn.documented': ['session-start', { session: '', source: 'new' }],
  'v2.userPromptSubmit.documented': ['prompt-submit', { session: '' }],
  'v2.preToolUse.documented': ['before-tool', { session: '', ...push }],
  'v2.postToolUse.fs_write.documented': ['after-tool', { session: '', ...written }],
  'v2.postToolUse.shell.documented': [
    'after-tool',
    { session: '', failed: false, call: { tool: 'shell', command: 'npm test' } },
  ],
  'v2.stop.documented': ['stop', { session: '' }],
};
/** Moments of a person, not of the agent. */
const NOT_ASKED_FOR = ['Manual', 'PostFileCreate', 'PostFileDelete', 'PostFileSave'];

describe('parse', () => {
  test('every recorded payload is known here', () => {
    const asked = recorded.names.filter((it) => !NOT_ASKED_FOR.includes(it.split('.')[0] ?? ''));
    expect(asked.toSorted()).toEqual(Object.keys(FILES).toSorted());
  });

  test.each(Object.entries(FILES))('understands %s', (name, [event, fields]) => {
    const expected = { session: SESSION, cwd: project, kind: event, ...fields };
    const payload = recorded.read(name);
    const native = String(payload.hook_event_name);
    const otherCase = native.replace(/^[a-z]/, (it) => it.toUpperCase());
    for (const sent of [payload, withUnknownFields(payload)]) {
      expect(parse(event, sent)).toMatchObject(expected);
      const recased = { ...(sent as object), hook_event_name: otherCase };
      expect(parse(event, recased)).toMatchObject(expected);
    }
  });

  const tool = (tool_name: string, tool_input: unknown, more = {}) => ({
    session_id: 's',
    cwd: project,
    tool_name,
    tool_input,
    ...more,
  });

  test.each([
    ['shell', { command: 'ls' }, { tool: 'shell', command: 'ls' }],
    ['fs_append', { path: 'a.txt', text: 'x' }, { tool: 'edit', paths: [`${project}/a.txt`] }],
    [
      '@github/push_files',
      { branch: 'main' },
      { tool: 'mcp', server: 'github', name: 'push_files' },
    ],
    ['subagent_planner', { prompt: 'push it' }, { tool: 'other', name: 'subagent_planner' }],
    ['fs_write', {}, { tool: 'other', name: 'fs_write' }],
  ])('%s', (name, input, call) => {
    expect(parse('before-tool', tool(name, input))).toMatchObject({ call });
  });

  test('the folder of a command is its own', () => {
    const run = (cwd: string) => tool('execute_bash', { command: 'ls', cwd });
    expect(parse('before-tool', run('packages/a'))).toMatchObject({ cwd: `${project}/packages/a` });
    expect(parse('before-tool', run('/other'))).toMatchObject({ cwd: '/other' });
    expect(parse('before-tool', run(''))).toMatchObject({ cwd: project });
  });

  test('a tool that failed, a task that failed', () => {
    const failed = tool('fs_write', { path: 'a' }, { tool_response: { success: false } });
    expect(parse('after-tool', failed)).toMatchObject({ failed: true });
    const payload = { ...recorded.read('PostTaskExec.documented'), task_success: false };
    expect(parse('task-completed', payload)).toMatchObject({ change: { status: 'in_progress' } });
    expect(parse('task-completed', { task_name: 7 })).toBeUndefined();
  });

  test.each([
    ['no object', 'git push'],
    ['no tool', {}],
    ['no command', tool('execute_bash', {})],
    ['a folder that is no path', tool('execute_bash', { command: 'ls' }, { cwd: 'a\0' })],
  ])('before a tool, %s is an error; otherwise it is no event', (_, payload) => {
    expect(() => parse('before-tool', payload)).toThrow(PayloadError);
    expect(parse('after-tool', payload)).toBeUndefined();
  });
});

describe('render', () => {
  const reason = 'lanehold holds this push: cart';
  const nothing = { stdout: '', stderr: '', exitCode: 0 };
  const denial = { stdout: '', stderr: expect.stringContaining(reason), exitCode: 2 };
  const payload = recorded.read('PreToolUse.shell.documented');
  const headless = recorded.read('v2.preToolUse.documented');

  test('a denial is an exit code and a reason on stderr', () => {
    const refusals: readonly Reply[] = [
      { decision: 'deny', reason },
      { decision: 'rewrite', input: {}, context: reason },
    ];
    for (const reply of refusals)
      expect(kiro.render('before-tool', reply, payload)).toEqual(denial);
  });

  test('a question is JSON where a person is, and a denial where none may be', () => {
    const ask: Reply = { decision: 'ask', reason };
    const { stdout, ...rest } = kiro.render('before-tool', ask, payload);
    expect(rest).toEqual({ stderr: '', exitCode: 0 });
    expect(JSON.parse(stdout)).toEqual({
      hookSpecificOutput: {
        permissionDecision: 'ask',
        permissionDecisionReason: asQuestion(reason),
      },
    });
    for (const sent of [headless, undefined])
      expect(kiro.render('before-tool', ask, sent)).toEqual(denial);
  });

  test('text for the model is plain, where it is read; no other moment is refused', () => {
    for (const event of EVENT_NAMES) {
      const isRead = ['session-start', 'prompt-submit'].includes(event);
      const output = kiro.render(event, { decision: 'none', context: ' news\n' });
      expect(output).toEqual(isRead ? { ...nothing, stdout: 'news' } : nothing);
      expect(kiro.render(event, { decision: 'none' })).toEqual(nothing);
      if (event === 'before-tool') continue;
      const refused = kiro.render(event, { decision: 'deny', reason });
      expect(refused).toEqual(isRead ? { ...nothing, stdout: reason } : nothing);
    }
  });
});

/** What was installed besides skills. */
const hooksIn = ({ agents }: { agents: readonly { files: readonly { what: string }[] }[] }) =>
  agents[0]?.files.map(({ what }) => what).filter((what) => !what.startsWith('skill '));

describe('the hooks in files of agents, which the older version reads', () => {
  const agents = { agents: ['kiro'], scope: 'user', dryRun: false } as const;
  const reviewer = '{\n  "name": "reviewer",\n  "hooks": { "stop": [ {"command": "mine"} ] }\n}\n';

  test('are put into each, and out of it again; one that was deleted is forgotten', async () => {
    const box = installSandbox();
    const { context } = box.context();
    const file = box.put('home/.kiro/agents/reviewer.json', reviewer);
    const other = box.put('home/.kiro/agents/plain.json', '{"name": "plain"}');
    const done = await installHooks(context, agents, box.runtime);
    expect(hooksIn(done)).toEqual([
      'hooks',
      'hooks of the agent plain',
      'hooks of the agent reviewer',
    ]);
    const { hooks } = JSON.parse(readFileSync(file, 'utf8'));
    expect(Object.keys(hooks).toSorted()).toEqual(
      ['agentSpawn', 'userPromptSubmit', 'preToolUse', 'postToolUse', 'stop'].toSorted(),
    );
    expect(hooks.stop).toHaveLength(2);
    expect(hooks.preToolUse).toEqual([
      { command: expect.stringContaining("'before-tool'"), timeout_ms: 60_000 },
    ]);
    rmSync(other);
    const { checkAgents } = await import('../../src/app/setup/doctor-agents.ts');
    const facts = (await checkAgents(context)).map(({ fact }) => fact).join('\n');
    expect(facts).toContain(`the hooks in ${file} start another copy`);
    expect(facts).not.toContain('plain');
    await uninstallHooks(context, { agents: ['kiro'], dryRun: false });
    expect(readFileSync(file, 'utf8')).toBe(reviewer);
    expect(existsSync(join(box.home, '.kiro/hooks'))).toBe(false);
  });

  test('are not put into those of a repository, which are committed', async () => {
    const box = installSandbox();
    const { context } = box.context();
    box.put('project/.kiro/agents/shared.json', '{"name": "shared"}');
    const wish = { ...agents, scope: 'project' } as const;
    const done = await installHooks(context, { ...wish, dryRun: true }, box.runtime);
    expect(hooksIn(done)).toEqual(['hooks']);
  });
});

describe('through the hook program', () => {
  const box = sandbox(afterAll);
  const by = { agent: 'kiro' };
  const text = JSON.stringify(recorded.read('PreToolUse.shell.documented'));
  const passed = { exitCode: 0, stdout: '', stderr: '' };

  test('a payload that is cut short is denied if a release word stands in its command', async () => {
    const cut = text.slice(0, text.indexOf('origin'));
    expect(await box.hook('before-tool', cut, by)).toMatchObject({ exitCode: 2, stdout: '' });
    const harmless = cut.replace('git push', 'git status');
    expect(await box.hook('before-tool', harmless, by)).toMatchObject(passed);
    const edit = '{"tool_name":"fs_write","tool_input":{"path":"a","text":"git push';
    expect(await box.hook('before-tool', edit, by)).toMatchObject(passed);
  });

  test('versions that send nothing at all are not stopped', async () => {
    for (const event of EVENT_NAMES) expect(await box.hook(event, '', by)).toMatchObject(passed);
  });
});
