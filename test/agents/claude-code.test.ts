import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { claudeCodeHooks } from '../../src/agents/claude-code/hooks.ts';
import { asQuestion } from '../../src/agents/kit/hooks.ts';
import { PayloadError } from '../../src/agents/kit/payload.ts';
import { findHookAgent } from '../../src/agents/registry.ts';
import { EVENT_NAMES, type EventName, type HookEvent, type Reply } from '../../src/agents/types.ts';

const { adapter: claudeCode, events: EVENTS } = claudeCodeHooks;

const payloads = join(import.meta.dirname, '../fixtures/payloads/claude-code');
const recorded = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(payloads, `${name}.json`), 'utf8'));

const eventOf = (file: string): EventName => {
  const event = EVENT_NAMES.find((it) => file.split('.')[0] === EVENTS[it]);
  if (!event) throw new Error(`${file} is of no event`);
  return event;
};
const parse = (name: string, changes: Record<string, unknown> = {}): HookEvent | undefined =>
  claudeCode.parse(eventOf(name), { ...recorded(name), ...changes }, '/somewhere');

const project = '/home/dev/project';

describe('parse', () => {
  test.each(readdirSync(payloads))('understands the recorded %s', (file) => {
    const event = parse(file.replace(/\.json$/, ''));
    expect(event?.session).toMatch(/^[0-9a-f-]{36}$/);
    expect(event?.cwd).toMatch(/^\/home\/dev\/project/);
    const tasks = /^Task|\.(Task(Create|Update)|TodoWrite)\./.test(file);
    expect(event?.kind).toBe(tasks ? 'tasks' : eventOf(file).replace('-failure', ''));
  });

  test.each([
    ['SessionStart.startup', 'new'],
    ['SessionStart.startup.interactive', 'new'],
    ['SessionStart.resume', 'resumed'],
    ['SessionStart.fork', 'resumed'],
    ['SessionStart.clear', 'cleared'],
    ['SessionStart.compact', 'compacted'],
  ])('%s starts a session that is %s', (name, source) => {
    expect(parse(name)).toMatchObject({ kind: 'session-start', source });
  });

  test('a session start of an unknown source counts as new', () => {
    expect(parse('SessionStart.startup', { source: 'teleport' })).toMatchObject({ source: 'new' });
  });

  test.each([
    ['PreToolUse.Bash', 'git status --short'],
    ['PreToolUse.Bash.in-subagent', 'ls'],
    ['PreToolUse.Monitor', 'echo tick'],
  ])('%s runs a command', (name, command) => {
    expect(parse(name)).toMatchObject({
      kind: 'before-tool',
      call: { tool: 'shell', command, edited: [] },
    });
  });

  test('PowerShell runs a command', () => {
    expect(parse('PreToolUse.Bash', { tool_name: 'PowerShell' })).toMatchObject({
      call: { tool: 'shell', command: 'git status --short' },
    });
  });

  test.each([
    ['PreToolUse.Edit', 'src/app.ts'],
    ['PreToolUse.Write', 'src/new.ts'],
    ['PreToolUse.NotebookEdit', 'nb.ipynb'],
    ['PostToolUse.Edit', 'src/app.ts'],
    ['PostToolUse.Write.update', 'README.md'],
    ['PostToolUse.NotebookEdit', 'nb.ipynb'],
  ])('%s edits %s', (name, path) => {
    expect(parse(name)).toMatchObject({
      call: { tool: 'edit', paths: [`${project}/${path}`] },
    });
  });

  test('a tool that neither runs nor writes is named', () => {
    expect(parse('PreToolUse.mcp__mini__echo')).toMatchObject({
      call: { tool: 'mcp', server: 'mini', name: 'echo', input: { text: 'hello' } },
    });
  });

  test('a command that the client watched reports what it changed', () => {
    expect(parse('PostToolUse.Bash.edit-diff')).toMatchObject({
      failed: false,
      call: { tool: 'shell', edited: [`${project}/src/app.ts`, `${project}/src/new.ts`] },
    });
  });

  test('what a watched command changed is filtered and made absolute', () => {
    const changedFiles = ['src/a.ts', 7, null, '', 'b\0c', '../up.ts'];
    const event = parse('PostToolUse.Bash', { tool_response: { bashEditDiff: { changedFiles } } });
    expect(event).toMatchObject({
      call: { edited: [`${project}/src/a.ts`, '/home/dev/up.ts'] },
    });
  });

  test.each([
    ['TaskCreated', { of: 'one', id: '1', title: 'Verify login', status: undefined }],
    ['TaskCompleted', { of: 'one', id: '1', title: 'Verify login', status: 'completed' }],
    ['PostToolUse.TaskCreate', { of: 'one', id: '1', title: 'Verify login', status: 'pending' }],
    ['PostToolUse.TaskUpdate', { of: 'one', id: '1', title: undefined, status: 'in_progress' }],
    ['PostToolUse.TodoWrite', { of: 'all', tasks: [{ title: 'Verify login', status: 'pending' }] }],
  ])('%s changes the list of tasks', (name, change) => {
    expect(parse(name)).toMatchObject({ kind: 'tasks', change });
    expect((parse(name) as { change: object }).change).toEqual(change);
  });

  test('a task that is deleted, renamed or refused', () => {
    const update = (input: object, response = {}) =>
      parse('PostToolUse.TaskUpdate', { tool_input: input, tool_response: response });
    expect(update({ taskId: '7', status: 'deleted' })).toMatchObject({
      change: { id: '7', status: 'dropped' },
    });
    expect(update({ taskId: 7, subject: 'New name' })).toMatchObject({
      change: { id: '7', title: 'New name', status: undefined },
    });
    expect(update({ taskId: '7', status: 'completed' }, { success: false })).toBeUndefined();
    expect(update({ status: 'completed' })).toBeUndefined();
  });

  test('of a list that is no list, what looks like a task counts', () => {
    const write = (todos: unknown) => parse('PostToolUse.TodoWrite', { tool_input: { todos } });
    expect(write(7)).toBeUndefined();
    expect(write([7, null, { content: 'a', status: 'odd' }, { status: 'pending' }])).toMatchObject({
      change: { of: 'all', tasks: [{ title: 'a', status: 'pending' }] },
    });
  });

  test('a tool that only lists tasks changes nothing', () => {
    expect(parse('PostToolUse.TaskList')).toMatchObject({ kind: 'after-tool' });
  });

  test('a failed command is told from one that went well', () => {
    expect(parse('PostToolUseFailure.Bash')).toMatchObject({ kind: 'after-tool', failed: true });
    expect(parse('PostToolUse.Bash')).toMatchObject({ kind: 'after-tool', failed: false });
  });

  test('a stop that follows a continuation says so', () => {
    expect(parse('Stop')).toMatchObject({ kind: 'stop', continued: false });
    expect(parse('Stop.active')).toMatchObject({ kind: 'stop', continued: true });
  });

  test('a relative path is taken from the folder of the payload', () => {
    const input = { file_path: '../other/./x.ts', content: '' };
    expect(parse('PostToolUse.Write', { cwd: '/home/dev/a b', tool_input: input })).toMatchObject({
      cwd: '/home/dev/a b',
      call: { paths: ['/home/dev/other/x.ts'] },
    });
  });

  test('a field that the tool does not read hides no path', () => {
    const tool_input = { notebook_path: 'held.ipynb', file_path: 'free.txt' };
    expect(parse('PreToolUse.Edit', { tool_name: 'NotebookEdit', tool_input })).toMatchObject({
      call: { paths: [`${project}/free.txt`, `${project}/held.ipynb`] },
    });
  });

  test('without a folder in the payload that of the process counts', () => {
    expect(parse('SessionStart.startup', { cwd: undefined })?.cwd).toBe('/somewhere');
    expect(parse('SessionStart.startup', { cwd: 'sub' })?.cwd).toBe('/somewhere/sub');
  });

  const broken: readonly (readonly [string, unknown])[] = [
    ['null', null],
    ['text', 'git push'],
    ['a number', 1],
    ['a list', [recorded('PreToolUse.Bash')]],
    ['no tool', { session_id: 's' }],
    ['a tool of no name', { ...recorded('PreToolUse.Bash'), tool_name: '' }],
    ['a tool that is no text', { ...recorded('PreToolUse.Bash'), tool_name: ['Bash'] }],
    ['no input', { ...recorded('PreToolUse.Bash'), tool_input: undefined }],
    ['an input that is text', { ...recorded('PreToolUse.Bash'), tool_input: 'git push' }],
    ['no command', { ...recorded('PreToolUse.Bash'), tool_input: {} }],
    ['a command in parts', { ...recorded('PreToolUse.Bash'), tool_input: { command: ['git'] } }],
    ['an edit of nothing', { ...recorded('PreToolUse.Edit'), tool_input: { file_path: '' } }],
    ['a folder with NUL', { ...recorded('PreToolUse.Bash'), cwd: '/a\0b' }],
    ['a session that is a number', { ...recorded('PreToolUse.Bash'), session_id: 4 }],
  ];

  test.each(broken)('before a tool, %s is an error', (_, payload) => {
    expect(() => claudeCode.parse('before-tool', payload, '/somewhere')).toThrow(PayloadError);
  });

  test.each(broken)('after a tool, %s is nothing', (_, payload) => {
    expect(claudeCode.parse('after-tool', payload, '/somewhere')).toBeUndefined();
  });

  test('names that every object has are no tools', () => {
    const payload = { ...recorded('PreToolUse.Bash'), tool_name: 'constructor' };
    expect(claudeCode.parse('before-tool', payload, '/')).toMatchObject({
      call: { tool: 'other', name: 'constructor' },
    });
  });

  test('no value makes it fail in any other way', () => {
    const field = fc.constantFrom(...Object.keys(recorded('PostToolUse.Bash.edit-diff')));
    const payload = fc.oneof(
      fc.jsonValue(),
      fc.tuple(field, fc.jsonValue()).map(([name, value]) => ({
        ...recorded('PostToolUse.Bash.edit-diff'),
        [name]: value,
      })),
    );
    fc.assert(
      fc.property(fc.constantFrom(...EVENT_NAMES), payload, (event, value) => {
        try {
          const parsed = claudeCode.parse(event, value, '/somewhere');
          return parsed === undefined ? event !== 'before-tool' : parsed.cwd.startsWith('/');
        } catch (error) {
          return event === 'before-tool' && error instanceof PayloadError;
        }
      }),
    );
  });
});

describe('render', () => {
  const spoken = (event: EventName, reply: Reply) => {
    const output = claudeCode.render(event, reply);
    return { ...output, said: output.stdout === '' ? undefined : JSON.parse(output.stdout) };
  };

  test('a denial is JSON and exit 2, with the verdict in its first line', () => {
    const reason = '\n held: checkout was never verified\nrun `lanehold feature verify checkout`\n';
    const output = spoken('before-tool', { decision: 'deny', reason });
    expect(output).toMatchObject({ exitCode: 2, stderr: '' });
    expect(output.said).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason:
          'held: checkout was never verified\nrun `lanehold feature verify checkout`',
      },
    });
  });

  test('a question is JSON and exit 0', () => {
    const output = spoken('before-tool', { decision: 'ask', reason: 'really?' });
    expect(output).toMatchObject({ exitCode: 0, stderr: '' });
    expect(output.said.hookSpecificOutput).toMatchObject({
      permissionDecision: 'ask',
      permissionDecisionReason: asQuestion('really?'),
    });
  });

  test.each(EVENT_NAMES)('no opinion at %s is silence', (event) => {
    const silence = { stdout: '', stderr: '', exitCode: 0 };
    expect(claudeCode.render(event, { decision: 'none' })).toEqual(silence);
    expect(claudeCode.render(event, { decision: 'none', context: ' \n' })).toEqual(silence);
  });

  test.each([
    ['session-start', 'SessionStart'],
    ['prompt-submit', 'UserPromptSubmit'],
    ['before-tool', 'PreToolUse'],
    ['after-tool', 'PostToolUse'],
    ['after-tool-failure', 'PostToolUseFailure'],
  ] as const)('context at %s is shown', (event, hookEventName) => {
    const { exitCode, said } = spoken(event, { decision: 'none', context: 'checkout is pending' });
    expect(exitCode).toBe(0);
    expect(said).toEqual({
      hookSpecificOutput: { hookEventName, additionalContext: 'checkout is pending' },
    });
  });

  test.each(['stop', 'before-compact', 'session-end', 'task-created', 'task-completed'] as const)(
    'context at %s is not',
    (event) => {
      expect(claudeCode.render(event, { decision: 'none', context: 'go on' }).stdout).toBe('');
    },
  );

  test('what cannot be refused is not refused', () => {
    expect(claudeCode.render('stop', { decision: 'deny', reason: 'no' }).exitCode).toBe(0);
    expect(spoken('after-tool', { decision: 'deny', reason: 'too late' })).toMatchObject({
      exitCode: 0,
      said: { hookSpecificOutput: { additionalContext: 'too late' } },
    });
  });

  test('no text is longer than the client shows, and no character is cut in two', () => {
    const reply = fc.string({ unit: 'grapheme', minLength: 9_800, maxLength: 10_200 });
    fc.assert(
      fc.property(reply, (context) => {
        const output = spoken('session-start', { decision: 'none', context });
        const shown: string = output.said?.hookSpecificOutput.additionalContext ?? '';
        return shown.length < 10_000 && shown.isWellFormed();
      }),
      { numRuns: 20 },
    );
    const long = spoken('before-tool', { decision: 'deny', reason: `held\n${'💥'.repeat(9_000)}` });
    const shown: string = long.said.hookSpecificOutput.permissionDecisionReason;
    expect(shown.length).toBeLessThan(10_000);
    expect(shown).toMatch(/^held\n💥+\n… \(cut short\)$/u);
  });
});

test('agents are found by name', async () => {
  expect(findHookAgent('claude-code')?.hooks.adapter).toBe(claudeCode);
  expect(findHookAgent('constructor')).toBeUndefined();
});
