/**
 * `npm run bench [-- --runs N] [--json] [--huge] [--only WORDS] [--files N]`: what each hook event costs as a whole process,
 * as a multiple of starting bare Node. Node and the event take turns, so that a busy machine slows
 * both; ratios compare medians of one run only. Ends with 0 whatever the figures say, and with 1 if an
 * event did not do its work, for then its figure would mean nothing.
 *
 * `--huge` adds a repository of 100,000 files and 500 features. `--only` measures moments with these words in their names, and
 * `--files` the repository of so many files.
 */
import { parseArgs } from 'node:util';
import { withDemoProject } from '../scripts/demo/demo-project.ts';
import { buildRepository, openStores, type Scale } from './data.ts';
import { measure, WrongAnswerError } from './measure.ts';
import { agentMoments, MOMENTS } from './moments.ts';
import { asText, type Figures, growthLines, summary } from './report.ts';
import { openStarter } from './starter.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '15' },
    json: { type: 'boolean', default: false },
    huge: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    files: { type: 'string' },
  },
});
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1)
  throw new Error(`--runs ${values.runs} is no number of runs`);

const SCALES: readonly Scale[] = [
  { files: 100, features: 20 },
  { files: 1_000, features: 20 },
  { files: 10_000, features: 20 },
];
const HUGE: Scale = { files: 100_000, features: 500 };
/** The repository in which the adapters of all agents are measured, too. */
const AGENTS_AT = 1_000;
const STORE_ROWS = [1_000, 100_000] as const;

const progress = (line: string): boolean => process.stderr.write(`${line}\n`);
const print = (line: string): void => {
  if (!values.json) process.stdout.write(`${line}\n`);
};

const figures: Figures[] = [];
const starter = openStarter();
for (const scale of values.huge ? [...SCALES, HUGE] : SCALES) {
  const { files } = scale;
  if (values.files !== undefined && values.files !== String(files)) continue;
  await withDemoProject('bench', async (demo) => {
    progress(`building a repository of ${scale.files} files and ${scale.features} features`);
    await buildRepository(demo, scale);
    progress(`filling stores with ${STORE_ROWS.join(' and ')} rows`);
    const stores = await openStores(demo, STORE_ROWS);
    const agents = files === AGENTS_AT ? await agentMoments(demo) : [];
    for (const moment of [...MOMENTS, ...agents].filter((it) => it.name.includes(values.only))) {
      progress(`${moment.name}, ${scale.files} files, ${runs} runs`);
      try {
        const measured = await measure({ starter, demo, stores, moment, scale, runs });
        figures.push(...measured);
        for (const line of measured.flatMap(asText)) print(line);
      } catch (error) {
        if (!(error instanceof WrongAnswerError)) throw error;
        process.stderr.write(`${error.message}\n`);
        process.exitCode = 1;
      }
    }
  });
}
starter.close();
for (const line of growthLines(figures)) print(line);
print(summary(figures));
if (values.json) {
  const machine = { node: process.version, platform: `${process.platform}-${process.arch}` };
  process.stdout.write(`${JSON.stringify({ runs, machine, figures }, null, 2)}\n`);
}
