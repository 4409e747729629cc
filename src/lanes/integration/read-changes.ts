/** Tells a lane that another one changes files it reads: once per file. */
import { actorOf } from '../../agents/actor.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneNewsStore, READ_CHANGED } from '../../store/lane-news.ts';
import type { LaneView } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { wakeWorkers } from '../inside/wake.ts';
import { outsideTouches } from '../worktree/touches.ts';

/** @param changed files that the other lane has changed. */
export function tellReader(
  context: LaneContext,
  run: Run,
  reader: LaneView,
  { by, changed }: { readonly by: LaneView; readonly changed: readonly string[] },
): void {
  const { reads } = reader.spec;
  if (reads.length === 0 || changed.length === 0) return;
  const { store, now } = context;
  const other = new Set(outsideTouches(changed, reads));
  const told = new Set(
    laneNewsStore(store)
      .changes(reader.id, null)
      .flatMap((it) => (it.with === by.key ? it.paths : [])),
  );
  const paths = changed.filter((path) => !other.has(path) && !told.has(path));
  if (paths.length === 0) return;
  store.write(() =>
    laneEventStore(store).add(
      {
        runId: run.id,
        laneId: reader.id,
        type: READ_CHANGED,
        data: { with: by.key, paths },
        by: actorOf(context).name,
      },
      now(),
    ),
  );
  wakeWorkers(store, run.id, [reader.id]);
}
