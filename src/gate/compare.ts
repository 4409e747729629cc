/** Works out what leaves at a boundary, and what it is compared with. */

import { gitCommand } from '../base/git/command-line.ts';
import type { Git } from '../base/git/git.ts';
import { type Refs, readRefs } from '../base/git/refs.ts';
import { type RepositorySnapshot, snapshotOf } from '../base/git/repository-snapshot.ts';
import type { Boundary } from '../commands/finding.ts';
import type { Comparison, Subject } from '../features/comparison.ts';
import { CannotTellError } from './errors.ts';
import { type Earlier, earlierCommands, earlierEdit, takes } from './git/earlier-commands.ts';
import { type PushUpdate, parsePushArguments, planPush } from './git/push-updates.ts';
import { leavingPaths } from './leaving-paths.ts';

/** A folder without git has no base, so every file counts. */
export const EVERYTHING: Comparison = {
  subject: { kind: 'worktree' },
  base: undefined,
  published: [],
};

type Known = Earlier & { kind: 'known'; root: string };

/** Commands whose words say which refs leave; other commands that push send commits of HEAD. */
const PUSHES: ReadonlySet<string> = new Set(['git push', 'git send-pack', 'git http-push']);

/** No earlier command changes what leaves. */
export const NOTHING_EARLIER: Known = { kind: 'known', commits: undefined, names: false, root: '' };

/**
 * @returns an empty list if others have all that leaves.
 * @throws {CannotTellError | GitError}
 */
export async function comparisonsAt(
  boundary: Boundary,
  git: Git,
  root: string,
): Promise<Comparison[]> {
  const refs = await readRefs(git, boundary.config);
  const earlier = { root, ...earlierCommands(boundary.before) };
  if (earlier.kind === 'unknown') throw changedEarlier(boundary, earlier.by);
  // A commit with `--git-dir` takes files of the folder that the command runs in.
  if (earlier.commits !== undefined && boundary.gitDir !== undefined)
    throw changedEarlier(boundary, 'git commit');
  switch (boundary.leaves) {
    case 'refs':
      return PUSHES.has(boundary.rule)
        ? pushed(boundary, git, refs, earlier)
        : headBeyond(upstreamOid(refs), git, refs, earlier);
    case 'head':
      return headBeyond(undefined, git, refs, earlier);
    case 'worktree': {
      const edit = earlierEdit(boundary.before);
      if (edit !== undefined) throw changedEarlier(boundary, edit);
      const comparison = await sinceLastTag(git, refs, { kind: 'worktree' });
      return [{ ...comparison, within: await leavingPaths(boundary, git, root) }];
    }
  }
}

/**
 * A tree against what the upstream branch has: what is compared where no boundary says more, as in
 * `lanehold feature pending`.
 */
export async function ordinaryComparison(
  git: Git | undefined,
  subject: Subject,
  snapshot: RepositorySnapshot = snapshotOf(git),
): Promise<Comparison> {
  if (git === undefined) return EVERYTHING;
  const refs = await snapshot.refs();
  const base = upstreamOid(refs) ?? (await forkPoint(git, refs, 'HEAD', defaultRemotes(refs)));
  return { subject, base, published: defaultTips(refs), reviewed: defaultTips(refs) };
}

function changedEarlier(boundary: Boundary, by: string): Error {
  return new CannotTellError(
    `\`${by}\` in the same command may change what \`${boundary.rule}\` sends`,
    `run \`${boundary.rule}\` in a command of its own, after the rest`,
  );
}

async function pushed(
  boundary: Boundary,
  git: Git,
  refs: Refs,
  earlier: Known,
): Promise<Comparison[]> {
  const given = parsePushArguments(gitCommand(boundary.argv)?.words ?? []);
  const says = given.refspecs.length > 0 || given.sets.size > 0;
  // Only `git push` has a default for the refs that it sends.
  const unknown = given.unknown || (boundary.rule !== 'git push' && !says);
  const { remote, updates } = await planPush(git, refs, { ...given, unknown }, earlier.names);
  const comparisons = updates.map((update) => forUpdate(git, refs, remote, update, earlier));
  return withOrigin((await Promise.all(comparisons)).flat(), git, refs);
}

/**
 * With the working tree, where a branch has no history in common with what is checked out: a tool has made it of that,
 * as those for pages do, or `git subtree split`.
 */
export async function withOrigin(
  comparisons: readonly Comparison[],
  git: Git,
  { head }: Refs,
): Promise<Comparison[]> {
  for (const { subject, push } of comparisons) {
    const isBranch = subject.kind === 'revision' && push?.destination.startsWith('refs/heads/');
    if (!isBranch || subject.oid === head || head === undefined) continue;
    if ((await git.maybe(['merge-base', subject.oid, head])) !== undefined) continue;
    // History that was not fetched may have it.
    if ((await git.text(['rev-parse', '--is-shallow-repository'])).trim() === 'true') continue;
    return [...comparisons, await ordinaryComparison(git, { kind: 'worktree' })];
  }
  return [...comparisons];
}

/** @returns an empty list if the remote has the commit already, under some name. */
export async function forUpdate(
  git: Git,
  refs: Refs,
  remote: string,
  { oid, source, destination, tracked }: PushUpdate,
  earlier: Known,
): Promise<Comparison[]> {
  const subject = subjectFor(oid, refs, earlier);
  const published = defaultTips(refs, remote);
  const reviewed = defaultTips(refs);
  const push = { remote, source: nameOf(source, oid, refs), destination };
  if (tracked !== undefined) return [{ subject, base: tracked, published, reviewed, push }];
  if (subject.kind === 'revision' && (await isContained(git, oid, remote))) return [];
  const base = await forkPoint(git, refs, oid, [remote]);
  return [{ subject, base, published, reviewed, push }];
}

/** HEAD will mean something else soon. */
function nameOf(source: string, oid: string, { oids, currentBranch }: Refs): string {
  const name = source === 'HEAD' && currentBranch ? `refs/heads/${currentBranch}` : source;
  return oids.has(name) ? name : oid;
}

/** @param upstream what HEAD is compared with, if not with the default branch. */
async function headBeyond(
  upstream: string | undefined,
  git: Git,
  refs: Refs,
  earlier: Known,
): Promise<Comparison[]> {
  if (refs.head === undefined) return [];
  const base = upstream ?? (await forkPoint(git, refs, 'HEAD', defaultRemotes(refs)));
  return [{ subject: subjectFor(refs.head, refs, earlier), base, published: defaultTips(refs) }];
}

/** The subject of a push of HEAD after an earlier commit: what is staged, and what that commit takes besides. */
function subjectFor(oid: string, refs: Refs, { commits, root }: Known): Subject {
  if (commits === undefined || oid !== refs.head) return { kind: 'revision', oid };
  return { kind: 'commit', takes: (change) => takes(commits, root, change) };
}

/** A tag at HEAD belongs to the release that is being made, so the tag before it counts. */
async function sinceLastTag(git: Git, refs: Refs, subject: Subject): Promise<Comparison> {
  if (refs.head === undefined) return { subject, base: undefined, published: [] };
  const tag = await lastPublishedTag(git, refs);
  const reviewed = defaultTips(refs);
  if (tag === undefined) return { subject, base: undefined, published: [], reviewed };
  const base = await git.text(['rev-parse', '--verify', `refs/tags/${tag}^{commit}`]);
  return { subject, base: base.trim(), published: [], reviewed };
}

/** Others have a tag if they have its commit; without a remote nothing tells, and every tag counts. */
async function lastPublishedTag(git: Git, refs: Refs): Promise<string | undefined> {
  const atHead = await git.text(['tag', '--points-at', 'HEAD']);
  const without = atHead.split('\n').filter((tag) => tag !== '');
  for (let left = MOST_UNPUBLISHED; left > 0; left -= 1) {
    const excluded = without.flatMap((tag) => ['--exclude', tag]);
    const found = await git.maybe(['describe', '--tags', '--abbrev=0', ...excluded, 'HEAD'], [128]);
    const tag = found?.trim();
    if (tag === undefined || refs.remotes.length === 0) return tag;
    const contains = ['--count=1', `--contains=refs/tags/${tag}`, 'refs/remotes/'];
    if ((await git.text(['for-each-ref', ...contains])) !== '') return tag;
    without.push(tag);
  }
  return undefined;
}

const MOST_UNPUBLISHED = 20;

export function upstreamOid(refs: Refs): string | undefined {
  const branch = refs.currentBranch;
  if (branch === undefined) return undefined;
  const remote = refs.setting(`branch.${branch}.remote`).at(-1);
  const merge = refs.setting(`branch.${branch}.merge`).at(-1);
  return refs.oids.get(`refs/remotes/${remote}/${merge?.replace(/^refs\/heads\//, '')}`);
}

function defaultRemotes(refs: Refs): string[] {
  return refs.remotes.includes('origin') ? ['origin'] : refs.remotes.slice(0, 1);
}

export function defaultTips(refs: Refs, remote?: string): string[] {
  const remotes = remote === undefined ? defaultRemotes(refs) : [remote];
  return remotes.flatMap((it) => refs.oids.get(refs.defaultBranches.get(it) ?? '') ?? []);
}

/** The merge base of a commit and the default branch of the first remote that has one. */
async function forkPoint(
  git: Git,
  refs: Refs,
  commit: string,
  remotes: readonly string[],
): Promise<string | undefined> {
  if (refs.head === undefined && commit === 'HEAD') return undefined;
  for (const remote of remotes) {
    const tip = refs.oids.get(refs.defaultBranches.get(remote) ?? '');
    if (tip !== undefined) return (await git.maybe(['merge-base', commit, tip]))?.trim();
  }
  return undefined;
}

async function isContained(git: Git, oid: string, remote: string): Promise<boolean> {
  const format = '--format=%(symref)';
  const refs = [`--contains=${oid}`, `refs/remotes/${remote}/`];
  const found = await git.text(['for-each-ref', format, ...refs]);
  // A symbolic ref stands for another one, which the remote may not have.
  return found.split('\n').slice(0, -1).includes('');
}
