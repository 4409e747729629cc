import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { homeOf } from '../../src/base/files/home.ts';
import { codeStore } from '../../src/store/code-index.ts';
import { emptyIfDamaged, mergeSegments } from '../../src/store/merge-segments.ts';
import { openStore } from '../../src/store/open.ts';
import { projectStore } from '../../src/store/projects.ts';
import { sandbox } from '../support/sandbox.ts';

test('an index in many segments has one afterwards, and finds the same', async () => {
  const store = await openStore(homeOf(sandbox().env));
  const code = codeStore(store);
  const projectId = store.write(() => projectStore(store).ensure('/shop', new Date(0)));
  for (let at = 0; at < 70; at += 1) {
    const words = { files: `part ${at}`, symbols: '', body: `shared word${at} word${at % 7}` };
    const piece = { firstLine: 1, lastLine: 9, symbols: '', words };
    store.write(() => {
      code.putFile({ projectId, path: `part-${at}.ts`, blob: `${at}`, uid: null }, [piece]);
    });
  }
  store.write(() => code.dropFile(projectId, 'part-3.ts'));
  const segments = store.db.prepare('SELECT count(DISTINCT segid) FROM code_words_idx').pluck();
  const found = () => code.matchChunks(projectId, ['word3', 'shared'], 99).map(({ path }) => path);
  const before = found();
  expect(segments.get()).toBeGreaterThan(4);
  await mergeSegments(store);
  expect(segments.get()).toBe(1);
  expect(found()).toEqual(before);
  expect(before).toHaveLength(69);
  store.close();
});

test('an index is not emptied because another process writes as it is checked', async () => {
  const box = sandbox();
  const store = await openStore(homeOf(box.env));
  const other = new Sqlite(homeOf(box.env).database);
  onTestFinished(() => {
    other.close();
    store.close();
  });
  store.db.pragma('busy_timeout = 0');
  other.exec('BEGIN IMMEDIATE');
  // It ends before the next write.
  const write: typeof store.write = (work) => {
    if (other.inTransaction) other.exec('COMMIT');
    return store.write(work);
  };
  expect(emptyIfDamaged({ ...store, write })).toBe(false);
});
