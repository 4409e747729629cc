/**
 * What a person has taken out of the target: commits that it once had and has no more, and lanes that
 * had landed. Known from the tips that lanehold itself has recorded, because git's reflog may be off.
 */
import type { Git } from '../../base/git/git.ts';
import { commitsOf } from '../../base/git/history.ts';
import { mergeCommit } from '../../base/git/merge.ts';
import { refAt, treeOf } from '../../base/git/plumbing.ts';
import { plural } from '../../base/text/count.ts';
import { printableLine } from '../../base/text/printable.ts';
import { shortRef } from '../../base/text/short-ref.ts';
import { type Integration, integrationStore } from '../../store/integrations.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneStore } from '../../store/lanes.ts';
import { type Run, runStore } from '../../store/runs.ts';
import type { LaneContext } from '../spec/context.ts';
import { gitOfRun } from '../spec/repository.ts';
import { move } from './queue.ts';

const SEEN = 'target.seen';

/** Records a tip of the target, unless it is the last one recorded. */
export function noteTarget({ store, now }: LaneContext, run: Pick<Run, 'id'>, sha: string): void {
  const events = laneEventStore(store);
  store.write(() => {
    if (events.last(run.id, SEEN)?.data.sha === sha) return;
    events.add({ runId: run.id, type: SEEN, data: { sha }, by: 'lanehold' }, now());
  });
}

/** The last recorded tip of the target. */
export const lastSeen = ({ store }: Pick<LaneContext, 'store'>, run: Pick<Run, 'id'>) =>
  laneEventStore(store).last(run.id, SEEN)?.data.sha as string | undefined;

export type TakenOut = (commit: string) => Promise<readonly string[]>;

/**
 * Tells which commits a commit would bring back that the target once had and has no more. Those of a
 * lane do not count that was taken back and that somebody has asked for again.
 */
export async function takenOut(
  { store }: LaneContext,
  run: Run,
  git: Git,
  target: string,
): Promise<TakenOut> {
  const seen = laneEventStore(store)
    .ofType(run.id, SEEN)
    .flatMap(({ data: { sha } }) => (sha === target ? [] : [String(sha)]));
  const listed = async (...revisions: readonly string[]): Promise<string[]> => {
    // What git has collected meanwhile, no commit can bring back.
    const args = ['rev-list', '--ignore-missing', '--stdin'];
    return (await git.text(args, `${revisions.join('\n')}\n`)).split('\n').filter(Boolean);
  };
  const gone = new Set(seen.length === 0 ? [] : await listed(...seen, `^${target}`));
  for (const { laneId, laneSha, landedAs, state } of integrationStore(store).ofRun(run.id)) {
    if (landedAs === null || state === 'landed') continue;
    const base = laneStore(store).byId(laneId)?.baseSha ?? run.baseSha;
    const own = await listed(laneSha, `^${base}`, `^${target}`);
    // It may have landed in other commits, as where it was squashed.
    for (const sha of own) state === 'withdrawn' ? gone.add(sha) : gone.delete(sha);
  }
  return async (commit) =>
    gone.size === 0 ? [] : (await listed(commit, `^${target}`)).filter((it) => gone.has(it));
}

const MOST_NAMED = 5;

/** `2 commits that main has no more (1a2b3c4d add the key, 5e6f7a8b use it)`. */
export async function goneWords(git: Git, run: Run, gone: readonly string[]): Promise<string> {
  const commits = await commitsOf(git, gone.slice(0, MOST_NAMED));
  const names = commits.map(
    ({ oid, subject }) => `${oid.slice(0, 8)} ${printableLine(subject, 60)}`,
  );
  const left = gone.length - names.length;
  const more = left > 0 ? ` and ${left} more` : '';
  return `${plural(gone.length, 'commit')} that ${shortRef(run.targetRef)} has no more (${names.join(', ')}${more})`;
}

/** Notes which landed lanes the target no longer has, and which of those it has again. */
export async function noteTakenBack(context: LaneContext, { id }: Pick<Run, 'id'>): Promise<void> {
  const rows = integrationStore(context.store).ofRun(id);
  const landed = rows.filter(
    ({ landedAs, state }) => landedAs !== null && (state === 'landed' || state === 'withdrawn'),
  );
  const run = runStore(context.store).byId(id);
  if (landed.length === 0 || run === undefined) return;
  const git = gitOfRun(context, run);
  const target = await refAt(git, run.targetRef);
  if (target === undefined) return;
  let who: string | undefined;
  for (const row of landed) {
    const isThere = await isIn(context, run, git, { target, row });
    if (isThere === (row.state === 'landed')) continue;
    const data = { target: run.targetRef, sha: target };
    if (isThere) {
      move(context, row, 'landed', { detail: '' }, data);
      continue;
    }
    who ??= await whoMoved(git, run.targetRef);
    const detail = `landed, then taken back by ${who}: ${shortRef(run.targetRef)} is at ${target.slice(0, 8)}`;
    move(context, row, 'withdrawn', { detail }, { ...data, why: detail });
  }
}

/** By its commits; else by its change, which may have been squashed or rebased since. */
async function isIn(
  { store }: LaneContext,
  run: Run,
  git: Git,
  { target, row }: { readonly target: string; readonly row: Integration },
): Promise<boolean> {
  const { landedAs, laneId, laneSha: theirs } = row;
  const args = ['merge-base', '--is-ancestor', `${landedAs}`, target];
  if ((await git.maybe(args, [1, 128])) !== undefined) return true;
  const before = laneStore(store).byId(laneId)?.baseSha ?? run.baseSha;
  const sides = { ours: target, theirs, message: 'is it there?' };
  const merge = await mergeCommit(git, sides, before);
  if (merge.kind === 'conflict') return false;
  return (await treeOf(git, merge.commit)) === (await treeOf(git, target));
}

/** Moves of a branch that can lose commits, in the words of its reflog. */
const BACKWARDS = /^(?:reset|rebase|commit \(amend\)|branch: Reset|pull)\b/;

/** `Ada (reset: moving to HEAD~1)`, as far as git's reflog tells. */
async function whoMoved(git: Git, ref: string): Promise<string> {
  const args = ['log', '-g', '-n', '50', '--format=%gn%x00%gs', ref, '--'];
  const entries = ((await git.maybe(args, [128])) ?? '').split('\n');
  for (const entry of entries) {
    const [name = '', what = ''] = entry.split('\0');
    if (BACKWARDS.test(what)) return printableLine(`${name} (${what})`, 200);
  }
  return `whoever moved ${shortRef(ref)}`;
}
