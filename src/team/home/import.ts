/**
 * What the board says of a lane, taken over into the store of its home. A result counts only as far as its signature and
 * git prove it; it then becomes an ordinary attempt with its validation.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { isAncestor, treeOf } from '../../base/git/plumbing.ts';
import { enumerated } from '../../base/text/printable.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { sha256 } from '../../base/text/sha256.ts';
import { dayOf } from '../../base/text/time.ts';
import { RefusedError } from '../../evidence/envelope.ts';
import { logStamp } from '../../lanes/judge/log.ts';
import { addLaneEvent, gitOfRun } from '../../lanes/spec/context.ts';
import { attemptDir } from '../../lanes/spec/paths.ts';
import { leftMarkers, takeOver } from '../../lanes/stand/dependencies.ts';
import { treeFor } from '../../lanes/start/start.ts';
import { recordReport } from '../../lanes/talk/say.ts';
import { attemptStore, type EndCause, type EndReason } from '../../store/attempts.ts';
import { newId } from '../../store/ids.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type LaneView, laneStore, type Run } from '../../store/lanes.ts';
import { ledgerStore } from '../../store/ledger.ts';
import { type TeamLane, teamLaneStore } from '../../store/offered-lanes.ts';
import type { Payload } from '../payload.ts';
import { fetchRef, refsOfLane } from '../refs.ts';
import type { Exchange, News } from './session.ts';

type LaneNews = Extract<News, { readonly kind: 'lane' }>;
type Result = Payload<'result'>;
type Delivered = LaneNews['results'][number];

/** The file with the sealed result beside the attempt, for a board that has forgotten it. */
export const RESULT_FILE = 'team-result';

/** @returns whether the lane has changed here. */
export async function importLane(it: Exchange, run: Run, news: LaneNews): Promise<boolean> {
  const { store } = it.context;
  const known = teamLaneStore(store).of(news.lane);
  const lane = laneStore(store).byId(news.lane);
  if (known === undefined || lane?.runId !== run.id) return false;
  for (const late of news.results.filter(({ answer }) => answer === 'fenced'))
    noteLate(it, lane, late);
  // An older revision was taken back, or is replaced by an offer that waits here.
  if (known.state === 'ended' || known.state === 'to-offer' || news.rev < known.rev) return false;
  switch (news.state) {
    case 'offered': {
      const why = refusalWords(it, news);
      if (known.state === 'claimed') return moved(it, lane, { ...known, state: 'offered', why });
      if (why !== known.why) store.write(() => teamLaneStore(store).put({ ...known, why }));
      return false;
    }
    case 'claimed':
      return (
        (known.state !== 'claimed' || known.epoch !== news.epoch) &&
        moved(it, lane, {
          ...known,
          state: 'claimed',
          epoch: news.epoch,
          host: it.nameOf(news.host),
          why: null,
        })
      );
    case 'cancelled':
      return moved(it, lane, { ...known, state: 'ended', why: null });
    case 'finished':
      return finished(it, run, lane, { known, news });
  }
}

function moved({ context }: Exchange, lane: LaneView, row: TeamLane): boolean {
  const { store, now } = context;
  const { state, host, epoch } = row;
  store.write(() => {
    teamLaneStore(store).put({ ...row, at: now() });
    addLaneEvent(context, lane, {
      type: `team.${state}`,
      data: { host, epoch },
      by: host ?? 'team',
    });
  });
  return true;
}

/** The reasons for which a machine does not work on a lane, as clauses, and what helps there. */
const REFUSALS: Readonly<Record<string, string>> = {
  signer: 'does not work for whoever signs here (`team.runFor` and `team host start` there)',
  policy: 'cannot take its task (its `host.log` says why)',
  repository: 'has no clone with its base',
  expired: 'was asked too late (`retry` offers it again)',
  quota: 'has no quota left for now',
  disk: 'has no space left for now',
};

/** Which machines will not have an offered lane, and why; `null` if none has refused it. */
function refusalWords({ nameOf }: Exchange, { refused }: LaneNews): string | null {
  const clauses = refused.map(
    ([host, why]) => `${nameOf(host)} ${REFUSALS[why] ?? 'has given it back'}`,
  );
  return clauses.length === 0 ? null : enumerated(clauses, 3);
}

/** Work that came when another claim, or none, counted. It is kept under its ref, and told once. */
function noteLate({ context, nameOf }: Exchange, lane: LaneView, { epoch, host, head }: Delivered) {
  const { store } = context;
  const type = 'team.late';
  const isTold = laneEventStore(store)
    .ofType(lane.runId, type)
    .some(({ laneId, data }) => laneId === lane.id && data.epoch === epoch && data.id === host);
  if (isTold) return;
  const data = { epoch, id: host, host: nameOf(host), head };
  store.write(() => addLaneEvent(context, lane, { type, data, by: data.host }));
}

interface Finished {
  readonly known: TeamLane;
  readonly news: LaneNews;
}

async function finished(it: Exchange, run: Run, lane: LaneView, { known, news }: Finished) {
  const { epoch, rev, outcome, results } = news;
  if (outcome === 'lost') {
    const detail = `${news.lost} machines were lost with it; \`retry\` offers it again`;
    const ended = { reason: 'lost', cause: 'lost', detail } as const;
    return recorded(it, run, lane, { known: { ...known, epoch }, ended });
  }
  const counts = results.find(
    (one) => one.answer === 'accepted' && one.epoch === epoch && one.rev === rev,
  );
  if (counts === undefined) return false;
  const row: TeamLane = { ...known, epoch, host: it.nameOf(counts.host) };
  try {
    const result = await checked(it, run, lane, { row, delivered: counts });
    const { head } = result;
    const marked = head === null ? [] : await leftMarkers(it.context, run, lane, head);
    const ended = endOf(result, marked);
    return recorded(it, run, laneStore(it.context.store).byId(lane.id) ?? lane, {
      known: row,
      ended,
      result,
      sealed: counts.body,
    });
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return refused(it, run, lane, row, error.message);
  }
}

/** The result, if it is what was asked for, signed by somebody who may, and on the remote as signed. @throws {RefusedError} */
async function checked(
  it: Exchange,
  run: Run,
  lane: LaneView,
  { row, delivered }: { readonly row: TeamLane; readonly delivered: Delivered },
): Promise<Result> {
  const { rev, epoch } = row;
  const { host } = delivered;
  const place = { kind: 'result', repo: it.project.repo, run: run.id, lane: lane.id } as const;
  const result = await it.open({ ...place, rev, epoch, host }, delivered.body);
  const wanted = {
    head: delivered.head,
    outcome: delivered.outcome,
    specHash: lane.specHash,
    cmdHash: lane.cmdHash,
    base: lane.baseSha ?? run.baseSha,
  };
  for (const [name, value] of Object.entries(wanted)) {
    if (result[name as keyof typeof wanted] !== value) {
      throw new RefusedError(`its ${name} is not that of the lane`);
    }
  }
  const { ref, validation, outcome } = result;
  // Without a ref nobody could push it, and it asks.
  const head = ref === null ? null : result.head;
  if (outcome === 'verified' && (validation?.result !== 'pass' || head === null)) {
    throw new RefusedError('it is called verified, and its validation has not passed');
  }
  if (head !== null) await fetchHead(it, run, lane, { ...result, head });
  return { ...result, head };
}

/** Fetches the commit of a result, and makes it the lane's. @throws {RefusedError} if it is not as signed. */
async function fetchHead(
  { context, remote, refs }: Exchange,
  run: Run,
  lane: LaneView,
  { epoch, ref, tree, base, head: signed }: Result & { readonly head: string },
): Promise<void> {
  if (!ref?.startsWith(`${refsOfLane(refs, run.id, lane.key)}/`)) {
    throw new RefusedError('its ref is none of the lane');
  }
  const git = gitOfRun(context, run);
  const head = await fetchRef(remote, ref, `refs/lanehold/${run.id}/${lane.key}/team-${epoch}`);
  if (head === undefined) throw new RefusedError('it is gone from the remote');
  if (head !== signed) throw new RefusedError('the remote has another commit');
  if ((await treeOf(git, head)) !== tree) throw new RefusedError('its tree is another one');
  if (!(await isAncestor(git, base, head))) {
    throw new RefusedError('it does not go on from the base of the lane');
  }
  const why = await takeOver(context, run, lane, head);
  if (why !== undefined) throw new RefusedError(why);
}

interface End {
  readonly reason: EndReason;
  readonly cause: EndCause | null;
  readonly detail: string;
}

function endOf({ outcome, validation, detail, endCause }: Result, marked: readonly string[]): End {
  if (marked.length > 0) {
    const detail = `markers of the merge are left in ${marked.join(', ')}`;
    return { reason: 'rejected', cause: 'validation', detail };
  }
  const isVerified = outcome === 'verified' || validation?.result === 'pass';
  if (isVerified) return { reason: 'verified', cause: null, detail };
  return { reason: 'rejected', cause: (endCause as EndCause | null) ?? 'validation', detail };
}

interface Recorded {
  readonly known: TeamLane;
  readonly ended: End;
  readonly result?: Result;
  readonly sealed?: Buffer;
}

/** Writes an ended attempt, its validation, and the lane's commit, in one transaction. */
function recorded(
  it: Exchange,
  run: Run,
  lane: LaneView,
  { known, ended, result, sealed }: Recorded,
) {
  const { context } = it;
  const { store, now } = context;
  const at = now();
  const id = newId(at);
  const dir = attemptDir(store.home, id);
  makePrivateFolder(dir);
  const log = join(dir, 'validate-team.log');
  const tail = redact(result?.validation?.tail ?? '');
  writeFileSync(log, tail, { mode: 0o600 });
  if (sealed !== undefined) {
    writeFileSync(join(dir, RESULT_FILE), sealed.toString('base64'), { mode: 0o600 });
  }
  const attempts = attemptStore(store);
  const lanes = laneStore(store);
  const by = known.host ?? 'team';
  const startedAt = result === undefined ? known.at : new Date(result.startedAt);
  store.write(() => {
    attempts.add(
      {
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
        bootId: '',
      },
      startedAt,
    );
    const ledger = ledgerStore(store);
    ledger.reserve({ attemptId: id, runId: run.id, laneId: lane.id, day: dayOf(at), reserved: {} });
    const { turns = 0, tokens = 0, usd = 0, seconds = 0 } = result?.usage ?? {};
    ledger.use(id, { turns, tokens, usd: usd ?? 0, seconds });
    ledger.settle(id);
    attempts.note(id, 0, {
      state: 'exited',
      endSha: result?.head ?? null,
      flags: result?.flags ?? [],
    });
    if (result?.head) {
      lanes.setHead(lane.id, result.head, result.setupHash);
      addValidation(it, run, lane, { id, result, head: result.head, log, tail, by });
    }
    const { reason: endReason, cause: endCause, detail: endDetail } = ended;
    attempts.note(id, 0, { state: 'ended', endReason, endCause, endDetail, endedAt: at });
    if (lane.intent === 'run') lanes.setIntent(lane.id, 'hold');
    teamLaneStore(store).put({ ...known, state: 'ended', why: null, at });
    const data = { host: known.host, epoch: known.epoch, reason: endReason, head: result?.head };
    addLaneEvent(context, lane, { attemptId: id, type: 'attempt.ended', data, by });
  });
  if (result?.outcome === 'asks') {
    const attempt = attempts.byId(id) ?? null;
    const text = result.question ?? result.detail;
    recordReport(context, { lane, attempt }, { kind: 'ask', text, by });
  }
  return true;
}

interface Proof {
  readonly id: string;
  readonly result: Result;
  readonly head: string;
  readonly log: string;
  readonly tail: string;
  readonly by: string;
}

function addValidation(
  { context }: Exchange,
  run: Run,
  lane: LaneView,
  { id: attemptId, result, head, log, tail, by }: Proof,
): void {
  const { validation, tree, setupHash, detail } = result;
  if (validation === null || tree === null) return;
  const { exitCode, durationMs, newFailures, oldFailures } = validation;
  const at = context.now();
  const outcome = validation.result;
  const logSha256 = sha256(tail);
  const ran = { result: outcome === 'flaky' ? 'fail' : outcome, exitCode, durationMs } as const;
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
    result: outcome,
    exitCode,
    durationMs,
    logPath: log,
    logSha256,
    ...logStamp(log),
    runs: [{ ...ran, logPath: log, logSha256 }],
    newFailures: newFailures.length === 0 ? null : newFailures,
    oldFailures,
    flags: [],
    why: detail,
    host: by,
    at,
  });
}

/** The number of refused results after which a person decides. */
const MOST_REFUSED = 2;

/** Notes that a result does not count, and offers the lane again. */
function refused({ context }: Exchange, run: Run, lane: LaneView, row: TeamLane, why: string) {
  const { store, now } = context;
  const type = 'team.result-refused';
  const before = laneEventStore(store)
    .ofType(run.id, type)
    .filter(({ laneId }) => laneId === lane.id).length;
  const words = `a result of ${row.host} was refused: ${why}`;
  const isLast = before + 1 >= MOST_REFUSED;
  store.write(() => {
    const state = isLast ? ('ended' as const) : ('to-offer' as const);
    teamLaneStore(store).put({
      ...row,
      rev: row.rev + (isLast ? 0 : 1),
      state,
      why: words,
      at: now(),
    });
    addLaneEvent(context, lane, { type, data: { host: row.host, why }, by: 'lanehold' });
    if (isLast) laneStore(store).setBlocked(lane.id, `${words}; \`retry\` offers it again`);
  });
  return true;
}
