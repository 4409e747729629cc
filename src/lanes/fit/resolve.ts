/**
 * Ways to merge what git's usual merge leaves in conflict, the most careful first. None of them knows whether
 * its result is right: that is for the validations to say, and where they fail the next way is tried.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { onPath } from '../../base/files/executable.ts';
import { withScratchFolder } from '../../base/files/scratch-folder.ts';
import { type Git, GitError } from '../../base/git/git.ts';
import { CHECKOUT_MS, gitIn } from '../../base/git/git-in.ts';
import { commitMerge, type Merge, mergeCommit, type Sides } from '../../base/git/merge.ts';
import { splitNul } from '../../base/git/paths.ts';
import { mergeTrees, treeOf } from '../../base/git/plumbing.ts';
import { updateIndex } from '../../base/git/private-index.ts';
import { changedBetween, treeAt } from '../../base/git/tree-objects.ts';
import { run } from '../../base/process/run.ts';
import { withTemporaryTree } from '../../checkout/temporary-tree.ts';
import { leavesMarkers } from '../judge/stray.ts';
import { mayHoldTests, testCases } from '../judge/test-cases.ts';
import { isListOrProse, keptBoth, MARKER_CHARS } from './keep-both.ts';
import { withNewNames } from './new-names.ts';
import { mergedByStructure } from './structure.ts';

export interface Conflict extends Readonly<Record<'ours' | 'theirs' | 'base', string>> {
  readonly git: Git;
  readonly env: Environment;
  readonly paths: readonly string[];
}

/** Merges the whole: returns its tree; `undefined` if conflicts are left. */
type TreeWay = (conflict: Conflict) => Promise<string | undefined>;

const TREE_WAYS: Readonly<Record<string, TreeWay>> = {
  'renamed folders followed': (conflict) => mergeWith(conflict, FOLLOWING),
  'resolved as recorded before': resolveAsRecorded,
  'merged from a newer base': mergeFromNewerBase,
};

/** A file that git could not merge; its texts are in files of a folder, too. */
interface FileConflict extends Readonly<Record<'base' | 'ours' | 'theirs', string>> {
  readonly path: string;
  readonly folder: string;
  readonly conflict: Conflict;
}

/** What else has to change with a file: text of another one. */
export interface Replacement {
  readonly side: 'ours' | 'theirs';
  readonly before: string;
  readonly after: string;
}

interface MergedFile {
  readonly text: string;
  readonly elsewhere?: readonly Replacement[];
}

/** Merges one file; each may be merged in another way. */
type FileWay = (file: FileConflict) => Promise<MergedFile | undefined>;

const FILE_WAYS: Readonly<Record<string, FileWay>> = {
  'merged line by line': mergeLines,
  'both additions kept': keepBoth,
  'merged by mergiraf': mergeByMergiraf,
  'merged by syntax': mergeByStructure,
};

/** How a conflict was resolved, in words for people; a conflict in several files may take several. */
export type Way = string;

/** Its result is refused like that of any other way. */
export const BY_GIT = 'merged by git';
const NEW_NAMES = 'new names followed';

export interface Resolution {
  readonly way: Way;
  /** Files that git could not merge. */
  readonly paths: readonly string[];
  /** Other ways, whose results did not pass. */
  readonly refused: readonly Way[];
}

export type Resolved = Merge & {
  /** Absent where git has merged everything. */
  readonly resolution?: Resolution;
};

/** Each costs a validation, and as many again to find what broke it. */
const MOST_REFUSED = 4;

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
  const isMerged = merge.kind === 'merged';
  if ((isMerged && !refused.has(BY_GIT)) || refused.size >= MOST_REFUSED) return merge;
  const { ours, theirs } = sides;
  const paths = isMerged ? [] : merge.paths;
  const base = (await git.text(['merge-base', ours, theirs])).trim();
  const conflict = { git, env, ours, theirs, base, paths };
  const candidates = isMerged
    ? followed(conflict, BY_GIT, await treeOf(git, merge.commit))
    : candidatesFor(conflict);
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
  for (const [way, merge] of Object.entries(TREE_WAYS)) {
    const tree = await merge(conflict);
    if (tree !== undefined) yield* followed(conflict, way, tree);
  }
  for await (const { way, tree } of mergedFiles(conflict)) yield* followed(conflict, way, tree);
}

/** With names that one side has changed, where the other has added old ones: the tree would lack what they name. */
async function* followed(conflict: Conflict, way: Way, tree: string): AsyncGenerator<Candidate> {
  const files = await withNewNames(conflict, tree);
  if (files.size === 0) yield { way, tree };
  else yield { way: named([way, NEW_NAMES]), tree: await withFiles(conflict, tree, files) };
}

const named = (ways: readonly Way[]): Way =>
  [...new Set(ways)].filter((it) => it !== BY_GIT).join(', ') || BY_GIT;

/** A file that was added to a folder while the other side renamed that; and other line ends. */
const FOLLOWING = ['-c', 'merge.directoryRenames=true', '-c', 'merge.renormalize=true'];

async function mergeWith({ git, ours, theirs }: Conflict, config: readonly string[]) {
  // Versions of git exist that crash where a folder is renamed.
  const found = await orNothing(mergeTrees(git, ours, theirs, config));
  return found?.conflicts.length === 0 ? found.tree : undefined;
}

async function orNothing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
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

/** How many commits of a side are looked at. */
const MOST_BASES = 5;

/**
 * What one side has taken over as other commits (squashed, picked) is merged from where it stood: the newest
 * commit of the other side whose content is in this one already.
 */
async function mergeFromNewerBase({ git, ours, theirs }: Conflict) {
  for (const [one, other] of [
    [ours, theirs],
    [theirs, ours],
  ] as const) {
    const count = `--max-count=${MOST_BASES}`;
    const list = ['rev-list', count, '--no-merges', `${other}^@`, `^${one}`];
    const tree = await treeOf(git, one);
    for (const commit of (await git.text(list)).split('\n').filter(Boolean)) {
      const there = await orNothing(mergeTrees(git, one, commit));
      if (there?.conflicts.length !== 0 || there.tree !== tree) continue;
      const merged = await mergeCommit(git, { ours: one, theirs: other, message: 'merge' }, commit);
      if (merged.kind === 'merged') return treeOf(git, merged.commit);
    }
  }
  return undefined;
}

/** Each file in the first way that merges it; then each in its next one, as far as there is one. */
async function* mergedFiles(conflict: Conflict): AsyncGenerator<Candidate> {
  const { tree, stages } = await unmerged(conflict);
  const files: { path: string; results: { way: Way; merged: MergedFile }[] }[] = [];
  for (const path of conflict.paths) {
    const results = await resultsFor(conflict, path, stages.get(path) ?? NO_STAGES);
    if (results.length === 0) return;
    files.push({ path, results });
  }
  const most = Math.max(...files.map(({ results }) => results.length));
  for (let n = 0; n < most; n += 1) {
    const chosen = files.map(({ path, results }) => {
      return { path, ...(results[n] ?? results.at(-1)) } as { path: string } & (typeof results)[0];
    });
    const texts = new Map(chosen.map(({ path, merged }) => [path, merged.text]));
    const moves = chosen.flatMap(({ merged }) => merged.elsewhere ?? []);
    if (!(await replaceElsewhere(conflict, tree, texts, moves))) continue;
    yield {
      way: named(chosen.map(({ way }) => way)),
      tree: await withFiles(conflict, tree, texts),
    };
  }
}

/** Ids of a file in the base, ours and theirs; empty where it is none there, or is no text. */
type Stages = [base: string, ours: string, theirs: string];
const NO_STAGES: Stages = ['', '', ''];

/** The tree of git's merge, with conflicts, and the stages of each file in conflict. */
async function unmerged({ git, ours, theirs }: Conflict) {
  const args = ['merge-tree', '--write-tree', '-z', '--no-messages', ours, theirs];
  const [tree = '', ...lines] = splitNul((await git.attempt(args)).stdout);
  const stages = new Map<string, Stages>();
  for (const line of lines) {
    const [, mode = '', oid = '', stage, path] = /^(\d+) (\w+) ([123])\t(.*)$/s.exec(line) ?? [];
    if (path === undefined) continue;
    const found = stages.get(path) ?? [...NO_STAGES];
    // A link, or a submodule, has no text to merge.
    if (mode.startsWith('100')) found[Number(stage) - 1] = oid;
    stages.set(path, found);
  }
  return { tree, stages };
}

async function resultsFor(conflict: Conflict, path: string, oids: Stages) {
  const { git } = conflict;
  const [, hasOurs, hasTheirs] = oids;
  if (hasOurs === '' || hasTheirs === '') return [];
  const texts = await Promise.all(
    oids.map(async (oid) => (oid === '' ? '' : await git.text(['cat-file', 'blob', oid]))),
  );
  if (texts.some((it) => it.includes('\0') || it.includes('\uFFFD'))) return [];
  return withScratchFolder(async (folder) => {
    const [base = '', ours = '', theirs = ''] = texts;
    for (const [name, text] of Object.entries({ base, ours, theirs })) {
      writeFileSync(join(folder, name), text);
    }
    const results: { way: Way; merged: MergedFile }[] = [];
    for (const [way, merge] of Object.entries(FILE_WAYS)) {
      const merged = await merge({ path, base, ours, theirs, folder, conflict });
      const isKnown = results.some((it) => it.merged.text === merged?.text);
      if (merged !== undefined && !isKnown) results.push({ way, merged });
    }
    return results;
  });
}

/** git's driver for files compares lines by another algorithm than its merge of trees. */
async function linesMerged({ conflict: { git }, folder }: FileConflict) {
  const names = ['ours', 'base', 'theirs'].map((it) => join(folder, it));
  const how = ['-p', '--diff3', `--marker-size=${MARKER_CHARS}`];
  return git.attempt(['merge-file', ...how, ...names]);
}

async function mergeLines(file: FileConflict): Promise<MergedFile | undefined> {
  const { exitCode, stdout } = await linesMerged(file);
  return exitCode === 0 ? { text: stdout } : undefined;
}

/** Most of a source file of Rust is no test. */
const isTestFile = (path: string): boolean =>
  mayHoldTests(path) && (!path.endsWith('.rs') || /(?:^|\/)tests\//.test(path));

async function keepBoth(file: FileConflict): Promise<MergedFile | undefined> {
  const { path, base, ours, theirs } = file;
  const isProse = isListOrProse(path);
  if (!isProse && !isTestFile(path)) return undefined;
  const [before, one, other] = [namesOfTests(base), namesOfTests(ours), namesOfTests(theirs)];
  // One of two tests of a name may take the place of the other, or get its lines.
  if (one.intersection(other).difference(before).size > 0) return undefined;
  const text = keptBoth((await linesMerged(file)).stdout, isProse);
  return text === undefined ? undefined : { text };
}

/** Merges by the syntax of the file. @see https://mergiraf.org */
async function mergeByMergiraf(file: FileConflict): Promise<MergedFile | undefined> {
  const { path, folder: cwd, conflict } = file;
  const program = onPath('mergiraf', conflict.env);
  if (program === undefined) return undefined;
  const merged = join(cwd, 'merged');
  writeFileSync(merged, file.ours);
  const args = ['merge', '--git', 'base', merged, 'theirs', '-p', path, '-l', '7'];
  const outcome = await run(program, args, { cwd, env: conflict.env });
  const isMerged = outcome.kind === 'exited' && outcome.exitCode === 0;
  return isMerged ? { text: readFileSync(merged, 'utf8') } : undefined;
}

async function mergeByStructure({ path, base, ours, theirs }: FileConflict) {
  const elsewhere: Replacement[] = [];
  const text = await mergedByStructure(path, [base, ours, theirs], (side, before, after) => {
    elsewhere.push({ side, before, after });
    return true;
  });
  return text === undefined ? undefined : { text, elsewhere };
}

/** Changes what a side has moved to another file. False if it is not in exactly one. */
async function replaceElsewhere(
  conflict: Conflict,
  tree: string,
  texts: Map<string, string>,
  moves: readonly Replacement[],
): Promise<boolean> {
  const { git, base } = conflict;
  for (const { side, before, after } of moves) {
    const changed = await changedBetween(git, base, conflict[side]);
    const holders: (readonly [string, string])[] = [];
    for (const path of changed.filter((it) => !texts.has(it)).slice(0, MOST_FILES)) {
      const text = await textOf(git, tree, path);
      if (text.split(before).length === 2) holders.push([path, text]);
    }
    const [[path, text] = [], ...others] = holders;
    if (path === undefined || text === undefined || others.length > 0) return false;
    texts.set(
      path,
      text.replace(before, () => after),
    );
  }
  return true;
}

const MOST_FILES = 200;

/** The tree with other content of these files. */
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

/** What identifies the tests of a file. */
const namesOfTests = (text: string): Set<string> =>
  new Set(testCases(text).map(({ kind, title }) => `${kind} ${title}`));

/** Empty where there is no such file. */
const textOf = async (git: Git, tree: string, path: string): Promise<string> =>
  (await git.maybe(['cat-file', 'blob', `${tree}:${path}`], [128])) ?? '';
