/** A lane whose worker has done half of its work and waits for `go`, so that a test can kill. */
import { expect } from 'vitest';
import type { Step } from './fake-worker.ts';
import { laneEvents } from './lane-facts.ts';
import { type LaneProject, laneProject } from './lane-project.ts';
import { laneRun, type NewLane } from './lane-run.ts';

export const WORK: readonly Step[] = [
  { write: { 'half.txt': 'half' } },
  { raise: 'half' },
  { waitFor: 'go' },
  { write: { 'whole.txt': 'whole' } },
];
const AGAIN: readonly Step[] = [{ record: 'again' }, { write: { 'whole.txt': 'whole' } }];

interface HalfDone extends NewLane {
  /** What the first worker does; it raises `half`. */
  readonly work?: readonly Step[];
  /** What `fake-check slow` does; by default it raises `checking` and waits for `checked`. */
  readonly check?: readonly Step[];
}

export async function halfDone({ work = WORK, check, ...lane }: HalfDone = {}) {
  const slow = check ?? [{ raise: 'checking' }, { waitFor: 'checked' }];
  const project = laneProject({
    files: { 'lanehold.json': JSON.stringify({ lanes: { checkpoint: '1s' } }) },
    scenario: { lanes: { a: [work, AGAIN] }, checks: { slow: [slow] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', lane);
  await run.spawn();
  await project.until('half of the work', () => project.isRaised('half'));
  await project.until('the worker to be known', () => run.lane('a').attempt?.state === 'running');
  return { project, run };
}

/** The first looks may come while the supervisor that was killed counts as just started. */
export const untilUnguarded = ({ project, run }: Awaited<ReturnType<typeof halfDone>>) =>
  run.looksUntil(
    'a supervisor that waits for the worker',
    () => laneEvents(project, 'attempt.unguarded').length > 0,
  );

/** Nothing is left, and no worker has met another one of its lane. */
export function expectWell(project: LaneProject): void {
  expect(project.processesLeft()).toEqual([]);
  expect(project.starts().map(({ others }) => others)).toEqual(project.starts().map(() => 0));
}
