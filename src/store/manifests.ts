import { deflateSync, inflateSync } from 'node:zlib';
import type { TreeEntry } from '../git/tree-entry.ts';
import type { Store } from './open.ts';

/** Beyond this the files behind a fingerprint are not kept: the answer "which" gets too long anyway. */
const MAX_ENTRIES = 20_000;

/** The entries behind a fingerprint, so that a later look can say which files have changed. */
export function manifestStore({ db }: Store) {
  const put = db.prepare<[projectId: number, fingerprint: string, entries: Buffer]>(
    'INSERT INTO manifests (project_id, fingerprint, entries) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const find = db.prepare<[projectId: number, fingerprint: string], { entries: Buffer }>(
    'SELECT entries FROM manifests WHERE project_id = ? AND fingerprint = ?',
  );
  return {
    put(projectId: number, fingerprint: string, entries: readonly TreeEntry[]): void {
      if (entries.length > MAX_ENTRIES) return;
      put.run(projectId, fingerprint, deflateSync(JSON.stringify(entries)));
    },
    find(projectId: number, fingerprint: string): readonly TreeEntry[] | undefined {
      const row = find.get(projectId, fingerprint);
      return row && JSON.parse(inflateSync(row.entries).toString('utf8'));
    },
  };
}
