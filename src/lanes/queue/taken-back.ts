/** Landed lanes that a person has taken back by moving the target. */
import type { Git } from '../../base/git/git.ts';
import { mergeCommit } from '../../base/git/merge.ts';
import { isAncestor, refAt, treeOf } from '../../base/git/plumbing.ts';
import { printableLine, shortRef } from '../../base/text/printable.ts';
import { type Integration, integrationStore } from '../../store/integrations.ts';
import { laneStore, type Run, runStore } from '../../store/lanes.ts';
import { gitOfRun, type LaneContext } from '../spec/context.ts';
import { move } from '../spec/edit.ts';

/** Notes landed lanes that the target has lost, and those that it has again. */
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
    who ??= await whoMoved(git, run.targetRef, row.landedAs);
    const detail = `landed, then taken back by ${who}`;
    move(context, row, 'withdrawn', { detail }, { ...data, why: detail });
  }
}

/** Whether the target has a lane: by its commits, else by its change, which may have been squashed or rebased. */
async function isIn(
  { store }: LaneContext,
  run: Run,
  git: Git,
  { target, row }: { readonly target: string; readonly row: Integration },
): Promise<boolean> {
  const { landedAs, laneId, laneSha: theirs } = row;
  if (await isAncestor(git, `${landedAs}`, target, [1, 128])) return true;
  // The commit was amended or written again, with the same content.
  const tree = await git.maybe(
    ['rev-parse', '--quiet', '--verify', `${landedAs}^{tree}`],
    [1, 128],
  );
  const trees = await git.maybe(['log', '--format=%T', `${landedAs}..${target}`, '--'], [128]);
  if (tree !== undefined && trees?.split('\n').includes(tree.trim())) return true;
  const before = laneStore(store).byId(laneId)?.baseSha ?? run.baseSha;
  const sides = { ours: target, theirs, message: 'is it there?' };
  const merge = await mergeCommit(git, sides, before);
  if (merge.kind === 'conflict') return false;
  return (await treeOf(git, merge.commit)) === (await treeOf(git, target));
}

/** Moves of a branch that can lose commits, in the words of its reflog. */
const BACKWARDS = /^(?:reset|rebase|commit \(amend\)|branch: Reset|pull)\b/;

/** `Ada (reset: moving to HEAD~1)`, as far as git's reflog shows. Moves before the landing are left out. */
async function whoMoved(git: Git, ref: string, landedAs: string | null): Promise<string> {
  const args = ['log', '-g', '-n', '50', '--format=%gn%x00%gs%x00%H', ref, '--'];
  const entries = ((await git.maybe(args, [128])) ?? '').split('\n');
  for (const entry of entries) {
    const [name = '', what = '', at] = entry.split('\0');
    if (at === landedAs) break;
    if (BACKWARDS.test(what)) return printableLine(`${name} (${what})`, 200);
  }
  return `whoever moved ${shortRef(ref)}`;
}
