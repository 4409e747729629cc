/** Checks each line of a handoff again: against the store, git and the disk. */

import { existsSync, realpathSync } from 'node:fs';
import { type Git, gitIn } from '../../git/git.ts';
import { refsBelow } from '../../git/plumbing.ts';
import { listWorktrees } from '../../git/worktrees.ts';
import { laneReportStore, type Report } from '../../store/lane-reports.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { laneStore } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import { type Run, runStore } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { openConflicts } from '../integration/open-conflicts.ts';
import { verifyLog } from '../validation/log.ts';
import type { Claim, Line } from './line.ts';

/** A line that is no longer true. */
export interface Untrue {
  readonly about: string;
  /** The line as written in the handoff. */
  readonly was: string;
  /** What is true instead. */
  readonly now: string;
}

type Checkable = Pick<Line, 'about' | 'text' | 'claims'>;

export async function untrueLines(
  context: LaneContext,
  run: Run,
  lines: readonly Checkable[],
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
interface Facts {
  readonly store: Store;
  readonly run: Run;
  readonly git: Git;
  readonly repository: RepositoryFacts | 'gone';
}

interface RepositoryFacts {
  readonly refs: ReadonlyMap<string, string>;
  readonly worktrees: ReadonlySet<string>;
}

async function readFacts({ store, env }: LaneContext, run: Run): Promise<Facts> {
  const git = gitIn(run.commonDir, env);
  if (!existsSync(run.commonDir)) return { store, run, git, repository: 'gone' };
  const [refs, worktrees] = await Promise.all([
    refsBelow(git, 'refs/heads', 'refs/lanehold'),
    listWorktrees(git),
  ]);
  return {
    store,
    run,
    git,
    repository: { refs, worktrees: new Set(worktrees.map(({ path }) => resolved(path))) },
  };
}

type Of<K extends Claim['kind']> = Extract<Claim, { kind: K }>;
type Contradiction = string | undefined | Promise<string | undefined>;

const CHECKS: {
  readonly [K in Claim['kind']]: (facts: Facts, claim: Of<K>) => Contradiction;
} = {
  run: runContradiction,
  state: stateContradiction,
  ref: refContradiction,
  contains: containsContradiction,
  worktree: worktreeContradiction,
  log: logContradiction,
  question: questionContradiction,
  conflict: conflictContradiction,
};

/** What is true instead; `undefined` if the claim holds. */
function contradiction<K extends Claim['kind']>(facts: Facts, claim: Of<K>): Contradiction {
  return CHECKS[claim.kind as K](facts, claim);
}

function runContradiction({ store, run }: Facts, { intent }: Of<'run'>): string | undefined {
  const now = runStore(store).byId(run.id)?.intent ?? 'gone';
  return now === intent ? undefined : `the run is ${now}`;
}

function stateContradiction({ store, run }: Facts, claim: Of<'state'>): string | undefined {
  const lane = laneStore(store).byKey(run.id, claim.lane);
  if (lane === undefined) return 'there is no such lane';
  const found: string[] = [];
  if (lane.specRev !== claim.specRev || lane.specHash !== claim.specHash) {
    found.push(`its task was changed: revision ${lane.specRev}, was ${claim.specRev}`);
  }
  if (lane.state !== claim.state) found.push(`it is ${lane.state}, was ${claim.state}`);
  return found.length === 0 ? undefined : found.join('; ');
}

function refContradiction({ repository }: Facts, { ref, sha }: Of<'ref'>): string | undefined {
  if (repository === 'gone') return 'the repository is gone';
  const now = repository.refs.get(ref);
  if (now === sha) return undefined;
  return now === undefined ? `${ref} is gone` : `${ref} is at ${now.slice(0, 8)}`;
}

async function containsContradiction({ repository, git }: Facts, claim: Of<'contains'>) {
  if (repository === 'gone') return 'the repository is gone';
  const now = repository.refs.get(claim.ref);
  if (now === undefined) return `${claim.ref} is gone`;
  if (now === claim.sha) return undefined;
  // The value comes from a file that may say anything: only commit ids are passed to git.
  const isOid = /^[0-9a-f]{40,64}$/.test(claim.sha);
  const args = ['merge-base', '--is-ancestor', claim.sha, now];
  const contains = isOid && (await git.attempt(args)).exitCode === 0;
  return contains ? undefined : `${claim.ref} is at ${now.slice(0, 8)} and has it not`;
}

function worktreeContradiction({ repository }: Facts, { path }: Of<'worktree'>) {
  if (!existsSync(path)) return 'the worktree is gone';
  if (repository === 'gone') return 'the repository is gone';
  return repository.worktrees.has(resolved(path)) ? undefined : 'git does not know the worktree';
}

/** The log's path comes from the store, not from the claim: a given file must not choose what is read. */
async function logContradiction({ store }: Facts, claim: Of<'log'>): Promise<string | undefined> {
  const validation = laneValidationStore(store).byId(claim.validationId);
  if (validation === undefined) return 'there is no such validation';
  const { logPath, logSha256 } = validation;
  if (logSha256 !== claim.sha256) return 'the validation has another log';
  switch (await verifyLog(logPath, logSha256)) {
    case 'intact':
      return undefined;
    case 'missing':
      return 'the log is gone';
    case 'changed':
      return 'the log was changed';
  }
}

function questionContradiction({ store, run }: Facts, { id }: Of<'question'>) {
  const report = findReport(store, run, id);
  if (report === undefined) return 'there is no such question';
  return report.answeredAt === null ? undefined : `${report.answeredBy} has answered it`;
}

function findReport(store: Store, run: Run, id: string): Report | undefined {
  const reports = laneReportStore(store);
  for (const lane of laneStore(store).ofRun(run.id)) {
    const found = reports.ofLane(lane.id).find((report) => report.id === id);
    if (found !== undefined) return found;
  }
  return undefined;
}

function conflictContradiction({ store, run }: Facts, claim: Of<'conflict'>) {
  const isOpen = openConflicts({ store }, run.id).some(
    (it) =>
      it.lanes[0] === claim.lane &&
      it.lanes[1] === (claim.with ?? undefined) &&
      it.shas.every((sha, side) => sha === claim.shas[side]),
  );
  return isOpen ? undefined : 'it was settled, or the lanes have moved';
}

function resolved(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
