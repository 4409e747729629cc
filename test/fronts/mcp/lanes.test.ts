/** A coordinator that has nothing but MCP: the built program over its pipes, with stand-ins for agents. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { definedOnly } from '../../../src/base/environment.ts';
import { type LaneProject, laneProject, VALIDATE } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { laneWorker } from '../../support/lane-worker.ts';
import { CLI_PROGRAM } from '../../support/sandbox.ts';

type Env = Readonly<Record<string, string | undefined>>;

async function coordinator({ repo, env }: { readonly repo: string; readonly env: Env }) {
  const client = new Client({ name: 'a client', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI_PROGRAM, 'mcp'],
    cwd: repo,
    env: definedOnly(env),
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return async (action: string, input: object = {}) => {
    const call = { name: 'lanes', arguments: { action, ...input } };
    const { content, isError } = await client.callTool(call);
    const [{ text = '' } = {}] = content as { text?: string }[];
    return isError === true ? `error: ${text}` : text;
  };
}

type Lanes = Awaited<ReturnType<typeof coordinator>>;

/** Looks as the coordinator does, until the board says so. */
async function boardSays(project: LaneProject, lanes: Lanes, words: RegExp): Promise<string> {
  return project.until(`the board to say ${words}`, async () => {
    const board = await lanes('status', { wait: true });
    return words.test(board) ? board : undefined;
  });
}

test('from the goal to what landed', async () => {
  const asks = { lanehold: ['orchestrate', 'ask', 'Which name?'] } as const;
  const project = laneProject({
    scenario: {
      lanes: {
        api: [
          [asks],
          [{ write: { 'src/api.txt': 'api\nold\n' } }],
          [{ write: { 'src/api.txt': 'api\n' } }],
        ],
        ui: [[{ write: { 'src/ui.txt': 'ui\n' } }]],
      },
    },
  });
  const lanes = await coordinator(project);
  expect(await lanes('init', { text: 'Two texts', run: 'texts' })).toContain('Began run texts');
  const common = { validate: VALIDATE, agent: 'claude-code' };
  for (const lane of ['api', 'ui']) {
    const added = await lanes('add', {
      lane,
      text: `Write ${lane}`,
      touches: ['src/**'],
      ...common,
    });
    expect(added).toBe(`Added lane ${lane}`);
  }
  expect(await lanes('spawn')).toMatch(/api.*\n.*ui/);
  expect(await boardSays(project, lanes, /api +asks[\s\S]*ui +verified/)).toContain('Which name?');
  expect(await lanes('answer', { lane: 'api', text: 'api.txt' })).toContain('the lane goes on');
  await boardSays(project, lanes, /api +verified/);
  expect(await lanes('diff', { lane: 'api' })).toContain('+old');
  expect(await lanes('diff', { lane: 'api', touches: ['src/ui*'] })).toBe('No changes');
  const comment = { lane: 'api', line: 'src/api.txt:2', text: 'Not this one' };
  expect(await lanes('tell', comment)).toContain('its next attempt is told');
  expect(await lanes('retry', { lane: 'api', text: 'One line is enough' })).toContain('api');
  await boardSays(project, lanes, /api +verified/);
  expect(await lanes('logs', { lane: 'api' })).toMatch(/delivered:\s+On src\/api\.txt:2/);
  const prompt = readFileSync(project.starts('api').at(-1)?.prompt ?? '', 'utf8');
  expect(prompt).toMatch(/> old\nNot this one[\s\S]*One line is enough/);
  expect(await lanes('handoff')).toContain('One line is enough');
  expect(await lanes('integrate')).toMatch(/^Integrated 2/);
  expect(await lanes('land')).toMatch(/Landed/);
  expect(readFileSync(join(project.repo, 'src/api.txt'), 'utf8')).toBe('api\n');
  expect(await lanes('status')).toContain('No run is open; the last one, texts, is');
});

test('what the command line refuses is refused, with the way out', async () => {
  const ignoring = [{ write: { '.gitignore': 'x\n' } }] as const;
  const project = laneProject({ scenario: { lanes: { a: [ignoring] } } });
  const lanes = await coordinator(project);
  for (const [action, input, said] of [
    ['spawn', {}, 'there is no open run in this project\nNext: begin one with `lanehold'],
    ['init', {}, '`text` is missing\nNext: `init` needs it'],
    ['integrate', { accept: ['a'] }, 'there is no `accept` here'],
    ['cancel', {}, '`action`'],
  ] as const) {
    expect(await lanes(action, input), action).toContain(`error: ${said}`);
  }
  await lanes('init', { text: 'Two texts', run: 'texts' });
  expect(await lanes('add', { text: 'x' })).toContain('error: `lane` is missing');
  expect(await lanes('retry', { lane: 'api' })).toContain('error: there is no lane `api`');
  expect(await lanes('land')).toContain('Not landed');
  // A person has not agreed to what is flagged, and there is no way to agree here.
  const run = laneRun(project);
  await lanes('add', { lane: 'a', text: 'x', validate: 'true', agent: 'claude-code' });
  await lanes('spawn', { lane: 'a' });
  await run.reaches('a', 'verified');
  expect(await lanes('integrate')).toMatch(/a[\s\S]*--accept/);
});

test('the worker of a lane coordinates nothing', async () => {
  const { tree, env } = await laneWorker();
  const lanes = await coordinator({ repo: tree, env });
  expect(await lanes('land')).toContain("`orchestrate land` is the coordinator's");
  expect(await lanes('tell', { lane: 'api', text: 'x' })).toContain("is the coordinator's");
  expect(await lanes('handoff')).toContain('api');
});
