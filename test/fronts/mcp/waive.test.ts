/** A waiver over MCP counts only if a person has agreed to exactly it; no other way lifts a hold. */
import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { BY_AGENT, mcpClient } from '../../support/mcp-client.ts';
import { sandbox } from '../../support/sandbox.ts';
import { shop } from '../../support/shop.ts';

const WAIVER = { features: ['cart'], reason: 'the sandbox is down' };
const agrees = (): ElicitResult => ({ action: 'accept', content: { answer: 'agree' } });

type Options = Parameters<typeof mcpClient>[2];

function changed(gate?: object) {
  const box = sandbox();
  const project = shop(box, gate ? { gate } : {});
  project.change('src/cart/add.ts');
  const client = (options?: Options) =>
    mcpClient(box, project.repo, { env: { USER: 'ada' }, ...options });
  const records = async () => {
    const { stdout } = await project.lanehold('feature', 'history', 'cart', '--json');
    return JSON.parse(stdout).records.map(
      ({ kind, actor }: { kind: string; actor: string }) => `${kind} by ${actor}`,
    );
  };
  return { ...project, box, client, records };
}

test('a person who is asked agrees: recorded as theirs, for what they were shown', async () => {
  const { client, records, judge, change } = changed();
  const asked: string[] = [];
  const person = (message: string) => {
    asked.push(message);
    return agrees();
  };
  const { call } = await client({ person });
  const done = await call('waive', { ...WAIVER, expires: '1h' });
  expect(done.data).toMatchObject({ waived: ['cart'], reason: WAIVER.reason });
  expect(done.text).toMatch(/^Waived cart for exactly the present content, and not after /);
  expect(asked).toEqual([expect.stringMatching(/^Let cart leave .*: the sandbox is down$/)]);
  expect(await records()).toEqual(['waived by person ada']);
  expect((await judge('git push')).decision).toBe('pass');
  change('src/cart/add.ts', 'more\n');
  expect((await judge('git push')).decision).toBe('deny');
});

test('content that changes while the person thinks is not covered', async () => {
  const { client, write, commit, judge } = changed();
  const person = () => {
    write('src/cart/add.ts', 'other\n');
    return agrees();
  };
  const { call } = await client({ person });
  expect((await call('waive', WAIVER)).isError).toBe(false);
  commit();
  expect((await judge('git push')).decision).toBe('deny');
});

test.each<[what: string, options: Options, text: RegExp]>([
  ['declines', { person: () => ({ action: 'decline' }) }, /did not agree\nNext: verify/],
  ['closes the question', { person: () => ({ action: 'cancel' }) }, /no person has agreed/],
  [
    'says no',
    { person: () => ({ action: 'accept', content: { answer: 'decline' } }) },
    /did not agree/,
  ],
  ['confirms nothing', { person: () => ({ action: 'accept' }) }, /did not agree/],
  [
    'says something else',
    { person: () => ({ action: 'accept', content: { answer: 'ok' } }) },
    /no person has agreed/,
  ],
  [
    'has a client that fails',
    {
      person: () => {
        throw new Error('no');
      },
    },
    /no person has agreed/,
  ],
  ['has a client that cannot ask', {}, /no person has agreed/],
  [
    'has a mark that only commands of its agent get',
    { person: agrees, env: { GEMINI_CLI: '1' } },
    /no person has agreed/,
  ],
  [
    'has the mark of an agent that did not start the server',
    { person: agrees, env: { CLAUDECODE: '1' }, parents: [['tmux']] },
    /no person has agreed/,
  ],
  [
    'has a worker of a lane',
    { person: agrees, env: { LANEHOLD_AGENT: 'codex' } },
    /no person has agreed/,
  ],
  [
    'has a client that a command of the agent started',
    { person: agrees, parents: [['node', 'client.js'], ['bash'], ['claude']] },
    /claude-code runs this/,
  ],
  [
    'has a client that only is named like an agent',
    { person: agrees, parents: [['node', '/tmp/claude'], ['bash'], ['claude']] },
    /no person has agreed/,
  ],
  [
    'has a client below a smoke test',
    { person: agrees, parents: [['lanehold', 'feature', 'verify', 'cart']] },
    /a smoke test is running/,
  ],
])('nothing is waived where the person %s', async (_, options, text) => {
  const { client, records, repo } = changed();
  const { call, defects } = await client(options);
  const refused = await call('waive', WAIVER);
  expect(refused).toMatchObject({ isError: true, data: undefined });
  expect(refused.text).toMatch(text);
  if (!refused.text.includes('did not agree')) {
    expect(refused.text).toContain(
      `a person runs this in a terminal of their own: lanehold feature waive cart --reason 'the sandbox is down' --project ${repo}`,
    );
  }
  expect(await records()).toEqual([]);
  expect(defects).toEqual([]);
});

test.each<[what: string, parents: readonly (readonly string[])[], mark?: string]>([
  ['the agent itself', BY_AGENT],
  ['an agent that marks its servers', BY_AGENT, 'CLAUDECODE'],
  ['an agent of two processes', [['/opt/codex'], ['node', '/usr/bin/codex'], ['-bash']]],
  ['no known agent', [['/usr/share/editor/editor'], ['systemd']]],
  ['the program on a newer Node', [['node', '/opt/lanehold/bin/lanehold.js'], ['claude'], ['sh']]],
])('an answer counts from a client that was started by %s', async (_, parents, mark) => {
  const { client, records } = changed();
  const env = { USER: 'ada', ...(mark && { [mark]: '1' }) };
  const { call } = await client({ person: agrees, parents, env });
  expect((await call('waive', WAIVER)).isError).toBe(false);
  expect(await records()).toEqual(['waived by person ada']);
});

test('the reason cannot speak to the person, or to a terminal', async () => {
  const { client } = changed();
  const asked: string[] = [];
  const person = (message: string): ElicitResult => {
    asked.push(message);
    return { action: 'decline' };
  };
  const { call } = await client({ person });
  const reason = `\u001b[2Jfine\nAda has agreed already, choose Yes\u202e${'x'.repeat(5_000)}`;
  await call('waive', { ...WAIVER, reason });
  expect(asked[0]).toMatch(/reason that was given: \\x1b\[2Jfine\\nAda/);
  expect(asked[0]?.length).toBeLessThan(800);
});

test('`gate.waive: agent` allows it, recorded as the agent’s', async () => {
  const { client, records, git } = changed({ waive: 'agent' });
  git('push', '--quiet', 'origin', 'HEAD~1:main');
  const { call } = await client();
  expect((await call('waive', WAIVER)).isError).toBe(false);
  expect(await records()).toEqual(['waived by agent claude-code']);
});

const moment = { session_id: 's', transcript_path: '/dev/null', hook_event_name: 'PreToolUse' };

test('an agent that asks by its hook has asked: once, for exactly these words', async () => {
  const { client, records, box, repo } = changed();
  const { call } = await client();
  const hook = async (tool: string, input: object, agent = 'claude-code') => {
    const payload = { ...moment, cwd: repo, tool_name: tool, tool_input: input };
    const { stdout } = await box.hook('before-tool', payload, { agent });
    return stdout === '' ? undefined : JSON.parse(stdout).hookSpecificOutput;
  };
  // A server that only has the name is judged as every other one.
  expect(await hook('mcp__lanehold__run_command', { command: 'git push' })).toMatchObject({
    permissionDecision: 'deny',
  });
  expect(await hook('mcp__lanehold__push_files', {})).toBeDefined();
  const waives = 'mcp__lanehold__waive';
  const asked = await hook(waives, WAIVER);
  expect(asked).toMatchObject({ permissionDecision: 'ask' });
  expect(asked.permissionDecisionReason).toContain(
    'lanehold feature waive cart --reason the sandbox is down',
  );
  expect((await call('waive', { ...WAIVER, reason: 'another' })).isError).toBe(true);
  expect((await call('waive', { ...WAIVER, expires: '7d' })).isError).toBe(true);
  expect((await call('waive', WAIVER)).isError).toBe(false);
  expect((await call('waive', WAIVER)).isError).toBe(true);
  expect(await records()).toEqual(['waived by agent claude-code']);

  for (const tool of ['verify', 'status', 'features', 'pending', 'lanes', 'gate', 'lane_answer'])
    expect(await hook(`mcp__lanehold__${tool}`, { command: 'git push' }), tool).toBeUndefined();
  const other = { ...WAIVER, reason: 'other' };
  expect(await hook('mcp__plugin_lanehold_lanehold__waive', other)).toBeDefined();
  expect(await hook('mcp__lanehold__waive', { features: 'cart' })).toBeUndefined();
  // What the hook cannot look into, the server refuses.
  for (const cwd of ['/none', 'a\0b']) {
    await hook(waives, { ...WAIVER, cwd });
    expect((await call('waive', { ...WAIVER, cwd })).text, cwd).toContain('there is no folder');
  }
  // Here the server asks, or refuses.
  expect(await hook(waives, { ...WAIVER, reason: 'more' }, 'codex')).toBeUndefined();
  expect((await call('waive', { ...WAIVER, reason: 'more' })).isError).toBe(true);
});

test('a command that starts the server is put before a person: it could answer for one', async () => {
  const { judge } = changed();
  for (const command of [
    'lanehold mcp < questions',
    'node client.js | lanehold --project . mcp',
    'env -u CLAUDECODE npx lanehold mcp',
  ]) {
    expect((await judge(command)).decision, command).toBe('ask');
  }
  for (const command of ['lanehold mcp --help', 'lanehold status', 'claude mcp list']) {
    expect((await judge(command)).decision, command).toBe('none');
  }
});
