/** The lanes of a run on one page, and which runs there are. Reads only. */
import type { Board, LaneCard } from '../../lanes/look/board.ts';
import { handoff, handoffPage } from '../../lanes/look/handoff.ts';
import { summary } from '../../lanes/look/note.ts';
import { integrationStore } from '../../store/integrations.ts';
import { COMPOSITION, INTEGRATION_ENDED, laneEventStore } from '../../store/lane-events.ts';
import { runStore } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import type { AppContext } from '../context.ts';
import { findRunHere, openLaneProject } from '../lanes/open-run.ts';
import { type RunWish, readRun } from '../lanes/runs.ts';
import type { AsJson } from './as-json.ts';

export type LanesView = AsJson<Awaited<ReturnType<typeof lanesView>>>;
export type LanesBoard = NonNullable<LanesView['board']>;
export type LaneTile = LanesBoard['lanes'][number];
export type RunView = AsJson<Awaited<ReturnType<typeof runView>>>;

/** The named run, else the newest open one, else the last. @throws {UsageError} if there is no run of this name. */
export async function runMeant(context: AppContext, { run: name }: RunWish) {
  const project = await openLaneProject(context);
  const { store, projectId } = project.workspace;
  const runs = runStore(store).all(projectId);
  const run =
    name === undefined
      ? (runStore(store).open(projectId)[0] ?? runs[0])
      : await findRunHere(project, { name, env: context.env });
  const listed = runs.map((it) => {
    const { id, goal, intent, createdAt } = it;
    return { id, name: it.name, goal, intent, createdAt };
  });
  return { laneContext: project.laneContext, runs: listed, run };
}

/** `board` is `null` if there never was a run. */
export async function lanesView(context: AppContext, wish: RunWish = {}) {
  const { laneContext, runs, run } = await runMeant(context, wish);
  if (run === undefined) return { runs, board: null };
  const board = await readRun(laneContext, run);
  return {
    runs,
    board: { ...board, summary: summary(board), ...integrationOf(laneContext.store, board) },
  };
}

/** Why two lanes conflicted at some time. */
export type SeenConflict = ReturnType<typeof integrationOf>['seen'][number];

interface ConflictFacts {
  readonly lanes?: readonly (string | null)[];
  readonly paths?: readonly string[];
  readonly failures?: readonly string[];
  readonly command?: string | null;
  readonly conflict?: string;
  readonly with?: readonly string[];
}

/** The steps of the last integration, and the conflicts that were seen, the newest first. */
function integrationOf(store: Store, { run: { id }, lanes }: Board) {
  const events = laneEventStore(store);
  const last = events.last(id, INTEGRATION_ENDED);
  const types = [COMPOSITION, 'integration.conflict', 'integration.culprit'];
  const seen = types.flatMap((type) => events.ofType(id, type));
  const keys = new Map(lanes.map((lane) => [lane.id, lane.key]));
  return {
    integration: last ? { at: last.at, steps: (last.data.steps ?? []) as readonly string[] } : null,
    seen: seen
      .toSorted((one, other) => other.seq - one.seq)
      .map(({ type, at, laneId, data }) => {
        const facts: ConflictFacts = data;
        const { paths = [], failures = [], command = null, conflict } = facts;
        const own = [keys.get(laneId ?? '') ?? null, ...(facts.with ?? [null])];
        return {
          at,
          /** True at an integration; false for a trial merge while both were in progress. */
          atMerge: type !== COMPOSITION,
          /** Keys of lanes; `null` stands for the integrated state. */
          lanes: facts.lanes ?? own,
          paths,
          failures,
          command,
          /** True if later commits have removed the conflict. */
          resolved: conflict === 'resolved',
        };
      }),
  };
}

const MOST_EVENTS = 500;

/** The last events of the run of a board, the newest first. */
export async function runEvents({ store }: AppContext, { run, cursor, lanes }: Board) {
  const keys = new Map(lanes.map(({ id, key }) => [id, key]));
  return laneEventStore(await store())
    .since(run.id, cursor - MOST_EVENTS)
    .map(({ seq, at, type, laneId, by }) => {
      return { seq, at, type, lane: keys.get(laneId ?? '') ?? null, by };
    })
    .reverse();
}

/** `run` is `null` if there never was one. */
export async function runView(context: AppContext, wish: RunWish = {}) {
  const { laneContext, runs, run } = await runMeant(context, wish);
  if (run === undefined) return { runs, run: null };
  const { store } = laneContext;
  const given = handoff(laneContext, run, { agent: '', session: '' });
  const { board } = given;
  const keys = new Map(board.lanes.map(({ id, key }) => [id, key]));
  const page = handoffPage(given, [], { ids: 'short' });
  return {
    runs,
    run: {
      at: board.at,
      run: board.run,
      forecast: { conflicts: board.conflicts, untried: board.untried },
      queue: integrationStore(store)
        .ofRun(run.id)
        .map(({ laneId, laneSha: sha, state, at }) => {
          return { lane: keys.get(laneId) ?? laneId, sha, state, at };
        }),
      ...integrationOf(store, board),
      budget: board.budget,
      burnt: burnt(board.lanes, board.at),
      events: await runEvents(context, board),
      /** The text of `handoff`, which is not recorded as given. */
      handoff: page.text,
    },
  };
}

/** The usage up to each end of an attempt, and up to now; between these it is unknown. */
function burnt(lanes: readonly LaneCard[], now: Date) {
  const ends = lanes.flatMap(({ key: lane, attempts }) =>
    attempts.map(({ endedAt, usage, n }) => ({ at: endedAt ?? now, lane, attempt: n, usage })),
  );
  let usd = 0;
  let tokens = 0;
  return ends
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ usage, ...end }) => {
      usd += usage?.usd ?? 0;
      tokens += usage?.tokens ?? 0;
      // Sums of cents have long tails.
      return { ...end, usd: Math.round(usd * 10_000) / 10_000, tokens };
    });
}
