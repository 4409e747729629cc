import { type Blow, killRound, type RoundReport } from './kill-round.ts';

export interface Job {
  readonly seed: number;
  readonly blow: Blow;
}

/** Plays some at once, for most of a round is waiting; one that cannot be played is wrong, too. */
export async function playAll(
  jobs: readonly Job[],
  atOnce: number,
  tell: (report: RoundReport) => void,
): Promise<void> {
  const queue = [...jobs];
  const player = async (): Promise<void> => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      tell(await killRound(job.seed, job.blow).catch((error) => unplayed(job, error)));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, player));
}

function unplayed({ seed, blow }: Job, error: unknown): RoundReport {
  const wrong = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  const nothing = { afterMs: 0, hit: [], during: '', end: 'not played', attempts: 0 };
  return { seed, blow, ...nothing, wrong, left: [], lost: [] };
}
