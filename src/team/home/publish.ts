/** What the home of a run says to the board: the run, its offers, and what it takes back. */
import { AGENTS } from '../../agents/registry.ts';
import { codeOf, ExplainedError } from '../../base/errors.ts';
import { assertLeaves } from '../../lanes/pull/push.ts';
import { clash, isElsewhere } from '../../lanes/spec/spec.ts';
import { baseOf, mergeTip } from '../../lanes/stand/dependencies.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { type LaneSpec, type LaneView, laneStore } from '../../store/lanes.ts';
import { type TeamLane, teamLaneStore } from '../../store/offered-lanes.ts';
import type { Board, Given } from '../board/board.ts';
import { type Payload, redacted } from '../payload.ts';
import { cloneAddress, pushRef, sharedTipRef, startRef } from '../refs.ts';
import { noted, type There } from './import.ts';
import type { Exchange } from './session.ts';

/** A call that is ready to be made, and notes here that it was. */
type Saying = (board: Board) => Promise<void>;

/** An offer counts for this long. */
const OFFER_MS = 7 * 24 * 60 * 60_000;
const MOST_TOLD = 8_000;

/**
 * Signs and pushes what the board has to be told, without a connection to it.
 *
 * @param rev the revision of the run that it has. @param there what it has of lanes.
 */
export async function sayingsOf(
  it: Exchange,
  rev: number,
  there: ReadonlyMap<string, There>,
): Promise<Saying[]> {
  const found = [await publishing(it, rev)];
  for (const row of teamLaneStore(it.context.store).ofRun(it.run.id)) {
    const known = there.get(row.laneId);
    const isAtWork = known?.state === 'offered' || known?.state === 'claimed';
    if (isWanted(it, row)) {
      if ((known?.rev ?? 0) < row.rev) found.push(await offering(it, row));
    } else if (row.state !== 'ended' || isAtWork) found.push(takingBack(it, row, known));
  }
  return found.flatMap((say) => say ?? []);
}

function isWanted({ context, run }: Exchange, { laneId, state }: TeamLane): boolean {
  const lane = laneStore(context.store).byId(laneId);
  if (lane === undefined || state === 'ended' || run.intent === 'cancelled') return false;
  return lane.intent === 'run' && lane.blocked === null && isElsewhere(lane.spec);
}

async function publishing(it: Exchange, there: number): Promise<Saying | undefined> {
  const { context, project, run } = it;
  const team = teamLaneStore(context.store);
  const { intent, policy, name, goal, baseSha: base, targetRef: target } = run;
  const facts = { name, goal, base, target };
  const said = JSON.stringify({ ...facts, intent, parallel: policy.parallel });
  const known = team.runOf(run.id);
  if (known?.said === said && there >= known.rev) return undefined;
  const rev = Math.max(there, known?.rev ?? 0) + 1;
  const ids = { run: run.id, repo: project.repo, rev };
  const remote = await cloneAddress(it.remote);
  const at = context.now().getTime();
  const body = await it.seal({ v: 1, kind: 'run', at, ...ids, ...facts, remote });
  return async (board) => {
    await board.publishRun({ ...ids, intent, parallel: policy.parallel, body });
    context.store.write(() => team.putRun({ runId: run.id, rev, said }));
  };
}

const takingBack =
  (it: Exchange, row: TeamLane, known: There | undefined): Saying =>
  async (board) => {
    const { laneId: lane, rev } = row;
    const answer = known ? await board.cancelLane({ lane, rev }) : 'cancelled';
    // A machine that has it is told with its next beat.
    if (answer === 'cancelled') noted(it, { ...row, state: 'ended', why: null });
  };

async function offering(it: Exchange, row: TeamLane): Promise<Saying | undefined> {
  const { store, now } = it.context;
  const reports = laneReportStore(store);
  const pending = reports.undelivered(row.laneId);
  try {
    const offer = await offerOf(it, row, pending);
    return async (board) => {
      try {
        await board.offer(offer);
      } catch (error) {
        if (codeOf(error) !== 'LH008') throw error;
        const why = `the team has no machine ${offer.pinned} (\`lanehold team status\` names them)`;
        return void noted(it, { ...row, why });
      }
      noted(it, { ...row, state: 'offered', host: null, why: null });
      // If it was asked for anew meanwhile, the next offer has to say this.
      if (teamLaneStore(store).of(row.laneId)?.rev !== row.rev) return;
      store.write(() => {
        for (const { id } of pending) reports.markDelivered(id, now());
      });
    };
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    noted(it, { ...row, why: error.message });
    return undefined;
  }
}

/** @param pending what the worker is told besides the spec. */
async function offerOf(
  it: Exchange,
  { laneId: id, rev }: TeamLane,
  pending: ReturnType<ReturnType<typeof laneReportStore>['undelivered']>,
): Promise<Given<'offer'>> {
  const { context, run, remote, settings, project } = it;
  const lanes = laneStore(context.store);
  const fresh = () => lanes.byId(id) as LaneView;
  await baseOf(context, run, fresh());
  const unmerged = await mergeTip(context, run, fresh(), async () => undefined);
  if (unmerged !== undefined) throw new ExplainedError(unmerged);
  const lane = fresh();
  const { key, spec, headSha: from, priority, specHash, cmdHash } = lane;
  // Without the secret it would be another task, which nobody may work on.
  if (JSON.stringify(redacted(spec)) !== JSON.stringify(spec)) {
    throw new ExplainedError('its task contains a secret, which must not leave this machine');
  }
  const base = lane.baseSha ?? run.baseSha;
  const to = from ?? base;
  const ref = startRef(settings.refs, run.id, key, to);
  const known = sharedTipRef(run.id);
  await assertLeaves(context, run, { remote: remote.name, to, ref, known });
  await pushRef(remote, { ref, to, from: '' });
  const told = pending.map(({ body, answer }) =>
    answer === null ? body : `${body}\nAnswer: ${answer}`,
  );
  const at = context.now().getTime();
  const { on: _, ...task } = { ...spec, budget: { ...run.policy.laneBudget, ...spec.budget } };
  const body = await it.seal({
    v: 1,
    kind: 'offer',
    at,
    repo: project.repo,
    run: run.id,
    lane: id,
    rev,
    key,
    spec: task as Payload<'offer'>['spec'],
    specHash,
    cmdHash,
    base,
    from,
    told: told.join('\n\n').slice(0, MOST_TOLD),
    expires: at + OFFER_MS,
  });
  const clashes = lanes
    .ofRun(run.id)
    .filter((other) => other.id !== id && isElsewhere(other.spec) && clash(spec, other.spec))
    .map((other) => other.id);
  return { lane: id, run: run.id, rev, body, priority, ...placeOf(spec), clashes };
}

/** Which machines may have it: those with all capabilities, or the named one. */
function placeOf({ on = 'any', agent }: LaneSpec) {
  const cap = /^cap:(.*)/.exec(on)?.[1];
  // A worker of the settings is known by its name alone.
  const isKnown = AGENTS.some(({ name }) => name === agent);
  const caps = [cap ?? [], isKnown ? `agent:${agent}` : []].flat();
  return { caps, pinned: on === 'any' || cap !== undefined ? null : on };
}
