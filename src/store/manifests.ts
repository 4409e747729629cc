import { deflateSync, inflateSync } from 'node:zlib';
import type { TreeEntry } from '../git/tree-entry.ts';
import type { Store } from './open.ts';

/** Larger trees are not stored: a list of their changed files would be too long to help. */
const MAX_ENTRIES = 20_000;

/** Stores the tree entries of a fingerprint, to say later which files have changed. */
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
