/** What is known of a project, handed out: whole, the same each time, and without a secret. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WRITERS } from '../../../src/app/recall/export/formats.ts';
import type { GraphPart } from '../../../src/app/recall/export/graph.ts';
import { anyText } from '../../support/any-text.ts';
import { command } from '../../support/command.ts';
import { promptSubmit } from '../../support/payloads.ts';
import { sandbox } from '../../support/sandbox.ts';

const HARD = `it's "so"\\\n\u2028then \\u0027) DETACH DELETE n; //`;

/** Statements as a graph database reads them: each with the rows that it is given. */
function readCypher(text: string): { statement: string; rows: Record<string, unknown>[] }[] {
  const found: { statement: string; rows: Record<string, unknown>[] }[] = [];
  let at = 0;
  while (at < text.length) {
    const constraint = /CREATE CONSTRAINT [^;']+;\n/y;
    constraint.lastIndex = at;
    const created = constraint.exec(text)?.[0];
    if (created !== undefined) {
      at += created.length;
      continue;
    }
    expect(text.slice(at, at + 7)).toBe('UNWIND ');
    at += 7;
    const rows = value() as Record<string, unknown>[];
    const end = text.indexOf(';\n', at);
    found.push({ statement: text.slice(at, end).trim(), rows });
    at = end + 2;
  }
  return found;

  function value(): unknown {
    skip();
    const first = text[at];
    if (first === "'") return string();
    if (first === '[') return list(']', value);
    if (first === '{') return Object.fromEntries(list('}', entry) as [string, unknown][]);
    const number = /-?\d+(?:\.\d+)?/y;
    number.lastIndex = at;
    const written = number.exec(text)?.[0] ?? '';
    expect(written).not.toBe('');
    at += written.length;
    return Number(written);
  }

  function entry(): [string, unknown] {
    const key = /\w+(?=: )/y;
    key.lastIndex = at;
    const name = key.exec(text)?.[0] ?? '';
    expect(name).not.toBe('');
    at += name.length + 2;
    return [name, value()];
  }

  function list(end: string, read: () => unknown): unknown[] {
    const items: unknown[] = [];
    at += 1;
    for (skip(); text[at] !== end; skip()) {
      if (text[at] === ',') at += 1;
      skip();
      items.push(read());
    }
    at += 1;
    return items;
  }

  function string(): string {
    let read = '';
    for (at += 1; text[at] !== "'"; at += 1) {
      if (text[at] !== '\\') read += text[at];
      else if (text[at + 1] === 'u') {
        read += String.fromCharCode(Number.parseInt(text.slice(at + 2, at + 6), 16));
        at += 5;
      } else {
        at += 1;
        read += text[at];
      }
    }
    at += 1;
    return read;
  }

  function skip(): void {
    while (/[ \n]/.test(text[at] ?? '')) at += 1;
  }
}

const cypherOf = (parts: Iterable<GraphPart>): string => [...WRITERS.cypher(parts)].join('');

test('every string comes back from the statements, and none of it ends one', () => {
  const strings = fc.array(anyText());
  fc.assert(
    fc.property(strings, fc.string({ unit: 'grapheme' }), (list, one) => {
      const values = { text: `${one}${HARD}`, files: list };
      const [read] = readCypher(cypherOf([{ name: ['Note', 'a'], values }]));
      return JSON.stringify(read?.rows[0]) === JSON.stringify({ id: 'a', ...values });
    }),
  );
});

test('500 in a statement, and nothing linked before it is there', () => {
  const parts = Array.from({ length: 1_201 }, (_, at): GraphPart[] => [
    { name: ['Event', `${at}`], values: {} },
    { link: 'NEXT', from: ['Event', `${Math.max(0, at - 1)}`], to: ['Event', `${at}`] },
  ]).flat();
  const statements = readCypher(cypherOf(parts));
  const seen = new Set<unknown>();
  for (const { statement, rows } of statements) {
    expect(rows.length).toBeLessThanOrEqual(500);
    for (const { id, from, to } of rows) {
      if (statement.startsWith('AS row MERGE (n:Event')) seen.add(id);
      else expect([seen.has(from), seen.has(to)]).toEqual([true, true]);
    }
  }
  expect(seen.size).toBe(1_201);
  expect(statements.flatMap(({ rows }) => rows)).toHaveLength(2_402);
});

async function project() {
  const box = sandbox();
  const folder = join(box.root, 'shop');
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'src/pay.ts'), 'export {};\n');
  const features = {
    shop: { files: ['src/**'], smoke: ['true'] },
    web: { files: ['web/**'], dependsOn: ['shop'] },
  };
  writeFileSync(join(folder, 'lanehold.json'), JSON.stringify({ features }));
  const send = (prompt: string, session: string) =>
    box.hook('prompt-submit', {
      ...promptSubmit(folder),
      prompt,
      session_id: session,
      cwd: folder,
    });
  await send(`First: ${HARD}`, 'one');
  const edit = { tool_name: 'Write', tool_input: { file_path: join(folder, 'src/pay.ts') } };
  const payload = { ...promptSubmit(folder), hook_event_name: 'PostToolUse', ...edit };
  await box.hook('after-tool', { ...payload, session_id: 'one', cwd: folder });
  await send('Second', 'one');
  await send('Another session', 'two');
  const run = (...argv: string[]) => command(box, folder, argv);
  const note = ['note', 'add', 'project/pay', "Don't round", '--files', 'src/pay.ts'];
  await run(...note, '--links', 'feature:shop', '--body', HARD);
  return { box, folder, run };
}

test('sessions are linked lists of events; notes, files and features hang on them', async () => {
  const { run, folder } = await project();
  const { stdout } = await run('export');
  const lines = stdout
    .trim()
    .split('\n')
    .map((it) => JSON.parse(it));
  const event = (text: RegExp) =>
    lines.find((it) => it.node === 'Event' && text.test(it.text ?? ''));
  const linked = (link: string, from: string) =>
    lines.filter((it) => it.link === link && it.from === from).map(({ to }) => to);
  const first = event(/^First/);
  const edit = lines.find(({ kind }) => kind === 'edit');
  expect(first.text).toBe(`First: ${HARD}`);
  expect(linked('NEXT', first.id)).toEqual([edit.id]);
  expect(linked('NEXT', edit.id)).toEqual([event(/Second/).id]);
  const session = lines.find((it) => it.node === 'Session' && it.session === 'one');
  expect(linked('FIRST', session.id)).toEqual([first.id]);
  const file = lines.find(({ node }) => node === 'File');
  expect(file.path).toBe('src/pay.ts');
  expect(linked('TOUCHED', edit.id)).toEqual([file.id]);
  const note = lines.find(({ node }) => node === 'Note');
  const feature = lines.find((it) => it.node === 'Feature' && it.title === 'shop');
  expect(linked('ABOUT', note.id)).toEqual([file.id]);
  expect(linked('LINKS', note.id)).toEqual([feature.id]);
  expect(linked('NEEDS', lines.find(({ title }) => title === 'web').id)).toEqual([feature.id]);

  const out = join(folder, 'graph.cypher');
  const { stdout: said } = await run('export', '--format', 'cypher', '--out', 'graph.cypher');
  expect(said).toContain(`to ${out}`);
  expect(statSync(out).mode & 0o777).toBe(0o600);
  const text = readFileSync(out, 'utf8');
  const rows = readCypher(text).flatMap((it) => it.rows);
  expect(rows).toHaveLength(lines.length);
  expect(rows).toContainEqual(expect.objectContaining({ text: `First: ${HARD}` }));
  expect((await run('export', '--format', 'cypher')).stdout).toBe(text);
  const { stdout: read } = await run('export', '--format', 'markdown');
  expect(read).toMatch(
    /# shop[\s\S]+## Features[\s\S]+## Sessions[\s\S]+> First: it's[\s\S]+## Notes[\s\S]+Don't round/,
  );
});

test('words that cannot be are refused with what can', async () => {
  const { run } = await project();
  expect((await run('export', '--format', 'xml')).stderr).toContain('jsonl, markdown, cypher');
  expect((await run('export', '--out', 'no/such/folder/x')).stderr).toContain('name another file');
});
