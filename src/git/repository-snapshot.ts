/**
 * Reads a repository once for several questions, and starts early what will surely be needed. A
 * snapshot is used for one decision; to see later changes, take a new one.
 */
import { blobsAt, commitsWith } from './blobs.ts';
import type { Git } from './git.ts';
import { CHANGED_PATHS, changedBetween, splitNul } from './paths.ts';
import { readStatus, type Status, type StatusEntry } from './status.ts';

export interface RepositorySnapshot {
  /** Of the whole working tree. */
  status(): Promise<Status>;
  /** Paths that differ between two commits. */
  changedBetween(from: string, to: string): Promise<readonly string[]>;
  /** Text of a file in each of some revisions (`''` is the index), where they have it. */
  texts(path: string, revisions: readonly string[]): Promise<readonly (string | undefined)[]>;
}

const NO_STATUS: Status = { head: undefined, isPushed: false, changes: [] };

export function snapshotOf(git: Git | undefined): RepositorySnapshot {
  let status: Promise<Status> | undefined;
  return {
    status() {
      status ??= git === undefined ? Promise.resolve(NO_STATUS) : readStatus(git);
      return status;
    },
    changedBetween: async (from, to) => (git === undefined ? [] : changedBetween(git, from, to)),
    async texts(path, revisions) {
      const names = revisions.map((revision) => `${revision}:${path}`);
      return git === undefined ? names.map(() => undefined) : blobsAt(git, names);
    },
  };
}

/** The working tree as the next commit sees it, if that takes only some of the changes. */
export function snapshotTaking(
  snapshot: RepositorySnapshot,
  takes: (change: StatusEntry) => boolean,
): RepositorySnapshot {
  return {
    ...snapshot,
    async status() {
      const status = await snapshot.status();
      const seen = status.changes.map((it) => (takes(it) ? it : { ...it, ...NOT_TAKEN }));
      return { ...status, changes: seen.filter((it) => it.staged || it.inWorktree) };
    },
  };
}

const NOT_TAKEN = { inWorktree: false, submodule: undefined } as const;

/** What others have, by the names that git keeps for it. */
export interface Upstream {
  readonly upstream: string | undefined;
  readonly defaultBranch: string | undefined;
}

export interface UpstreamSnapshot {
  readonly snapshot: RepositorySnapshot;
  readonly upstream: Promise<Upstream>;
}

/**
 * A snapshot that at once starts all processes for comparing what is checked out with its upstream
 * branch. They run side by side, because most of the time of a small git process is its start.
 *
 * @param path the one file whose text will be asked for.
 */
export function snapshotWithUpstream(git: Git, path: string): UpstreamSnapshot {
  const plain = snapshotOf(git);
  const named = commitsWith(git, ['HEAD', '@{upstream}', 'refs/remotes/origin/HEAD'], path);
  const changed = changedSinceUpstream(git);
  // A failure is reported to the caller that awaits the result, not as an unhandled rejection.
  for (const started of [named, changed]) started.catch(() => undefined);

  const snapshot: RepositorySnapshot = {
    ...plain,
    async changedBetween(from, to) {
      const { commits } = await named;
      const paths = from === commits[1] && to === commits[0] ? await changed : undefined;
      return paths ?? plain.changedBetween(from, to);
    },
    async texts(file, revisions) {
      const { commits, texts } = await named;
      const places = revisions.map((revision) => commits.indexOf(revision));
      if (file !== path || places.includes(-1)) return plain.texts(file, revisions);
      return places.map((at) => texts[at]);
    },
  };
  return {
    snapshot,
    upstream: named.then(({ commits }) => ({ upstream: commits[1], defaultBranch: commits[2] })),
  };
}

/** The same, and starts to read the status of the working tree. */
export function snapshotOfWorktree(git: Git, path: string): UpstreamSnapshot {
  const begun = snapshotWithUpstream(git, path);
  begun.snapshot.status().catch(() => undefined);
  return begun;
}

/** `undefined` if there is no upstream, or no commit yet. */
async function changedSinceUpstream(git: Git): Promise<string[] | undefined> {
  const text = await git.maybe([...CHANGED_PATHS, '@{upstream}', 'HEAD'], [1, 128]);
  return text === undefined ? undefined : splitNul(text);
}
