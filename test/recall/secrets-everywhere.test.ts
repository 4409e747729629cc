/**
 * Secrets of every shape through every way by which text is kept or handed out: nothing of them is left in
 * lanehold's folder, in its search index, or in what it says.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EventName } from '../../src/agents/types.ts';
import { homeOf } from '../../src/base/files/home.ts';
import { wordsOf } from '../../src/recall/words.ts';
import { openStore } from '../../src/store/open.ts';
import { command } from '../support/command.ts';
import { mcpClient } from '../support/mcp-client.ts';
import { beforeCommand, promptSubmit, sessionStart } from '../support/payloads.ts';
import { sandbox } from '../support/sandbox.ts';
import { type MadeSecret, madeSecrets, SECRET_SHAPES } from '../support/secret-shapes.ts';

const shapes = Object.keys(SECRET_SHAPES);
let seed = 100;

/** New secrets of all shapes, a few in a text, between words. */
function texts(): { text: string; secrets: MadeSecret[] }[] {
  seed += 1;
  const made = shapes.flatMap((shape, at) => madeSecrets(shape, 1, seed * 1_000 + at));
  const groups = Array.from({ length: Math.ceil(made.length / 5) }, (_, at) =>
    made.slice(at * 5, at * 5 + 5),
  );
  return groups.map((secrets) => ({
    secrets,
    text: `Never paste these into the ledger:\n${secrets.map((it) => `use ${it.text} there`).join('\n')}\nThe report about invoices of October is still missing.`,
  }));
}

const PROSE = 'The ledger is closed in March. '.repeat(400);

const GRAM = 8;

/** Runs of characters of the secrets that are in the text. */
function leaksIn(text: string, secrets: readonly MadeSecret[]): string[] {
  const grams = new Set<string>();
  const all = text.toLowerCase();
  for (let at = 0; at + GRAM <= all.length; at += 1) grams.add(all.slice(at, at + GRAM));
  return secrets.flatMap(({ random }) =>
    random.split('\n').flatMap((line) => {
      const runs = Array.from({ length: Math.max(0, line.length - GRAM) }, (_, at) =>
        line.slice(at, at + GRAM).toLowerCase(),
      );
      return runs.find((run) => grams.has(run)) ?? [];
    }),
  );
}

function bytesOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile() && !it.parentPath.includes('cache'))
    .map((it) => readFileSync(join(it.parentPath, it.name)).toString('latin1'))
    .join('\n');
}

test('a secret is nowhere, whichever way it came', async () => {
  const box = sandbox();
  const folder = box.repo('shop');
  const given: MadeSecret[] = [];
  const said: string[] = [];
  const each = async (work: (text: string, at: number) => Promise<unknown>) => {
    for (const [at, { text, secrets }] of texts().entries()) {
      given.push(...secrets);
      said.push(JSON.stringify(await work(text, at)) ?? '');
    }
  };
  const run = async (...argv: string[]) => {
    const ran = await command(box, folder, argv);
    expect([argv.slice(0, 2), ran.exitCode, ran.stderr]).toEqual([argv.slice(0, 2), 0, '']);
    return ran;
  };
  const send = (event: EventName, more: object, session: string) =>
    box.hook(event, { ...promptSubmit(folder), ...more, session_id: session, cwd: folder });

  await each((prompt, at) => send('prompt-submit', { prompt }, `p${at}`));
  expect(leaksIn(bytesOf(box.laneholdHome), given), 'spool').toEqual([]);
  await each((text, at) =>
    send(
      'stop',
      { hook_event_name: 'Stop', last_assistant_message: `We decided: ${text}` },
      `p${at}`,
    ),
  );
  await each((text) =>
    box.hook('before-tool', beforeCommand(folder, `echo "${text}" && git push`)),
  );
  await each((text, at) =>
    run(
      'note',
      'add',
      `project/n${at}`,
      `Ledger ${at}`,
      '--body',
      text + PROSE,
      '--when',
      text,
      '--links',
      text,
      '--commands',
      text,
    ),
  );
  await each((text, at) => {
    const short = text.split('\n').find((it) => it.length < 120 && it.startsWith('use ')) ?? '';
    return run('note', 'edit', `project/n${at}`, '--title', `Invoices, the ledger: ${short}`);
  });
  await each((text, at) => {
    const kinds = ['decision', 'code', 'commit'];
    const document = { id: `d${at}`, kind: kinds[at % 3], title: text, text, files: [text] };
    writeFileSync(join(box.root, 'in.md'), `# Ledger\n\n${text}\n`);
    return importing(JSON.stringify(document));
  });
  await each((text, at) => {
    const from = join(box.root, `from${at}`);
    mkdirSync(from);
    writeFileSync(join(from, 'a.md'), `# Invoices ${at}\n\n${text}\n${PROSE}`);
    return run('note', 'import', from);
  });
  await each((text, at) => run('guard', 'add', `src/${at}/**`, `Never: ${text}`, '--reason', text));
  const { call } = await mcpClient(box, folder, { parents: [['/usr/bin/claude'], ['-bash']] });
  await each((text, at) =>
    call('note', {
      action: 'add',
      path: `project/m${at}`,
      title: `Ledger of MCP ${at}`,
      kind: 'fact',
      body: text + PROSE,
    }),
  );
  await each((text, at) => transcript(text, at));
  writeFileSync(join(box.laneholdHome, 'config.json'), '{"recall": {"transcripts": "on"}}');
  said.push(JSON.stringify(await run('recall', 'refresh', '--json')));

  // What was written by hand is the writer's; what is made of it is not.
  const byHand = texts();
  const notes = join(box.laneholdHome, 'notes/projects');
  const file = join(notes, readdirSync(notes)[0] ?? '', 'n1.md');
  appendFileSync(file, `\n${byHand.map(({ text }) => text).join('\n')}\n`);
  given.push(...byHand.flatMap(({ secrets }) => secrets));
  for (const words of [
    ['recall', 'search', 'ledger', 'invoices', '--explain', '--json'],
    ['note', 'list', '--all', '--json'],
    ['note', 'show', 'project/n1', '--json'],
    ['note', 'suggestions', '--json'],
    ['session', 'list', '--json'],
    ['session', 'show', '--json'],
    ['recall', 'timeline', '--limit', '1000', '--json'],
    ['log', '--json'],
    ['guard', 'list', '--json'],
    ['export'],
    ['export', '--format', 'markdown'],
    ['export', '--format', 'cypher'],
    ['note', 'export', join(box.root, 'exported')],
  ]) {
    said.push((await run(...words)).stdout);
  }
  said.push((await box.hook('session-start', sessionStart(folder, 'startup'))).stdout);
  said.push(
    (await send('prompt-submit', { prompt: 'What of the ledger and invoices?' }, 'q')).stdout,
  );
  said.push(bytesOf(join(box.root, 'exported')));
  const told = said.join('\n');
  expect(told).toContain('redacted:');
  expect(leaksIn(told, given), 'what was said').toEqual([]);

  writeFileSync(file, '');
  expect(leaksIn(bytesOf(box.laneholdHome), given), 'folder').toEqual([]);
  const store = await openStore(homeOf(box.env));
  const indexed = new Set(
    ['item', 'code'].flatMap((it) => {
      store.db.exec(
        `CREATE VIRTUAL TABLE temp.${it}_terms USING fts5vocab(main, ${it}_words, row)`,
      );
      return store.db.prepare<[], string>(`SELECT term FROM ${it}_terms`).pluck().all();
    }),
  );
  store.close();
  const words = given
    .flatMap(({ random }) => wordsOf(random))
    .filter((it) => it.length > 6 && indexed.has(it));
  expect(words, 'index').toEqual([]);

  async function importing(line: string) {
    const { main } = await import('../../src/fronts/main.ts');
    const { Readable } = await import('node:stream');
    const { bufferedHost } = await import('../support/buffered-host.ts');
    const { host, said: out } = bufferedHost(['recall', 'import', '--jsonl', '-'], {
      env: box.env,
      cwd: () => folder,
      now: () => new Date(),
    });
    await main({ ...host, streams: { ...host.streams, stdin: Readable.from([line]) } });
    return out;
  }

  async function transcript(text: string, at: number) {
    const name = folder.replaceAll(/[^A-Za-z0-9]/g, '-');
    const place = join(box.home, '.claude/projects', name);
    mkdirSync(place, { recursive: true });
    const line = (type: string, content: unknown, second: number) =>
      `${JSON.stringify({ type, message: { role: type, content }, cwd: folder, sessionId: `t${at}`, timestamp: new Date(Date.UTC(2026, 9, 1, 10, 0, second)).toISOString() })}\n`;
    const lines =
      line('user', text, at) +
      line('assistant', [{ type: 'text', text: `Decided: ${text}` }], at + 1);
    writeFileSync(join(place, `t${at}.jsonl`), lines);
  }
}, 60_000);
