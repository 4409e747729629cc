import { expect, test } from 'vitest';
import { evidenceStore } from '../../src/store/evidence.ts';
import { openStore } from '../../src/store/open.ts';
import { sandbox } from '../support/sandbox.ts';
import { filled, home } from './filled.ts';

test.each([
  "UPDATE evidence SET kind = 'passed'",
  'DELETE FROM evidence',
  'DELETE FROM evidence WHERE id = 1',
  'UPDATE evidence_runs SET exit_code = 0',
  'DELETE FROM evidence_runs',
  'INSERT OR REPLACE INTO evidence SELECT * FROM evidence WHERE id = 1',
  'REPLACE INTO evidence_runs SELECT * FROM evidence_runs WHERE evidence_id = 1',
  'UPDATE OR REPLACE evidence SET id = 2 WHERE id = 1',
  'DELETE FROM projects',
])('evidence withstands %s', async (sql) => {
  const box = sandbox();
  await filled(box);
  const store = await openStore(home(box));
  const before = evidenceStore(store).ofFeature(1, 'checkout', 1000);
  expect(() => store.db.exec(sql)).toThrow(/evidence is never|FOREIGN KEY/);
  expect(evidenceStore(store).ofFeature(1, 'checkout', 1000)).toEqual(before);
  store.close();
});
