import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStoreOrNone } from '../../src/store/memory.ts';
import { projectStore } from '../../src/store/projects.ts';
import { sandbox } from '../support/sandbox.ts';

const NOW = new Date('2026-01-02T03:04:05Z');

test('a store that is there is opened', async () => {
  const { env } = sandbox();
  const first = await openStoreOrNone(env);
  first.write(() => projectStore(first).ensure('/project', NOW));
  first.close();
  const again = await openStoreOrNone(env);
  expect(projectStore(again).find('/project')).toBe(1);
  again.close();
});

test('where no store can be made, an empty one does until the process ends', async () => {
  const box = sandbox();
  const LANEHOLD_HOME = join(box.write('file', ''), 'home');
  const store = await openStoreOrNone({ ...box.env, LANEHOLD_HOME });
  expect(store.write(() => projectStore(store).ensure('/project', NOW))).toBe(1);
  store.close();
  expect(existsSync(LANEHOLD_HOME)).toBe(false);
});

test('without any home, too', async () => {
  const store = await openStoreOrNone({ HOME: 'relative' });
  expect(projectStore(store).find('/project')).toBeUndefined();
  store.close();
});

test('a database that is there and cannot be read is not taken for none', async () => {
  const box = sandbox();
  (await openStoreOrNone(box.env)).close();
  writeFileSync(join(box.laneholdHome, 'lanehold.db'), 'no database at all, but a file of text');
  await expect(openStoreOrNone(box.env)).rejects.toThrow('is damaged');
});
