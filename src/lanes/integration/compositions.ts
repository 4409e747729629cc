/**
 * Checks in advance whether lanes that are being worked on fit together: merges their newest states
 * in pairs, and validates the merges of pairs that are related. No working tree of a lane is touched.
 */

import { posix } from 'node:path';
import picomatch from 'picomatch';
import type { Git } from '../../git/git.ts';
import { mergeTrees } from '../../git/merge-trees.ts';
import { changedBetween } from '../../git/paths.ts';
import { isAncestor, treeOf } from '../../git/plumbing.ts';
import { type Composition, compositionStore } from '../../store/compositions.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { tellChanges, tellReader } from './composition-events.ts';
import { type LanePair, pairKey, pairsOf, validateWhatMay } from './composition-proof.ts';
import { openConflicts } from './open-conflicts.ts';
import type { Probe } from './purpose.ts';
import { gitOfRun } from './repository.ts';

interface CompositionReport {
  readonly lanes: readonly [lane: string, other: string | undefined];
  readonly paths: readonly string[];
  readonly related: boolean;
  /** `later`: no slot was free; `undefined`: the two are unrelated, or there is no verdict. */
  readonly validation: Validation['result'] | 'later' | undefined;
}

/** Returns what is recorded now about the lane's newest state and each of the others'. */
export async function probeCompositions(
  context: LaneContext,
  probe: Probe,
): Promise<CompositionReport[]> {
  const { run, signal } = probe;
  const known = openConflicts(context, run.id);
  const git = gitOfRun(context, run);
  const pairs = await pairsOf(context, git, probe);
  for (const pair of pairs) {
    signal.throwIfAborted();
    await merge(context, git, run, pair);
  }
  tellChanges(context, run, known);
  const left = await validateWhatMay(context, git, probe, pairs);
  return pairs.flatMap((pair) => reportOf(context, run, pair, left) ?? []);
}

async function merge(context: LaneContext, git: Git, run: Run, pair: LanePair): Promise<void> {
  const { store, now } = context;
  const compositions = compositionStore(store);
  if (compositions.find(pairKey(run, pair)) !== undefined) return;
  const outcome = await tryMerge(git, pair, ([ours, theirs]) => {
    const { a, b } = pair;
    if (b.lane === undefined) return;
    tellReader(context, run, a.lane, { by: b.lane, changed: theirs.changed });
    tellReader(context, run, b.lane, { by: a.lane, changed: ours.changed });
  });
  const bLaneId = pair.b.lane?.id ?? null;
  store.write(() =>
    compositions.add({
      ...pairKey(run, pair),
      bLaneId,
      ...outcome,
      validationId: null,
      at: now(),
    }),
  );
}

async function tryMerge(
  git: Git,
  { a, b }: LanePair,
  onSides: (sides: readonly [Side, Side]) => void,
): Promise<Pick<Composition, 'tree' | 'conflicts' | 'related'>> {
  for (const [less, more] of [
    [a.sha, b.sha],
    [b.sha, a.sha],
  ] as const) {
    // One contains the other, so the merge is the larger one.
    if (await isAncestor(git, less, more)) {
      return { tree: await treeOf(git, more), conflicts: [], related: false };
    }
  }
  const { tree, conflicts } = await mergeTrees(git, a.sha, b.sha);
  if (conflicts.length > 0) return { tree, conflicts, related: true };
  const ours = { sha: a.sha, reads: a.lane.spec.reads };
  const theirs = { sha: b.sha, reads: b.lane?.spec.reads ?? [] };
  const sides = await sidesOf(git, ours, theirs);
  onSides(sides);
  return { tree, conflicts, related: related(...sides) };
}

function reportOf(
  { store }: LaneContext,
  run: Run,
  pair: LanePair,
  left: readonly LanePair[],
): CompositionReport | undefined {
  const found = compositionStore(store).find(pairKey(run, pair));
  if (found === undefined) return undefined;
  const { validationId } = found;
  const verdict = validationId === null ? undefined : laneValidationStore(store).byId(validationId);
  return {
    lanes: [pair.a.lane.key, pair.b.lane?.key],
    paths: found.conflicts,
    related: found.related,
    validation: verdict?.result ?? (left.includes(pair) ? 'later' : undefined),
  };
}

/** What one side has changed since the merge base. */
export interface Side {
  /** Both names of a renamed file. */
  readonly changed: readonly string[];
  /** Names of the other side's changed files (`namesOf`) that occur in this side's changed files. */
  readonly mentions: readonly string[];
  /** Globs of what the lane says it reads. */
  readonly reads: readonly string[];
}

/** Whether the merge of two changes may fail where each passes alone. */
export function related(a: Side, b: Side): boolean {
  return sharesFolder(a, b) || buildsOn(a, b) || buildsOn(b, a);
}

/** Not files in the root: a README or a lock file does not relate two lanes. */
function sharesFolder(a: Side, b: Side): boolean {
  const own = new Set(a.changed);
  const folders = new Set(a.changed.map(posix.dirname).filter((it) => it !== '.'));
  return b.changed.some((path) => own.has(path) || folders.has(posix.dirname(path)));
}

function buildsOn(user: Side, used: Side): boolean {
  const names = new Set(namesOf(used.changed));
  if (user.mentions.some((name) => names.has(name))) return true;
  if (user.reads.length === 0) return false;
  const reads = picomatch([...user.reads], { dot: true });
  return used.changed.some((path) => reads(path));
}

/** Names of files that stand for their folder. */
const ENTRY = new Set(['index', 'main', 'mod', 'lib', '__init__', 'init', 'package']);
/** Shorter names occur everywhere. */
const MIN_LENGTH = 3;

/** How other files refer to these: by name, with and without extension. */
export function namesOf(paths: readonly string[]): string[] {
  const names = new Set<string>();
  for (const path of paths) {
    const file = posix.basename(path);
    const stem = file.replace(/(?<=.)\..*$/, '');
    const folder = posix.basename(posix.dirname(path));
    for (const name of ENTRY.has(stem) ? [folder] : [file, stem]) {
      if (name.length >= MIN_LENGTH && !/[\r\n]/.test(name)) names.add(name);
    }
  }
  return [...names];
}

interface Head {
  readonly sha: string;
  readonly reads: readonly string[];
}

/** Limits of a command line; two changes that large are related by their folders. */
const MOST_FILES = 500;
const MOST_NAMES = 300;

async function sidesOf(git: Git, a: Head, b: Head): Promise<[Side, Side]> {
  const fork = (await git.maybe(['merge-base', a.sha, b.sha]))?.trim();
  const [ours, theirs] = await Promise.all(
    [a, b].map(({ sha }) => (fork === undefined ? [] : changedBetween(git, fork, sha))),
  );
  const [changedA, changedB] = [ours ?? [], theirs ?? []];
  const [mentionsA, mentionsB] = await Promise.all([
    mentionsIn(git, a.sha, changedA, namesOf(changedB)),
    mentionsIn(git, b.sha, changedB, namesOf(changedA)),
  ]);
  return [
    { changed: changedA, mentions: mentionsA, reads: a.reads },
    { changed: changedB, mentions: mentionsB, reads: b.reads },
  ];
}

/** Which of the names occur as whole words in these files of the commit. */
async function mentionsIn(
  git: Git,
  sha: string,
  files: readonly string[],
  names: readonly string[],
): Promise<string[]> {
  if (files.length === 0 || names.length === 0) return [];
  const patterns = names.slice(0, MOST_NAMES).flatMap((name) => ['-e', name]);
  const search = ['grep', '-o', '-h', '-I', '-w', '-F', '--no-recurse-submodules', ...patterns];
  const scope = files.slice(0, MOST_FILES);
  const found = await git.maybe(['--literal-pathspecs', ...search, sha, '--', ...scope]);
  return [...new Set((found ?? '').split('\n'))].filter((name) => name !== '');
}
