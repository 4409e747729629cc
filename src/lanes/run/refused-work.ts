/** Why a lane's present commit was not integrated, with what its next worker needs to mend it. */
import { type Git, GitError } from '../../base/git/git.ts';
import { containsAll } from '../../base/git/merge.ts';
import { mergeTrees } from '../../base/git/plumbing.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import { logText } from '../judge/log.ts';
import type { LaneContext } from '../spec/context.ts';
import { lastRefusal, refusalClause } from '../spec/refused-commit.ts';
import { gitOfRun } from '../spec/repository.ts';

export interface RefusedWork {
  readonly what: string;
  /** The conflicting places, with markers; or the end of the failed validation's log. */
  readonly shown: string;
  readonly rivals: readonly Readonly<Record<'key' | 'goal' | 'diff', string>>[];
}

const MOST_RIVALS = 4;
const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'];

/** @returns `undefined` unless the lane was in conflict or broke the others. Secrets are removed. */
export async function refusedWork(
  context: LaneContext,
  run: Run,
  lane: Pick<LaneView, 'id' | 'headSha' | 'validationId'>,
): Promise<RefusedWork | undefined> {
  const { store } = context;
  const refused = lastRefusal(context, run, lane);
  const onto = refused?.row.ontoSha;
  if (refused === undefined || onto == null) return undefined;
  const { row, detail } = refused;
  // It was mended since, and what is asked for now is something else.
  if (row.laneSha !== lane.headSha && lane.validationId !== null) return undefined;
  const git = gitOfRun(context, run);
  const { paths, with: keys } = detail;
  const found = keys
    .slice(0, MOST_RIVALS)
    .flatMap((key) => laneStore(store).byKey(run.id, key) ?? []);
  const rivals = await Promise.all(
    found.map(async ({ key, spec, baseSha, headSha }) => {
      const from = baseSha ?? run.baseSha;
      return { key, goal: redact(spec.desc), diff: await diff(git, from, headSha ?? from, paths) };
    }),
  );
  const others = [onto, ...found.flatMap(({ headSha }) => headSha ?? [])];
  const isMerged = lane.headSha !== null && (await containsAll(git, lane.headSha, others));
  const begun = isMerged ? '. The merge is in your worktree: replace markers that are left' : '';
  const what = `It ${refusalClause(refused)}${begun}`;
  if (row.state === 'conflict') {
    // How the tip would change in the conflicting files, with git's markers.
    const { tree, conflicts } = await mergeTrees(git, onto, row.laneSha);
    const shown = conflicts.length === 0 ? '' : await diff(git, onto, tree, conflicts);
    return { what, shown, rivals };
  }
  const validation = laneValidationStore(store).byId(row.validationId ?? '');
  return { what, shown: redact(logText(validation?.logPath ?? '')), rivals };
}

/** Empty if git cannot tell: the worker starts all the same. */
async function diff(git: Git, from: string, to: string, paths: readonly string[]): Promise<string> {
  try {
    return redact(await git.text(['--literal-pathspecs', ...DIFF, from, to, '--', ...paths]));
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return '';
  }
}
