/** Another machine becomes the home of a run: it is made here of what the board has, as its home has signed it. */
import { UsageError } from '../../base/errors.ts';
import type { Git } from '../../base/git/git.ts';
import { enumerated } from '../../base/text/printable.ts';
import { orRefusal, RefusedError } from '../../evidence/envelope.ts';
import type { Workspace } from '../../features/workspace.ts';
import type { LaneContext } from '../../lanes/spec/context.ts';
import { addLanes, type NewLane, wantLanes } from '../../lanes/spec/edit.ts';
import { type LaneView, laneStore, type Run, runStore } from '../../store/lanes.ts';
import { teamLaneStore } from '../../store/offered-lanes.ts';
import { withBoard } from '../board/board.ts';
import type { Payload } from '../payload.ts';
import { FETCH } from '../refs.ts';
import { type Session, sessionIn } from './session.ts';

/** Who does it, and what of a run is not on the board. */
type Wish = Pick<Run, 'policy' | 'repository'> & {
  readonly git: Git;
  readonly by: string;
  readonly name: string | undefined;
  readonly limitMs: number;
};

/**
 * Lanes that were only ever at work at the old home are not known here; what others did on the rest comes with the next
 * exchange. A second call continues where the first one failed.
 *
 * @throws {UsageError} if the board has no such run, or several. @throws {ExplainedError} if its home is there.
 */
export async function takeOverRun(context: LaneContext, workspace: Workspace, wish: Wish) {
  const { store, now } = context;
  const { git, by, limitMs } = wish;
  const session = await sessionIn(context, workspace.projectId, git);
  const { member, remote, settings, project } = session;
  const { repo } = project;
  const { run: id, parallel, ...said } = await runMeant(session, wish);
  const rows = await withBoard(member, limitMs, (board) => board.takeOver({ run: id }));
  const into = `+${settings.refs}/${id}/*:refs/lanehold/${id}/there/*`;
  await remote.git.text([...FETCH, '--', remote.name, into]);
  const run: Run = runStore(store).byId(id) ?? {
    id,
    projectId: workspace.projectId,
    name: said.name,
    goal: said.goal,
    repository: wish.repository,
    commonDir: workspace.place.identity,
    baseSha: said.base,
    targetRef: said.target,
    integrationRef: `refs/lanehold/${id}/integration`,
    intent: 'active',
    pauseReason: null,
    policy: { ...wish.policy, parallel },
    createdBy: by,
    createdAt: now(),
  };
  const offers: (Payload<'offer'> & { readonly priority: number })[] = [];
  for (const { lane, rev, priority, body } of rows) {
    const place = { kind: 'offer', repo, run: id, lane, rev } as const;
    const offer = await orRefusal(() => session.open(place, body));
    if (!(offer instanceof RefusedError)) offers.push({ ...offer, priority });
  }
  store.write(() => runStore(store).byId(id) ?? runStore(store).add(run));
  const lanes = laneStore(store);
  const missing = offers.filter(({ lane }) => lanes.byId(lane) === undefined);
  addLanes(
    context,
    run,
    missing.map(({ lane, key, priority, spec, base, from }): NewLane => {
      // Those that the board does not have ended before this one was offered.
      const needs = spec.needs.filter((need) => offers.some((it) => it.key === need));
      const existing = { baseSha: base, ...(from === null ? {} : { headSha: from }) };
      return { id: lane, key, priority, spec: { ...spec, needs, on: 'any' }, by, existing };
    }),
  );
  for (const { lane: laneId, rev } of missing) {
    const lane = lanes.byId(laneId) as LaneView;
    wantLanes(context, run, [lane], by);
    const { specRev } = lane;
    const claim = { state: 'offered', epoch: 0, host: null, why: null } as const;
    store.write(() => teamLaneStore(store).put({ laneId, rev, specRev, ...claim, at: now() }));
  }
  store.write(() => teamLaneStore(store).putRun({ runId: id, rev: 0, said: '' }));
  return run;
}

/** The run of that name on the board. */
async function runMeant(session: Session, { name, limitMs }: Wish) {
  const { member, project } = session;
  const { repo } = project;
  const open = await withBoard(member, limitMs, (board) => board.openRuns({ repo }));
  const found = [];
  for (const { run, rev, body, parallel } of open) {
    const said = await orRefusal(() => session.open({ kind: 'run', repo, run, rev }, body));
    if (!(said instanceof RefusedError) && (name ?? said.name) === said.name) {
      found.push({ ...said, parallel });
    }
  }
  const [one] = found;
  if (one !== undefined && found.length === 1) return one;
  const names = found.map((it) => it.name);
  throw new UsageError(one ? 'several runs are open' : 'the team has no such run', {
    hint: one ? `say which by \`--run\`: ${enumerated(names, 5)}` : '`lanehold team status`',
  });
}
