/**
 * Ways to merge what git's usual merge leaves in conflict, the most careful first. None of them knows whether its
 * result is right: the validations decide, and after a failure the next way is tried.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onPath } from '../../base/files/executable.ts';
import { withScratchFolder } from '../../base/files/scratch-folder.ts';
import { type Git, GitError } from '../../base/git/git.ts';
import { commitMerge, type Merge, mergeCommit, type Sides } from '../../base/git/merge.ts';
import { mergeTrees, treeOf } from '../../base/git/plumbing.ts';
import { updateIndex } from '../../base/git/private-index.ts';
import { treeAt } from '../../base/git/tree-objects.ts';
import { leavesMarkers } from '../judge/stray.ts';
import { mayHoldTests, testCases } from '../judge/test-cases.ts';
import { withBothAdditions } from './additions.ts';
import { withNewNames } from './new-names.ts';

interface Conflict extends Readonly<Record<'ours' | 'theirs' | 'base', string>> {
  readonly git: Git;
  readonly env: NodeJS.ProcessEnv;
  /** Files that git could not merge, and its tree with their conflicts. */
  readonly paths: readonly string[];
  readonly tree: string;
}

/** Each way returns a tree; `undefined` if conflicts are left. */
const WAYS: Readonly<Record<string, (conflict: Conflict) => Promise<string | undefined>>> = {
  'renamed folders followed': (conflict) => mergeWith(conflict, FOLLOWING),
  'both additions kept': keepBoth,
  'merged by mergiraf': mergeByMergiraf,
};

/** How a conflict was resolved, in words for people; a conflict in several files may need several. */
export type Way = string;

/** The result of git's own merge, which can be refused like that of any other way. */
export const BY_GIT = 'merged by git';
const NEW_NAMES = 'new names followed';

export interface Resolution {
  readonly way: Way;
  /** Files that git could not merge. */
  readonly paths: readonly string[];
  /** Other ways, whose results failed. */
  readonly refused: readonly Way[];
}

export type Resolved = Merge & {
  /** Absent if git has merged everything. */
  readonly resolution?: Resolution;
};

/** The most failed ways: each costs a validation, and as many again to find the culprit. */
const MOST_REFUSED = 4;

/**
 * A merge commit by git alone, or by the first way that leaves no conflict and no marker of one, and loses no test.
 *
 * @param refused ways whose result failed.
 */
export async function mergeOrResolve(
  git: Git,
  env: NodeJS.ProcessEnv,
  sides: Sides,
  refused: ReadonlySet<Way> = new Set(),
): Promise<Resolved> {
  const merge = await mergeCommit(git, sides);
  const isMerged = merge.kind === 'merged';
  if ((isMerged && !refused.has(BY_GIT)) || refused.size >= MOST_REFUSED) return merge;
  const { ours, theirs } = sides;
  const base = (await git.text(['merge-base', ours, theirs])).trim();
  const { paths, tree } = isMerged ? { paths: [], tree: await treeOf(git, merge.commit) } : merge;
  const conflict = { git, env, ours, theirs, base, paths, tree };
  const candidates = isMerged ? followed(conflict, BY_GIT, tree) : candidatesFor(conflict);
  const seen = new Set<string>();
  for await (const { way, tree } of candidates) {
    const isNew = !seen.has(tree) && !refused.has(way);
    seen.add(tree);
    if (!isNew || (await losesTests(conflict, tree))) continue;
    if (await leavesMarkers(git, [ours, theirs], tree)) continue;
    const what = paths.length === 0 ? 'Merged' : `Conflict in ${paths.join(', ')}`;
    const message = `${sides.message}\n\n${what}: ${way}`;
    const commit = await commitMerge(git, tree, { ours, theirs, message });
    return { kind: 'merged', commit, resolution: { way, paths, refused: [...refused] } };
  }
  return merge;
}

interface Candidate {
  readonly way: Way;
  readonly tree: string;
}

async function* candidatesFor(conflict: Conflict): AsyncGenerator<Candidate> {
  for (const [way, merge] of Object.entries(WAYS)) {
    const tree = await merge(conflict);
    if (tree !== undefined) yield* followed(conflict, way, tree);
  }
}

/** Applies one side's new names to the other's additions: the old names no longer exist in the tree. */
async function* followed(conflict: Conflict, way: Way, tree: string): AsyncGenerator<Candidate> {
  const files = await withNewNames(conflict, tree);
  if (files.size === 0) yield { way, tree };
  else {
    const both = way === BY_GIT ? NEW_NAMES : `${way}, ${NEW_NAMES}`;
    yield { way: both, tree: await withFiles(conflict, tree, files) };
  }
}

/** Follows a renamed folder with files that the other side has added to it, and ignores line ends. */
const FOLLOWING = ['-c', 'merge.directoryRenames=true', '-c', 'merge.renormalize=true'];

async function mergeWith({ git, ours, theirs }: Conflict, config: readonly string[]) {
  try {
    const { tree, conflicts } = await mergeTrees(git, ours, theirs, config);
    return conflicts.length === 0 ? tree : undefined;
  } catch (error) {
    // Some versions of git crash if a folder is renamed.
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

/** Merges by the syntax of each file. @see https://mergiraf.org */
async function mergeByMergiraf(conflict: Conflict): Promise<string | undefined> {
  const program = onPath('mergiraf', conflict.env);
  if (program === undefined || /['%]/.test(program)) return undefined;
  return withScratchFolder((folder) => {
    const attributes = join(folder, 'attributes');
    writeFileSync(attributes, '* merge=mergiraf\n');
    const driver = `'${program}' merge --git %O %A %B -p %P -l %L`;
    const config = [`merge.mergiraf.driver=${driver}`, `core.attributesFile=${attributes}`];
    return mergeWith(
      conflict,
      config.flatMap((it) => ['-c', it]),
    );
  });
}

async function keepBoth(conflict: Conflict): Promise<string | undefined> {
  const { git, base, ours, theirs, paths, tree } = conflict;
  const texts = new Map<string, string>();
  for (const path of paths) {
    const sides = await Promise.all([base, ours, theirs].map((it) => textOf(git, it, path)));
    const kept = await withBothAdditions(path, sides as [string, string, string], (one, other) =>
      mergeLines(git, [one, sides[0] ?? '', other]),
    );
    if (kept === undefined) return undefined;
    for (const owner of kept.owners) if (await isGoneThrough(conflict, owner)) return undefined;
    texts.set(path, kept.text);
  }
  return withFiles(conflict, tree, texts);
}

async function mergeLines(git: Git, texts: readonly [ours: string, base: string, theirs: string]) {
  return withScratchFolder(async (folder) => {
    const names = texts.map((_, at) => join(folder, `${at}`));
    for (const [at, name] of names.entries()) writeFileSync(name, texts[at] ?? '');
    const { exitCode, stdout } = await git.attempt(['merge-file', '-p', ...names]);
    return exitCode === 0 ? stdout : undefined;
  });
}

/** Whether code accesses the members of a variable in any way but by name. */
async function isGoneThrough({ git, ours, theirs }: Conflict, name: string): Promise<boolean> {
  const args = ['grep', '-h', '-I', '-w', '-F', '--no-recurse-submodules', '-e', name];
  const lines = (await git.maybe([...args, ours, theirs])) ?? '';
  const word = new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`);
  return lines.split('\n').some((line) => {
    const [, ...after] = line.replace(DECLARED, '').split(word);
    return after.some((rest) => !BY_NAME.test(rest));
  });
}

const DECLARED =
  /^(?:export )?(?:const|let|var|class) [\w$]+|^\w+ = |^(?!.*\bas\b)(?:import .* from|from .* import) .*/;
/** Matches an access by name; an enumeration of Python is called with a value. */
const BY_NAME = /^(?:\?\.)?(?:[[(]|\.(?!_|(?:entries|items|keys|values|forEach|map)\b))/;

/** The tree with new content of these files. */
async function withFiles({ git }: Conflict, tree: string, texts: ReadonlyMap<string, string>) {
  return withScratchFolder(async (folder) => {
    const there = git.at(git.directory, { indexFile: join(folder, 'index') });
    await there.text(['read-tree', tree]);
    const entries = await treeAt(git, tree, [...texts.keys()]);
    const lines: string[] = [];
    for (const { path, mode } of entries) {
      const oid = (await git.text(['hash-object', '-w', '--stdin'], texts.get(path))).trim();
      lines.push(`${mode} ${oid}\t${Buffer.from(path).toString('latin1')}`);
    }
    await updateIndex(there, ['--index-info'], lines);
    return (await there.text(['write-tree'])).trim();
  });
}

/** Whether a merged file lacks a test that one of the sides has and neither has removed. */
async function losesTests({ git, ours, theirs, base, paths }: Conflict, tree: string) {
  for (const path of paths.filter(mayHoldTests)) {
    const texts = [base, ours, theirs, tree].map((it) => textOf(git, it, path));
    const [before, one, other, merged] = (await Promise.all(texts)).map(namesOfTests);
    if (!before || !one || !other || !merged) continue;
    const kept = before.intersection(one).intersection(other);
    const added = one.union(other).difference(before);
    if (!kept.union(added).isSubsetOf(merged)) return true;
  }
  return false;
}

const namesOfTests = (text: string): Set<string> =>
  new Set(testCases(text).map(({ kind, title }) => `${kind} ${title}`));

/** The text of a file; empty if there is none. */
const textOf = async (git: Git, tree: string, path: string): Promise<string> =>
  (await git.maybe(['cat-file', 'blob', `${tree}:${path}`], [128])) ?? '';
