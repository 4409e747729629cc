/**
 * Commits that a person has removed from the target. They are known from the tips that lanehold has recorded, because
 * git's reflog may be off.
 */
import type { Git } from '../../base/git/git.ts';
import { commitsOf } from '../../base/git/history.ts';
import { refAt } from '../../base/git/plumbing.ts';
import { plural, printableLine, shortRef } from '../../base/text/printable.ts';
import { integrationStore } from '../../store/integrations.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneStore, type Run } from '../../store/lanes.ts';
import type { LaneContext } from '../spec/context.ts';

const SEEN = 'target.seen';

/** Records a tip of the target, unless it is the last recorded one. */
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

/** The text about a missing target: where its commits are, and the commands that help. */
export async function targetGone(context: Pick<LaneContext, 'store'>, run: Run, git: Git) {
  const name = shortRef(run.targetRef);
  const sha = lastSeen(context, run) ?? run.baseSha;
  const args = ['for-each-ref', '--format=%(HEAD)%(refname:short)', `--contains=${sha}`];
  const found = (await git.maybe([...args, 'refs/heads'], [128, 129])) ?? '';
  // The branch that is checked out comes first.
  const [renamed] = found
    .split('\n')
    .filter((it) => it !== '' && !it.startsWith(' lanehold/'))
    .sort()
    .reverse()
    .map((it) => it.slice(1));
  const again = `\`git branch ${name} ${sha.slice(0, 12)}\` makes it again`;
  const there = `\`lanehold orchestrate land --target ${renamed} --run ${run.name}\``;
  return {
    why: `there is no branch ${name} any more`,
    hint:
      renamed === undefined
        ? again
        : `${there} lands on ${renamed}, which has its commits; ${again}`,
  };
}

export type TakenOut = (commit: string) => Promise<readonly string[]>;

/**
 * The commits that a commit would bring back although they were removed from the target. Commits of a lane that was
 * taken back and requested again do not count.
 *
 * @param at the target, if the caller has just read it.
 */
export async function takenOut(
  { store }: LaneContext,
  run: Run,
  git: Git,
  at?: string,
): Promise<TakenOut> {
  const target = at ?? (await refAt(git, run.targetRef));
  if (target === undefined) return async () => [];
  const seen = laneEventStore(store)
    .ofType(run.id, SEEN)
    .flatMap(({ data: { sha } }) => (sha === target ? [] : [String(sha)]));
  const listed = async (...revisions: readonly string[]): Promise<string[]> => {
    // A commit that git has collected cannot come back.
    const args = ['rev-list', '--ignore-missing', '--stdin'];
    return (await git.text(args, `${revisions.join('\n')}\n`)).split('\n').filter(Boolean);
  };
  const gone = new Set(seen.length === 0 ? [] : await listed(...seen, `^${target}`));
  for (const { laneId, laneSha, landedAs, state } of integrationStore(store).ofRun(run.id)) {
    if (landedAs === null || state === 'landed') continue;
    const base = laneStore(store).byId(laneId)?.baseSha ?? run.baseSha;
    const own = await listed(laneSha, `^${base}`, `^${target}`);
    // It may have landed in other commits, as after a squash.
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
