/** Works out what leaves at a boundary, and what it is compared with. */

import { REGISTRY_FILE } from '../base/config/feature.ts';
import { gitCommand } from '../base/git/command-line.ts';
import type { Git } from '../base/git/git.ts';
import { noteCommits, readRefs } from '../base/git/known-refs.ts';
import { blobsAt } from '../base/git/paths.ts';
import { isAncestor } from '../base/git/plumbing.ts';
import type { Refs } from '../base/git/refs.ts';
import {
  addressesOf,
  isDoubted,
  mainRemote,
  remoteName,
  tipsOf,
  upstreamTips,
} from '../base/git/remotes.ts';
import { type RepositorySnapshot, snapshotOf } from '../base/git/repository-snapshot.ts';
import { words } from '../base/text/options.ts';
import type { Boundary } from '../commands/finding.ts';
import type { Comparison, Subject } from '../features/comparison.ts';
import { CannotTellError } from './errors.ts';
import {
  type Earlier,
  earlierCommands,
  earlierEdit,
  takes,
  tellable,
} from './git/earlier-commands.ts';
import { type PushUpdate, parsePushArguments, planPush } from './git/push-updates.ts';
import { leavingPaths, MANIFESTS } from './leaving-paths.ts';

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

/** Adds refs of remotes that say more than is known to come from the remote. */
export const believed = (refs: Refs): Refs => ({
  ...refs,
  oids: new Map([...refs.oids, ...refs.unknown]),
});

/**
 * @returns an empty list if others have all that leaves.
 * @throws {CannotTellError | GitError}
 */
export async function comparisonsAt(
  boundary: Boundary,
  git: Git,
  root: string,
  believes: boolean,
): Promise<Comparison[]> {
  const known = await readRefs(git, boundary.config);
  const refs = believes ? believed(known) : known;
  const earlier = { root, ...earlierCommands(boundary.before) };
  if (earlier.kind === 'unknown') throw changedEarlier(boundary, earlier.by);
  // A commit with `--git-dir` takes files from the folder that the command runs in.
  if (earlier.commits !== undefined && boundary.gitDir !== undefined)
    throw changedEarlier(boundary, 'git commit');
  switch (sendsCommits(boundary) ? 'head' : boundary.leaves) {
    case 'refs':
      return PUSHES.has(boundary.rule)
        ? pushed(boundary, git, refs, earlier)
        : headBeyond({ base: upstreamOid(refs) }, git, refs, earlier);
    case 'head':
      return headBeyond(requestedBase(boundary, refs), git, refs, earlier);
    case 'worktree': {
      const edit = earlierEdit(boundary.before);
      if (edit !== undefined) throw changedEarlier(boundary, edit);
      const comparison = await sinceLastTag(git, refs, { kind: 'worktree' });
      return [{ ...comparison, within: await leavingPaths(boundary, git, root) }];
    }
  }
}

/** Compares a tree with the upstream branch: the comparison without a boundary, as in `lanehold feature pending`. */
export async function ordinaryComparison(
  git: Git | undefined,
  subject: Subject,
  snapshot: RepositorySnapshot = snapshotOf(git),
): Promise<Comparison> {
  if (git === undefined) return EVERYTHING;
  const refs = await snapshot.refs();
  const reviewed = defaultTips(refs);
  const upstream = upstreamOid(refs);
  if (refs.head === undefined) return { subject, base: upstream, published: reviewed, reviewed };
  const named = remoteName(refs, undefined);
  const remote = refs.remotes.includes(named) ? named : (mainRemote(refs) ?? named);
  const { head } = refs;
  const tips = tipsFor(refs, remote);
  if (upstream !== undefined) {
    const alsoPublished = () => publishedBeside(git, head, tips, upstream);
    return { subject, base: upstream, published: reviewed, reviewed, alsoPublished };
  }
  const [base, ...others] = (await madeOn(git, head, tips.has)) ?? [head];
  return { subject, base, published: [...others, ...reviewed], reviewed };
}

/** True if commits are sent through a connection, not the working tree: `git archive HEAD | ssh host tar x`. */
function sendsCommits({ rule, before }: Boundary): boolean {
  const isCopy = rule === 'copy by ssh' || rule === 'copy by a socket';
  const packs = words('archive fast-export format-patch');
  return isCopy && before.some(({ argv }) => packs.has(gitCommand(argv)?.subcommand ?? ''));
}

function changedEarlier(boundary: Boundary, by: string): Error {
  return new CannotTellError(
    `\`${by}\` in the same command may change what \`${boundary.rule}\` sends`,
    `run \`${boundary.rule}\` in a command of its own, after the rest`,
  );
}

/** The push of what is checked out: for refs that are unknown or new, after commands that change nothing else. */
export function asItStands(boundary: Boundary): Boundary {
  const before = [...tellable(boundary.before), MAKES_NAMES];
  if (!boundary.argv.includes(undefined)) return { ...boundary, before };
  const { remote } = parsePushArguments(gitCommand(boundary.argv)?.words ?? []);
  const named = boundary.argv.map((it) => it ?? 'HEAD');
  return { ...boundary, before, argv: remote === undefined ? ['git', 'push'] : named };
}

/** A command that makes names: with it, a name that does not exist yet is one for what is checked out. */
const MAKES_NAMES = { argv: ['git', 'branch', 'topic'], writesFile: false };

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
  const comparisons = await forUpdates(git, refs, remote, updates, earlier);
  return withOrigin(comparisons, git, refs);
}

/**
 * Adds the working tree to a branch that has no history in common with what is checked out: a tool
 * has made the branch from it, as tools for pages do, or `git subtree split`. Content in which no
 * test could pass counts by the working tree alone.
 */
export async function withOrigin(
  comparisons: readonly Comparison[],
  git: Git,
  { head }: Pick<Refs, 'head'>,
): Promise<Comparison[]> {
  const judged: Comparison[] = [];
  let isMade = false;
  for (const comparison of comparisons) {
    const { subject, push } = comparison;
    const isBranch = subject.kind === 'revision' && push?.destination.startsWith('refs/heads/');
    if (!isBranch || head === undefined || !(await areUnrelated(git, subject.oid, head))) {
      judged.push(comparison);
      continue;
    }
    isMade = true;
    if (!(await isOutput(git, subject.oid, comparison.base, head))) judged.push(comparison);
  }
  return isMade ? [...judged, await ordinaryComparison(git, { kind: 'worktree' })] : judged;
}

/** Files at the root of a project without which its tests cannot run. */
const TESTED_BY = [REGISTRY_FILE, ...MANIFESTS, 'go.mod'];

/** True for a tool's output: the branch replaces none that continues HEAD, and does not say how to test it. */
async function isOutput(git: Git, oid: string, replaced: string | undefined, head: string) {
  const says = async (commit: string) => {
    const texts = await blobsAt(
      git,
      TESTED_BY.map((it) => `${commit}:${it}`),
    );
    return texts.some((it) => it !== undefined);
  };
  if (replaced !== undefined && !(await areUnrelated(git, replaced, head))) return false;
  return (await says(head)) && !(await says(oid));
}

/** True if no commit is in the history of both, which a shallow clone cannot tell. */
export async function areUnrelated(git: Git, one: string, other: string): Promise<boolean> {
  if (one === other) return false;
  if ((await git.maybe(['merge-base', one, other])) !== undefined) return false;
  return (await git.text(['rev-parse', '--is-shallow-repository'])).trim() === 'false';
}

/** The comparisons of the updates whose commit the remote does not have already, under some name. */
export async function forUpdates(
  git: Git,
  refs: Refs,
  remote: string,
  updates: readonly PushUpdate[],
  earlier: Known,
): Promise<Comparison[]> {
  const tips = tipsFor(refs, remote);
  const published = defaultTips(refs, remote).filter((it) => tips.has.has(it));
  const reviewed = [...defaultTips(refs), ...defaultTips(refs, remote)];
  const doubt = isDoubted(refs, remote) && { doubted: remote };
  const shared = { reviewed, sentTo: addressesOf(refs, remote, 'push'), ...doubt };
  const comparisons: Comparison[] = [];
  // They are taken one after the other: a mirror may have thousands, and each may start git.
  for (const { oid, source, destination, tracked } of updates) {
    const subject = subjectFor(oid, refs, earlier);
    const push = { remote, source: nameOf(source, oid, refs), destination };
    const own = { ...shared, subject, push };
    if (tracked !== undefined) {
      const alsoPublished = () => publishedBeside(git, oid, tips, tracked);
      comparisons.push({ ...own, base: tracked, published, alsoPublished });
      continue;
    }
    const made = await madeOn(git, oid, tips.has);
    if (made === undefined && subject.kind === 'revision') continue;
    const [base, ...others] = made ?? [oid];
    comparisons.push({ ...own, base, published: [...others, ...published] });
  }
  return comparisons;
}

/** Notes the commits of a push that is let through: whether or not the push succeeds, all of them may have left. */
export function noteLetThrough(git: Git, comparisons: readonly Comparison[]): void {
  const sent = comparisons.flatMap(({ sentTo = [], subject }) =>
    subject.kind === 'revision' ? sentTo.map((it) => [it, [subject.oid]] as const) : [],
  );
  if (sent.length > 0) noteCommits(git, sent);
}

interface Tips {
  readonly has: ReadonlySet<string>;
  /** The commits among them that it has as a fork. */
  readonly upstream: ReadonlySet<string>;
}

function tipsFor(refs: Refs, remote: string): Tips {
  const upstream = new Set(upstreamTips(refs, remote));
  return { has: new Set([...(refs.has ?? tipsOf(refs, remote)), ...upstream]), upstream };
}

/** The commits of others that the new ones are made on; `undefined` if there is no new one. */
async function madeOn(
  git: Git,
  commit: string,
  has: ReadonlySet<string>,
): Promise<string[] | undefined> {
  if (has.has(commit)) return undefined;
  if (has.size === 0) return [];
  const input = [commit, ...[...has].map((it) => `^${it}`)].map((it) => `${it}\n`).join('');
  // A noted commit of a rewritten branch may be gone.
  const args = ['rev-list', '--boundary', '--ignore-missing', '--stdin'];
  const found = (await git.text(args, input)).split('\n');
  if (found.length === 1) return undefined;
  const boundary = found.filter((it) => it.startsWith('-')).map((it) => it.slice(1));
  return boundary.slice(0, MOST_COMPARED);
}

/** Each of these commits is read as a whole tree, and a long series of merges has one for each merge. */
const MOST_COMPARED = 10;

/**
 * The commits of others beside a branch that the remote has, without those that are replaced there:
 * content that was taken back leaves again. A branch that is moved to a commit of another branch
 * gets all of its content, unless the repository that was forked has it so.
 */
async function publishedBeside(
  git: Git,
  commit: string,
  { has, upstream }: Tips,
  replaced: string,
): Promise<string[]> {
  if ([...has].every((it) => it === replaced)) return [];
  const found = (await madeOn(git, commit, has)) ?? [];
  const mayBeTheirs = found.length === 0 && upstream.size > 0;
  if (mayBeTheirs && (await madeOn(git, commit, upstream)) === undefined) found.push(commit);
  const isOld = found.map((it) => it === replaced || isAncestor(git, it, replaced));
  const old = await Promise.all(isOld);
  return found.filter((_, at) => !old[at]);
}

/** The name of a source; HEAD is replaced by its branch, because HEAD will soon mean something else. */
function nameOf(source: string, oid: string, { oids, currentBranch }: Refs): string {
  const name = source === 'HEAD' && currentBranch ? `refs/heads/${currentBranch}` : source;
  return oids.has(name) ? name : oid;
}

/** @param known what HEAD is compared with, or the branch that it left; by default the default branch. */
async function headBeyond(
  { base, branch }: { readonly base?: string | undefined; readonly branch?: string | undefined },
  git: Git,
  refs: Refs,
  earlier: Known,
): Promise<Comparison[]> {
  if (refs.head === undefined) return [];
  const published = defaultTips(refs);
  const tip = branch ?? published[0];
  const fork = async () => tip && (await git.maybe(['merge-base', 'HEAD', tip]))?.trim();
  const subject = subjectFor(refs.head, refs, earlier);
  const others = branch === undefined ? published : [...published, branch];
  return [{ subject, base: base ?? (await fork()), published: others }];
}

/** The branch that a pull request names as its base. */
function requestedBase({ kind, argv }: Boundary, refs: Refs) {
  const at = argv.findIndex((it) => BASE_OPTION.test(it ?? ''));
  if (kind !== 'pull-request' || at === -1) return {};
  const [, name = argv[at + 1]] = /=(.*)/s.exec(argv[at] ?? '') ?? [];
  const remotes = [mainRemote(refs), ...refs.remotes];
  const refNames = remotes.map((it) => `refs/remotes/${it}/${name?.replace(/^.*:/, '')}`);
  return { branch: refNames.map((it) => refs.oids.get(it)).find((it) => it !== undefined) };
}

const BASE_OPTION = /^(?:-B|--base|--target-branch|--target)(?:=|$)/;

/** The subject of a push of HEAD after an earlier commit: what is staged, and the changes that the commit adds. */
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

/** The last tag whose commit others have; without a remote nothing tells, and every tag counts. */
async function lastPublishedTag(git: Git, refs: Refs): Promise<string | undefined> {
  const atHead = await git.text(['tag', '--points-at', 'HEAD']);
  const without = atHead.split('\n').filter((tag) => tag !== '');
  const has = new Set(refs.remotes.flatMap((it) => tipsOf(refs, it)));
  for (let left = MOST_UNPUBLISHED; left > 0; left -= 1) {
    const excluded = without.flatMap((tag) => ['--exclude', tag]);
    const found = await git.maybe(['describe', '--tags', '--abbrev=0', ...excluded, 'HEAD'], [128]);
    const tag = found?.trim();
    if (tag === undefined || refs.remotes.length === 0) return tag;
    if ((await madeOn(git, `refs/tags/${tag}`, has)) === undefined) return tag;
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

export function defaultTips(refs: Refs, remote = mainRemote(refs)): string[] {
  const tip = refs.oids.get(refs.defaultBranches.get(remote ?? '') ?? '');
  return tip === undefined ? [] : [tip];
}
