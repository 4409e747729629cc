/** How a worker is started, from wherever lanehold was called. */
import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { runNode } from '../../support/program.ts';
import { CLI_PROGRAM } from '../../support/sandbox.ts';

test('nothing of the session that started it reaches a worker', async () => {
  const project = laneProject({
    env: {
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_CODE_SSE_PORT: '4242',
      CODEX_SANDBOX: 'seatbelt',
      GIT_EDITOR: 'false',
      GIT_INDEX_FILE: '/nowhere/index',
      AI_AGENT: 'claude-code',
    },
    scenario: { lanes: { '*': [[{ write: { 'src/new.txt': 'x' } }]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.add('b', { agent: 'codex' });
  await run.spawn();
  await run.settled();
  expect(run.states()).toEqual({ a: 'verified', b: 'verified' });
  for (const { env, lane } of project.starts()) {
    const names = Object.keys(env).filter((name) => !name.startsWith('LANEHOLD_'));
    expect(names.filter((name) => !/^GIT_(CONFIG|CEILING)_/.test(name))).toEqual([]);
    expect(env.LANEHOLD_LANE).toBe(run.lane(lane).id);
    expect(env.LANEHOLD_WORKTREE).toBe(run.lane(lane).worktree);
  }
});

test.each(['claude-code', 'codex'] as const)(
  'the prompt of %s is in no command line, however long it is, and no input is left open',
  async (agent) => {
    const project = laneProject({ scenario: { lanes: { a: [[{ write: { 'a.txt': 'a' } }]] } } });
    const notes = `secret plan ${'and more '.repeat(12_000)}`;
    const run = laneRun(project);
    await run.init();
    await run.add('a', { agent, more: ['--notes', notes] });
    await run.spawn();
    await run.settled();
    const [start] = project.starts('a');
    expect(start?.argv.join(' ')).not.toContain('secret plan');
    expect(start?.argv.join(' ').length).toBeLessThan(4_000);
    expect(readFileSync(start?.prompt ?? '', 'utf8')).toContain('secret plan and more');
    const { dir } = run.lane('a').attempt ?? { dir: '' };
    expect(statSync(`${dir}/prompt.txt`).mode & 0o777).toBe(0o600);
    expect(run.lane('a').state).toBe('verified');
  },
);

test('lanes start from the commit of the run, wherever HEAD has gone since', async () => {
  const project = laneProject({ scenario: { lanes: { a: [[{ write: { 'a.txt': 'a' } }]] } } });
  const run = laneRun(project);
  await run.init();
  const base = project.git('rev-parse', 'HEAD');
  project.git('switch', '--quiet', '--create', 'elsewhere');
  project.box.write(`${project.repo}/later.txt`, 'later');
  project.box.commit(project.repo, 'later');
  await run.add('a');
  await run.spawn();
  await run.settled();
  expect(project.starts('a')[0]?.head).toBe(base);
  expect(run.lane('a').base_sha).toBe(base);
});

test('a lane that is started from inside another one lies beside it, on the same base', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [{ write: { 'a.txt': 'a' } }, { commit: 'Half' }, { raise: 'half' }, { waitFor: 'go' }],
        ],
        b: [[{ write: { 'b.txt': 'b' } }]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  await project.until('the first lane', () => project.isRaised('half'));
  project.raise('go');
  await run.reaches('a', 'verified');
  const inside = run.lane('a').worktree ?? '';
  for (const words of [
    ['lane', 'add', 'b', '--desc', 'Beside', '--agent', 'claude-code', '--validate', 'true'],
    ['spawn', 'b'],
  ]) {
    const ran = await runNode(CLI_PROGRAM, ['orchestrate', ...words], {
      cwd: inside,
      env: project.env,
    });
    expect(ran).toMatchObject({ exitCode: 0 });
  }
  await run.reaches('b', 'verified');
  expect(run.lane('b').worktree?.startsWith(inside)).toBe(false);
  expect(project.starts('b')[0]?.head).toBe(run.lane('a').base_sha);
});

test('worktrees that are made at the same time do not get into each other’s way', async () => {
  const keys = ['a', 'b', 'c', 'd'];
  const project = laneProject({
    scenario: {
      lanes: { '*': [[{ say: 'I begin.' }, { waitFor: 'go' }, { write: { 'same.txt': 'x' } }]] },
    },
  });
  const run = laneRun(project);
  await run.init('Many', '--parallel', '4');
  for (const key of keys) await run.add(key);
  await run.spawn();
  await project.until('all of them', () => project.starts().length === keys.length);
  project.raise('go');
  await run.settled();
  expect(new Set(Object.values(run.states()))).toEqual(new Set(['verified']));
  expect(project.git('config', '--local', '--list')).not.toContain('branch.lanehold');
});

test.each([
  [
    'may do nothing',
    { denials: [{ tool_name: 'Write', tool_input: { file_path: 'a' } }] },
    'refused',
  ],
  ['is not logged in', { isError: true, status: 401, text: 'Invalid API key' }, 'auth'],
  [
    'has read too much',
    { isError: true, status: 400, text: 'Prompt is too long' },
    'context_overflow',
  ],
] as const)(
  'a worker that %s is shown as that, and nobody starts it again unasked',
  async (_, result, reason) => {
    const project = laneProject({
      scenario: {
        lanes: { a: [[{ say: 'Let me see.' }, { result }], [{ write: { 'a.txt': 'a' } }]] },
      },
    });
    const run = laneRun(project);
    await run.init();
    await run.add('a');
    await run.spawn();
    await run.settled();
    expect(run.lane('a')).toMatchObject({ state: 'failed', attempt: { end_reason: reason } });
    expect(project.starts('a')).toHaveLength(1);
    await run.orchestrate('retry', 'a');
    await run.reaches('a', 'verified');
    const [first, second] = project.starts('a');
    expect(second?.resumed).toBe(reason === 'context_overflow' ? undefined : first?.session);
  },
);
