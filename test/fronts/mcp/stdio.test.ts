/** The built program over its pipes, as an agent starts it. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { definedOnly } from '../../../src/base/environment.ts';
import { runNode } from '../../support/program.ts';
import { CLI_PROGRAM, sandbox } from '../../support/sandbox.ts';
import { shop } from '../../support/shop.ts';

test('the official client lists and calls, and the server ends with it', async () => {
  const box = sandbox();
  const project = shop(box);
  project.change('src/cart/add.ts');
  const client = new Client({ name: 'a client', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI_PROGRAM, 'mcp'],
    cwd: project.repo,
    env: definedOnly(box.env),
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('recall');
  const lines: string[] = [];
  const onprogress = ({ message = '' }) => void lines.push(message);
  const verify = { name: 'verify', arguments: {} };
  const verified = await client.callTool(verify, undefined, { onprogress });
  expect(verified.content).toMatchObject([{ text: expect.stringMatching(/^Verified 1 of 1/) }]);
  expect(lines[0]).toBe('cart: true …');
  const { content } = await client.callTool({ name: 'status', arguments: {} });
  expect(content).toMatchObject([{ text: expect.stringContaining('Nothing held') }]);
  const { pid } = transport;
  await client.close();
  expect(() => process.kill(pid ?? 0, 0)).toThrow();
});

test('what is no JSON, or no request, is answered or passed over; the end of input ends it', async () => {
  const box = sandbox();
  const request = (id: number, method: string, params: object = {}) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const initialize = {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: { form: 1 }, roots: {} },
    clientInfo: { name: '\u001b[2J', version: '' },
  };
  const input = [
    'no JSON',
    '[]',
    '{"jsonrpc":"2.0"}',
    '\0\u00ff',
    request(0, 'tools/call', { name: 'status' }),
    request(1, 'initialize', { ...initialize, capabilities: {} }),
    request(2, 'nothing/known'),
    request(3, 'tools/call', { name: 7 }),
    request(4, 'tools/call', { name: 'gate', arguments: [] }),
    request(5, 'tools/call', { name: 'status', arguments: { cwd: box.root } }),
    '',
  ].join('\n');
  const ran = await runNode(CLI_PROGRAM, ['mcp'], { cwd: box.root, env: box.env, input });
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  const answers = new Map<number, { error?: object; result?: object }>();
  for (const line of ran.stdout.trimEnd().split('\n')) {
    const { id, ...rest } = JSON.parse(line);
    answers.set(id, rest);
  }
  expect(answers.get(1)).toMatchObject({ result: { serverInfo: { name: 'lanehold' } } });
  for (const id of [2, 3, 4]) expect(answers.get(id), String(id)).toHaveProperty('error');
});
