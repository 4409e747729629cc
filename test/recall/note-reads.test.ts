/** A command about notes reads each document once, however many there are. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { countedReads } from '../support/counted-reads.ts';
import { sandbox } from '../support/sandbox.ts';

const NOTES = 40;

function documentOf(number: number): string {
  const id = `id: lh-${String(number).padStart(6, '0')}\nkind: fact\ntitle: Fact ${number}\n`;
  return `---\n${id}status: active\ncreated: 2026-03-04\nsource: person\n---\nIt is so.\n`;
}

test.each(
  [
    ['note', 'add', 'project/decisions/new', 'A new one'],
    ['note', 'add', 'project/decisions/new', 'A new one', '--supersedes', 'lh-000007'],
    ['note', 'edit', 'project/7', '--title', 'Something else'],
    ['note', 'edit', 'project/7', '--when', 'facts are asked for'],
    ['note', 'show', 'lh-000007'],
    ['note', 'list'],
    ['note', 'confirm', 'lh-000007'],
    ['note', 'reject', 'lh-000007'],
    ['note', 'remove', 'lh-000007'],
    ['note', 'suggestions'],
  ].map((argv) => [argv.join(' '), argv] as const),
)('%s', async (_, argv) => {
  const box = sandbox();
  const folder = join(box.root, 'shop');
  const notes = join(folder, '.lanehold', 'notes');
  mkdirSync(notes, { recursive: true });
  for (let number = 0; number < NOTES; number += 1) {
    writeFileSync(join(notes, `${number}.md`), documentOf(number));
  }
  const reads = countedReads((file) => file.endsWith('.md'));
  const { exitCode, stderr } = await command(box, folder, argv);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(reads.size).toBe(NOTES);
  expect([...reads].filter(([, count]) => count > 1)).toEqual([]);
});
