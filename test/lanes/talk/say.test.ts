/** `orchestrate ask`, `answer` and `report`. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inboxOf } from '../../../src/agents/worker/launch.ts';
import { laneReportStore } from '../../../src/store/lane-events.ts';
import { runStore } from '../../../src/store/lanes.ts';
import { command } from '../../support/command.ts';
import { begin, laneWorker } from '../../support/lane-worker.ts';
import { runNode } from '../../support/program.ts';
import { CLI_PROGRAM } from '../../support/sandbox.ts';

async function asked(wish: Parameters<typeof laneWorker>[0] = {}) {
  const worker = await laneWorker(wish);
  const { box, tree, repo, marks, context, run, lane } = worker;
  return {
    ...worker,
    /** A command of the worker. */
    say: (...argv: string[]) => command(box, tree, ['orchestrate', ...argv], { env: marks }),
    /** A command of the coordinator. */
    tell: (...argv: string[]) => command(box, repo, ['orchestrate', ...argv]),
    reports: () => laneReportStore(context.store).ofLane(lane('api').id),
    pause: () =>
      context.store.write(() => runStore(context.store).setIntent(run.id, 'paused', null)),
  };
}

const HARD = `a | b "c" 'd' $(touch x) \`e\` 🧭\nsecond\tline\r\n\\n ${'x'.repeat(50_000)}`;

describe('ask', () => {
  test('is stored with its attempt, and with an event', async () => {
    const { say, reports, attempt, events, state } = await asked();
    const { exitCode, stdout } = await say('ask', 'May', 'it go?');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Asked: question 1 of lane api\n.*\n.*end your turn/);
    expect(reports()).toMatchObject([
      { kind: 'ask', body: 'May it go?', attemptId: attempt, answer: null },
    ]);
    expect(events().at(-1)).toMatchObject({
      type: 'report',
      attemptId: attempt,
      data: { kind: 'ask' },
    });
    expect(state('api')).toBe('running');
  });

  test('50 KB of any text are stored unchanged', async () => {
    const { say, tell, reports } = await asked();
    expect((await say('ask', '--', HARD)).exitCode).toBe(0);
    expect((await tell('answer', 'api', '--', HARD)).exitCode).toBe(0);
    expect(reports()).toMatchObject([{ body: HARD, answer: HARD }]);
  });

  test('reads stdin, and hides secrets', async () => {
    const { box, tree, env, reports } = await asked();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const input = `Is ${secret} the right one?\n`;
    const ran = await runNode(CLI_PROGRAM, ['orchestrate', 'ask', '-'], { cwd: tree, env, input });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(reports()[0]?.body).toMatch(/^Is \[redacted:.*\] the right one\?$/);
    expect(box.git(tree, 'status', '--short')).toBe('');
  });

  test('finds the lane by the working tree alone', async () => {
    const { box, tree, reports, attempt } = await asked();
    const { exitCode } = await command(box, join(tree, 'src'), ['orchestrate', 'ask', 'what?']);
    expect(exitCode).toBe(0);
    expect(reports()).toMatchObject([{ attemptId: attempt }]);
  });

  test.each([
    ['outside of a lane', 'repo', 'what?', 'this is no lane'],
    ['with nothing to say', 'tree', ' \n', 'there is nothing in it'],
    ['with a book', 'tree', 'x'.repeat(200_001), '200000 are read'],
  ] as const)('%s is misuse', async (_, where, text, fact) => {
    const { box, [where]: folder, reports } = await asked();
    const { exitCode, stderr } = await command(box, folder, ['orchestrate', 'ask', text]);
    expect({ exitCode, fact: stderr.includes(fact) }).toEqual({ exitCode: 2, fact: true });
    expect(stderr).toContain('hint: ');
    expect(reports()).toEqual([]);
  });
});

describe('a worker whose sandbox keeps it from the store', () => {
  test('writes its messages to the inbox of its supervisor', async () => {
    const { tree, env, dir, context } = await asked();
    const inbox = inboxOf(dir);
    mkdirSync(inbox, { recursive: true });
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const ask = () =>
      runNode(CLI_PROGRAM, ['orchestrate', 'ask', `What of ${secret}?`], { cwd: tree, env });
    context.store.close();
    const database = context.store.home.database;
    // A folder cannot be opened as a database, not even by root.
    renameSync(database, `${database}.away`);
    mkdirSync(database);
    const ran = await ask();
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^Left for the coordinator\n/);
    const [name = '', ...others] = readdirSync(inbox);
    expect(others).toEqual([]);
    const letter = JSON.parse(readFileSync(join(inbox, name), 'utf8'));
    expect(letter).toEqual({
      id: name.replace('.json', ''),
      kind: 'ask',
      body: expect.stringMatching(/^What of \[redacted:.*\]\?$/),
    });
    rmSync(inbox, { recursive: true });
    expect((await ask()).stderr).toContain('cannot use the database');
  });
});

describe('answer', () => {
  test('goes to the open question, by its number where there are more, and the worker is told', async () => {
    const { say, tell, reports, dir, lane } = await asked();
    await say('ask', 'first?');
    await say('ask', 'second?');
    const { exitCode, stderr } = await tell('answer', 'api', 'yes');
    expect([exitCode, stderr]).toEqual([
      2,
      'error: lane api has 2 open questions\nhint: open: `--question 1` (first?), `--question 2` (second?)\n',
    ]);
    const { stdout } = await tell('answer', 'api', 'yes', '--question', '2');
    expect(stdout).toBe(
      'Answered the question of lane api; its worker is told with its next step\n',
    );
    expect(reports()).toMatchObject([{ answer: null }, { answer: 'yes', toldAt: null }]);
    expect(statSync(join(dir, 'news')).isFile()).toBe(true);
    expect(lane('api').intent).toBe('hold');
    expect((await tell('answer', 'api', 'no')).exitCode).toBe(0);
    expect(reports()).toMatchObject([{ answer: 'no' }, { answer: 'yes' }]);
  });

  test('resumes a lane whose worker has ended with its question', async () => {
    const { say, tell, end, pause, state, lane, events } = await asked();
    // In a paused run nothing is started, so only the intent is checked.
    pause();
    await say('ask', 'what now?');
    end();
    expect(state('api')).toBe('asks');
    const { stdout } = await tell('answer', 'api', 'this');
    expect(stdout).toContain('the lane goes on with it');
    expect(lane('api').intent).toBe('run');
    expect(events().at(-1)).toMatchObject({ type: 'answer', data: { question: 1 } });
  });

  test('resumes a lane whose work was validated while its question was open', async () => {
    const { pause, say, tell, end, commitLane, verify, lane, state } = await asked();
    pause();
    await say('ask', 'what now?');
    commitLane('api', { 'src/api/routes.ts': 'two\n' });
    end();
    verify('api');
    expect(state('api')).toBe('asks');
    const { stdout } = await tell('answer', 'api', 'this');
    expect(stdout).toContain('the lane goes on with it');
    expect([lane('api').intent, state('api')]).toEqual(['run', 'ready']);
  });

  test.each([
    [['answer', 'api', 'yes'], 2, 'lane api has no open question'],
    [['answer', 'api', 'yes', '--question', '7'], 2, 'lane api has asked no question 7'],
    [['answer', 'apy', 'yes'], 2, 'did you mean `api`?'],
    [['answer', 'ui', 'yes'], 2, 'there is no lane `ui`'],
  ])('%j is a usage error', async (argv, code, fact) => {
    const { tell } = await asked();
    const { exitCode, stderr } = await tell(...argv);
    expect({ exitCode, fact: stderr.includes(fact) }).toEqual({ exitCode: code, fact: true });
  });

  test('of an answered question names the open ones', async () => {
    const { say, tell } = await asked();
    await say('ask', 'first?');
    await tell('answer', 'api', 'yes');
    await say('ask', 'second?');
    const { exitCode, stderr } = await tell('answer', 'api', 'no', '--question', '1');
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'question 1 of lane api has an answer already\nhint: open: `--question 2` (second?)',
    );
  });
});

describe('report', () => {
  test.each([
    [[], 'progress'],
    [['--progress'], 'progress'],
    [['--blocked'], 'blocked'],
    [['--note'], 'note'],
    [['--done'], 'claims_done'],
  ])('with %j is of the kind %s, and sets no state', async (flags, kind) => {
    const { say, reports, state } = await asked();
    expect((await say('report', ...flags, 'so far')).exitCode).toBe(0);
    expect(reports()).toMatchObject([{ kind, body: 'so far' }]);
    expect(state('api')).toBe('running');
  });

  test('has one kind', async () => {
    const { say } = await asked();
    const { exitCode, stderr } = await say('report', '--done', '--note', 'x');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--note and --done do not go together');
  });

  test('of a worker goes to its own lane from any folder', async () => {
    const rows = await asked();
    rows.addLane('ui');
    const ui = begin(rows, 'ui');
    await command(rows.box, rows.tree, ['orchestrate', 'report', 'x'], { env: ui.marks });
    const of = (key: string) =>
      laneReportStore(rows.context.store).ofLane(rows.lane(key).id).length;
    expect([of('api'), of('ui')]).toEqual([0, 1]);
  });
});
