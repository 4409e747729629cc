/**
 * What would be held, and why: features with their state for each tree that may leave, and the gate's answers. Reads
 * only.
 */
import { refAt } from '../../base/git/plumbing.ts';
import { shortRef } from '../../base/text/printable.ts';
import { assessNamed } from '../../features/assess.ts';
import { type Look, lookAt, type Subject } from '../../features/comparison.ts';
import { ordinaryComparison } from '../../gate/compare.ts';
import { heldText, uncoveredText, verifyLine } from '../../gate/denial.ts';
import { judgedPushes, type StillHeld } from '../../gate/held-pushes.ts';
import { type HeldFeature, type Hold, holdOn } from '../../gate/hold.ts';
import { AUDIT_EVENTS } from '../../store/decisions.ts';
import { type AppContext, openFeatures } from '../context.ts';
import {
  type FeatureState,
  featureCoverage,
  featureHistory,
  showFeature,
  stateOf,
} from '../hold/features.ts';
import { heldData } from '../hold/holds.ts';
import { readLog } from '../setup/status.ts';
import type { AsJson } from './as-json.ts';
import { verifyPush } from './needs.ts';

export type HoldView = AsJson<Awaited<ReturnType<typeof holdView>>>;
export type LeavingView = AsJson<Awaited<ReturnType<typeof leavingView>>>;
export type FeatureView = AsJson<Awaited<ReturnType<typeof featureView>>>;

const MOST_ANSWERS = 50;

export async function holdView(context: AppContext) {
  const { workspace, registry } = await openFeatures(context);
  const now = context.now();
  const look = lookAt(workspace);
  const trees = await treesOf(look, now);
  const names = [...registry.features.keys()].sort();
  const limit = { now, maxAgeMs: registry.policy.maxAgeMs };
  const states = await Promise.all(
    trees.map(async ({ subject }): Promise<ReadonlyMap<string, FeatureState>> => {
      const named = { names, features: registry.features };
      const assessed = await assessNamed(look, subject, named, limit);
      return new Map(assessed.map(({ feature, status }) => [feature.name, stateOf(status)]));
    }),
  );
  const coverage = await featureCoverage(context);
  const counts = new Map(coverage.byFeature.map((it) => [it.name, it.files]));
  const wish = { limit: MOST_ANSWERS, events: AUDIT_EVENTS, all: false };
  const { entries } = await readLog(context, wish);
  return {
    at: now,
    /** The trees that may leave: the working tree, the checked-out commit, and each held push. */
    trees: trees.map(({ subject: _, ...tree }) => tree),
    features: names.map((name) => ({
      name,
      dependsOn: registry.features.get(name)?.dependsOn ?? [],
      fileCount: counts.get(name) ?? 0,
      /** One state for each of `trees`, in their order. */
      states: trees.map((tree, at) => ({
        tree: tree.id,
        state: states[at]?.get(name) ?? ('not-verified' as const),
        held: tree.held.find((it) => it.feature === name)?.why ?? null,
      })),
    })),
    coverage,
    answers: entries.toReversed(),
  };
}

/** The features that hold an ordinary push: those of the working tree, and of the commit where that differs. */
export async function leavingView(context: AppContext) {
  const { workspace, registry } = await openFeatures(context);
  const trees = await ownTrees(lookAt(workspace), context.now());
  const held = new Map(trees.flatMap((it) => it.held.map((one) => [one.feature, one])));
  return {
    features: registry.features.size,
    branch: trees[0]?.branch ?? null,
    held: [...held.values()],
    uncovered: trees[0]?.uncovered ?? [],
  };
}

async function treesOf(look: Look, now: Date) {
  const { git } = look;
  const trees: Tree[] = await ownTrees(look, now);
  for (const { features, ...push } of await judgedPushes(look, now)) {
    const oid = git && (await refAt(git, push.source));
    if (oid === undefined) continue;
    const id = `${shortRef(push.source)} → ${push.remote}`;
    const verdict = features.length > 0 ? ('held' as const) : ('pass' as const);
    const of = { kind: 'revision', oid } as const;
    const branch = shortRef(push.source);
    const verify = features.length > 0 ? verifyPush(features, push.source) : null;
    trees.push({ ...tree(id, of, features, now), verify, verdict, branch, uncovered: [], push });
  }
  return trees;
}

interface Tree extends ReturnType<typeof tree> {
  readonly verdict: Hold['verdict'];
  /** The branch that is checked out, or whose push was held. */
  readonly branch: string | undefined;
  readonly uncovered: readonly string[];
  /** The time and number of its holds; `null` if nobody has pushed it yet. */
  readonly push: Omit<StillHeld, 'features'> | null;
}

async function ownTrees(look: Look, now: Date): Promise<Tree[]> {
  const { git, snapshot } = look;
  const { head, branch } = await snapshot.status();
  const worktree = { kind: 'worktree' } as const;
  const own = [worktree, ...(head === undefined ? [] : [{ kind: 'revision', oid: head } as const])];
  const trees: Tree[] = [];
  for (const subject of own) {
    const hold = await holdOn(look, [await ordinaryComparison(git, subject, snapshot)], now);
    const { features, verdict } = hold;
    const id = subject.kind === 'worktree' ? 'worktree' : 'HEAD';
    const uncovered = hold.uncovered.length === 0 ? [] : [uncoveredText(hold)];
    trees.push({ ...tree(id, subject, features, now), verdict, branch, uncovered, push: null });
  }
  return trees;
}

const tree = (id: string, subject: Subject, features: readonly HeldFeature[], now: Date) => ({
  id,
  subject,
  oid: subject.kind === 'revision' ? subject.oid : null,
  held: features.map((it) => ({ ...heldData(it), why: heldText(it, now) })),
  /** The command that verifies it for the next push. */
  verify: features.length === 0 ? null : verifyLine(features, 'lanehold'),
});

const MOST_RECORDS = 50;

/** @throws {UnknownFeatureError} */
export async function featureView(context: AppContext, name: string) {
  const feature = await showFeature(context, name);
  const { records } = await featureHistory(context, name, MOST_RECORDS);
  return { feature, records };
}
