/** What the home of a run says to the board: the run, its offers, and what it takes back. */
import { AGENTS } from '../../agents/registry.ts';
import { codeOf, ExplainedError } from '../../base/errors.ts';
import { clash, isElsewhere } from '../../lanes/spec/spec.ts';
import { baseOf, mergeTip } from '../../lanes/stand/dependencies.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { type LaneSpec, type LaneView, laneStore, type Run } from '../../store/lanes.ts';
import { type TeamLane, teamLaneStore } from '../../store/offered-lanes.ts';
import type { Board, Given } from '../board/board.ts';
import { type Payload, redacted } from '../payload.ts';
import { cloneAddress, pushRef, startRef } from '../refs.ts';
import type { Exchange } from './session.ts';

/** A statement that is ready to be said; `said` notes that it was. */
export interface Saying {
  readonly say: (board: Board) => Promise<unknown>;
  readonly said: () => void;
}

/** An offer counts for this long. */
const OFFER_MS = 7 * 24 * 60 * 60_000;
const MOST_TOLD = 8_000;

/** Signs and pushes what is to be said about a run, without a connection to the board. */
export async function sayingsOf(it: Exchange, run: Run): Promise<Saying[]> {
  const { store } = it.context;
  const open = teamLaneStore(store)
    .ofRun(run.id)
    .filter(({ state }) => state !== 'ended');
  const found: Saying[] = [];
  const published = await publishing(it, run);
  if (published !== undefined) found.push(published);
  for (const row of open) {
    const lane = laneStore(store).byId(row.laneId);
    if (lane === undefined) continue;
    const isWanted = lane.intent === 'run' && isElsewhere(lane.spec) && lane.blocked === null;
    const saying =
      !isWanted || run.intent === 'cancelled'
        ? takingBack(it, row)
        : row.state === 'to-offer'
          ? await offering(it, run, lane, row)
          : undefined;
    if (saying !== undefined) found.push(saying);
  }
  return found;
}

async function publishing(it: Exchange, run: Run): Promise<Saying | undefined> {
  const { context, project } = it;
  const team = teamLaneStore(context.store);
  const { intent, policy, name, goal, baseSha: base, targetRef: target } = run;
  const facts = { name, goal, base, target };
  const said = JSON.stringify({ ...facts, intent, parallel: policy.parallel });
  const known = team.runOf(run.id);
  if (known?.said === said) return undefined;
  const rev = (known?.rev ?? 0) + 1;
  const remote = await cloneAddress(it.remote);
  const body = await it.seal({ kind: 'run', run: run.id, rev, ...facts, remote });
  const parallel = policy.parallel;
  return {
    say: (board) =>
      board.publishRun({ repo: project.repo, run: run.id, rev, intent, parallel, body }),
    said: () => team.putRun({ runId: run.id, rev, said, seen: team.runOf(run.id)?.seen ?? 0 }),
  };
}

function takingBack({ context }: Exchange, row: TeamLane): Saying {
  const team = teamLaneStore(context.store);
  let answer: unknown;
  return {
    async say(board) {
      // What was never offered need not be taken back.
      answer =
        row.state === 'to-offer' && row.rev === 1
          ? 'cancelled'
          : await board.cancelLane({ lane: row.laneId, rev: row.rev });
    },
    said() {
      // A machine that has it is told with its next beat.
      if (answer === 'cancelled') team.put({ ...row, state: 'ended', at: context.now() });
    },
  };
}

async function offering(
  it: Exchange,
  run: Run,
  lane: LaneView,
  row: TeamLane,
): Promise<Saying | undefined> {
  const { context } = it;
  const { store, now } = context;
  const team = teamLaneStore(store);
  const isSame = () => team.of(lane.id)?.rev === row.rev && team.of(lane.id)?.state === 'to-offer';
  const pending = laneReportStore(store).undelivered(lane.id);
  try {
    const offer = await offerOf(it, run, lane, row);
    let unknown: string | undefined;
    return {
      async say(board) {
        unknown = await board.offer(offer).then(
          () => undefined,
          (error) => {
            if (codeOf(error) === 'LH008') return `the team has no machine ${offer.pinned}`;
            throw error;
          },
        );
      },
      said() {
        if (!isSame()) return;
        if (unknown !== undefined) return void team.put({ ...row, why: unknown });
        team.put({ ...row, state: 'offered', why: null, at: now() });
        for (const { id } of pending) laneReportStore(store).markDelivered(id, now());
      },
    };
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    const why = error.message;
    store.write(() => isSame() && team.put({ ...row, why }));
    return undefined;
  }
}

async function offerOf(
  it: Exchange,
  run: Run,
  { id }: LaneView,
  { rev }: TeamLane,
): Promise<Given<'offer'>> {
  const { context, remote, refs } = it;
  const { store, now } = context;
  const lanes = laneStore(store);
  const fresh = () => lanes.byId(id) as LaneView;
  await baseOf(context, run, fresh());
  const unmerged = await mergeTip(context, run, fresh(), async () => undefined);
  if (unmerged !== undefined) throw new ExplainedError(unmerged);
  const lane = fresh();
  const { key, spec, headSha: from, priority } = lane;
  // Without the secret it would be another task, which nobody may work on.
  if (JSON.stringify(redacted(spec)) !== JSON.stringify(spec)) {
    throw new ExplainedError('its task contains a secret, which must not leave this machine');
  }
  const base = lane.baseSha ?? run.baseSha;
  const ref = startRef(refs, run.id, key, rev);
  if ((await pushRef(remote, { ref, to: from ?? base, from: '' })) === 'lost') {
    throw new ExplainedError(`${ref} is another commit at the remote`);
  }
  const told = laneReportStore(store)
    .undelivered(id)
    .map(({ body, answer }) => (answer === null ? body : `${body}\nAnswer: ${answer}`))
    .join('\n\n');
  const hashes = { specHash: lane.specHash, cmdHash: lane.cmdHash };
  const expires = now().getTime() + OFFER_MS;
  const { on: _, ...task } = { ...spec, budget: { ...run.policy.laneBudget, ...spec.budget } };
  const ids = { kind: 'offer', run: run.id, lane: id, rev, key } as const;
  const body = await it.seal({
    ...ids,
    ...hashes,
    spec: task as Payload<'offer'>['spec'],
    base,
    from,
    expires,
    told: told.slice(0, MOST_TOLD),
  });
  const { caps, pinned } = placeOf(spec);
  const others = lanes.ofRun(run.id).filter((other) => other.id !== id && isElsewhere(other.spec));
  const clashes = others.filter((other) => clash(spec, other.spec)).map((other) => other.id);
  return { lane: id, run: run.id, rev, body, priority, caps, pinned, clashes };
}

/** Which machines may have it: those with all capabilities, or the named one. */
export function placeOf({ on = 'any', agent }: LaneSpec) {
  const isKnown = AGENTS.some(({ name }) => name === agent);
  const caps = [
    ...(on.startsWith('cap:') ? [on.slice('cap:'.length)] : []),
    // A worker of the settings is known by its name alone.
    ...(isKnown ? [`agent:${agent}`] : []),
  ];
  return { caps, pinned: on === 'any' || on.startsWith('cap:') ? null : on };
}
