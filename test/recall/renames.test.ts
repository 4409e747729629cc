/** Where files of notes are after somebody moved them without git. */
import { expect, test } from 'vitest';
import { projectPlace } from '../../src/base/git/project.ts';
import { hookGit } from '../../src/base/git/small-git.ts';
import { anchorsOf } from '../../src/recall/anchors.ts';
import { movedPaths } from '../../src/recall/renames.ts';
import { sandbox } from '../support/sandbox.ts';

test('many lost files are found among many new ones, each of which is read once', async () => {
  const box = sandbox();
  const root = box.repo();
  const numbers = Array.from({ length: 60 }, (_, at) => at);
  for (const at of numbers) {
    const lines = Array.from({ length: 1_000 }, (_, line) => `const a${at}_${line} = ${line};`);
    box.write(`repo/new/n${at}.ts`, lines.join('\n'));
  }
  const lost = numbers.map((at) => {
    const path = `new/n${at}.ts`;
    return [`old/g${at}.ts`, anchorsOf(root, [path], `n${at}.ts:500`)[path] ?? ''] as const;
  });
  const before = process.cpuUsage();
  const placeOf = await movedPaths(hookGit(root, box.env), projectPlace(root), new Map(lost), 20);
  const { user, system } = process.cpuUsage(before);
  expect(numbers.map((at) => placeOf(`old/g${at}.ts`))).toEqual(
    numbers.map((at) => `new/n${at}.ts`),
  );
  expect((user + system) / 1000).toBeLessThan(1000);
});
