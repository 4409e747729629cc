/**
 * Ways to merge what git's usual merge leaves in conflict, the most careful first. None of them knows whether
 * its result is right: that is for the validations to say, and where they fail the next way is tried.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { onPath } from '../../base/files/executable.ts';
import { withScratchFolder } from '../../base/files/scratch-folder.ts';
import type { Git } from '../../base/git/git.ts';
import { CHECKOUT_MS, gitIn } from '../../base/git/git-in.ts';
import { commitMerge, type Merge, mergeCommit, type Sides } from '../../base/git/merge.ts';
import { mergeTrees } from '../../base/git/plumbing.ts';
import { withTemporaryTree } from '../../checkout/temporary-tree.ts';
import { leavesMarkers } from '../judge/stray.ts';
import { mayHoldTests, testCases } from '../judge/test-cases.ts';

interface Conflict extends Readonly<Record<'ours' | 'theirs' | 'base', string>> {
  readonly git: Git;
  readonly env: Environment;
  readonly paths: readonly string[];
}

/** Returns the merged tree; `undefined` if conflicts are left. */
type Resolver = (conflict: Conflict) => Promise<string | undefined>;

const RESOLVERS = {
  'renamed folders followed': (conflict) => mergeWith(conflict, FOLLOWING),
  'resolved as recorded before': resolveAsRecorded,
  'merged by mergiraf': mergeByStructure,
  'both additions kept': keepBoth,
} satisfies Readonly<Record<string, Resolver>>;

/** How a conflict was resolved, in words for people. */
export type Way = keyof typeof RESOLVERS;
const WAYS = Object.keys(RESOLVERS) as Way[];

export interface Resolution {
  readonly way: Way;
  /** Files that git could not merge. */
  readonly paths: readonly string[];
}

export type Resolved = Merge & {
  /** Absent where git has merged everything. */
  readonly resolution?: Resolution;
};

/**
 * A merge commit by git alone, or by the first way that leaves no conflict and no marker of one, and loses no test.
 *
 * @param refused ways whose result did not pass.
 */
export async function mergeOrResolve(
  git: Git,
  env: Environment,
  sides: Sides,
  refused: ReadonlySet<Way> = new Set(),
): Promise<Resolved> {
  const merge = await mergeCommit(git, sides);
  if (merge.kind === 'merged') return merge;
  const { ours, theirs } = sides;
  const { paths } = merge;
  const base = (await git.text(['merge-base', ours, theirs])).trim();
  const conflict = { git, env, ours, theirs, base, paths };
  for (const way of WAYS) {
    const tree = refused.has(way) ? undefined : await RESOLVERS[way](conflict);
    if (tree === undefined || (await losesTests(conflict, tree))) continue;
    if (await leavesMarkers(git, [ours, theirs], tree)) continue;
    const message = `${sides.message}\n\nConflict in ${paths.join(', ')}: ${way}`;
    const commit = await commitMerge(git, tree, { ours, theirs, message });
    return { kind: 'merged', commit, resolution: { way, paths } };
  }
  return merge;
}

/** A file that was added to a folder while the other side renamed that; and other line ends. */
const FOLLOWING = ['-c', 'merge.directoryRenames=true', '-c', 'merge.renormalize=true'];

async function mergeWith({ git, ours, theirs }: Conflict, config: readonly string[]) {
  const { tree, conflicts } = await mergeTrees(git, ours, theirs, config);
  return conflicts.length === 0 ? tree : undefined;
}

/**
 * As a person has resolved the same conflict in this repository, if git was told to record that.
 *
 * @see https://git-scm.com/docs/git-rerere
 */
async function resolveAsRecorded({ git, env, ours, theirs }: Conflict) {
  const folder = (await git.text(['rev-parse', '--git-path', 'rr-cache'])).trim();
  if (!existsSync(join(git.directory, folder)) && !existsSync(folder)) return undefined;
  const slow = gitIn(git.directory, env, { timeoutMs: CHECKOUT_MS });
  const place = { oid: ours, around: join(tmpdir(), 'lanehold-merge-'), name: 'merge' };
  return withTemporaryTree(slow, place, async (root) => {
    const there = gitIn(root, env, { timeoutMs: CHECKOUT_MS });
    const config = ['-c', 'rerere.enabled=true', '-c', 'rerere.autoUpdate=true'];
    await there.attempt([...config, 'merge', '--quiet', '--no-commit', '--no-ff', theirs]);
    const left = await there.text(['ls-files', '--unmerged']);
    return left === '' ? (await there.text(['write-tree'])).trim() : undefined;
  });
}

/** Merges by the syntax of the files. @see https://mergiraf.org */
async function mergeByStructure(conflict: Conflict) {
  if (onPath('mergiraf', conflict.env) === undefined) return undefined;
  const driver = 'merge.mergiraf.driver=mergiraf merge --git %O %A %B -p %P -l %L';
  return mergeBy('mergiraf', conflict, ['-c', driver]);
}

const LIST =
  /(?:^|\/)(?:(?:CHANGELOG|CHANGES|HISTORY|NEWS|AUTHORS|CONTRIBUTORS)(?:\.\w+)?|CODEOWNERS|\.\w+ignore|\.gitattributes|requirements[\w-]*\.txt)$/i;

const isList = (path: string): boolean => LIST.test(path);
/** Most of a source file of Rust is no test. */
const isTestFile = (path: string): boolean =>
  mayHoldTests(path) && (!path.endsWith('.rs') || /(?:^|\/)tests\//.test(path));

/**
 * The commonest conflict: both have added something at the same place of a file of tests or of a list.
 * Nothing if there is more than such additions among the conflicts.
 */
async function keepBoth(conflict: Conflict) {
  const { git, ours, theirs, base, paths } = conflict;
  if (!paths.every((it) => isList(it) || isTestFile(it))) return undefined;
  const shown = await mergeTrees(git, ours, theirs, WHOLE);
  for (const path of paths) {
    if (!onlyAdds(await textOf(git, shown.tree, path))) return undefined;
    const [before, one, other] = await testsIn(git, path, [base, ours, theirs]);
    // One of two tests of a name may take the place of the other, or get its lines.
    if (before && one && other && one.intersection(other).difference(before).size > 0) {
      return undefined;
    }
  }
  return mergeBy('union', conflict, WHOLE);
}

/** Other styles take equal lines of both sides out of a conflict, such as the ends of two tests. */
const WHOLE = ['-c', 'merge.conflictStyle=diff3'];

/** Whether nothing stood before in any of the conflicting places. */
function onlyAdds(text: string): boolean {
  const places = [...text.matchAll(/^<{7} .*\n[\s\S]*?^\|{7} .*\n([\s\S]*?)^={7}\n/gm)];
  return places.length > 0 && places.every(([, before]) => before === '');
}

/**
 * Merges with one of git's drivers for these files.
 *
 * @param config options of git itself, which may say what the driver is.
 */
async function mergeBy(driver: string, conflict: Conflict, config: readonly string[] = []) {
  return withScratchFolder((folder) => {
    const attributes = join(folder, 'attributes');
    const lines = conflict.paths.map((it) => `${pattern(it)} merge=${driver}\n`);
    writeFileSync(attributes, lines.join(''));
    return mergeWith(conflict, [...config, '-c', `core.attributesFile=${attributes}`]);
  });
}

/** A pattern that matches exactly this path. @see https://git-scm.com/docs/gitattributes */
const pattern = (path: string): string =>
  JSON.stringify(`/${path.replaceAll(/[*?[\\]/g, (it) => `\\${it}`)}`);

/** Whether a merged file lacks a test that one of the sides has and neither has removed. */
async function losesTests({ git, ours, theirs, base, paths }: Conflict, tree: string) {
  for (const path of paths.filter(mayHoldTests)) {
    const found = await testsIn(git, path, [base, ours, theirs, tree]);
    const [before, one, other, merged] = found;
    if (!before || !one || !other || !merged) continue;
    const kept = before.intersection(one).intersection(other);
    const added = one.union(other).difference(before);
    if (!kept.union(added).isSubsetOf(merged)) return true;
  }
  return false;
}

/** What identifies the tests of a file in each of these trees. */
function testsIn(git: Git, path: string, trees: readonly string[]): Promise<Set<string>[]> {
  return Promise.all(
    trees.map(async (tree) => {
      const cases = testCases(await textOf(git, tree, path));
      return new Set(cases.map(({ kind, title }) => `${kind} ${title}`));
    }),
  );
}

/** Empty where there is no such file. */
const textOf = async (git: Git, tree: string, path: string): Promise<string> =>
  (await git.maybe(['cat-file', 'blob', `${tree}:${path}`], [128])) ?? '';
