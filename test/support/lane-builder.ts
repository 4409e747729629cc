/** Rows of runs, lanes and validations as the program would write them, with its own hashes. */
import { writeFileSync } from 'node:fs';
import { sha256 } from '../../src/base/text/sha256.ts';
import { logStamp } from '../../src/lanes/judge/log.ts';
import { derived } from '../../src/lanes/spec/spec.ts';
import { newId } from '../../src/store/ids.ts';
import type { Validation } from '../../src/store/lane-validations.ts';
import type { Lane, LaneSpec, Run } from '../../src/store/lanes.ts';

export const SPEC: LaneSpec = {
  desc: 'A piece of work',
  notes: '',
  touches: [],
  reads: [],
  needs: [],
  agent: 'current',
  validateCwd: '',
  validateTimeoutS: 600,
  timeoutS: 600,
  budget: {},
  ports: 0,
  overlaps: 'never',
  removesTests: 'no',
};

type RunPlace = Pick<Run, 'projectId' | 'repository' | 'commonDir' | 'baseSha'>;

export function runRow(place: RunPlace, now: Date, changes: Partial<Run> = {}): Run {
  const id = newId(now);
  return {
    ...place,
    id,
    name: 'billing',
    goal: 'Move billing to the new API',
    targetRef: 'refs/heads/main',
    integrationRef: `refs/lanehold/${id}/integration`,
    intent: 'active',
    pauseReason: null,
    policy: { parallel: 4, attempts: 2, laneBudget: {}, runBudget: {}, dayBudget: {} },
    createdBy: 'person ada',
    createdAt: now,
    ...changes,
  };
}

/** A lane in which nothing was done yet. */
export function laneRow(
  run: Run,
  { key, position, spec }: Pick<Lane, 'key' | 'position' | 'spec'>,
  now: Date,
  changes: Partial<Lane> = {},
): Lane {
  return {
    id: newId(now),
    runId: run.id,
    key,
    position,
    spec,
    specRev: 1,
    ...derived(spec),
    setupHash: '',
    branch: `lanehold/${run.name}/${key}`,
    worktree: null,
    adopted: false,
    baseSha: run.baseSha,
    headSha: null,
    intent: 'hold',
    blocked: null,
    wantsAfter: 0,
    priority: 0,
    createdAt: now,
    ...changes,
  };
}

interface Judged extends Pick<Validation, 'attemptId' | 'sha' | 'tree' | 'logPath'> {
  readonly lane: Lane;
}

/** A passed validation of a lane's commit; its log is written, too. */
export function validationRow(
  { lane, attemptId, sha, tree, logPath }: Judged,
  now: Date,
  changes: Partial<Validation> = {},
): Validation {
  const log = 'it ran\n';
  writeFileSync(logPath, log);
  return {
    id: newId(now),
    runId: lane.runId,
    subject: 'lane',
    laneId: lane.id,
    attemptId,
    sha,
    tree,
    cmd: lane.validateCmd ?? '',
    cwd: lane.validateCwd,
    cmdHash: lane.cmdHash,
    setupHash: lane.setupHash,
    specHash: lane.specHash,
    result: 'pass',
    exitCode: 0,
    durationMs: 1_234,
    logPath,
    logSha256: sha256(log),
    ...logStamp(logPath),
    runs: [],
    newFailures: null,
    oldFailures: null,
    flags: [],
    why: '',
    host: 'here',
    at: now,
    ...changes,
  };
}
