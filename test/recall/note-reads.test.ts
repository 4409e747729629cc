/** A command about notes reads each document once, however many there are. */
import fs, { mkdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { command } from '../support/command.ts';
import { sandbox } from '../support/sandbox.ts';

const NOTES = 40;

function documentOf(number: number): string {
  const id = `id: lh-${String(number).padStart(6, '0')}\nkind: fact\ntitle: Fact ${number}\n`;
  return `---\n${id}status: active\ncreated: 2026-03-04\nsource: person\n---\nIt is so.\n`;
}

/** Counts how often each document is read in this process. */
function countedReads(): ReadonlyMap<string, number> {
  const reads = new Map<string, number>();
  const { readFileSync } = fs;
  fs.readFileSync = ((file: fs.PathOrFileDescriptor, ...options: [never]) => {
    const name = String(file);
    if (name.endsWith('.md')) reads.set(name, (reads.get(name) ?? 0) + 1);
    return readFileSync(file, ...options);
  }) as typeof readFileSync;
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.readFileSync = readFileSync;
    syncBuiltinESMExports();
  });
  return reads;
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
  const reads = countedReads();
  const { exitCode, stderr } = await command(box, folder, argv);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(reads.size).toBe(NOTES);
  expect([...reads].filter(([, count]) => count > 1)).toEqual([]);
});
