/** Checks each line of a handoff again: against the store, git and the disk. */
import { existsSync, realpathSync } from 'node:fs';
import { gitIn } from '../../../git/git.ts';
import { refsBelow } from '../../../git/plumbing.ts';
import { listWorktrees } from '../../../git/worktrees.ts';
import { laneReportStore } from '../../../store/lane-events.ts';
import { laneValidationStore } from '../../../store/lane-validations.ts';
import { laneStore } from '../../../store/lanes.ts';
import { type Run, runStore } from '../../../store/runs.ts';
import { openConflicts } from '../../merge-queue/open-conflicts.ts';
import type { LaneContext } from '../../model/context.ts';
import { verifyLog } from '../../validation/log.ts';
import type { Claim, Given } from './stored.ts';

/** A line that is no longer true. */
export interface Untrue {
  readonly about: string;
  /** The line as written in the handoff. */
  readonly was: string;
  /** What is true instead. */
  readonly now: string;
}

export async function untrueLines(
  context: LaneContext,
  run: Run,
  lines: Given['lines'],
): Promise<Untrue[]> {
  const facts = await readFacts(context, run);
  const untrue: Untrue[] = [];
  for (const { about, text, claims } of lines) {
    const found: string[] = [];
    for (const claim of claims) {
      const now = await contradiction(facts, claim);
      if (now !== undefined) found.push(now);
    }
    if (found.length > 0) untrue.push({ about, was: text, now: found.join('; ') });
  }
  return untrue;
}

/** What claims are checked against. */
type Facts = Awaited<ReturnType<typeof readFacts>>;

async function readFacts({ store, env }: LaneContext, run: Run) {
  const git = gitIn(run.commonDir, env);
  if (!existsSync(run.commonDir)) return { store, run, git, repository: 'gone' as const };
  const [refs, listed] = await Promise.all([
    refsBelow(git, 'refs/heads', 'refs/lanehold'),
    listWorktrees(git),
  ]);
  const worktrees = new Set(listed.map(({ path }) => resolved(path)));
  return { store, run, git, repository: { refs, worktrees } };
}

type Check<K> = (
  facts: Facts,
  claim: Extract<Claim, { kind: K }>,
) => string | undefined | Promise<string | undefined>;

/** What is true instead; `undefined` if the claim holds. */
function contradiction<K extends Claim['kind']>(
  facts: Facts,
  claim: Extract<Claim, { kind: K }>,
): ReturnType<Check<K>> {
  return CHECKS[claim.kind as K](facts, claim);
}

const CHECKS: { readonly [K in Claim['kind']]: Check<K> } = {
  run({ store, run }, { intent }) {
    const now = runStore(store).byId(run.id)?.intent ?? 'gone';
    return now === intent ? undefined : `the run is ${now}`;
  },
  state({ store, run }, claim) {
    const lane = laneStore(store).byKey(run.id, claim.lane);
    if (lane === undefined) return 'there is no such lane';
    const found: string[] = [];
    if (lane.specRev !== claim.specRev || lane.specHash !== claim.specHash) {
      found.push(`its task was changed: revision ${lane.specRev}, was ${claim.specRev}`);
    }
    if (lane.state !== claim.state) found.push(`it is ${lane.state}, was ${claim.state}`);
    return found.length === 0 ? undefined : found.join('; ');
  },
  ref({ repository }, { ref, sha }) {
    if (repository === 'gone') return GONE;
    const now = repository.refs.get(ref);
    if (now === sha) return undefined;
    return now === undefined ? `${ref} is gone` : `${ref} is at ${now.slice(0, 8)}`;
  },
  async contains({ repository, git }, { ref, sha }) {
    if (repository === 'gone') return GONE;
    const now = repository.refs.get(ref);
    if (now === undefined) return `${ref} is gone`;
    if (now === sha) return undefined;
    // The value comes from a file that may say anything: only commit ids are passed to git.
    const isOid = /^[0-9a-f]{40,64}$/.test(sha);
    const args = ['merge-base', '--is-ancestor', sha, now];
    const contains = isOid && (await git.attempt(args)).exitCode === 0;
    return contains ? undefined : `${ref} is at ${now.slice(0, 8)} and has it not`;
  },
  worktree({ repository }, { path }) {
    if (!existsSync(path)) return 'the worktree is gone';
    if (repository === 'gone') return GONE;
    return repository.worktrees.has(resolved(path)) ? undefined : 'git does not know the worktree';
  },
  /** The log's path comes from the store: a given file must not choose what is read. */
  async log({ store }, { validationId, sha256 }) {
    const validation = laneValidationStore(store).byId(validationId);
    if (validation === undefined) return 'there is no such validation';
    const { logPath, logSha256 } = validation;
    if (logSha256 !== sha256) return 'the validation has another log';
    const found = await verifyLog(logPath, logSha256);
    if (found === 'intact') return undefined;
    return found === 'missing' ? 'the log is gone' : 'the log was changed';
  },
  question({ store, run }, { id }) {
    const reports = laneStore(store)
      .ofRun(run.id)
      .flatMap((lane) => laneReportStore(store).ofLane(lane.id));
    const report = reports.find((it) => it.id === id);
    if (report === undefined) return 'there is no such question';
    return report.answeredAt === null ? undefined : `${report.answeredBy} has answered it`;
  },
  conflict({ store, run }, claim) {
    const isOpen = openConflicts({ store }, run.id).some(
      ({ lanes, shas }) =>
        lanes[0] === claim.lane &&
        lanes[1] === (claim.with ?? undefined) &&
        shas.every((sha, side) => sha === claim.shas[side]),
    );
    return isOpen ? undefined : 'it was settled, or the lanes have moved';
  },
};

const GONE = 'the repository is gone';

function resolved(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
