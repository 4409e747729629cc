/**
 * `npm run fuzz:hooks [-- --seeds N] [--first N] [--actions N]`: prints a line for each seed, and what differs between
 * the two ways of answering; ends with 1 if anything does. A seed plays the same again.
 */
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    first: { type: 'string', default: '1' },
    actions: { type: 'string', default: '60' },
  },
});
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
let wrong = 0;
let warm = 0;
for (let at = 0; at < Number(values.seeds); at += 1) {
  const report = await fuzz(Number(values.first) + at, Number(values.actions));
  const isWrong = report.differences.length > 0 || report.left > 0;
  wrong += isWrong ? 1 : 0;
  warm += report.warm;
  print(
    `${isWrong ? 'FAIL' : 'ok  '} seed ${report.seed}: ${report.actions} actions, ${report.warm} warm, ${report.left} processes left`,
  );
  for (const it of report.differences) print(`       > ${it}`);
}
print(`${values.seeds} seeds, ${warm} events warm, ${wrong} wrong`);
process.exitCode = wrong > 0 || Number(values.seeds) === 0 ? 1 : 0;
