/** The lists that agents keep for themselves outlive a compaction. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { homeOf } from '../../../src/base/files/home.ts';
import { handle } from '../../../src/moments/lifecycle/handle.ts';
import { AT_ONCE } from '../../../src/moments/lifecycle/handler.ts';
import { attemptStore } from '../../../src/store/attempts.ts';
import { openStore } from '../../../src/store/open.ts';
import { sessionTaskStore } from '../../../src/store/session-tasks.ts';
import { command } from '../../support/command.ts';
import { laneWorker } from '../../support/lane-worker.ts';
import { beforeCompact, promptSubmit, sessionStart } from '../../support/payloads.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';

const PAYLOADS = join(import.meta.dirname, '../../fixtures/payloads/claude-code');

type Task = { readonly content: string; readonly status: string };

function context() {
  const box = sandbox();
  const repo = box.repo();
  box.commit(repo);
  const recorded = (name: string, changes: object = {}) => ({
    ...JSON.parse(readFileSync(join(PAYLOADS, `${name}.json`), 'utf8')),
    session_id: 'session-1',
    cwd: repo,
    ...changes,
  });
  return {
    box,
    repo,
    created: (id: string, subject: string) =>
      hook(box, 'task-created', recorded('TaskCreated', { task_id: id, task_subject: subject })),
    completed: (id: string) =>
      hook(box, 'task-completed', recorded('TaskCompleted', { task_id: id })),
    updated: (input: object) =>
      hook(box, 'after-tool', recorded('PostToolUse.TaskUpdate', { tool_input: input })),
    wrote: (todos: readonly Task[]) =>
      hook(box, 'after-tool', recorded('PostToolUse.TodoWrite', { tool_input: { todos } })),
    async tasks(session = 'session-1') {
      const store = await openStore(homeOf(box.env));
      const tasks = sessionTaskStore(store).ofSession('claude-code', session);
      store.close();
      return tasks.map(({ id, title, status }) => [id, title, status]);
    },
    /** What the session hears after a compaction, without the rest. */
    async compacted(): Promise<string> {
      const { stdout } = await box.hook('session-start', sessionStart(repo, 'compact'));
      const said: string = stdout && JSON.parse(stdout).hookSpecificOutput.additionalContext;
      return said.slice(Math.max(0, said.indexOf('lanehold: your task list')));
    },
  };
}

async function hook(box: Sandbox, ...[event, payload]: Parameters<Sandbox['hook']>) {
  expect(await box.hook(event, payload)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
}

describe('a list of tasks', () => {
  test('is mirrored as it changes, and told after a compaction', async () => {
    const { created, completed, updated, tasks, compacted, box, repo } = context();
    await created('1', 'Verify login');
    await created('2', 'Move the routes');
    await created('3', 'Tidy up');
    await updated({ taskId: '2', status: 'in_progress' });
    await updated({ taskId: '3', subject: 'Tidy up the tests' });
    await completed('1');
    expect(await tasks()).toEqual([
      ['1', 'Verify login', 'completed'],
      ['2', 'Move the routes', 'in_progress'],
      ['3', 'Tidy up the tests', 'pending'],
    ]);
    expect(await compacted()).toBe(
      'lanehold: your task list before the compaction: 2 tasks open, 1 done\n- (in progress) Move the routes\n- Tidy up the tests',
    );
    const fresh = await box.hook('session-start', sessionStart(repo));
    expect(fresh.stdout).not.toContain('task list');
  });

  test('that is written anew replaces the old one', async () => {
    const { wrote, tasks } = context();
    await wrote([
      { content: 'a', status: 'pending' },
      { content: 'b', status: 'pending' },
    ]);
    await wrote([{ content: 'b', status: 'completed' }]);
    expect(await tasks()).toEqual([['1', 'b', 'completed']]);
  });

  test('of which all is done needs no word', async () => {
    const { created, completed, updated, compacted } = context();
    await created('1', 'a');
    await created('2', 'b');
    await completed('1');
    await updated({ taskId: '2', status: 'deleted' });
    expect(await compacted()).not.toContain('task list');
  });

  test('that began before lanehold was there is known by its numbers', async () => {
    const { updated, tasks } = context();
    await updated({ taskId: '4', status: 'in_progress' });
    expect(await tasks()).toEqual([['4', 'task 4', 'in_progress']]);
  });

  test('holds no secrets, no book, and no more than anybody can do', async () => {
    const { wrote, tasks, compacted } = context();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const many = Array.from({ length: 300 }, (_, at) => ({
      content: `task ${at}`,
      status: 'pending',
    }));
    await wrote([
      { content: `use ${secret}`, status: 'pending' },
      { content: '💥'.repeat(2_000), status: 'pending' },
      { content: 'two\nlines \u202e', status: 'pending' },
      ...many,
    ]);
    const stored = await tasks();
    expect(stored).toHaveLength(200);
    expect(JSON.stringify(stored)).not.toContain(secret);
    expect(stored[1]?.[1]?.length).toBeLessThanOrEqual(500);
    expect(stored[1]?.[1]?.isWellFormed()).toBe(true);
    const said = await compacted();
    expect(Buffer.byteLength(said)).toBeLessThanOrEqual(1_500);
    const lines = said.split('\n');
    expect(said).toContain('- two\\nlines \\u202e\n');
    expect(lines.at(-1)).toBe(`- and ${200 - lines.length + 2} more`);
  });

  test('takes the 201st task of the other kind no more either', async () => {
    const { wrote, created, tasks, updated } = context();
    await wrote(Array.from({ length: 200 }, () => ({ content: 'x', status: 'pending' })));
    await created('more', 'one too many');
    await updated({ taskId: '200', status: 'completed' });
    expect(await tasks()).toHaveLength(200);
    expect((await tasks()).at(-1)).toEqual(['200', 'x', 'completed']);
  });

  test('belongs to its session', async () => {
    const { created, tasks } = context();
    await created('1', 'a');
    expect(await tasks('session-2')).toEqual([]);
  });
});

describe('where no session starts after a compaction', () => {
  test('the next prompt brings what a start would, once', async () => {
    const { box, repo, created } = context();
    await created('1', 'Verify login');
    await hook(box, 'before-compact', beforeCompact(repo));
    const prompt = () => box.hook('prompt-submit', promptSubmit(repo));
    expect((await prompt()).stdout).toContain('- Verify login');
    expect((await prompt()).stdout).toBe('');
    await hook(box, 'before-compact', beforeCompact(repo));
    expect((await box.hook('session-start', sessionStart(repo, 'compact'))).stdout).toContain(
      'Verify',
    );
    expect((await prompt()).stdout).toBe('');
  });

  test('a session that another process resumes is told at its next prompt all the same', async () => {
    const { box, repo, created } = context();
    await created('1', 'Verify login');
    await hook(box, 'before-compact', beforeCompact(repo));
    await box.hook('session-start', sessionStart(repo, 'resume'));
    const { stdout } = await box.hook('prompt-submit', promptSubmit(repo));
    expect(stdout).toContain('- Verify login');
  });

  test('the next tool does, if only its answers reach the model', async () => {
    const { box, repo } = context();
    const note = { agent: 'grok', session: 's1', projectId: 1 };
    box.write(join(repo, 'lanehold.json'), '{"features":{"all":{"files":["**"]}}}');
    const grok = { env: box.env, now: () => new Date(), agent: note.agent };
    const store = await openStore(homeOf(box.env));
    const caller = { ...grok, store: async () => store, ...AT_ONCE };
    const origin = { session: note.session, cwd: repo };
    const call = { tool: 'other', name: 'read_file' } as const;
    const afterTool = { ...origin, kind: 'after-tool', call, failed: false } as const;
    const all = [{ title: 'Sharpen it', status: 'pending' as const }];
    await handle({ ...origin, kind: 'tasks', change: { of: 'all', tasks: all } }, caller);
    expect(await handle(afterTool, caller)).toEqual({ decision: 'none' });
    await handle({ ...origin, kind: 'before-compact' }, caller);
    expect(await handle({ ...origin, kind: 'prompt-submit' }, caller)).toEqual({
      decision: 'none',
    });
    expect(await handle(afterTool, caller)).toMatchObject({
      context: expect.stringContaining('- Sharpen it'),
    });
    expect(await handle(afterTool, caller)).toEqual({ decision: 'none' });
    store.close();
  });
});

describe('the list of another agent', () => {
  test('is told to a new session, as long as it is the last one of the project', async () => {
    const { box, repo, created } = context();
    await created('1', 'Verify login');
    const store = await openStore(homeOf(box.env));
    const start = async (agent: string, session: string, at = new Date()): Promise<string> => {
      const caller = { agent, env: box.env, now: () => at, store: async () => store, ...AT_ONCE };
      const event = { kind: 'session-start', source: 'new', session, cwd: repo } as const;
      const reply = await handle(event, caller);
      return (reply.decision === 'none' && reply.context) || '';
    };
    const told = await start('grok', 's1');
    expect(told).toContain(
      'lanehold: the task list that Claude Code left here just now: 1 task open, 0 done',
    );
    expect(told).toContain(
      '- Verify login\nIt is a record; ask the user before you go on with it.',
    );
    expect(await start('claude-code', 's2')).not.toContain('task list');
    expect(await start('grok', 's3', new Date(Date.now() + 2 * 86_400_000))).not.toContain(
      'task list',
    );
    const change = { of: 'all', tasks: [{ title: 'Mine', status: 'pending' }] } as const;
    const caller = {
      agent: 'grok',
      env: box.env,
      now: () => new Date(),
      store: async () => store,
      ...AT_ONCE,
    };
    await handle({ kind: 'tasks', session: 's1', cwd: repo, change }, caller);
    expect(await start('grok', 's4')).not.toContain('task list');
    expect(await start('claude-code', 's5')).toContain('Grok Build left here');
    store.close();
  });
});

test('lists of a project come with the newest first', async () => {
  const box = sandbox();
  const store = await openStore(homeOf(box.env));
  const at = (ms: number) => new Date(ms);
  store.db.prepare("INSERT INTO projects (id, identity, first_seen_at) VALUES (1, 'p', 0)").run();
  const tasks = sessionTaskStore(store);
  const put = (session: string, title: string, ms: number) =>
    tasks.put(
      { agent: 'x', session, projectId: 1 },
      { id: title, title, status: undefined },
      at(ms),
    );
  put('old', 'a', 1);
  put('one', 'b', 5);
  put('two', 'c', 6);
  put('one', 'd', 7);
  const lists = tasks.ofCoordinators(1, at(5));
  expect(lists.map((it) => [it.session, it.tasks.map(({ title }) => title)])).toEqual([
    ['one', ['b', 'd']],
    ['two', ['c']],
  ]);
  store.close();
});

test('the handoff of a run has what its coordinators have left to do, and of workers how far they are', async () => {
  const { context, run, repo, box, attempt } = await laneWorker();
  const { store } = context;
  const tasks = sessionTaskStore(store);
  const put = (session: string, title: string, status: 'in_progress' | 'completed') =>
    tasks.put(
      { agent: 'claude-code', session, projectId: run.projectId },
      { id: title, title, status },
      context.now(),
    );
  store.write(() => {
    attemptStore(store).note(attempt, 0, { sessionId: 'worker' });
    put('lead', 'Write the\nchangelog', 'in_progress');
    put('lead', 'Look around', 'completed');
    put('worker', 'Sharpen the pencil', 'completed');
    put('worker', 'A detail', 'in_progress');
  });
  const { stdout } = await command(box, repo, ['orchestrate', 'handoff']);
  expect(stdout).toContain('on the task list of claude-code, 1 open, 1 done:');
  expect(stdout).toContain('> - (in progress) Write the\\nchangelog');
  expect(stdout).toContain('· task list of claude-code: 1 open, 1 done, at `A detail`\n');
  expect(stdout).not.toContain('Sharpen');
  expect(stdout.match(/on the task list/g)).toHaveLength(1);
});
