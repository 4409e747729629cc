/** What is first and what is last is decided by numbers: a clock may be set back. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const STORE = join(import.meta.dirname, '../../src/store');
const MIGRATIONS = join(import.meta.dirname, '../../migrations');

/** Orders by time that are not by the clock of the program, with the reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  'recall.ts: at DESC, uid': 'the date of a note stands in its document',
  'recall.ts: at DESC, id DESC LIMIT 500': 'the date of a note stands in its document',
  'recall.ts: at DESC, uid LIMIT ?2': 'the date of a note stands in its document',
  'recall.ts: at DESC, id DESC LIMIT ?': 'when git says that a commit was made',
  'code-index.ts: at, oid': 'when git says that a commit was made',
  'code-index.ts: at DESC LIMIT 200': 'when git says that a commit was made',
  'code-index.ts: at DESC, id DESC LIMIT 1': 'when git says that a commit was made',
  'observations.ts: at DESC, id DESC LIMIT ?': 'transcripts are read long after what they tell',
  'observations.ts: max(at) DESC, max(id) DESC LIMIT ?':
    'transcripts are read long after what they tell',
  'unseen-commands.ts: at DESC, id DESC LIMIT ?':
    'compared with the times of files, by which it ran',
  'held-pushes.ts: at DESC, remote, destination': 'a list that is shown whole',
  'proposals.ts: at, uid': 'a list that is shown whole',
  'forget.ts: at': 'a list that is shown whole',
};

const TIME = /\b(?:at|\w+_at|seen|began|last)\b/;

test('nothing in the store is ordered by the time at which a program wrote it', () => {
  const orders = readdirSync(STORE)
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const source = readFileSync(join(STORE, name), 'utf8');
      return [...source.matchAll(/ORDER BY ([^`'"()]*(?:\([^)]*\)[^`'"()]*)*)/g)].map(
        ([, by = '']) => `${name}: ${by.trim()}`,
      );
    });
  expect(orders.length).toBeGreaterThan(40);
  const byTime = orders.filter((it) => TIME.test(it.replace('s.last', '')));
  expect(new Set(byTime)).toEqual(new Set(Object.keys(ALLOWED)));
});

test('no view of the newest schema is ordered by a time', () => {
  const views = new Map<string, string>();
  for (const name of readdirSync(MIGRATIONS)
    .filter((it) => it.endsWith('.sql'))
    .sort()) {
    const sql = readFileSync(join(MIGRATIONS, name), 'utf8');
    for (const [, view = ''] of sql.matchAll(/DROP VIEW (\w+)/g)) views.delete(view);
    for (const [text, view = ''] of sql.matchAll(/CREATE VIEW (\w+)[^;]*/g)) views.set(view, text);
  }
  expect([...views.keys()]).toContain('lane_states');
  expect([...views.values()].filter((it) => it.includes('ORDER BY'))).toEqual([]);
});
