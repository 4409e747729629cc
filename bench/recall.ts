/**
 * `npm run bench:recall`: how well earlier sessions are found by what is asked later, and files and commits by what
 * somebody wants to do, and what it costs. `-- --help` names the other measurements, and how to give sets of your own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureGrowth } from './recall-growth.ts';
import { changeLogHistory, gitHistory, type History } from './recall-histories.ts';
import {
  measureRanking,
  printRanking,
  type RankingFigures,
  type RankingSet,
  setIn,
  setOfPast,
  setsOfHistory,
} from './recall-ranking.ts';
import {
  locomo,
  longMemEval,
  measureSessions,
  OWN_PASTS,
  ownPast,
  type SessionFigures,
} from './recall-sessions.ts';
import { printTrial } from './recall-trial.ts';

const HELP = `npm run bench:recall                          earlier sessions, this repository's history, growth of the store
npm run bench:recall -- --history REPO        ranking: conversations, and the history of a git repository
npm run bench:recall -- --changelog FOLDER    the same with the source and ChangeLogs of a program, as of a release
npm run bench:recall -- --set FOLDER          the same with docs.jsonl and queries.jsonl, as recall import and query take them
npm run bench:recall -- --longmemeval FILE    sessions of LongMemEval
npm run bench:recall -- --locomo FILE         sessions of LoCoMo
npm run bench:recall -- --trial               what the built hook tells and keeps to itself in a project of twelve weeks

--history, --changelog and --set can be given several times and together. A ChangeLog has a date at the start of each
entry, and files as "* file: " or as git lists them. Of a history, messages of later commits are asked: for the files
that they changed, and for the earlier commits that they name by id or by the number of a bug. Printed are the recall at
1 and 5 of each set, of each kind and of all (macro), that of plain BM25 beside it, and the processor time of a query.

--queries N    the most questions of a set (200)
--embeddings M the same once more by meaning: the value of recall.embeddings
--no-growth    without the growth of the store
--json         as data`;

const { values: wish } = parseArgs({
  options: {
    history: { type: 'string', multiple: true, default: [] },
    changelog: { type: 'string', multiple: true, default: [] },
    set: { type: 'string', multiple: true, default: [] },
    embeddings: { type: 'string' },
    queries: { type: 'string', default: '200' },
    longmemeval: { type: 'string' },
    locomo: { type: 'string' },
    trial: { type: 'boolean', default: false },
    'no-growth': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'lanehold-bench-recall-'));
try {
  const { longmemeval, locomo: file } = wish;
  if (wish.help) console.log(HELP);
  else if (longmemeval !== undefined)
    printSessions(await measureSessions(folder, longMemEval(longmemeval)));
  else if (file !== undefined) printSessions(await measureSessions(folder, locomo(file)));
  else if (wish.trial) process.exitCode = (await printTrial(join(folder, 'trial'))) ? 0 : 1;
  else if ([...wish.history, ...wish.changelog, ...wish.set].length > 0) await measureSets();
  else await measureAll();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureSets(): Promise<void> {
  const figures: RankingFigures[] = [];
  for await (const set of wishedSets()) {
    figures.push(await measureRanking(folder, set, wish.embeddings));
    // A set takes up to a minute.
    process.stderr.write(`${set.kind} of ${set.name}: measured\n`);
  }
  if (wish.json) console.log(JSON.stringify(figures, null, 2));
  else printRanking(figures);
}

async function* wishedSets(): AsyncGenerator<RankingSet> {
  const most = Number(wish.queries);
  for (const name of OWN_PASTS) yield setOfPast(name, ownPast(name));
  for (const it of wish.history) yield* setsOfHistory(await clonedHistory(it), most);
  for (const it of wish.changelog) yield* setsOfHistory(changeLogHistory(it), most);
  for (const it of wish.set) yield setIn(it);
}

function clonedHistory(repo: string): Promise<History> {
  return gitHistory(repo, mkdtempSync(join(folder, 'clone-')));
}

async function measureAll(): Promise<void> {
  const sessions: SessionFigures[] = [];
  for (const name of OWN_PASTS)
    sessions.push(await measureSessions(join(folder, name), [ownPast(name)]));
  const ranking: RankingFigures[] = [];
  for (const set of setsOfHistory(await clonedHistory('.'), Number(wish.queries)))
    ranking.push(await measureRanking(folder, set, wish.embeddings));
  const growth = wish['no-growth'] ? [] : await measureGrowth(folder);
  if (wish.json) console.log(JSON.stringify({ sessions, ranking, growth }, null, 2));
  else {
    for (const it of sessions) printSessions(it);
    printRanking(ranking);
    for (const { pieces, items, medianMs, worstMs } of growth) {
      console.log(
        `${pieces} pieces of files, ${items} items: median ${medianMs.toFixed(1)} ms, worst ${worstMs.toFixed(1)} ms of processor time a prompt`,
      );
    }
  }
}

function printSessions(figures: SessionFigures): void {
  const { sessions, questions, recallAt1, recallAt5, told, msEach } = figures;
  console.log(
    `${sessions} sessions, ${questions} questions: the right session first ${recallAt1.toFixed(3)}, among five ${recallAt5.toFixed(3)}; a prompt is told it ${told.toFixed(3)}; ${msEach.toFixed(1)} ms of processor time each`,
  );
}
