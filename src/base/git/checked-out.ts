/**
 * Whether the files of a working tree are what git would check out. With clean and smudge filters,
 * the committed content may differ from the files.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../errors.ts';
import { withScratchFolder } from '../files/scratch-folder.ts';
import { checkpointTree, privateTree } from './checkpoint.ts';
import { CHECKOUT_MS, gitIn } from './git-in.ts';
import { pathsWithAttribute } from './paths.ts';
import { AUTHOR, commitTree } from './plumbing.ts';
import type { TreeEntry } from './tree-entry.ts';

interface WorkingFiles {
  readonly root: string;
  readonly head: string | null;
  /** The files in question, as git would store them. */
  readonly entries: readonly TreeEntry[];
  readonly env: NodeJS.ProcessEnv;
}

/** Calls `work` with a commit of all files, if they differ from what git would check out. */
export async function withSnapshotCommit<T>(
  { root, head, entries, env }: WorkingFiles,
  work: (commit: string | undefined) => Promise<T>,
): Promise<T> {
  const git = gitIn(root, env, { network: true, timeoutMs: CHECKOUT_MS });
  // Links are stored as they are.
  const files = entries.filter(({ mode }) => mode.startsWith('100'));
  const paths = files.map(({ path }) => path);
  const filtered = await pathsWithAttribute(git, paths, 'filter');
  if (filtered.size === 0) return work(undefined);

  return withScratchFolder(async (scratch) => {
    const tree = privateTree(root, join(scratch, 'index'), env);
    const { tree: oid } = await checkpointTree(tree, {
      denied: () => false,
      maxFileBytes: Number.POSITIVE_INFINITY,
    });
    const prefix = `${join(scratch, 'files')}/`;
    const names = [...filtered].map((path) => `${path}\0`).join('');
    const checkOut = ['checkout-index', '--force', '-z', '--stdin', `--prefix=${prefix}`];
    await tree.git.text(checkOut, names);
    const read = (file: string) => attempt(() => readFileSync(file)) ?? Buffer.alloc(0);
    const differs = [...filtered].some(
      (path) => !read(join(root, path)).equals(read(prefix + path)),
    );
    if (!differs) return await work(undefined);
    const message = 'the working tree as git would check it out';
    const parents = head === null ? [] : [head];
    const commit = { tree: oid, parents, message, author: AUTHOR, at: new Date(0) };
    return await work(commitTree(git, commit));
  });
}
