/**
 * What the board has of a lane, taken over into the store of its home. A result counts only as far as its signature and
 * git prove it; it then becomes an attempt like those of this machine, which its supervisor could end as well.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError, explained } from '../../base/errors.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { isAncestor, treeOf } from '../../base/git/plumbing.ts';
import { takeLock } from '../../base/process/held-lock.ts';
import { bootId } from '../../base/process/process-entry.ts';
import { enumerated } from '../../base/text/printable.ts';
import { sha256 } from '../../base/text/sha256.ts';
import { dayOf } from '../../base/text/time.ts';
import { RefusedError } from '../../evidence/envelope.ts';
import { logStamp } from '../../lanes/judge/log.ts';
import { type Ending, finish } from '../../lanes/run/finish.ts';
import { resources, superviseAttempt } from '../../lanes/run/supervision.ts';
import { addLaneEvent, gitOfRun } from '../../lanes/spec/context.ts';
import { attemptDir, supervisorLock } from '../../lanes/spec/paths.ts';
import { leftMarkers, takeOver } from '../../lanes/stand/dependencies.ts';
import { treeFor } from '../../lanes/start/start.ts';
import { addReport } from '../../lanes/talk/say.ts';
import { attemptStore, type EndCause } from '../../store/attempts.ts';
import { newId } from '../../store/ids.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import { ledgerStore } from '../../store/ledger.ts';
import { type TeamLane, teamLaneStore } from '../../store/offered-lanes.ts';
import type { Answer } from '../board/board.ts';
import type { Payload } from '../payload.ts';
import { fetchRef, refsOfLane } from '../refs.ts';
import type { Exchange } from './session.ts';

/** A lane as the board has it. */
export type There = Answer<'homeLanes'>['lanes'][number];
type Delivered = There['results'][number];
type Result = Payload<'result'>;

/** @returns whether the lane has changed here. */
export async function importLane(it: Exchange, row: TeamLane, there: There): Promise<boolean> {
  const late = lateIn(there);
  if (row.state === 'ended') {
    const why = `late work of ${late?.name} is kept (\`lane restore --late\`)`;
    if (late !== undefined && row.why === null) noted(it, { ...row, why });
    return false;
  }
  // What is older is replaced by an offer that waits here.
  if (there.rev < row.rev) return false;
  const { epoch, host, state } = there;
  switch (state) {
    case 'offered':
      return noted(it, { ...row, state, why: whyNobody(there) });
    case 'claimed':
      return noted(it, { ...row, state, epoch, host: host ?? 'a machine that left', why: null });
    case 'cancelled':
      return noted(it, { ...row, state: 'ended', why: null });
    case 'finished':
      return finished(it, row, there);
  }
}

/** The newest work that came when another claim, or none, counted. */
const lateIn = ({ results }: There): Delivered | undefined =>
  results.findLast(({ answer }) => answer === 'fenced');

/** Notes how a lane stands with the team, unless it was asked for anew. @returns whether that is news. */
export const noted = (it: Exchange, row: TeamLane): boolean =>
  it.context.store.write(() => note(it, row));

/** Call it in a transaction. */
function note({ context }: Exchange, row: TeamLane): boolean {
  const { store, now } = context;
  const { laneId, state, host, epoch } = row;
  const team = teamLaneStore(store);
  const before = team.of(laneId);
  const lane = laneStore(store).byId(laneId);
  if (lane === undefined || before?.rev !== row.rev) return false;
  const isNews = before.state !== state || before.epoch !== epoch;
  team.put({ ...row, at: isNews ? now() : before.at });
  const event = { type: `team.${state}`, data: { host, epoch }, by: host ?? 'team' };
  if (isNews) addLaneEvent(context, lane, event);
  return isNews;
}

/** The reasons for which a machine does not work on a lane, as clauses, and what helps there. */
const REFUSALS: Readonly<Record<string, string>> = {
  signer: 'does not work for whoever signs here (`team.runFor` and `team host start` there)',
  policy: 'cannot take its task (its `host.log` says why)',
  expired: 'was asked too late (`retry` offers it again)',
  quota: 'has no quota left for now',
  disk: 'has no space left for now',
};

/** Why nobody has an offered lane yet; `null` if somebody may take it. */
function whyNobody({ refused, takers }: There): string | null {
  const clauses = refused.map(([name, why]) => `${name} ${REFUSALS[why] ?? 'has given it back'}`);
  if (clauses.length > 0) return enumerated(clauses, 3);
  return takers > 0
    ? null
    : 'no machine that may have it is lent now (`lanehold team host start` on one lends it)';
}

async function finished(it: Exchange, row: TeamLane, there: There): Promise<boolean> {
  const lane = laneStore(it.context.store).byId(row.laneId) as LaneView;
  if (there.outcome === 'lost') {
    const detail = `${there.lost} machines were lost with it; \`retry\` offers it again`;
    const ending = { reason: 'lost', cause: 'lost', detail } as const;
    return record(it, lane, { ...row, epoch: there.epoch }, ending);
  }
  const said = there.results.find(({ answer, rev }) => answer === 'accepted' && rev === row.rev);
  if (said === undefined) return false;
  const claim = { ...row, epoch: said.epoch, host: said.name };
  try {
    const result = await checked(it, lane, row.rev, said);
    const { head } = result;
    const marked = head === null ? [] : await leftMarkers(it.context, it.run, lane, head);
    return record(it, lane, claim, endingOf(result, marked), result);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return refuse(it, lane, claim, `a result of ${said.name} was refused: ${error.message}`);
  }
}

/** The result, if it is what was asked for, signed by somebody who may, and on the remote as signed. @throws {RefusedError} */
async function checked(
  it: Exchange,
  lane: LaneView,
  rev: number,
  said: Delivered,
): Promise<Result> {
  const result = await openResult(it, lane, said);
  const base = lane.baseSha ?? it.run.baseSha;
  const { head, outcome } = said;
  const wanted = { rev, head, outcome, specHash: lane.specHash, cmdHash: lane.cmdHash, base };
  for (const [name, value] of Object.entries(wanted)) {
    if (result[name as keyof typeof wanted] !== value) {
      throw new RefusedError(`its ${name} is not that of the lane`);
    }
  }
  // Without a ref nobody could push it, and it asks.
  if (result.ref === null && outcome === 'asks') return { ...result, head: null };
  if (outcome === 'verified' && result.validation?.result !== 'pass') {
    throw new RefusedError('it is called verified, and its validation has not passed');
  }
  const fetched = await fetchHead(it, lane, result);
  if (!(await isAncestor(gitOfRun(it.context, it.run), base, fetched))) {
    throw new RefusedError('it does not go on from the base of the lane');
  }
  const why = await takeOver(it.context, it.run, lane, fetched).catch(
    (error) => explained(error).message,
  );
  if (why !== undefined) throw new RefusedError(why);
  return result;
}

function openResult(it: Exchange, { id: lane }: LaneView, { rev, epoch, host, body }: Delivered) {
  const place = { kind: 'result', repo: it.project.repo, run: it.run.id, lane } as const;
  return it.open({ ...place, rev, epoch, host }, body);
}

/** Fetches the commit of a result. @throws {RefusedError} if the remote has not what was signed. */
async function fetchHead(it: Exchange, lane: LaneView, { ref, epoch, head, tree }: Result) {
  const { context, run, remote, settings } = it;
  if (!ref?.startsWith(`${refsOfLane(settings.refs, run.id, lane.key)}/`)) {
    throw new RefusedError('its ref is none of the lane');
  }
  const git = gitOfRun(context, run);
  const into = `refs/lanehold/${run.id}/${lane.key}/team-${epoch}`;
  const found = await fetchRef(remote, ref, into).catch((error) => {
    // In git's words for what it does not take: `object ID: hasDotgit: contains '.git'`.
    const odd = /object \w+: .*/.exec(explained(error).message)?.[0];
    throw odd === undefined ? error : new RefusedError(odd);
  });
  if (found === undefined) throw new RefusedError('it is gone from the remote');
  // A ref may also name a file, a tree or a tag.
  const commit = await git.maybe(['rev-parse', '--verify', '--quiet', `${found}^{commit}`]);
  if (commit?.trim() !== head) throw new RefusedError('the remote has another commit');
  if ((await treeOf(git, found)) !== tree) throw new RefusedError('its tree is another one');
  return found;
}

function endingOf({ outcome, validation, ...said }: Result, marked: readonly string[]): Ending {
  if (marked.length > 0) {
    const detail = `markers of the merge are left in ${marked.join(', ')}`;
    return { reason: 'rejected', cause: 'validation', detail };
  }
  const { detail, endCause } = said;
  const isVerified = outcome === 'verified' || validation?.result === 'pass';
  if (isVerified) return { reason: 'verified', detail };
  return { reason: 'rejected', cause: (endCause as EndCause | null) ?? 'validation', detail };
}

/**
 * Writes the work of another machine as an attempt that is being validated. Its ending follows from what was signed;
 * where results are not to be believed (`team.results`), a supervisor of this machine takes it up, as it does if this
 * process is killed before.
 */
function record(
  it: Exchange,
  lane: LaneView,
  row: TeamLane,
  ending: Ending,
  result?: Result,
): boolean {
  const { context, settings } = it;
  const { store, now } = context;
  const id = newId(now());
  const dir = attemptDir(store.home, id);
  makePrivateFolder(dir);
  const lock = takeLock(supervisorLock(dir));
  const isBelieved = settings.results === 'signed' || ending.reason !== 'verified';
  const isNew = store.write(() => {
    // Another process may have taken it over meanwhile.
    if (!note(it, { ...row, state: 'ended', why: null })) return false;
    addAttempt(it, lane, row, { id, dir, result });
    if (isBelieved && result !== undefined) addValidation(it, lane, row, { id, dir, result });
    if (result?.outcome === 'asks') {
      const attempt = attemptStore(store).byId(id) ?? null;
      const { id: asked, text = '' } = result.question ?? {};
      // A result that cannot be stored would come again with each exchange, and a question is not empty.
      const said = text.trim() || result.detail.trim() || 'How is it to go on?';
      const by = row.host ?? 'team';
      addReport(context, { lane, attempt }, { kind: 'ask', text: said, by, id: asked });
    }
    return true;
  });
  if (isNew && isBelieved) finish(superviseAttempt(context, { id, epoch: 0 }, resources()), ending);
  lock?.release();
  return isNew;
}

interface Recorded<R = Result> {
  /** Of the attempt. */
  readonly id: string;
  readonly dir: string;
  readonly result: R;
}

/** Call it in a transaction. */
function addAttempt(
  { context, run }: Exchange,
  lane: LaneView,
  row: TeamLane,
  { id, dir, result }: Recorded<Result | undefined>,
): void {
  const { store, now } = context;
  const attempts = attemptStore(store);
  const attempt = {
    id,
    laneId: lane.id,
    kind: 'work',
    agent: result?.worker.agent ?? lane.spec.agent,
    model: result?.worker.model ?? null,
    account: null,
    sessionId: null,
    specHash: lane.specHash,
    startSha: lane.headSha ?? lane.baseSha ?? run.baseSha,
    worktree: treeFor(context, run, lane),
    dir,
    bootId: bootId(),
  } as const;
  attempts.add(attempt, result === undefined ? row.at : new Date(result.startedAt));
  const ledger = ledgerStore(store);
  const ids = { attemptId: id, runId: run.id, laneId: lane.id };
  ledger.reserve({ ...ids, day: dayOf(now()), reserved: {} });
  const { turns = 0, tokens = 0, usd = 0, seconds = 0 } = result?.usage ?? {};
  ledger.use(id, { turns, tokens, usd: usd ?? 0, seconds });
  const { head = null, flags = [], setupHash = '' } = result ?? {};
  attempts.note(id, 0, { state: 'exited', endSha: head, flags });
  attempts.note(id, 0, { state: 'validating' });
  if (head !== null) laneStore(store).setHead(lane.id, head, setupHash);
}

/** Call it in a transaction. */
function addValidation(
  { context, run }: Exchange,
  lane: LaneView,
  { host }: TeamLane,
  { id: attemptId, dir, result }: Recorded,
): void {
  const { validation, tree, setupHash, detail, head } = result;
  if (validation === null || tree === null || head === null) return;
  const { newFailures, oldFailures, exitCode, durationMs, tail } = validation;
  const at = context.now();
  const logPath = join(dir, 'validate-team.log');
  writeFileSync(logPath, tail, { mode: 0o600 });
  const log = { logPath, logSha256: sha256(tail) };
  const ran = validation.result === 'flaky' ? 'fail' : validation.result;
  laneValidationStore(context.store).add({
    id: newId(at),
    runId: run.id,
    subject: 'lane',
    laneId: lane.id,
    attemptId,
    sha: head,
    tree,
    cmd: lane.validateCmd ?? '',
    cwd: lane.validateCwd,
    cmdHash: lane.cmdHash,
    setupHash,
    specHash: lane.specHash,
    result: validation.result,
    exitCode,
    durationMs,
    ...log,
    ...logStamp(logPath),
    runs: [{ result: ran, exitCode, durationMs, ...log }],
    newFailures: newFailures.length === 0 ? null : newFailures,
    oldFailures,
    flags: [],
    why: detail,
    host: host ?? 'team',
    at,
  });
}

/** The number of refused results after which a person decides. */
const MOST_REFUSED = 2;

/** Notes that a result does not count, and offers the lane again. */
function refuse({ context }: Exchange, lane: LaneView, row: TeamLane, why: string): boolean {
  const { store, now } = context;
  const type = 'team.result-refused';
  const before = laneEventStore(store).ofType(lane.runId, type);
  const isLast = before.filter(({ laneId }) => laneId === lane.id).length + 1 >= MOST_REFUSED;
  const [state, rev] = isLast
    ? (['ended', row.rev] as const)
    : (['to-offer', row.rev + 1] as const);
  store.write(() => {
    teamLaneStore(store).put({ ...row, rev, state, why, at: now() });
    addLaneEvent(context, lane, { type, data: { host: row.host, why }, by: 'lanehold' });
    if (isLast) laneStore(store).setBlocked(lane.id, `${why}; \`retry\` offers it again`);
  });
  return true;
}

/** @throws {ExplainedError} */
export async function lateWork(it: Exchange, lane: LaneView, lanes: readonly There[]) {
  const there = lanes.find(({ lane: id }) => id === lane.id);
  const late = there && lateIn(there);
  if (late === undefined) {
    const hint = `what was saved here: \`lanehold orchestrate lane checkpoints ${lane.key}\``;
    throw new ExplainedError(`no machine has brought late work of lane ${lane.key}`, { hint });
  }
  const result = await openResult(it, lane, late);
  const sha = await fetchHead(it, lane, result);
  const git = gitOfRun(it.context, it.run);
  const files = (await git.text(['ls-tree', '-r', '--name-only', sha])).split('\n').length - 1;
  return { sha, files, at: new Date(result.endedAt), reason: `late work of ${late.name}` };
}
