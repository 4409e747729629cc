/** `orchestrate tell`, comments on lines of a diff, and `retry --notes`. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attemptStore } from '../../../src/store/attempts.ts';
import { laneReportStore } from '../../../src/store/lane-events.ts';
import { laneStore, runStore } from '../../../src/store/lanes.ts';
import { command } from '../../support/command.ts';
import { laneWorker } from '../../support/lane-worker.ts';
import { afterEdit, beforeCommand } from '../../support/payloads.ts';
import { recordedPayloads } from '../../support/recorded-payloads.ts';

const ADA = { USER: 'ada' };

async function working() {
  const worker = await laneWorker();
  const { box, tree, repo, env, context, lane } = worker;
  return {
    ...worker,
    /** A command of the coordinator. */
    tell: (...argv: string[]) => command(box, repo, ['orchestrate', ...argv], { env: ADA }),
    async json(...argv: string[]) {
      const { stdout } = await command(box, repo, ['orchestrate', ...argv, '--json'], { env: ADA });
      return JSON.parse(stdout);
    },
    /** What the worker is told at its next tool call. */
    async next(): Promise<string> {
      const { stdout } = await box.hook('before-tool', beforeCommand(tree, 'ls'), { env });
      return stdout === '' ? '' : JSON.parse(stdout).hookSpecificOutput.additionalContext;
    },
    messages: () => laneReportStore(context.store).ofLane(lane('api').id),
  };
}

describe('a message', () => {
  test('comes with the next tool call, once, and is shown as delivered from then on', async () => {
    const { tell, next, json } = await working();
    expect(await next()).toBe('');
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const { stdout } = await tell('tell', 'api', 'Keep', 'the old route,', secret);
    expect(stdout).toBe('The worker of lane api is told with its next tool call\n');
    const noted = /api .*message-not-delivered/;
    expect((await tell('status')).stdout).toMatch(noted);
    expect((await json('status')).lanes[0].messages).toMatchObject([
      { body: expect.stringMatching(/^Keep the old route, \[redacted:/), by: 'person ada' },
    ]);
    expect((await tell('logs', 'api')).stdout).toContain(
      'message of person ada, not delivered yet: Keep the old route',
    );
    expect((await tell('handoff')).stdout).toMatch(
      /message to \*\*api\*\* by person ada, not delivered yet/,
    );
    expect(await next()).toMatch(
      /^lanehold: a message for you from person ada, who coordinates this run: Keep the old route, \[redacted:/,
    );
    expect(await next()).toBe('');
    expect((await tell('status')).stdout).not.toMatch(noted);
    expect((await json('logs', 'api')).messages).toMatchObject([
      { deliveredAt: expect.any(String) },
    ]);
    expect((await tell('handoff')).stdout).toMatch(/message to \*\*api\*\* by person ada:/);
  });

  test('waits for a moment at which the agent takes context', async () => {
    const { tell, box, env, tree, messages } = await working();
    const gemini = recordedPayloads('gemini-cli');
    const hook = async (event: 'before-tool' | 'after-tool', name: string) => {
      const options = { env, agent: 'gemini-cli' };
      return (await box.hook(event, { ...gemini.read(name), cwd: tree }, options)).stdout;
    };
    await hook('before-tool', 'BeforeTool.write_todos');
    await tell('tell', 'api', 'Keep it');
    expect(await hook('before-tool', 'BeforeTool.write_todos')).not.toContain('Keep it');
    expect(messages()).toMatchObject([{ toldAt: null }]);
    expect(await hook('after-tool', 'AfterTool.write_file')).toContain('Keep it');
    expect(messages()).toMatchObject([{ toldAt: expect.any(Date) }]);
  });

  test('of a lane that nobody works on starts no worker, and says what does', async () => {
    const { tell, end, state, messages, json } = await working();
    end();
    const { stdout } = await tell('tell', 'api', 'Once more');
    expect(stdout).toBe(
      'Nobody works on lane api now: its next attempt is told\nStart it: lanehold orchestrate retry api\n',
    );
    expect([state('api'), messages()[0]?.toldAt]).toEqual(['failed', null]);
    expect(await json('tell', 'api', 'x')).toMatchObject({ lane: 'api', outcome: 'kept' });
  });

  test.each([
    [['tell', 'apy', 'x'], 'did you mean `api`?'],
    [['tell', 'api', ' '], 'there is nothing in it'],
  ])('%j is a usage error', async (argv, fact) => {
    const { tell } = await working();
    const { exitCode, stderr } = await tell(...argv);
    expect({ exitCode, fact: stderr.includes(fact) }).toEqual({ exitCode: 2, fact: true });
  });

  test('for one that validates, waits or hears no hooks is said to come later, and starts nothing', async () => {
    const { tell, json, addLane, lane, attempt, context } = await working();
    const note = (changes: object) =>
      context.store.write(() => attemptStore(context.store).note(attempt, 0, changes));
    note({ agent: 'my-command' });
    expect((await tell('tell', 'api', 'x')).stdout).toBe(
      'Lane api is running: its worker is told when its next attempt begins\n',
    );
    note({ agent: 'claude-code', state: 'exited' });
    note({ state: 'validating' });
    expect((await tell('tell', 'api', 'x')).stdout).toMatch(
      /^Lane api is validating: its worker is told when/,
    );
    addLane('ui');
    context.store.write(() => laneStore(context.store).want(lane('ui').id));
    expect(await json('tell', 'ui', 'x')).toMatchObject({ outcome: 'kept', start: null });
    expect((await tell('tell', 'ui', 'x')).stdout).toBe(
      'Lane ui is ready: its worker is told when it begins\n',
    );
  });

  test('for a lane that nobody has started is told how to start it, and a cancelled one takes none', async () => {
    const { tell, json, addLane } = await working();
    addLane('ui');
    expect(await json('tell', 'ui', 'First this')).toMatchObject({
      outcome: 'kept',
      start: 'spawn',
    });
    await tell('lane', 'cancel', 'ui');
    const { exitCode, stderr } = await tell('tell', 'ui', 'And this');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('nobody works on it any more')]);
  });

  test('cannot come with another attempt before this one has ended: the hint is to wait, not to cancel', async () => {
    const { tell } = await working();
    const { exitCode, stderr } = await tell('retry', 'api', '--notes', 'Once more');
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('hint: wait for it: `lanehold orchestrate status`'),
    ]);
    expect(stderr).not.toContain('cancel');
  });

  test('is the coordinator’s: a worker tells no other worker', async () => {
    const { box, tree, marks } = await working();
    const argv = ['orchestrate', 'tell', 'api', 'x'];
    const { exitCode, stderr } = await command(box, tree, argv, { env: marks });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("`orchestrate tell` is the coordinator's");
  });
});

test('a comment on a line goes to the worker with the line', async () => {
  const { tell, json, next, commitLane, box, tree, env } = await working();
  commitLane('api', { 'src/api/routes.ts': 'one\ntwo = null\n' });
  await box.hook('after-tool', afterEdit(tree, join(tree, 'src/api/routes.ts')), { env });
  const comment = (at: string, ...words: string[]) =>
    tell('lane', 'diff', 'api', '--comment', at, ...words);
  expect((await comment('src/api/routes.ts:2', 'This may', 'be null')).stdout).toBe(
    'The worker of lane api is told with its next tool call\n',
  );
  expect(await next()).toMatch(
    /: On src\/api\/routes\.ts:2 \(as of [0-9a-f]{8}\):\n> two = null\nThis may be null$/,
  );
  expect(await json('lane', 'diff', 'api', '--comment', 'src/api/routes.ts:1', 'x')).toMatchObject({
    path: 'src/api/routes.ts',
    line: 1,
    outcome: 'told',
  });
  for (const [at, fact] of [
    ['src/api/routes.ts', 'write FILE:LINE'],
    ['src/api/routes.ts:0', 'write FILE:LINE'],
    ['src/api/routes.ts:3', 'lane api has no line 3 there'],
    ['src/api/none.ts:1', 'lane api has no file src/api/none.ts'],
  ] as const) {
    const { exitCode, stderr } = await comment(at, 'x');
    expect({ at, exitCode, fact: stderr.includes(fact) }).toEqual({ at, exitCode: 2, fact: true });
  }
  const bare = await tell('lane', 'diff', 'api', 'x');
  expect(bare.stderr).toContain("lane diff api --comment FILE:LINE 'TEXT'");
});

test('`retry --notes` leaves a message with which the next attempt starts', async () => {
  const { tell, end, messages, context, run } = await working();
  // In a paused run nothing is started, so the message waits.
  context.store.write(() => runStore(context.store).setIntent(run.id, 'paused', null));
  end();
  expect((await tell('retry', 'api', '--notes', 'Use the v2 client')).exitCode).toBe(0);
  expect(messages()).toMatchObject([{ body: 'Use the v2 client', toWorker: true, toldAt: null }]);
});
