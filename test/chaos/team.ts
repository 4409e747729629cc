/**
 * The last part of `npm run test:chaos`; by hand `node test/chaos/team.ts [--seed N] [--seeds N] [--seconds N]
 * [--lanes N] [--machines N] [--restores N] [--pooled] [--keep]`: a team at work while machines, networks, pushes and
 * PostgreSQL fail. All is real: processes of `team host` and of the home, a remote with a hook, a PostgreSQL that keeps
 * what it has answered. What has to be true afterwards is read from git and from the stores of the machines, never from
 * the board. Prints a line for each seed; ends with 1 if one did not end as it should. A seed draws the same faults
 * again, as far as a machine repeats itself.
 */
import { parseArgs } from 'node:util';
import { folderOfPrograms } from '../support/postgres-server.ts';
import { teamRound } from './team-round.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
    lanes: { type: 'string', default: '12' },
    machines: { type: 'string', default: '3' },
    restores: { type: 'string', default: '0' },
    pooled: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
if (folderOfPrograms === undefined) {
  print('no team: there is no PostgreSQL here; `apt-get install postgresql`');
  process.exit(process.env.CI || process.env.LANEHOLD_REQUIRE_PG ? 1 : 0);
}
const first = Number(values.seed);
for (let seed = first; seed < first + Number(values.seeds); seed += 1) {
  const { wrong, figures } = await teamRound({
    seed,
    seconds: Number(values.seconds),
    lanes: Number(values.lanes),
    machines: Number(values.machines),
    restores: Number(values.restores),
    isPooled: values.pooled,
    keeps: values.keep,
  });
  print(`${wrong.length > 0 ? 'FAIL' : 'ok  '} seed ${seed}: ${JSON.stringify(figures)}`);
  for (const it of wrong) print(`       > ${it}`);
  if (wrong.length > 0) process.exitCode = 1;
}
