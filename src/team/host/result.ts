/** The result of a claim: pushed, signed, and ready to be said to the board. */
import { readPlainFile } from '../../base/files/plain-file.ts';
import { treeOf } from '../../base/git/plumbing.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { attemptStore, checkpointStore } from '../../store/attempts.ts';
import { newId } from '../../store/ids.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import type { LaneView } from '../../store/lanes.ts';
import { ledgerStore } from '../../store/ledger.ts';
import type { TeamClaim } from '../../store/team-claims.ts';
import type { Payload } from '../payload.ts';
import { withKeys } from '../reader.ts';
import { end, type Host } from './host.ts';
import { cloneOfLane, push, refOf } from './repository.ts';

type Outcome = Payload<'result'>['outcome'];

/** The tries after which it asks: somebody has to see to the remote. */
const MOST_PUSHES = 20;

/** Pushes the result, then signs it: what nobody could fetch is never announced. */
export async function finish(
  host: Host,
  claim: TeamClaim,
  lane: LaneView,
  verdict: Outcome,
): Promise<void> {
  const clone = await cloneOfLane(host, claim);
  const { store, now } = host.context;
  const { repo, run, lane: id, rev, epoch, why, tries } = claim;
  const attempts = attemptStore(store).ofLane(lane.id);
  const last = attempts.at(-1);
  const isStuck = tries >= MOST_PUSHES;
  const outcome = isStuck ? 'asks' : verdict;
  // Of work that the remote does not take, the result is where it began.
  const head = (isStuck ? null : headOf(host, lane, verdict)) ?? lane.baseSha ?? '';
  const ref = isStuck ? null : refOf(host, claim, 'result');
  if (ref !== null) await push(clone, head, ref);
  const validation = laneValidationStore(store).ofLane(lane.id).at(-1);
  const result: Payload<'result'> = {
    v: 1,
    kind: 'result',
    at: now().getTime(),
    repo,
    run,
    lane: id,
    rev,
    epoch,
    host: host.member.host,
    outcome,
    detail: last?.endDetail ?? '',
    endCause: last?.endCause ?? null,
    question: isStuck
      ? { id: newId(now()), text: `what it did could not be pushed: ${why}` }
      : openQuestion(host, lane),
    worker: { agent: last?.agent ?? lane.spec.agent, model: last?.model ?? null },
    startedAt: (attempts[0]?.startedAt ?? lane.createdAt).getTime(),
    endedAt: (last?.endedAt ?? now()).getTime(),
    specHash: lane.specHash,
    cmdHash: lane.cmdHash,
    setupHash: lane.setupHash,
    base: lane.baseSha ?? '',
    head,
    tree: await treeOf(clone.git, head),
    ref,
    validation: validation?.sha === head ? shown(validation) : null,
    flags: [...new Set(attempts.flatMap(({ flags }) => flags))],
    usage: ledgerStore(store).ofLane(lane.id),
  };
  const sealed = await withKeys(host.context, host.member, clone, ({ seal }) => seal(result));
  const body = sealed.toString('base64');
  end(host, claim, { kind: 'finish', outcome, head, body }, null);
}

/** The commit of the work, if there is one. */
function headOf({ context: { store } }: Host, lane: LaneView, verdict: Outcome): string | null {
  const committed =
    verdict === 'verified' ? lane.headSha : attemptStore(store).lastOf(lane)?.endSha;
  return committed ?? checkpointStore(store).last(lane.id)?.sha ?? lane.headSha;
}

function openQuestion({ context }: Host, lane: LaneView) {
  const asked = laneReportStore(context.store)
    .ofLane(lane.id)
    .findLast(({ kind, answer }) => kind === 'ask' && answer === null);
  return asked === undefined ? null : { id: asked.id, text: asked.body };
}

const TAIL_CHARS = 4_000;

const shown = ({ newFailures, oldFailures, logPath, ...verdict }: Validation) => ({
  result: verdict.result,
  exitCode: verdict.exitCode,
  durationMs: verdict.durationMs,
  logSha256: verdict.logSha256,
  newFailures: [...(newFailures ?? [])],
  oldFailures: oldFailures && [...oldFailures],
  tail: redact(readPlainFile(logPath) ?? '').slice(-TAIL_CHARS),
});
