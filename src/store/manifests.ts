import type { TreeEntry } from '../base/git/tree-entry.ts';
import { tableStore } from './rows.ts';

/** Larger trees are not stored, because a list of their changed files would be too long to help. */
const MAX_ENTRIES = 20_000;

/** The import is here because most hooks find no list, and loading takes longer than the search. */
const zlib = () => process.getBuiltinModule('node:zlib');

/** Stores the tree entries of a fingerprint, to say later which files have changed. */
export const manifestStore = tableStore(null, ({ value, writing }) => {
  const put = writing<[projectId: number, fingerprint: string, entries: Buffer]>(
    'INSERT INTO manifests (project_id, fingerprint, entries) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const find = value<[projectId: number, fingerprint: string], Buffer>(
    'SELECT entries FROM manifests WHERE project_id = ? AND fingerprint = ?',
  );
  return {
    put(projectId: number, fingerprint: string, entries: readonly TreeEntry[]): void {
      if (entries.length > MAX_ENTRIES) return;
      put(projectId, fingerprint, zlib().deflateSync(JSON.stringify(entries)));
    },
    find(projectId: number, fingerprint: string): readonly TreeEntry[] | undefined {
      const entries = find(projectId, fingerprint);
      return entries && JSON.parse(zlib().inflateSync(entries).toString('utf8'));
    },
  };
});
