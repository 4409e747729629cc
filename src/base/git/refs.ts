/** Refs, remotes and settings: what a push would send, and what remotes have. */
import { UsageError } from '../errors.ts';
import { plainAddress } from './address.ts';
import type { Git } from './git.ts';
import { splitNul } from './paths.ts';

export interface Refs {
  /** `main`, or `undefined` on a detached HEAD. */
  readonly currentBranch: string | undefined;
  /** Commit at HEAD; `undefined` before the first commit. */
  readonly head: string | undefined;
  /**
   * Full ref name to oid. All refs, because a mirror push or a pattern can send any of them;
   * remote-tracking ones only as far as they are known to be what their remote has.
   */
  readonly oids: ReadonlyMap<string, string>;
  /** The other remote-tracking refs, as they are: they count if nothing is noted about their remote. */
  readonly unknown: ReadonlyMap<string, string>;
  /** The commits that the remote has, if more is known than its remote-tracking refs. */
  readonly has?: ReadonlySet<string>;
  /** Full name of the default branch of each remote, as far as it is known here. */
  readonly defaultBranches: ReadonlyMap<string, string>;
  readonly remotes: readonly string[];
  /** The values of a setting, in order; section and name in git's lower-case spelling. */
  setting(name: string): readonly string[];
  /** The target of an address, whose beginning git's settings can replace. */
  destinationOf(address: string, use: 'fetch' | 'push'): string;
}

/** @param config `key=value` settings of the command line; they count last. */
export async function refsAsTheyAre(git: Git, config: readonly string[]): Promise<Refs> {
  const [{ oids, defaults, current }, settings] = await Promise.all([
    listedRefs(git),
    git.text(['config', '--list', '-z']),
  ]);
  const values = parseSettings(settings, config);
  const remotes = [...values.keys()].flatMap((key) => /^remote\.(.+)\.url$/.exec(key)?.[1] ?? []);
  return {
    currentBranch: current?.replace(/^refs\/heads\//, ''),
    head: current === undefined ? await commitOfHead(git) : oids.get(current),
    oids,
    unknown: new Map(),
    defaultBranches: withLikelyDefaults(defaults, oids, remotes),
    remotes,
    setting: (name) => values.get(name) ?? [],
    destinationOf(address, use) {
      const replaced = (kind: string) => withLongestPrefix(values, kind, address);
      const pushed = use === 'push' ? replaced('pushinsteadof') : undefined;
      return plainAddress(pushed ?? replaced('insteadof') ?? address, git.directory);
    },
  };
}

/** @see https://git-scm.com/docs/git-config#Documentation/git-config.txt-urlbaseinsteadOf */
function withLongestPrefix(
  values: ReadonlyMap<string, readonly string[]>,
  kind: string,
  address: string,
): string | undefined {
  let longest = '';
  let replaced: string | undefined;
  for (const [key, prefixes] of values) {
    if (!key.startsWith('url.') || !key.endsWith(`.${kind}`)) continue;
    for (const prefix of prefixes) {
      if (!address.startsWith(prefix) || prefix.length <= longest.length) continue;
      longest = prefix;
      replaced = key.slice('url.'.length, -kind.length - 1) + address.slice(prefix.length);
    }
  }
  return replaced;
}

async function listedRefs(git: Git) {
  const format = '--format=%(refname)%00%(objectname)%00%(symref)%00%(HEAD)';
  const listing = await git.text(['for-each-ref', format]);
  const oids = new Map<string, string>();
  const defaults = new Map<string, string>();
  let current: string | undefined;
  for (const line of listing.split('\n')) {
    const [name, oid, symref, mark] = line.split('\0');
    if (!name || !oid) continue;
    if (mark === '*') current = name;
    const remote = /^refs\/remotes\/(.+)\/HEAD$/.exec(name)?.[1];
    if (remote === undefined || !symref) oids.set(name, oid);
    // A HEAD that points at a local branch says nothing about the remote.
    else if (symref.startsWith(`refs/remotes/${remote}/`)) defaults.set(remote, symref);
  }
  return { oids, defaults, current };
}

/** The commit that is checked out; `undefined` if its branch has none yet. */
export async function commitOfHead(git: Git): Promise<string | undefined> {
  return (await git.maybe(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']))?.trim();
}

function parseSettings(listing: string, config: readonly string[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  const add = (name: string, value: string): void => {
    values.set(name, [...(values.get(name) ?? []), value]);
  };
  for (const record of splitNul(listing)) {
    const [name = '', ...value] = record.split('\n');
    add(name, value.join('\n'));
  }
  for (const assignment of config) {
    const [name = '', ...value] = assignment.split('=');
    add(lowerCaseKey(name), value.length === 0 ? 'true' : value.join('='));
  }
  return values;
}

/** Section and name are case-insensitive; the part between them (a remote, a branch) is not. */
const lowerCaseKey = (key: string): string =>
  key.replace(/^[^.]*|[^.]*$/g, (part) => part.toLowerCase());

export const LIKELY_DEFAULTS: readonly string[] = ['main', 'master', 'trunk', 'develop'];

/** Adds the usual names: a remote that was added instead of cloned from has no HEAD here. */
function withLikelyDefaults(
  known: Map<string, string>,
  oids: ReadonlyMap<string, string>,
  remotes: readonly string[],
): Map<string, string> {
  for (const remote of remotes) {
    if (known.has(remote)) continue;
    const likely = LIKELY_DEFAULTS.map((branch) => `refs/remotes/${remote}/${branch}`).find((ref) =>
      oids.has(ref),
    );
    if (likely !== undefined) known.set(remote, likely);
  }
  return known;
}

/** The commit that a revision names. @throws {UsageError} if it names none. */
export async function commitOf(git: Git | undefined, revision: string): Promise<string> {
  if (git === undefined) {
    throw new UsageError('this folder is not in a git repository, so it has no revisions', {
      hint: 'leave the revision out, or give `--project <repository>`',
    });
  }
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const oid = await git.maybe(args, [1, 128]);
  if (oid !== undefined) return oid.trim();
  const isShallow = (await git.text(['rev-parse', '--is-shallow-repository'])).trim() === 'true';
  throw new UsageError(`\`${revision}\` is no commit in this repository`, {
    hint: isShallow
      ? 'this clone is shallow; fetch more history first: `git fetch --unshallow`'
      : "its branches and tags: `git for-each-ref --format='%(refname:short)'`; what others have: `git fetch`",
  });
}
