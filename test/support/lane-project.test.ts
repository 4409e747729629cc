import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Scenario, Step } from './fake-worker.ts';
import { laneProject } from './lane-project.ts';
import { statOf } from './marked-processes.ts';
import { type Ran, runProgram } from './program.ts';

const CLAUDE = ['claude', '-p', '--output-format', 'stream-json', '--verbose'];
const CODEX = ['codex', 'exec', '--json'];

/** A project whose lane `a` is the repository itself, and a way to start workers in it. */
function workers(scenario: Scenario = {}) {
  const project = laneProject({ scenario });
  const start = (argv: readonly string[], input = 'Do it.'): Promise<Ran> =>
    runProgram('/usr/bin/env', argv, {
      cwd: project.repo,
      env: { ...project.env, LANEHOLD_WORKTREE: '/worktrees/a', LANEHOLD_ATTEMPT: 'first' },
      input,
    });
  return { project, start };
}

const lane = (...attempts: Step[][]): Scenario => ({ lanes: { a: attempts } });
const STREAMS = join(import.meta.dirname, '../fixtures/streams');
const lines = ({ stdout }: Pick<Ran, 'stdout'>) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('claude: session, edit, usage and result in the format of the client', async () => {
  const { project, start } = workers(
    lane([{ write: { 'new.txt': 'new\n' } }, { usage: { input: 7, cacheRead: 5 } }]),
  );
  const id = '0b5c1f0e-8a1c-4b7e-9a52-000000000001';
  const ran = await start([...CLAUDE, '--session-id', id]);
  const said = lines(ran);
  expect(ran.exitCode).toBe(0);
  expect(new Set(said.map((it) => it.session_id))).toEqual(new Set([id]));
  expect(said.map((it) => it.type)).toEqual(['system', 'assistant', 'user', 'assistant', 'result']);
  expect(said.at(-1)).toMatchObject({
    is_error: false,
    num_turns: 2,
    usage: { input_tokens: 107, cache_read_input_tokens: 5 },
  });
  expect(readFileSync(join(project.repo, 'new.txt'), 'utf8')).toBe('new\n');
  expect(readFileSync(project.starts('a')[0]?.prompt ?? '', 'utf8')).toBe('Do it.');
});

test('codex: thread, command and usage in the format of the client', async () => {
  const { start } = workers(lane([{ commit: 'mine' }], [{ quota: {} }]));
  const ran = await start(CODEX);
  const said = lines(ran);
  expect(ran.exitCode).toBe(0);
  expect(said[0]).toMatchObject({ type: 'thread.started' });
  expect(said.at(-1)).toMatchObject({ type: 'turn.completed', usage: { output_tokens: 20 } });
  const limited = await start([...CODEX, 'resume', said[0].thread_id]);
  expect(limited.exitCode).toBe(1);
  expect(lines(limited)[0].thread_id).toBe(said[0].thread_id);
  expect(lines(limited).at(-1)).toMatchObject({ type: 'turn.failed' });
});

/** Whether `real` has all the names that `mine` has, at all depths; of lists the first item counts. */
function covers(real: unknown, mine: unknown): boolean {
  if (Array.isArray(mine))
    return mine.length === 0 || (Array.isArray(real) && covers(real[0], mine[0]));
  if (mine === null || typeof mine !== 'object') return true;
  if (real === null || typeof real !== 'object') return false;
  const known = new Map(Object.entries(real));
  return Object.entries(mine).every(([name, it]) => known.has(name) && covers(known.get(name), it));
}

const recorded = (file: string) =>
  lines({ stdout: readFileSync(join(STREAMS, `${file}.jsonl`), 'utf8') });
/** What a line is about: `item.completed agent_message`. */
const kind = (line: { type: string; item?: { type: string } }) =>
  `${line.type} ${line.item?.type ?? ''}`;

test.each([
  ['claude-code/done', CLAUDE, [{ sh: 'true' }]],
  ['claude-code/denied-tool', CLAUDE, [{ tool: { name: 'Bash', input: {}, error: true } }]],
  ['claude-code/overloaded', CLAUDE, [{ result: { isError: true } }]],
  ['claude-code/rate-limit', CLAUDE, [{ quota: {} }]],
  [
    'claude-code/max-turns',
    CLAUDE,
    [
      { tool: { name: 'Bash', input: {} } },
      { result: { isError: true, subtype: 'error_max_turns' } },
    ],
  ],
  ['codex/done', CODEX, [{ sh: 'true' }, { write: { 'new.txt': 'new' } }]],
  ['codex/before-resume', CODEX, [{ plan: { a: false } }, { sh: 'true' }, { plan: { a: true } }]],
  ['codex/usage-limit', CODEX, [{ quota: {} }]],
] as const)('says nothing that the client does not say: %s', async (file, argv, steps) => {
  const { start } = workers({ lanes: { a: [steps] } });
  const real = recorded(file);
  for (const line of lines(await start(argv))) {
    // The words of a tool's answer are the tool's, whatever their form.
    const { tool_use_result: _, ...mine } = line;
    const counterparts = real.filter((it) => kind(it) === kind(line));
    expect(counterparts, kind(line)).toSatisfy(() => counterparts.some((it) => covers(it, mine)));
  }
});

test('each start plays its own part, the last one from then on', async () => {
  const { project, start } = workers(lane([{ exit: 3 }], [{ die: 'SIGKILL' }], []));
  const ends = [];
  for (let n = 0; n < 4; n += 1) ends.push(await start(CLAUDE));
  expect(ends.map(({ exitCode, signal }) => exitCode ?? signal)).toEqual([3, 'SIGKILL', 0, 0]);
  expect(project.starts().map(({ n }) => n)).toEqual([1, 2, 3, 4]);
});

test('a limit can end with exit code 0, as the client does it', async () => {
  const { start } = workers(lane([{ quota: { text: 'limit reached|1763800000', exit: 0 } }]));
  const ran = await start(CLAUDE);
  expect(ran.exitCode).toBe(0);
  expect(lines(ran).at(-1)).toMatchObject({ is_error: true, result: 'limit reached|1763800000' });
});

test('notes a worker that finds another one of its lane alive', async () => {
  const { project, start } = workers(lane([{ waitFor: 'go' }], []));
  const first = start(CLAUDE);
  await project.until('the first start', () => project.starts().length === 1);
  await start(CLAUDE);
  project.raise('go');
  await first;
  expect(project.starts().map(({ others }) => others)).toEqual([0, 1]);
});

test('finds what a worker left running, and ends it with the project', async () => {
  const cleanUps: (() => void)[] = [];
  const project = laneProject({
    cleanUp: (remove) => cleanUps.push(remove),
    scenario: lane([
      { daemon: { name: 'own', how: 'setsid' } },
      { daemon: { name: 'orphan', how: 'double-fork', writes: 'beat.txt' } },
      { daemon: { name: 'hidden', bare: true } },
    ]),
  });
  await runProgram('/usr/bin/env', CLAUDE, {
    cwd: project.repo,
    env: { ...project.env, LANEHOLD_WORKTREE: '/worktrees/a', LANEHOLD_ATTEMPT: 'first' },
  });
  const daemons = project.journal().filter((it) => it.event === 'daemon');
  const left = project.processesLeft('first').map(({ pid }) => pid);
  expect(left).toEqual(expect.arrayContaining(daemons.slice(0, 2).map((it) => it.daemon)));
  expect(left).not.toContain(daemons[2]?.daemon);
  for (const it of daemons) expect(statOf(it.daemon)).toBeDefined();
  for (const cleanUp of cleanUps) cleanUp();
  for (const it of daemons) expect(statOf(it.daemon)).toBeUndefined();
});

test('a check counts how many of it run', async () => {
  const { project } = workers({ checks: { unit: [[{ waitFor: 'go' }], [{ exit: 1 }]] } });
  const check = () =>
    runProgram('/usr/bin/env', ['fake-check', 'unit'], { cwd: project.repo, env: project.env });
  const first = check();
  await project.until('the first check', () => project.journal().length > 0);
  const second = await check();
  project.raise('go');
  expect([(await first).exitCode, second.exitCode]).toEqual([0, 1]);
  const checks = project.journal().filter((it) => it.event === 'check');
  expect(checks.map(({ others }) => others)).toEqual([0, 1]);
});

test('claude: a session cannot begin twice, nor be resumed before its first answer', async () => {
  const { project, start } = workers(lane([{ die: 'SIGKILL' }], [{ say: 'Begun.' }]));
  const id = '0b5c1f0e-8a1c-4b7e-9a52-000000000002';
  const ends = [];
  for (const how of ['--session-id', '--resume', '--session-id', '--session-id', '--resume']) {
    const { exitCode, signal } = await start([...CLAUDE, how, id]);
    ends.push(exitCode ?? signal);
  }
  expect(ends).toEqual(['SIGKILL', 1, 0, 1, 0]);
  expect(project.journal().filter((it) => it.event === 'refused')).toHaveLength(2);
  const [unknown] = lines(await start([...CLAUDE, '--resume', `${id.slice(0, -1)}3`]));
  expect(recorded('claude-code/no-session')[0]).toSatisfy((it: unknown) => covers(it, unknown));
});
