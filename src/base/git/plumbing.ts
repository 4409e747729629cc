/** Commits and refs without a working tree. No edited file changes, and a ref is moved only by compare and swap. */

import { boundedCache } from '../bounded-cache.ts';
import { ExplainedError } from '../errors.ts';
import { type Git, GitError, gitFailure } from './git.ts';
import { writeCommit } from './objects.ts';
import { splitNul } from './paths.ts';
import { branchAt, placeOfGit } from './project.ts';
import { readRefFiles } from './ref-files.ts';
import { isOid } from './tree-entry.ts';

/** The options for changes as git itself shows them, whatever programs and colours the settings name. */
export const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color'] as const;

/** The author of commits that lanehold makes for itself. */
export const AUTHOR = { name: 'lanehold', email: 'lanehold@localhost' } as const;

interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly at: Date;
  /** The author and the time, as git prints them, if the author is not the committer. */
  readonly writtenBy?: { readonly author: string; readonly time: string | undefined };
}

/** Writes a commit and returns its oid, the same on every machine: settings, such as signing, have no effect. */
export function commitTree(git: Git, commit: NewCommit): string {
  const { tree, parents, message, author, at, writtenBy } = commit;
  const stamp = `${Math.floor(at.getTime() / 1000)} +0000`;
  const who = `${oneWord(author.name, 'lanehold')} <${oneWord(author.email, '')}> ${stamp}`;
  const writer = writtenBy ? `${writtenBy.author} ${writtenBy.time ?? stamp}` : who;
  const lines = [`tree ${tree}`, ...parents.map((it) => `parent ${it}`), `author ${writer}`];
  // Some git commands read a message only up to a NUL.
  const text = message.replaceAll('\0', '\uFFFD').trimEnd();
  const object = `${lines.join('\n')}\ncommitter ${who}\n\n${text}\n`;
  const oid = writeCommit(git, object);
  commits.keep(oid, object);
  return oid;
}

/** Texts of commits, which never change. */
const commits = boundedCache<string>(1024 * 1024, ({ length }) => length);

/** The text of each commit, read with at most one start of git; `undefined` for a missing one. */
export async function commitTexts(git: Git, oids: readonly string[]) {
  const texts = new Map(oids.map((it) => [it, commits.find(it)]));
  const unknown = [...texts.keys()].filter((it) => texts.get(it) === undefined);
  for (const [at, found] of (await git.objects(unknown)).entries()) {
    if (found?.type !== 'commit') continue;
    const text = `${found.content}`;
    commits.keep(found.oid, text);
    texts.set(unknown[at] ?? '', text);
  }
  return oids.map((it) => texts.get(it));
}

export const parentsIn = (commit = ''): string[] =>
  [...commit.slice(0, commit.indexOf('\n\n')).matchAll(/^parent (\w+)$/gm)].map(
    ([, oid = '']) => oid,
  );

/** Removes the characters that end a name or an address in a commit's header. */
function oneWord(text: string, otherwise: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed
  const word = text.replaceAll(/[<>\s\u0000-\u001f\u007f]+/g, ' ').trim();
  return word === '' ? otherwise : word;
}

/**
 * Moves a ref by compare and swap: `lost` if the ref is not where the caller expects it.
 *
 * @param ref full name; a symbolic ref is moved itself, not the ref that it names.
 * @param from zeros: the ref must not exist.
 */
export async function moveRef(
  git: Git,
  ref: string,
  to: string,
  from: string,
  reason: string,
): Promise<'moved' | 'lost'> {
  const args = ['update-ref', '--no-deref', '-m', reason || 'lanehold', ref, to, orNone(from)];
  return (await changeRef(git, ref, from, args)) ? 'moved' : 'lost';
}

/** Deletes a ref if it is where the caller expects it. */
export async function deleteRef(git: Git, ref: string, from: string): Promise<'deleted' | 'lost'> {
  const args = ['update-ref', '--no-deref', '-d', ref, orNone(from)];
  return (await changeRef(git, ref, from, args)) ? 'deleted' : 'lost';
}

/** The most tries while another process holds the lock of the ref. */
const LOCK_TRIES = 5;

async function changeRef(
  git: Git,
  ref: string,
  from: string,
  args: readonly string[],
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await git.attempt(args);
    if (outcome.exitCode === 0) return true;
    if ((await refAt(git, ref)) !== (isNone(from) ? undefined : from)) return false;
    // Another process changes this ref or packs all of them. git itself waits a moment each time.
    if (tries === LOCK_TRIES || !/\.lock'?: File exists/.test(outcome.stderr)) {
      throw gitFailure(args, outcome);
    }
  }
}

/** The value for git: zeros must have as many digits as the repository's hash, and empty means the same. */
const orNone = (oid: string): string => (isNone(oid) ? '' : oid);
const isNone = (oid: string): boolean => /^0*$/.test(oid);

/** The object that a ref points at, by its full name. */
export async function refAt(git: Git, ref: string): Promise<string | undefined> {
  return (await refsAt(git, ref)).get(ref);
}

/** The objects of those of some refs that exist, by their full names. */
export async function refsAt(git: Git, ...names: readonly string[]) {
  // The patterns also match refs below folders of these names.
  return readRefFiles(git, names) ?? refsBelow(git, ...names);
}

/** Full name of the branch that is checked out; `undefined` if HEAD is detached. */
export async function checkedOutBranch(git: Git): Promise<string | undefined> {
  const at = branchAt(placeOfGit(git)) ?? '';
  // Git tells where a branch that is itself a symbolic ref leads, and what only looks like the name of a branch.
  if (at.startsWith('refs/heads/') && readRefFiles(git, [at]) !== undefined) return at;
  return (await git.maybe(['symbolic-ref', '--quiet', 'HEAD'], [1, 128]))?.trim();
}

/** The commits of all refs below these prefixes, by full name. */
export async function refsBelow(git: Git, ...prefixes: readonly string[]) {
  const refs = new Map<string, string>();
  const args = ['for-each-ref', '--format=%(refname)%00%(objectname)', ...prefixes];
  for (const line of (await git.text(args)).split('\n')) {
    const [name, oid] = line.split('\0');
    if (name && oid) refs.set(name, oid);
  }
  return refs;
}

/** A commit is its own ancestor. @param misses the exit codes of git for "no ancestor". */
export async function isAncestor(
  git: Git,
  a: string,
  b: string,
  misses: readonly number[] = [1],
): Promise<boolean> {
  const key = `${a} ${b}`;
  const known = ancestors.find(key);
  if (known !== undefined) return known;
  const is = (await git.maybe(['merge-base', '--is-ancestor', a, b], misses)) !== undefined;
  if (isOid(a) && isOid(b)) ancestors.keep(key, is);
  return is;
}

/** Known answers: the history of a commit never changes, and integrated lanes are checked for the same commits. */
const ancestors = boundedCache<boolean>(256 * 1024, () => 0);

/** @param commit its oid. */
export async function treeOf(git: Git, commit: string): Promise<string> {
  const [text] = isOid(commit) ? await commitTexts(git, [commit]) : [];
  const known = /^tree (\w+)/.exec(text ?? '')?.[1];
  const tree = known ?? (await git.objects([`${commit}^{tree}`]))[0]?.oid;
  if (tree === undefined) throw new GitError(['cat-file'], `there is no commit ${commit}`);
  return tree;
}

/** The trees of many commits, with at most one start of git. @param commits their oids. */
export async function treesOf(git: Git, commits: readonly string[]): Promise<string[]> {
  // These are then known.
  await commitTexts(git, commits);
  return Promise.all(commits.map((it) => treeOf(git, it)));
}

/**
 * Merges two commits into a tree. Objects are written; no ref and no file changes.
 *
 * @param config options of git itself: `-c`, `name=value`.
 * @returns a tree, with conflict markers if the merge has conflicts, and their paths.
 * @see https://git-scm.com/docs/git-merge-tree#OUTPUT
 * @throws {ExplainedError} before git 2.38.
 * @throws {GitError} if a side is missing, or the two have no history in common.
 */
export async function mergeTrees(
  git: Git,
  ours: string,
  theirs: string,
  config: readonly string[] = [],
): Promise<{ readonly tree: string; readonly conflicts: readonly string[] }> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
  const outcome = await git.attempt([...config, ...args]);
  if (outcome.exitCode === 129) {
    throw new ExplainedError('this git cannot merge without a working tree', {
      code: 'OLD_GIT',
      hint: 'install git 2.38 or newer',
    });
  }
  const [tree = '', ...conflicts] = splitNul(outcome.stdout);
  // A missing commit also gives exit code 1, but no tree.
  if (outcome.exitCode > 1 || !/^[0-9a-f]{40,}$/.test(tree)) throw gitFailure(args, outcome);
  return { tree, conflicts };
}

/**
 * The merges of many pairs with one start of git; `undefined` if git gives no answer, as a git
 * before 2.39 does, or if a side of one pair is missing.
 */
export async function mergeTreesOf(git: Git, pairs: readonly (readonly [string, string])[]) {
  const args = ['merge-tree', '--write-tree', '--stdin', '-z', '--name-only', '--no-messages'];
  const input = pairs.map((pair) => `${pair.join(' ')}\n`).join('');
  const outcome = await git.attempt(args, input);
  if (outcome.exitCode !== 0) return undefined;
  // Each answer has a status, a tree, the paths in conflict, and an empty part.
  const found: { readonly tree: string; readonly conflicts: string[] }[] = [];
  let at: string[] = [];
  for (const part of splitNul(outcome.stdout)) {
    if (part !== '') at.push(part);
    else {
      const [, tree = '', ...conflicts] = at;
      found.push({ tree, conflicts });
      at = [];
    }
  }
  return found.length === pairs.length ? found : undefined;
}
