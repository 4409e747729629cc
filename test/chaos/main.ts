/**
 * `npm run test:chaos [-- --rounds N] [--seed N] [--at-once N] [--act NAME,…]`: every set of targets N times, each
 * at another moment, and then acts of a person (`person-acts.ts`, `pull-acts.ts`), or only those. Prints a line
 * for each round, and one for all; ends with 1 if one of them did not end as it should. A seed plays the same rounds
 * again, as far as a machine repeats itself.
 */
import { parseArgs } from 'node:util';
import { forgeIsMissing } from '../support/stand-in-forge.ts';
import { ACTS, type RoundReport } from './kill-round.ts';
import { roundOf } from './matrix.ts';
import { PERSON_ACTS } from './person-acts.ts';
import { runRounds } from './run-rounds.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '3' },
    act: { type: 'string' },
  },
});
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
const missing = await forgeIsMissing();
if (missing !== undefined) print(`no pull requests: ${missing}`);
const acts = (missing === undefined ? ACTS : PERSON_ACTS).filter(
  (it) => values.act?.split(',').includes(it) ?? true,
);
const jobs = Array.from({ length: Number(values.rounds) }, (_, round) =>
  roundOf(round, Number(values.seed)),
)
  .flat()
  .map(({ seed, killed }) => {
    return { seed, killed: { ...killed, act: acts[seed % acts.length] } };
  });
const reports: RoundReport[] = [];
await runRounds(jobs, Number(values['at-once']), (report) => {
  reports.push(report);
  tell(report);
});
const count = (pick: (report: RoundReport) => readonly string[]): number =>
  reports.reduce((sum, report) => sum + pick(report).length, 0);
const wrong = reports.filter((it) => it.wrong.length > 0).length;
const left = count((it) => it.left);
const lost = count((it) => it.lost);
print(
  `${reports.length} rounds, ${wrong} wrong states, ${left} processes left, ${lost} lost commits`,
);
process.exitCode = wrong + left + lost > 0 || reports.length === 0 ? 1 : 0;

function tell(report: RoundReport): void {
  const { seed, killed, hit, during, afterMs, end, attempts } = report;
  const what = `${killed.targets.join('+')} (${hit.join('+') || 'nobody'} there), ${killed.next}, ${killed.act}`;
  const trouble = [...report.wrong, ...report.left, ...report.lost.map((path) => `lost ${path}`)];
  const how = trouble.length > 0 ? 'FAIL' : 'ok  ';
  print(
    `${how} seed ${seed}: ${what}; ${during} after ${afterMs} ms; ${end}, ${attempts} attempts`,
  );
  for (const it of trouble) print(`       > ${it}`);
}
