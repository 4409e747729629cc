/** A Node that answers one event ends without closing the database: its journal is left to the next one. */
import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeOf } from '../../src/base/files/home.ts';
import { openEventStore } from '../../src/store/event-store.ts';
import { openStore } from '../../src/store/open.ts';
import { projectStore } from '../../src/store/projects.ts';
import { sandbox } from '../support/sandbox.ts';

test('a long journal is begun anew by the next event that writes, and nothing in it is lost', async () => {
  const box = sandbox();
  const home = homeOf(box.env);
  const first = await openStore(home);
  first.db.pragma('wal_autocheckpoint = 0');
  const added = Array.from({ length: 400 }, (_, at) => `/project/${at}`);
  for (const path of added) first.write(() => projectStore(first).ensure(path, new Date()));

  // As it is after the end of the process.
  const left = homeOf({ LANEHOLD_HOME: join(box.root, 'left') });
  box.write('left/empty', '');
  for (const end of ['', '-wal']) copyFileSync(`${home.database}${end}`, `${left.database}${end}`);
  first.close();
  const journal = `${left.database}-wal`;
  expect(statSync(journal).size).toBeGreaterThan(1_000_000);

  const events = await openEventStore(left);
  events.begin({ isLocked: false, onFirstWrite: () => undefined });
  events.write(() => projectStore(events).ensure('/another', new Date()));
  events.commit();
  events.shortenJournal();
  expect(statSync(journal).size).toBe(0);
  for (const path of [...added, '/another']) expect(projectStore(events).find(path)).toBeDefined();
  events.close();
});
