/** Learns which files belong to features, from the files that their smoke tests read in a copy of the tree. */
import { join } from 'node:path';
import { type Feature, REGISTRY_FILE } from '../../base/config/feature.ts';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { privateFolder } from '../../base/files/home.ts';
import { withScratchFolder } from '../../base/files/scratch-folder.ts';
import { checkpointTree, privateTree } from '../../base/git/checkpoint.ts';
import { AUTHOR, commitTree } from '../../base/git/plumbing.ts';
import { commitOfHead } from '../../base/git/refs.ts';
import { pathsAt } from '../../base/git/tree.ts';
import { assessNamed } from '../../features/assess.ts';
import { lookAt } from '../../features/comparison.ts';
import { sharedFiles } from '../../features/discover/shared-files.ts';
import { literal } from '../../features/discover/source-tree.ts';
import { UnknownFeatureError } from '../../features/fingerprint.ts';
import { globsFor } from '../../features/learn/globs.ts';
import { type LearnedMap, learnedMap } from '../../features/learn/map.ts';
import {
  InterruptedError,
  measurer,
  type NoLesson,
  type Unit,
} from '../../features/learn/measure.ts';
import { matcher } from '../../features/match.ts';
import { pruneOutputs } from '../../features/output.ts';
import type { ProjectRegistry } from '../../features/registry.ts';
import type { VerificationCheckout } from '../../features/verify.ts';
import type { Workspace } from '../../features/workspace.ts';
import { type AppContext, openFeatures } from '../context.ts';
import { addFeature } from './feature-editing.ts';
import type { Progress } from './verification.ts';
import { releaseIn, withTestedContent } from './verification-checkout.ts';

/** A glob that is added or removed, and the number of files that it matches. */
interface ChangedGlob {
  readonly pattern: string;
  readonly files: number;
}

export interface LearnedFeature {
  readonly feature: string;
  /** All of its proposed globs. */
  readonly files: readonly string[];
  readonly dependsOn: readonly string[];
  readonly added: readonly ChangedGlob[];
  readonly removed: readonly ChangedGlob[];
  readonly removedDependencies: readonly string[];
  /** Added globs that match more than was read. */
  readonly wide: readonly string[];
}

export interface LearnedFiles {
  readonly changed: readonly LearnedFeature[];
  readonly unchanged: readonly string[];
  readonly notLearned: readonly ({ readonly feature: string } & NoLesson)[];
  /** Files that move from features to the rest, because too many tests read them. */
  readonly toRest: readonly string[];
  /** Files that still belong to more than three features. */
  readonly crowded: readonly string[];
  /** Files that a runner reads for every test, and that belong to no feature, not even to a rest. */
  readonly everywhere: readonly string[];
  /** `null`: no reads were measured. */
  readonly seenBy: 'access-times' | null;
  readonly written: boolean;
}

interface Wish {
  /** Names of the features to learn; an empty list means all of them. */
  readonly features: readonly string[];
  readonly write: boolean;
}

const NOTHING_TO_LEARN: LearnedFiles = {
  changed: [],
  unchanged: [],
  notLearned: [],
  toRest: [],
  crowded: [],
  everywhere: [],
  seenBy: null,
  written: false,
};

/** Measures, and changes features only with `write`. */
export async function learnFiles(
  context: AppContext,
  { features: names, write }: Wish,
  progress: Progress,
): Promise<LearnedFiles | 'interrupted'> {
  const { workspace, registry } = await openFeatures(context);
  const { features, policy } = registry;
  const unknown = names.find((name) => !features.has(name));
  if (unknown !== undefined) throw new UnknownFeatureError(unknown, [...features.keys()]);
  const all = [...features.values()].filter((it) => it.rest !== true);
  const wanted = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
  if (features.size === 0) {
    throw new UsageError('there is no feature whose files could be learned', {
      hint: '`lanehold feature discover` proposes some',
    });
  }
  if (wanted.length === 0) return NOTHING_TO_LEARN;
  const oid = await snapshot(context, workspace);
  const subject = { kind: 'revision', oid } as const;
  const limit = { now: context.now(), maxAgeMs: policy.maxAgeMs };
  const selected = { names: features.keys(), features };
  const items = await assessNamed(lookAt(workspace), subject, selected, limit);
  try {
    const done = await withTestedContent(context, { workspace, subject, items }, progress, (it) =>
      learnIn(it, registry, wanted, { ...progress, now: context.now }),
    );
    if ('result' in done) {
      if (done.result === 'interrupted') return 'interrupted';
      throw new ExplainedError(done.why, { hint: done.hint });
    }
    const { changed } = done;
    for (const { feature, files, dependsOn } of write ? changed : [])
      await addFeature(context, feature, { files, dependsOn, replace: true });
    return { ...done, written: write && changed.length > 0 };
  } catch (error) {
    if (error instanceof InterruptedError) return 'interrupted';
    throw error;
  }
}

/** A commit of the working tree as it is, on no branch. */
async function snapshot({ env }: AppContext, { git, place }: Workspace): Promise<string> {
  if (git === undefined || place.kind === 'bare') {
    throw new UsageError('tests are measured in a checkout, which takes a repository of git', {
      hint: 'run it in a working tree, or `git init` here',
    });
  }
  const { tree } = await withScratchFolder((folder) =>
    checkpointTree(privateTree(place.root, join(folder, 'index'), env)),
  );
  const head = await commitOfHead(git);
  const parents = head === undefined ? [] : [head];
  const commit = { tree, parents, message: 'the working tree', author: AUTHOR, at: new Date(0) };
  return commitTree(git, commit);
}

type Learning = Pick<Progress, 'signal' | 'onTest'> & Pick<AppContext, 'now'>;

async function learnIn(
  checkout: VerificationCheckout,
  { features: all, policy }: ProjectRegistry,
  wanted: readonly Feature[],
  learning: Learning,
): Promise<Omit<LearnedFiles, 'written'>> {
  const { git } = checkout.tree;
  const tracked = git === undefined ? [] : await pathsAt(git, 'HEAD');
  const paths = tracked.filter((it) => it !== REGISTRY_FILE);
  const measuring = measurer(checkout, paths, { ...learning, refusal: releaseIn });
  const lessons = new Map<string, readonly Unit[] | NoLesson>();
  for (const feature of wanted) lessons.set(feature.name, await measuring.lesson(feature));
  const { everywhere } = measuring;

  const features = [...all.values()].filter((it) => it.rest !== true);
  const units = new Map(
    [...lessons].filter((it): it is [string, readonly Unit[]] => !('because' in it[1])),
  );
  const runs = [...units.values()].map(allIn);
  const readByAll = paths.filter(
    (path) => MANIFEST.test(path) && runs.every((read) => read.has(path)),
  );
  const isShared = matcher([
    ...policy.always,
    ...sharedFiles(paths),
    ...readByAll.map(literal),
  ]).matches;
  const known = { features, units, paths, everywhere, isShared };
  const withoutRest = learnedMap({ ...known, rest: undefined });
  const rest = [...all.values()].find((it) => it.rest === true);
  const ofRest = rest && withoutRest.crowded.length > 0 && (await measuring.lesson(rest));
  const map =
    ofRest && !('because' in ofRest) ? learnedMap({ ...known, rest: allIn(ofRest) }) : withoutRest;
  pruneOutputs(privateFolder(checkout.workspace.store.home.runs), learning.now());

  const proposed = features.map((feature) => proposalFor(feature, map, paths));
  const changed = proposed.filter(
    ({ added, removed, removedDependencies }) =>
      [...added, ...removed, ...removedDependencies].length > 0,
  );
  const counting = [policy.always, ...features.map(({ files }) => files)].map((it) => matcher(it));
  const isOwned = (path: string) =>
    rest !== undefined || counting.some(({ matches }) => matches(path));
  return {
    changed,
    unchanged: [...units.keys()].filter((name) => !changed.some((it) => it.feature === name)),
    notLearned: [...lessons].flatMap(([feature, it]) =>
      'because' in it ? { feature, ...it } : [],
    ),
    toRest: map.toRest,
    crowded: map.crowded,
    everywhere: [...everywhere.union(new Set(readByAll))].filter((it) => !isOwned(it)).sort(),
    seenBy: 'access-times',
  };
}

const allIn = (units: readonly Unit[]): ReadonlySet<string> =>
  units.reduce((read, it) => read.union(it.all), new Set<string>());

/** Files that describe a package; a runner may read those of all packages for one test. */
const MANIFEST =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|Cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|composer\.json|Gemfile)$/;

function proposalFor(feature: Feature, map: LearnedMap, paths: readonly string[]): LearnedFeature {
  const { name, files: before, smoke } = feature;
  const commands = smoke.map(({ command }) => command);
  const { files, wide } = globsFor(before, map.owned.get(name) ?? new Set(), paths, commands);
  const dependsOn = map.dependsOn.get(name) ?? [];
  const counted = (pattern: string): ChangedGlob => {
    const { matches } = matcher([pattern.replace(/^!/, '')]);
    return { pattern, files: paths.filter(matches).length };
  };
  return {
    feature: name,
    files,
    dependsOn,
    added: files.filter((it) => !before.includes(it)).map(counted),
    removed: before.filter((it) => !files.includes(it)).map(counted),
    removedDependencies: feature.dependsOn.filter((it) => !dependsOn.includes(it)),
    wide,
  };
}
