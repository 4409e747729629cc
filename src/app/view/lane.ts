/** One lane in full, its log in pieces, its changes file by file. Reads only. */
import { lstatSync } from 'node:fs';
import { UsageError } from '../../base/errors.ts';
import type { Git } from '../../base/git/git.ts';
import { DIFF, refAt } from '../../base/git/plumbing.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { runOf } from '../../lanes/judge/log.ts';
import { testsOf } from '../../lanes/judge/record-verdict.ts';
import { attemptLog, logPiece } from '../../lanes/look/attempt-log.ts';
import { gitOfRun } from '../../lanes/spec/context.ts';
import { findLane } from '../../lanes/spec/names.ts';
import { lastOfBase } from '../../lanes/spec/outcomes.ts';
import { checkpointStore, isLive } from '../../store/attempts.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { laneStore } from '../../store/lanes.ts';
import type { AppContext } from '../context.ts';
import { seenOf } from '../lanes/lane-content.ts';
import type { LaneWish } from '../lanes/lanes.ts';
import { type BoardData, type LaneOnBoard, readRun } from '../lanes/runs.ts';
import { oneOf } from '../values.ts';
import type { AsJson } from './as-json.ts';
import { runMeant } from './lanes.ts';

export type LaneView = AsJson<Awaited<ReturnType<typeof laneView>>>;
export type DiffView = AsJson<Awaited<ReturnType<typeof diffView>>>;
export type LogView = AsJson<Awaited<ReturnType<typeof logView>>>;

/** @throws {UsageError} if there is no such run or lane. */
async function laneMeant(context: AppContext, wish: LaneWish) {
  const { laneContext, run } = await runMeant(context, wish);
  if (run === undefined) throw new UsageError('there is no run in this project');
  return { laneContext, run, row: findLane(laneContext.store, run, wish.key) };
}

export async function laneView(context: AppContext, wish: LaneWish) {
  const { laneContext, run, row } = await laneMeant(context, wish);
  const { store } = laneContext;
  const board = await readRun(laneContext, run);
  const lane = board.lanes.find(({ id }) => id === row.id) as LaneOnBoard;
  const validations = laneValidationStore(store).ofLane(row.id);
  const own = validations.findLast(
    ({ id }) => id === (row.validationId ?? lane.verdict?.validationId),
  );
  return {
    at: board.at,
    run: { name: run.name, goal: run.goal, intent: run.intent, attempts: run.policy.attempts },
    runOption: board.runOption,
    lane,
    attempts: lane.attempts.map((attempt) => ({
      ...attempt,
      validations: validations
        .filter(({ attemptId }) => attemptId === attempt.id)
        .map(validationData),
      bytes: {
        stdout: sizeAt(`${attempt.dir}/stdout.log`),
        stderr: sizeAt(`${attempt.dir}/stderr.log`),
      },
    })),
    revisions: laneStore(store).revisions(row.id),
    proof: proofOf(lastOfBase(store, run, row), own),
    conflicts: await conflictsOf(gitOfRun(laneContext, run), board, lane),
    said: laneReportStore(store)
      .ofLane(row.id)
      .map(({ seq: number, toldAt: deliveredAt, ...it }) => ({ ...it, number, deliveredAt })),
    checkpoints: checkpointStore(store)
      .ofLane(row.id)
      .map(({ sha, at, files, reason }) => ({ sha, at, files, reason })),
    /** The commit up to which the changes were marked as seen. */
    seen: seenOf(store, row),
  };
}

function validationData(validation: Validation) {
  const { id, cmd, sha, result, why, at, durationMs, newFailures } = validation;
  const { executed: ran = null, passed = null } = runOf(validation) ?? {};
  return { id, command: cmd, sha, result, why, at, durationMs, newFailures, ran, passed };
}

const sizeAt = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;

type Ran = 'passed' | 'failed' | 'skipped';

export interface ProofRow {
  readonly name: string;
  /** `null`: the test does not exist there, or did not run. */
  readonly base: Ran | null;
  readonly lane: Ran | null;
  /** The kind of difference: fails only here, removed, new, failed before, or any other. */
  readonly kind: (typeof PROOF_KINDS)[number];
}

const PROOF_KINDS = ['failed', 'gone', 'new', 'failed-before', 'same'] as const;

/** The tests of the base and of the lane by name, differences first. `null`: the output contains no names. */
function proofOf(base: Validation | undefined, own: Validation | undefined) {
  const before = ranIn(base, runOf(base));
  const after = ranIn(own, runOf(own) ?? own);
  const names = [...new Set([...after.keys(), ...before.keys()])];
  const rows = names.map((name): ProofRow => {
    const row = { name, base: before.get(name) ?? null, lane: after.get(name) ?? null };
    return { ...row, kind: proofKind(row) };
  });
  const rank = ({ kind }: ProofRow) => PROOF_KINDS.indexOf(kind);
  return {
    base: base ? validationData(base) : null,
    lane: own ? validationData(own) : null,
    rows: rows.toSorted((one, other) => rank(one) - rank(other)),
  };
}

function proofKind({ base, lane }: Pick<ProofRow, 'base' | 'lane'>): ProofRow['kind'] {
  if (lane === 'failed') return base === 'failed' ? 'failed-before' : 'failed';
  if (base !== null && base !== 'skipped' && lane !== 'passed') return 'gone';
  return base === null ? 'new' : 'same';
}

type OneRun = Pick<Validation['runs'][number], 'logPath' | 'failures'>;

function ranIn(validation: Validation | undefined, run: OneRun | undefined) {
  const tests = testsOf(run);
  const failed = [...(run?.failures ?? []), ...(validation?.newFailures ?? [])];
  return new Map<string, Ran>([
    ...(tests?.skipped ?? []).map((name) => [name, 'skipped'] as const),
    ...(tests?.executed ?? []).map((name) => [name, 'passed'] as const),
    ...failed.map((name) => [name, 'failed'] as const),
  ]);
}

/** Open conflicts with other lanes, and why the merge queue refuses it; each with the changes of both sides. */
async function conflictsOf(git: Git, board: BoardData, lane: LaneOnBoard) {
  const { key, refused, state, since } = lane;
  const between = board.conflicts
    .filter(({ lanes }) => lanes.includes(key))
    .map(({ lanes, ...it }) => ({
      ...it,
      with: lanes.filter((it) => it !== key && it !== undefined),
    }));
  const atMerge = refused === null ? [] : [{ ...refused, kind: state, log: undefined, at: since }];
  const found = [...atMerge, ...between];
  return Promise.all(
    found.map(async ({ kind, paths, command, failures, at, with: others }) => {
      const sides = [key, ...others].flatMap((it) => board.lanes.filter((card) => card.key === it));
      return {
        kind,
        at,
        paths,
        failures,
        command: command ?? null,
        with: others,
        sides: await Promise.all(
          sides.map(async ({ key: name, state, baseSha, tip }) => {
            const { baseSha: start } = board.run;
            const range = [baseSha ?? start, tip ?? start] as const;
            return { lane: name, state, files: await filesBetween(git, range, paths) };
          }),
        ),
      };
    }),
  );
}

export type DiffFile = Awaited<ReturnType<typeof filesBetween>>[number];

/** @param paths limits the result to these; none: all. */
async function filesBetween(
  git: Git,
  [from, to]: readonly [string, string],
  paths: readonly string[] = [],
) {
  if (from === to) return [];
  const range = ['--no-renames', from, to, '--', ...paths.map((path) => `:(literal)${path}`)];
  const [counts, patches] = await Promise.all([
    git.text([...DIFF, '--numstat', '-z', ...range]),
    git.text([...DIFF, '--patch', ...range]),
  ]);
  const texts = patches.split(/^diff --git /m).slice(1);
  return counts
    .split('\0')
    .filter((line) => line !== '')
    .map((line, at) => {
      const [added = '', removed = '', ...path] = line.split('\t');
      const text = texts[at] ?? '';
      const start = text.search(/^@@ /m);
      const patch = start === -1 ? '' : redact(text.slice(start));
      const binary = added === '-';
      return {
        path: path.join('\t'),
        added: Number(added) || 0,
        removed: Number(removed) || 0,
        binary,
        /** The patch from its first `@@`; empty for a binary file. */
        patch,
      };
    });
}

/** The changes of a lane since its start, since the integrated state, or since the last seen commit. */
export async function diffView(
  context: AppContext,
  { against, ...wish }: LaneWish & { readonly against: 'base' | 'tip' | 'seen' },
) {
  const { laneContext, run, row } = await laneMeant(context, wish);
  const git = gitOfRun(laneContext, run);
  const base = row.baseSha ?? run.baseSha;
  const { tip } = (await readRun(laneContext, run)).lanes.find(({ id }) => id === row.id) ?? {};
  const from = {
    base: async () => base,
    tip: async () =>
      (await refAt(git, run.integrationRef)) ?? (await refAt(git, run.targetRef)) ?? base,
    seen: async () => seenOf(laneContext.store, row)?.sha ?? base,
  };
  const range = [await from[against](), tip ?? base] as const;
  const files = await filesBetween(git, range);
  return { lane: wish.key, against, from: range[0], to: range[1], files };
}

/**
 * @param wish `of`: `stdout`, `stderr`, or the id of a validation of the attempt; `from` or `before`: the byte at which
 * the part begins or ends; by default it is the end of the text.
 * @throws {UsageError} if there is no such attempt, or it has no such output.
 */
export async function logView(
  context: AppContext,
  wish: LaneWish & {
    readonly attempt?: number | undefined;
    readonly of?: string | undefined;
    readonly from?: number | undefined;
    readonly before?: number | undefined;
    readonly raw?: boolean | undefined;
  },
) {
  const { laneContext, run, row } = await laneMeant(context, wish);
  const { attempt, stdout, stderr, validations } = attemptLog(laneContext, run, row, wish.attempt);
  const { from, before, raw = false } = wish;
  const logs = new Map<string, string>([
    ...validations.map(({ id, logPath }) => [id, logPath] as const),
    ['stdout', stdout],
    ['stderr', stderr],
  ]);
  const of = oneOf('output', [...logs.keys()], wish.of ?? 'stdout');
  const live = attempt !== null && isLive(attempt);
  const path = logs.get(of) ?? stdout;
  const isStream = path === stdout && attempt !== null;
  const piece = logPiece(path, { from, before, raw: raw || !isStream, isWhole: !live });
  return { lane: wish.key, attempt: attempt?.n ?? null, of, live, ...piece };
}
