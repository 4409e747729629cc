import { type Kill, killRound, type RoundReport } from './kill-round.ts';

export interface Job {
  readonly seed: number;
  readonly killed: Kill;
}

/** Runs some rounds at once: most of a round is waiting. A round that throws is reported as wrong. */
export async function runRounds(
  jobs: readonly Job[],
  atOnce: number,
  tell: (report: RoundReport) => void,
): Promise<void> {
  const queue = [...jobs];
  const runner = async (): Promise<void> => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      tell(await killRound(job.seed, job.killed).catch((error) => notRun(job, error)));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runner));
}

function notRun({ seed, killed }: Job, error: unknown): RoundReport {
  const wrong = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  const nothing = { afterMs: 0, hit: [], during: '', end: 'not run', attempts: 0 };
  return { seed, killed, ...nothing, wrong, left: [], lost: [] };
}
