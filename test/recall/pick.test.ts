/** A model picks the notes that a session needs: beside it, within limits, and without a say in what is told. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { chunksOf } from '../../src/recall/picking.ts';
import { EMPTY_FIELDS } from '../../src/recall/put-item.ts';
import type { RecallItem } from '../../src/store/recall.ts';
import { command } from '../support/command.ts';
import { afterEdit, promptSubmit } from '../support/payloads.ts';
import { sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly model: string;
    readonly system?: readonly { readonly text: string; readonly cache_control: object }[];
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };
}
type Answer = (asked: Asked) => { readonly status?: number; readonly text: string };

/** Stands in for a model. */
async function standIn(answer: Answer) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const one = { path: request.url ?? '', headers: request.headers, body: JSON.parse(text) };
    asked.push(one);
    const { status = 200, text: said } = answer(one);
    const openAi = {
      choices: [{ message: { role: 'assistant', content: said } }],
      usage: {
        prompt_tokens: 900,
        completion_tokens: 12,
        prompt_tokens_details: { cached_tokens: 640 },
      },
    };
    const anthropic = {
      content: [{ type: 'text', text: said }],
      usage: {
        input_tokens: 100,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 800,
        output_tokens: 12,
      },
    };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(one.path.endsWith('/messages') ? anthropic : openAi));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { asked, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

const prefixOf = ({ body }: Asked) => body.system?.[0]?.text ?? body.messages[0]?.content ?? '';
const restOf = ({ body }: Asked) => body.messages.at(-1)?.content ?? '';
const picks = (word: string) => (asked: Asked) => {
  const found = prefixOf(asked)
    .split('\n')
    .filter((it) => it.startsWith('lh-') && it.includes(word));
  return { text: JSON.stringify({ notes: found.map((it) => it.split(' ')[0]) }) };
};

async function project(model: string, env: Readonly<Record<string, string>> = {}) {
  const box = sandbox();
  const folder = box.repo('shop');
  const run = (...argv: string[]) => command(box, folder, argv, { env });
  const json = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).stdout);
  const note = async (path: string, title: string, days = 0): Promise<string> => {
    const argv = ['note', 'add', `project/${path}`, title, '--json'];
    const now = new Date(Date.now() + days * 86_400_000);
    return JSON.parse((await command(box, folder, argv, { now })).stdout).id;
  };
  const set = (name: string, value: string) => run('config', 'set', `recall.${name}`, value);
  if (model !== '') await set('model', model);
  if (model.startsWith('http')) await set('modelName', 'small-1');
  const tell = async (event: 'prompt-submit' | 'after-tool', more: object, options = {}) => {
    const payload = event === 'prompt-submit' ? promptSubmit(folder) : afterEdit(folder, 'x');
    const sent = { ...payload, session_id: 'one', cwd: folder, ...more };
    const { stdout } = await box.hook(event, sent, options);
    return stdout === '' ? '' : JSON.parse(stdout).hookSpecificOutput.additionalContext;
  };
  const file = join(folder, 'cart.ts');
  writeFileSync(file, '');
  const prompt = (text: string, options = {}) => tell('prompt-submit', { prompt: text }, options);
  const edit = (options = {}) => tell('after-tool', { tool_input: { file_path: file } }, options);
  return { box, folder, run, json, note, set, prompt, edit };
}

const PASSWORD = 'hunter2Xy9Qw7Zt';

test('notes that a model picks come with the next event, once, and what they cost is shown', async () => {
  const { asked, address } = await standIn(picks('Vienna'));
  const key = { LANEHOLD_MODEL_KEY: 'key-of-the-test' };
  const { run, json, note, prompt, edit } = await project(`${address}/chat/completions`, key);
  const wanted = await note('facts/tax', 'Receipts of Vienna need a signature of the till');
  await note('facts/other', 'Zebra printers take ZPL labels');
  await prompt(`Let the cart print its slip. The password is ${PASSWORD}`);
  expect(await edit()).not.toContain(wanted);

  expect(await json('recall', 'pick')).toMatchObject({
    ...{ state: 'asked', calls: 1, left: 0, tokens: 912, problems: [] },
    picked: [{ id: wanted, title: 'Receipts of Vienna need a signature of the till' }],
  });
  const [one] = asked as [Asked];
  expect(one.headers.authorization).toBe('Bearer key-of-the-test');
  expect(one.body.model).toBe('small-1');
  expect(restOf(one)).toContain('The user: Let the cart print its slip.');
  expect(restOf(one)).toContain('The agent edited cart.ts');
  expect(JSON.stringify(one.body)).not.toContain(PASSWORD);

  expect(await edit()).toContain(`[${wanted} fact`);
  expect(await edit()).not.toContain(wanted);
  // It was told all that the model picks, so that the question now says so.
  await json('recall', 'pick');
  expect(prefixOf(asked[1] as Asked)).toBe(prefixOf(one));
  expect(restOf(asked[1] as Asked)).toMatch(/Told already:\s+lh-\w+ \(fact\) Receipts of Vienna/);
  expect(await edit()).not.toContain(wanted);
  const { model } = await json('recall', 'stats');
  expect(model).toEqual({ calls: 2, tokens: 1_800, cached: 1_280, said: 24, failed: 0 });
  expect((await run('recall', 'stats')).stdout).toContain('2 calls, 0 without a usable answer');
  expect((await run('doctor')).stdout).toContain('picks notes: 2 calls in 24 hours, 1824 of');
});

test('chunks of notes are asked about at once, and what they bring is reduced', async () => {
  const { asked, address } = await standIn(picks('Vienna'));
  const { json, note, set, prompt } = await project(`${address}/messages`);
  const first = await note('facts/a', 'Receipts of Vienna need a signature');
  for (let at = 0; at < 49; at += 1) await note(`facts/n${at}`, `Rule ${at} of the warehouse`);
  const last = await note('facts/z', 'In Vienna a receipt is signed', 1);
  await prompt('Let the cart print its slip');

  const { calls, left } = await json('recall', 'pick');
  const uids = asked.map((it) => prefixOf(it).match(/^lh-\w+/gm) ?? []);
  const chunks = uids.slice(0, -1);
  expect({ calls, left }).toEqual({ calls: asked.length, left: 0 });
  expect(chunks.length).toBeGreaterThan(1);
  expect(chunks.flat()).toHaveLength(51);
  expect(uids.at(-1)?.sort()).toEqual([first, last].sort());
  expect(asked[0]?.body.system?.[0]?.cache_control).toEqual({ type: 'ephemeral' });
  expect(asked[0]?.headers['x-api-key']).toBeUndefined();

  await set('modelCalls', `${calls + 1}`);
  expect(await json('recall', 'pick')).toMatchObject({ calls: 1, left: chunks.length - 1 });
  await set('modelCalls', '100');
  await set('modelTokens', '1000');
  expect(await json('recall', 'pick')).toMatchObject({ calls: 0, left: chunks.length, picked: [] });
});

test('a note that comes or goes leaves the other chunks as they are, for the cache of the model', () => {
  const notes = Array.from({ length: 400 }, (_, at): RecallItem => {
    const uid = `lh-${at.toString(16)}`;
    const facts = { uid, digest: '', projectId: 1, kind: 'fact', title: uid, body: '', path: uid };
    return { ...EMPTY_FIELDS, ...facts, source: 'person', at: new Date(at % 9) };
  });
  const textsOf = (some: readonly RecallItem[]) =>
    chunksOf(some, 'claude-code').map((chunk) => chunk.map(({ uid }) => uid).join());
  const all = textsOf(notes);
  const sizes = all.map((it) => it.split(',').length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(50);
  expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThanOrEqual(25);
  const changed = notes.map(
    (it) => new Set(textsOf(notes.filter((other) => other !== it))).difference(new Set(all)).size,
  );
  expect(changed.reduce((a, b) => a + b) / notes.length).toBeLessThan(2);
});

test('a command answers too; nothing but ids of its notes counts', async () => {
  const { box, json, note, run, prompt, edit } = await project(
    `cat >"$HOME/question"; echo 'Sure: {"notes":["lh-000000","'"$(cat "$HOME/wanted")"'"],"say":"obey"}'`,
  );
  const wanted = await note('facts/tax', 'Receipts of Vienna need a signature');
  const elsewhere = box.repo('elsewhere');
  const added = await command(box, elsewhere, ['note', 'add', 'project/a', 'Foreign', '--json']);
  const foreign = JSON.parse(added.stdout).id;
  await prompt('Let the cart print its slip');
  box.write('home/wanted', wanted);
  expect(await json('recall', 'pick')).toMatchObject({ calls: 1, picked: [{ id: wanted }] });
  expect(readFileSync(join(box.home, 'question'), 'utf8')).toContain('print its slip');
  const told = await edit();
  expect(told).toContain(wanted);
  expect(told).not.toContain('obey');
  box.write('home/wanted', foreign);
  await note('facts/more', 'Another');
  expect(await json('recall', 'pick')).toMatchObject({ calls: 1, picked: [] });
  expect((await run('recall', 'pick')).stdout).toMatch(/^1 call, \d+ tokens: 0 notes picked\n$/);
});

test('a model that fails is told of by doctor, left alone for minutes, and stops nobody', async () => {
  let text = '{"notes":"none"}';
  let status = 200;
  const { asked, address } = await standIn(() => ({ text, status }));
  const { json, note, run, prompt } = await project(`${address}/chat/completions`);
  await note('facts/tax', 'Receipts of Vienna need a signature');
  await prompt('Let the cart print its slip');
  const problems = async () => (await json('recall', 'pick')).problems;
  expect(await problems()).toEqual(['it answered no JSON of the form {"notes":["lh-…"]}']);
  expect((await run('recall', 'pick')).exitCode).toBe(1);
  text = '';
  expect(await problems()).toEqual(['it answered no text in the expected form']);
  status = 429;
  expect(await problems()).toEqual([expect.stringMatching(/^it answered 429: /)]);
  expect((await run('doctor')).stdout).toContain('no usable answer to the last: it answered 429');
  const background = ['recall', 'pick', '--session', 'one'];
  expect(await json(...background)).toEqual({ state: 'paused' });
  expect(asked).toHaveLength(4);
  expect(await prompt('And now')).toBe('');
});

test('the end of the transcript is given where it may be read, without what is private', async () => {
  const { asked, address } = await standIn(picks('Vienna'));
  const { box, folder, json, note, set, prompt } = await project(`${address}/chat/completions`);
  await note('facts/tax', 'Receipts of Vienna need a signature');
  await prompt('Let the cart print its slip');
  const line = (type: string, content: unknown) =>
    JSON.stringify({ type, message: { role: type, content }, cwd: folder, sessionId: 'one' });
  const said = `I look at the till first, with password: ${PASSWORD}`;
  const transcript = box.write(
    'home/one.jsonl',
    `${line('user', 'Print <private>for Mallory</private>')}\n${line('assistant', [{ type: 'text', text: said }])}\n`,
  );
  const pick = ['recall', 'pick', '--transcript', transcript];
  await json(...pick);
  await set('transcripts', 'on');
  await json(...pick);
  const [first, second] = asked.map(restOf) as [string, string];
  expect(first).not.toContain('till first');
  expect(second).toContain('The agent: I look at the till first');
  expect(second).not.toMatch(new RegExp(`Mallory|${PASSWORD}`));
});

test('settings are checked, and without a model, a session or a record nothing is asked', async () => {
  const { asked, address } = await standIn(picks('Vienna'));
  const { json, note, run, set, prompt } = await project('');
  await note('facts/tax', 'Receipts of Vienna need a signature');
  expect(await run('recall', 'pick')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('no model is set'),
  });
  expect((await set('model', `${address}/v1`)).stderr).toContain('/chat/completions');
  expect((await set('model', 'off')).stderr).toContain('lanehold config unset recall.model');
  await set('model', `${address}/chat/completions`);
  expect((await run('recall', 'pick')).stderr).toContain('no session is recorded');
  await prompt('Let the cart print its slip');
  await set('capture', 'off');
  expect(await json('recall', 'pick')).toEqual({ state: 'off' });
  expect(asked).toEqual([]);
});

test('a key is sent to no other machine without encryption', async () => {
  const model = 'http://model.example/v1/chat/completions';
  const { json, note, prompt } = await project(model, { LANEHOLD_MODEL_KEY: 'key-of-the-test' });
  await note('facts/tax', 'Receipts of Vienna need a signature');
  await prompt('Let the cart print its slip');
  expect((await json('recall', 'pick')).problems).toEqual([
    'LANEHOLD_MODEL_KEY is not sent to model.example without https',
  ]);
});

test('an event has the model asked by a process of its own, and waits for nothing', async () => {
  const { asked, address } = await standIn(picks('Vienna'));
  const { note, prompt, edit } = await project(`${address}/chat/completions`);
  const wanted = await note('facts/tax', 'Receipts of Vienna need a signature');
  const background = { env: { LANEHOLD_BACKGROUND: undefined } };
  await prompt('Let the cart print its slip', { env: { LANEHOLD_RECALL: 'off' } });
  expect(await prompt('Let the cart print its slip', background)).toBe('');
  await until('the model is asked', () => asked.length > 0);
  await until('its notes come', async () => (await edit()).includes(wanted));
  // Events within some seconds start it once.
  await edit(background);
  expect(asked).toHaveLength(1);
});
