/** Records events about conflicts between lanes as they appear and disappear. */
import { actorOf } from '../../agents/actor.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { wakeWorkers } from '../inside/wake.ts';
import { type OpenConflict, openConflicts } from './open-conflicts.ts';

/** One event for each new conflict, and for each that is resolved. */
export function tellChanges(context: LaneContext, run: Run, known: readonly OpenConflict[]): void {
  const present = openConflicts(context, run.id);
  const has = (list: readonly OpenConflict[], it: OpenConflict): boolean =>
    list.some((other) => identity(other) === identity(it));
  const news = present.filter((it) => !has(known, it));
  const gone = known.filter((it) => !present.some(({ lanes }) => `${lanes}` === `${it.lanes}`));
  if (news.length + gone.length === 0) return;
  const { store, now } = context;
  const tell = (it: OpenConflict, conflict: 'text' | 'validation' | 'resolved'): void => {
    const { lanes, paths, command, failures, shas, log } = it;
    const laneId = laneStore(store).byKey(run.id, lanes[0])?.id;
    laneEventStore(store).add(
      {
        runId: run.id,
        ...(laneId === undefined ? {} : { laneId }),
        type: 'composition',
        data: {
          conflict,
          lanes: [lanes[0], lanes[1] ?? null],
          paths,
          command,
          failures,
          shas,
          log,
        },
        by: actorOf(context).name,
      },
      now(),
    );
  };
  store.write(() => {
    for (const it of news) tell(it, it.kind);
    for (const it of gone) tell(it, 'resolved');
  });
  const keys = new Set(news.flatMap(({ lanes }) => lanes));
  const ids = laneStore(store)
    .ofRun(run.id)
    .flatMap(({ id, key }) => (keys.has(key) ? [id] : []));
  wakeWorkers(store, run.id, ids);
}

function identity({ lanes, kind, paths, command, failures }: OpenConflict): string {
  return JSON.stringify([lanes, kind, paths, command, failures]);
}
