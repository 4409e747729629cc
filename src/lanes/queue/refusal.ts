/**
 * Why a lane's present commit was not integrated, with what its next worker needs to mend it; and the
 * question that is asked where a mended lane is refused for the same reason.
 */
import { type Git, GitError } from '../../base/git/git.ts';
import { containsAll } from '../../base/git/merge.ts';
import { mergeTrees } from '../../base/git/plumbing.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { attemptStore } from '../../store/attempts.ts';
import { integrationStore } from '../../store/integrations.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type Lane, type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import { type RefusedCommit, refusalClause, refusedCommit } from '../fit/open-conflicts.ts';
import { logExcerpt } from '../judge/log.ts';
import type { LaneContext } from '../spec/context.ts';
import { gitOfRun } from '../spec/repository.ts';
import { recordReport } from '../talk/say.ts';

export interface Refusal {
  /** In a sentence or two. */
  readonly what: string;
  /** The conflicting places, with markers; or the end of the failed validation's log. */
  readonly shown: string;
  readonly rivals: readonly Readonly<Record<'key' | 'goal' | 'diff', string>>[];
}

const MOST_RIVALS = 4;
const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'];

/** @returns `undefined` unless the lane was in conflict or broke the others. Secrets are removed. */
export async function refusalOf(
  context: LaneContext,
  run: Run,
  lane: Pick<LaneView, 'id' | 'headSha' | 'validationId'>,
): Promise<Refusal | undefined> {
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
  const { head, tail } = logExcerpt(validation?.logPath ?? '');
  return { what, shown: redact(tail === '' ? head : `${head}\n…\n${tail}`), rivals };
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

/** @returns `undefined` unless the last commit of the lane that was to be integrated was refused. */
export function lastRefusal(
  { store }: Pick<LaneContext, 'store'>,
  run: Run,
  { id }: Pick<Lane, 'id'>,
): RefusedCommit | undefined {
  const rows = integrationStore(store).ofRun(run.id);
  const row = rows.findLast((it) => it.laneId === id);
  return row && refusedCommit(row);
}

const ASKER = 'lanehold';

/**
 * Asks the coordinator what is right where a lane was mended and is refused for the same reason: the next
 * worker would do what the last one did.
 *
 * @returns whether a question is open now.
 */
export function askIfAgain(context: LaneContext, run: Run, lane: LaneView): boolean {
  const { store } = context;
  const refusals = integrationStore(store)
    .ofRun(run.id)
    .flatMap((row) => (row.laneId === lane.id ? (refusedCommit(row) ?? []) : []));
  const last = refusals.at(-1);
  const before = refusals.findLast(({ row }) => row.laneSha !== last?.row.laneSha);
  if (last === undefined || before === undefined || reason(last) !== reason(before)) return false;
  const asked = laneReportStore(store).ofLane(lane.id);
  if (asked.some((it) => it.by === ASKER && it.kind === 'ask' && it.answeredAt === null)) {
    return true;
  }
  const attempt = attemptStore(store).lastOf(lane) ?? null;
  recordReport(context, { lane, attempt }, { kind: 'ask', text: question(last), by: ASKER });
  return true;
}

function reason({ row, detail: { paths, command, failures } }: RefusedCommit): string {
  const parts = row.state === 'conflict' ? paths : [command, ...failures];
  return JSON.stringify([row.state, ...parts.toSorted()]);
}

function question(refused: RefusedCommit): string {
  const wanted =
    refused.row.state === 'conflict'
      ? 'What should be there, or which lane gives way?'
      : 'What is right, this lane or the others?';
  return `It ${refusalClause(refused)}, again after it was mended. ${wanted}`;
}
