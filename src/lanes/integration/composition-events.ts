/** Tells lanes of conflicts with each other, and of changes to files that they read. */

import { actorOf } from '../../agents/actor.ts';
import { attemptStore } from '../../store/attempts.ts';
import { laneEventStore, laneNewsStore, READ_CHANGED } from '../../store/lane-events.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import type { Run } from '../../store/runs.ts';
import { addLaneEvent, type LaneContext } from '../context.ts';
import { touchNews } from '../inside/news.ts';
import { outsideTouches } from '../worktree/touches.ts';
import { type OpenConflict, openConflicts } from './open-conflicts.ts';

/** One event for each new conflict, and for each that is resolved. */
export function tellChanges(context: LaneContext, run: Run, known: readonly OpenConflict[]): void {
  const present = openConflicts(context, run.id);
  const before = new Set(known.map(identity));
  const news = present.filter((it) => !before.has(identity(it)));
  const pairs = new Set(present.map(({ lanes }) => `${lanes}`));
  const gone = known.filter(({ lanes }) => !pairs.has(`${lanes}`));
  if (news.length + gone.length === 0) return;
  const { store, now } = context;
  const tell = (it: OpenConflict, conflict: 'text' | 'validation' | 'resolved'): void => {
    const { lanes: pair, paths, command, failures, shas, log } = it;
    const lanes = [pair[0], pair[1] ?? null];
    const event = {
      runId: run.id,
      laneId: laneStore(store).byKey(run.id, pair[0])?.id,
      type: 'composition',
      data: { conflict, lanes, paths, command, failures, shas, log },
      by: actorOf(context).name,
    };
    laneEventStore(store).add(event, now());
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

/** @param changed files that the other lane has changed. */
export function tellReader(
  context: LaneContext,
  run: Run,
  reader: LaneView,
  { by, changed }: { readonly by: LaneView; readonly changed: readonly string[] },
): void {
  const { reads } = reader.spec;
  if (reads.length === 0 || changed.length === 0) return;
  const { store } = context;
  const other = new Set(outsideTouches(changed, reads));
  const told = new Set(
    laneNewsStore(store)
      .changes(reader.id, null)
      .flatMap((it) => (it.with === by.key ? it.paths : [])),
  );
  const paths = changed.filter((path) => !other.has(path) && !told.has(path));
  if (paths.length === 0) return;
  const event = { type: READ_CHANGED, data: { with: by.key, paths }, by: actorOf(context).name };
  store.write(() => addLaneEvent(context, reader, event));
  wakeWorkers(store, run.id, [reader.id]);
}

/**
 * Makes the workers of these lanes check for news at their next tool call. Call it after the
 * transaction that stored them.
 */
function wakeWorkers(store: Store, runId: string, laneIds: readonly string[]): void {
  for (const { laneId, dir } of attemptStore(store).liveOfRun(runId)) {
    if (laneIds.includes(laneId)) touchNews(dir);
  }
}
