/** Why a lane's present commit was not integrated, with what its next worker needs to mend it. */
import * as z from 'zod/mini';
import { type Git, GitError } from '../../git/git.ts';
import { mergeTrees } from '../../git/plumbing.ts';
import { type Integration, integrationStore } from '../../store/integrations.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type Lane, type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import { parsedJson } from '../../text/json.ts';
import { redact } from '../../text/redact/redact.ts';
import type { LaneContext } from '../model/context.ts';
import { logExcerpt } from '../validation/log.ts';
import { containsAll } from './dependencies.ts';
import { gitOfRun } from './repository.ts';

export interface Refusal {
  /** In a sentence or two. */
  readonly what: string;
  /** The conflicting places, with markers; or the end of the failed validation's log. */
  readonly shown: string;
  readonly rivals: readonly {
    readonly key: string;
    readonly goal: string;
    readonly diff: string;
  }[];
}

const texts = z._default(z.array(z.string()), []);
const DETAIL = z.object({
  paths: texts,
  command: z._default(z.string(), 'the validation'),
  failures: texts,
  with: texts,
});
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
  const hasMoved = row.laneSha !== lane.headSha;
  // It was mended since, and what is asked for now is something else.
  if (hasMoved && lane.validationId !== null) return undefined;
  const git = gitOfRun(context, run);
  const { paths, command, failures, with: keys } = detail;
  const found = keys.slice(0, MOST_RIVALS).flatMap((key) => {
    return laneStore(store).byKey(run.id, key) ?? [];
  });
  const rivals = await Promise.all(
    found.map(async ({ key, spec, baseSha, headSha }) => {
      const from = baseSha ?? run.baseSha;
      return { key, goal: redact(spec.desc), diff: await diff(git, from, headSha ?? from, paths) };
    }),
  );
  const heads = found.flatMap(({ headSha }) => headSha ?? []);
  const others = [onto, ...heads].map((sha) => ({ sha }));
  const isMerged = lane.headSha !== null && (await containsAll(git, lane.headSha, others));
  const begun = isMerged ? '. The merge is in your worktree: replace markers that are left' : '';
  if (row.state === 'conflict') {
    const what = `It does not merge with ${named(keys)}. In conflict: ${paths.join(', ')}`;
    return { what: what + begun, shown: await hunks(git, onto, row.laneSha), rivals };
  }
  const which = failures.length === 0 ? '' : `. Failing: ${failures.join(', ')}`;
  const what = `Merged with ${named(keys)}, \`${command}\` fails${which}${begun}`;
  const validation = laneValidationStore(store).byId(row.validationId ?? '');
  const { head, tail } = logExcerpt(validation?.logPath ?? '');
  return { what, shown: redact(tail === '' ? head : `${head}\n…\n${tail}`), rivals };
}

export interface RefusedCommit {
  readonly row: Integration;
  readonly detail: z.infer<typeof DETAIL>;
}

/** @returns `undefined` unless the last commit of the lane that was to be integrated was refused. */
export function lastRefusal(
  { store }: Pick<LaneContext, 'store'>,
  run: Run,
  { id }: Pick<Lane, 'id'>,
): RefusedCommit | undefined {
  const row = integrationStore(store)
    .ofRun(run.id)
    .findLast((it) => it.laneId === id);
  return row && refusedCommit(row);
}

/** @returns `undefined` if the commit was not refused. */
export function refusedCommit(row: Integration): RefusedCommit | undefined {
  if (row.state !== 'conflict' && row.state !== 'culprit') return undefined;
  const parsed = DETAIL.safeParse(parsedJson(row.detail));
  return parsed.success ? { row, detail: parsed.data } : undefined;
}

export const named = (keys: readonly string[]): string =>
  keys.length === 0 ? 'what is integrated already' : keys.join(', ');

/** How the tip would change in the conflicting files, with git's markers. */
async function hunks(git: Git, tip: string, sha: string): Promise<string> {
  const { tree, conflicts } = await mergeTrees(git, tip, sha);
  return conflicts.length === 0 ? '' : diff(git, tip, tree, conflicts);
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
