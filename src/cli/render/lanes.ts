/** What commands about runs and lanes say to people. */
import type { CheckedHandoff } from '../../app/handoffs.ts';
import type { RetriedLane } from '../../app/lanes.ts';
import type { CollectedGarbage, SpawnedLanes, SyncedRun } from '../../app/runs.ts';
import { ExitCode } from '../../errors.ts';
import type { GcItem } from '../../lanes/gc/collect.ts';
import type { Remainder } from '../../lanes/wait.ts';
import { enumerated, plural } from '../../text/count.ts';
import { printableLine } from '../../text/printable.ts';

const SHOWN_LANES = 10;

/** Of a command that has waited for lanes, or has not. */
export function waitExitCode({ notDone = [] }: Partial<Remainder>): ExitCode {
  return notDone.length === 0 ? ExitCode.done : ExitCode.failed;
}

/** Which lanes are not done although they were waited for, and the next command. */
function notDoneLines({ notDone = [], next }: Partial<Remainder>): string[] {
  if (notDone.length === 0) return [];
  const lanes = notDone.map(({ key, state }) => `${key} (${state})`);
  return [`Not done: ${enumerated(lanes, SHOWN_LANES)}; next: ${next}`];
}

export function spawnedText(spawned: SpawnedLanes): string {
  const { lanes, waiting } = spawned;
  const lines = lanes.map(({ key, state }) => stateLine(key, state, waiting[key]));
  const all = lines.length === 0 ? ['No lane is left to start'] : lines;
  return [...all, ...notDoneLines(spawned)].join('\n');
}

export function retriedText(retried: RetriedLane): string {
  const { key, state } = retried.lane;
  const line = stateLine(key, state, retried.waiting ?? undefined);
  return [line, ...notDoneLines(retried)].join('\n');
}

function stateLine(key: string, state: string, waits: string | undefined): string {
  return `${key}: ${state}${waits === undefined ? '' : ` (${printableLine(waits, 400)})`}`;
}

export function syncedText(synced: SyncedRun): string {
  const { takenOver, started, waiting } = synced;
  const lines = [
    ...takenOver.map((key) => `took over ${key}`),
    ...started.map((key) => `started ${key}`),
    ...Object.entries(waiting).map(([key, why]) => `${key} waits: ${printableLine(why, 400)}`),
    ...notDoneLines(synced),
  ];
  return lines.join('\n') || 'Nothing to do';
}

export function collectedText({ mode, removed, kept }: CollectedGarbage): string {
  const verb = mode === 'dry-run' ? 'would remove' : 'removed';
  const named = ({ run, what, name }: GcItem) => `${run}: ${what} ${printableLine(name, 300)}`;
  const first =
    removed.length === 0 ? 'nothing to remove' : `${verb} ${plural(removed.length, 'thing')}`;
  return [
    first,
    ...removed.map((item) => `  ${named(item)}`),
    ...(kept.length === 0 ? [] : [`kept ${kept.length}`]),
    ...kept.map((item) => `  ${named(item)}: ${printableLine(item.why ?? '', 300)}`),
  ].join('\n');
}

export function checkedText({ lines, untrue }: CheckedHandoff): string {
  if (untrue.length === 0) return `Still true: all ${plural(lines, 'line')}`;
  const are = untrue.length === 1 ? 'is' : 'are';
  return [
    `${untrue.length} of ${plural(lines, 'line')} ${are} not true any more`,
    ...untrue.flatMap(({ about, was, now }) => [
      `${printableLine(about)}: ${printableLine(now, 400)}`,
      `  was: ${printableLine(was, 400)}`,
    ]),
    'hint: run `lanehold orchestrate handoff` for what is true now',
  ].join('\n');
}
