/**
 * One look at a working tree: what several questions ask for is read once, and what will surely be
 * asked is read meanwhile. A look is never kept; whoever wants to know whether something has
 * changed since takes another.
 */
import { blobsAt, type Commits, commitsAt } from './blobs.ts';
import { changedBetween } from './diff.ts';
import type { Git } from './git.ts';
import { type Change, readStatus, type Status } from './status.ts';

export interface Look {
  /** Of the whole working tree. */
  status(): Promise<Status>;
  /** Paths that differ between a commit and the one that is checked out. */
  committedSince(base: string): Promise<readonly string[]>;
  /** Text of a file in each of some revisions (`''` is the index), where they have it. */
  texts(path: string, revisions: readonly string[]): Promise<readonly (string | undefined)[]>;
}

const NO_STATUS: Status = { head: undefined, changes: [] };

export function lookAt(git: Git | undefined): Look {
  let status: Promise<Status> | undefined;
  return {
    status() {
      status ??= git === undefined ? Promise.resolve(NO_STATUS) : readStatus(git);
      return status;
    },
    committedSince: async (base) => (git === undefined ? [] : changedBetween(git, base, 'HEAD')),
    texts: async (path, revisions) =>
      git === undefined
        ? revisions.map(() => undefined)
        : blobsAt(
            git,
            revisions.map((revision) => `${revision}:${path}`),
          ),
  };
}

/** The working tree as the next commit sees it, if that takes only some of the changes. */
export function lookTaking(look: Look, takes: (change: Change) => boolean): Look {
  return {
    ...look,
    async status() {
      const { head, changes } = await look.status();
      const seen = changes.map((it) => (takes(it) ? it : { ...it, ...NOT_TAKEN }));
      return { head, changes: seen.filter((it) => it.staged || it.inWorktree) };
    },
  };
}

const NOT_TAKEN = { inWorktree: false, submodule: undefined } as const;

/** What others have, by the names that git keeps for it. */
export interface Upstream {
  readonly upstream: string | undefined;
  readonly defaultBranch: string | undefined;
}

/**
 * A look that starts, at once and side by side, all that the comparison of a working tree with its
 * upstream branch needs; most of the time of a small git process is its start.
 */
export function lookAtUpstream(
  git: Git,
  path: string,
): { look: Look; upstream: Promise<Upstream> } {
  const plain = lookAt(git);
  const names = ['@{upstream}', 'refs/remotes/origin/HEAD'];
  const commits = commitsAt(git, names, `@{upstream}:${path}`);
  const committed = changedSinceUpstream(git);
  const known = async (base: string): Promise<Commits | undefined> => {
    const found = await commits;
    return found.oids[0] === base ? found : undefined;
  };
  const look: Look = {
    ...plain,
    async committedSince(base) {
      const paths = (await known(base)) && (await committed);
      return paths ?? plain.committedSince(base);
    },
    async texts(file, revisions) {
      const [only, ...others] = revisions;
      if (only === undefined || others.length > 0 || file !== path) {
        return plain.texts(file, revisions);
      }
      const found = await known(only);
      return found === undefined ? plain.texts(file, revisions) : [found.text];
    },
  };
  void plain.status().catch(() => undefined);
  return {
    look,
    upstream: commits.then(({ oids }) => ({ upstream: oids[0], defaultBranch: oids[1] })),
  };
}

/** `undefined` if there is no upstream, or no commit yet. */
async function changedSinceUpstream(git: Git): Promise<string[] | undefined> {
  const { CHANGED_PATHS, splitNul } = await import('./diff.ts');
  const text = await git.maybe([...CHANGED_PATHS, '@{upstream}', 'HEAD'], [1, 128]);
  return text === undefined ? undefined : splitNul(text);
}
