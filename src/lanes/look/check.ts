/** Checks whether the lines of a given handoff are still true, by the store, git and the disk. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { attempt, UsageError } from '../../base/errors.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { isAncestor, refAt, refsBelow } from '../../base/git/plumbing.ts';
import { listWorktrees } from '../../base/git/worktrees.ts';
import { handoffStore, type StoredHandoff } from '../../store/handoffs.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { laneStore, type Run, runStore } from '../../store/lanes.ts';
import { openConflicts } from '../fit/open-conflicts.ts';
import { logStamp, verifyLog } from '../judge/log.ts';
import type { LaneContext } from '../spec/context.ts';
import { targetGone } from '../stand/taken-out.ts';

/** The claim of a line, in a form that can be checked again. */
export type Claim =
  | { readonly kind: 'run'; readonly intent: string }
  | ({ readonly kind: 'state'; readonly specRev: number } & Readonly<
      Record<'lane' | 'state' | 'specHash', string>
    >)
  /** `contains`: newer commits than this one may follow on the ref. */
  | { readonly kind: 'ref' | 'contains'; readonly ref: string; readonly sha: string }
  /** The commit contains everything of the ref, unless the ref is gone. */
  | { readonly kind: 'within'; readonly ref: string; readonly sha: string }
  /** The branch to land on exists. */
  | { readonly kind: 'target'; readonly ref: string }
  | { readonly kind: 'worktree'; readonly path: string }
  /** The log of a validation exists, unchanged. */
  | ({ readonly kind: 'log' } & Readonly<Record<'validationId' | 'path' | 'sha256', string>>)
  | { readonly kind: 'question'; readonly id: string }
  | {
      readonly kind: 'conflict';
      readonly lane: string;
      readonly with: string | null;
      readonly shas: readonly string[];
    };

interface Given {
  readonly id: string;
  readonly lines: readonly {
    readonly about: string;
    readonly text: string;
    readonly claims: readonly Claim[];
  }[];
}

/** The last given handoff; `undefined` if there is none. */
export function lastGiven({ store }: LaneContext, run: Run): Given | undefined {
  const kept = handoffStore(store).last(run.id);
  return kept && givenOf(kept);
}

/**
 * The handoff in a file, as its page or as JSON. Its content is not trusted: the lines are those that were stored when
 * it was given out.
 *
 * @throws {UsageError} if it names no handoff of this run.
 */
export function givenInFile({ store }: LaneContext, run: Run, file: string): Given {
  const ids = attempt(() => readFileSync(file, 'utf8'))?.match(/\b[0-9a-f-]{36}\b/g) ?? [];
  const kept = ids.flatMap((id) => handoffStore(store).byId(id) ?? []);
  const own = kept.find(({ runId }) => runId === run.id);
  if (own !== undefined) return givenOf(own);
  throw new UsageError(`${file} is no handoff of run ${run.name} that is known here`, {
    hint: 'give one that `lanehold orchestrate handoff --write` or `--json` has made',
  });
}

const givenOf = ({ id, lines }: StoredHandoff): Given => ({ id, lines: lines as Given['lines'] });

export interface Untrue {
  readonly about: string;
  readonly was: string;
  readonly now: string;
}

/** @param what `disk`: only what git and the disk contradict; of logs, only size and time are compared. */
export async function untrueLines(
  context: LaneContext,
  run: Run,
  lines: Given['lines'],
  what: 'all' | 'disk' = 'all',
): Promise<Untrue[]> {
  const facts = { ...(await readFacts(context, run)), readsLogs: what === 'all' };
  const untrue: Untrue[] = [];
  for (const { about, text: was, claims } of lines) {
    const asked = claims.filter(({ kind }) => what === 'all' || !IN_STORE.has(kind));
    const found = await Promise.all(asked.map((it) => contradiction(facts, it)));
    const now = found.filter((it) => it !== undefined).join('; ');
    if (now !== '') untrue.push({ about, was, now });
  }
  return untrue;
}

const IN_STORE: ReadonlySet<Claim['kind']> = new Set(['run', 'state', 'question', 'conflict']);

type Facts = Awaited<ReturnType<typeof readFacts>> & { readonly readsLogs: boolean };

async function readFacts({ store, env }: LaneContext, run: Run) {
  const git = gitIn(run.commonDir, env);
  if (!existsSync(run.commonDir)) return { store, run, git, repository: undefined };
  const [refs, worktrees] = await Promise.all([
    refsBelow(git, 'refs/heads', 'refs/lanehold'),
    listWorktrees(git),
  ]);
  // A path may lead through a link.
  const places = new Set(worktrees.map((it) => resolved(it.path)));
  const isWorktree = (path: string): boolean => places.has(resolved(path));
  return { store, run, git, repository: { refs, isWorktree } };
}

const resolved = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

type Check<K> = (
  facts: Facts,
  claim: Extract<Claim, { kind: K }>,
) => string | undefined | Promise<string | undefined>;

/** The true fact; `undefined` if the claim holds. */
function contradiction<K extends Claim['kind']>(facts: Facts, it: Extract<Claim, { kind: K }>) {
  return CHECKS[it.kind as K](facts, it);
}

function changeOfLog(was: Validation): string | undefined {
  const { logBytes, logChangedAt } = logStamp(was.logPath);
  if (logBytes === null) return 'the log is gone';
  if (logBytes !== was.logBytes) return 'the log was changed';
  const isTouched = logChangedAt?.getTime() !== was.logChangedAt?.getTime();
  return isTouched ? 'the log was written to; `handoff --check` compares it' : undefined;
}

const GONE = 'the repository is gone';

const CHECKS: { readonly [K in Claim['kind']]: Check<K> } = {
  run({ store, run }, { intent }) {
    const now = runStore(store).byId(run.id)?.intent ?? 'gone';
    return now === intent ? undefined : `the run is ${now}`;
  },
  state({ store, run }, was) {
    const now = laneStore(store).byKey(run.id, was.lane);
    if (now === undefined) return 'there is no such lane';
    const found: string[] = [];
    if (now.specRev !== was.specRev || now.specHash !== was.specHash) {
      found.push(`its task was changed: revision ${now.specRev}, was ${was.specRev}`);
    }
    if (now.state !== was.state) found.push(`it is ${now.state}, was ${was.state}`);
    return found.join('; ') || undefined;
  },
  ref({ repository }, { ref, sha }) {
    if (repository === undefined) return GONE;
    const now = repository.refs.get(ref);
    if (now === sha) return undefined;
    return now === undefined ? `${ref} is gone` : `${ref} is at ${now.slice(0, 8)}`;
  },
  async contains({ repository, git }, { ref, sha }) {
    if (repository === undefined) return GONE;
    const now = repository.refs.get(ref);
    if (now === undefined) return `${ref} is gone`;
    const { exitCode } = await git.attempt(['merge-base', '--is-ancestor', sha, now]);
    return exitCode === 0 ? undefined : `${ref} is at ${now.slice(0, 8)} and has it not`;
  },
  async within({ repository, git }, { ref, sha }) {
    const now = repository && (await refAt(git, ref));
    if (now === undefined || (await isAncestor(git, now, sha))) return undefined;
    return `${ref} is at ${now.slice(0, 8)}, which is not in it`;
  },
  async target({ repository, store, run, git }, { ref }) {
    if (repository === undefined) return GONE;
    // The target may be another one by now.
    if (ref !== run.targetRef || repository.refs.has(ref)) return undefined;
    const { why, hint } = await targetGone({ store }, run, git);
    return `${why}: ${hint}`;
  },
  worktree({ repository }, { path }) {
    if (!existsSync(path)) return 'the worktree is gone';
    if (repository === undefined) return GONE;
    return repository.isWorktree(path) ? undefined : 'git does not know the worktree';
  },
  async log({ store, readsLogs }, { validationId, sha256 }) {
    const validation = laneValidationStore(store).byId(validationId);
    if (validation === undefined) return 'there is no such validation';
    if (validation.logSha256 !== sha256) return 'the validation has another log';
    if (!readsLogs) return changeOfLog(validation);
    const found = await verifyLog(validation.logPath, sha256);
    if (found === 'intact') return undefined;
    return found === 'missing' ? 'the log is gone' : 'the log was changed';
  },
  question({ store }, { id }) {
    const report = laneReportStore(store).byId(id);
    if (report === undefined) return 'there is no such question';
    return report.answeredAt === null ? undefined : `${report.answeredBy} has answered it`;
  },
  conflict({ store, run }, was) {
    const isOpen = openConflicts({ store }, run.id).some(
      ({ lanes, shas }) =>
        `${[was.lane, was.with ?? undefined]}` === `${lanes}` && `${was.shas}` === `${shas}`,
    );
    return isOpen ? undefined : 'it was settled, or the lanes have moved';
  },
};
