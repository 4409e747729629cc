/**
 * `npm run bench:recall [-- --repo DIR] [--queries N] [--no-growth] [--json]`: how well earlier sessions are found
 * by what is asked later, and files by what somebody wants to do, and what it costs. With `--longmemeval FILE` or
 * `--locomo FILE` only how well the sessions of these public sets are found, from files that you have; with `--trial` what the built
 * hook tells and keeps to itself in a project of twelve weeks.
 *
 * The set is made of a repository's own history: the tree and the commits up to a base are indexed; the
 * message of each later commit is a prompt, and the files that it changed are the right answers. Tests
 * count neither as right nor as wrong. Plain BM25 (any word, FTS5's own order) answers the same prompts.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import Sqlite from 'better-sqlite3';
import { homeOf } from '../src/base/files/home.ts';
import { gitIn } from '../src/base/git/git-in.ts';
import { commitsOf, type PastCommit, recentCommits } from '../src/base/git/history.ts';
import { indexProject } from '../src/recall/code/index-project.ts';
import { isTestFile, searchFiles } from '../src/recall/code/search-code.ts';
import { queryOf } from '../src/recall/query.ts';
import { codeStore } from '../src/store/code-index.ts';
import { openStore, type Store } from '../src/store/open.ts';
import { projectStore } from '../src/store/projects.ts';
import { measureGrowth } from './recall-growth.ts';
import {
  locomo,
  longMemEval,
  measureSessions,
  OWN_PASTS,
  ownPast,
  type SessionFigures,
} from './recall-sessions.ts';
import { printTrial } from './recall-trial.ts';

/** A commit that changes more is no answer to one question. */
const MOST_GOLD = 8;
/** Of the history: what comes later is asked. */
const BASE = 0.6;
const DEPTHS = [1, 5, 10] as const;
const LINES = 80;
/** Files that a question does not ask for. */
const NO_SOURCE = /(?:^|\/)CHANGELOG|\.(?:md|lock|json|snap|svg|png)$/i;

interface Question {
  readonly prompt: string;
  readonly at: Date;
  readonly gold: ReadonlySet<string>;
}

interface Scores {
  readonly name: string;
  readonly recall: Readonly<Record<(typeof DEPTHS)[number], number>>;
  readonly mrr: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

type Answer = (question: Question) => readonly string[];

const { values: wish } = parseArgs({
  options: {
    repo: { type: 'string', default: '.' },
    queries: { type: 'string', default: '200' },
    longmemeval: { type: 'string' },
    locomo: { type: 'string' },
    trial: { type: 'boolean', default: false },
    'no-growth': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'lanehold-bench-recall-'));
try {
  const { longmemeval, locomo: file } = wish;
  if (longmemeval !== undefined)
    printSessions(await measureSessions(folder, longMemEval(longmemeval)));
  else if (file !== undefined) printSessions(await measureSessions(folder, locomo(file)));
  else if (wish.trial) process.exitCode = (await printTrial(join(folder, 'trial'))) ? 0 : 1;
  else await measureAll();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureAll(): Promise<void> {
  const sessions: SessionFigures[] = [];
  for (const name of OWN_PASTS)
    sessions.push(await measureSessions(join(folder, name), [ownPast(name)]));
  const set = await retrievalSet(resolve(wish.repo), join(folder, 'tree'));
  const store = await openStore(homeOf({ LANEHOLD_HOME: join(folder, 'home') }));
  const now = set.questions[0]?.at ?? new Date();
  const projectId = store.write(() => projectStore(store).ensure(set.tree, now));
  const git = gitIn(set.tree, process.env);
  const target = { git, root: set.tree, store, projectId, ignores: () => false };
  const report = await indexProject(target);
  const results = [
    score('plain BM25', plainBm25(codeStore(store).paths(projectId), set.tree), set.questions),
    score('lanehold', lanehold(store, projectId), set.questions),
  ];
  const growth = wish['no-growth'] ? [] : await measureGrowth(folder);
  store.close();
  if (wish.json) console.log(JSON.stringify({ sessions, report, results, growth }, null, 2));
  else {
    for (const it of sessions) printSessions(it);
    print(report, results, growth, set.questions.length);
  }
}

function printSessions(figures: SessionFigures): void {
  const { sessions, questions, recallAt1, recallAt5, told, msEach } = figures;
  console.log(
    `${sessions} sessions, ${questions} questions: the right session first ${recallAt1.toFixed(3)}, among five ${recallAt5.toFixed(3)}; a prompt is told it ${told.toFixed(3)}; ${msEach.toFixed(1)} ms of processor time each`,
  );
}

async function retrievalSet(repo: string, tree: string) {
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-checkout', repo, tree]);
  const git = gitIn(tree, process.env);
  const all = await recentCommits(git, 100_000);
  const later = all.slice(0, Math.floor(all.length * (1 - BASE)));
  execFileSync('git', ['-C', tree, 'checkout', '--quiet', '--detach', all[later.length] ?? 'HEAD']);
  const files = await git.text(['ls-files', '-z']);
  const present = new Set(files.split('\0'));
  const most = Number(wish.queries);
  const asked = (await commitsOf(git, later)).flatMap((it) => questionOf(it, present) ?? []);
  const step = Math.max(1, asked.length / most);
  const questions = asked.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
  return { tree, questions };
}

function questionOf(commit: PastCommit, present: ReadonlySet<string>): Question | undefined {
  const { subject, body, at, files } = commit;
  const gold = files.filter((it) => present.has(it) && !isTestFile(it) && !NO_SOURCE.test(it));
  if (gold.length === 0 || gold.length > MOST_GOLD) return undefined;
  const prompt = `${subject}\n${body}`.replaceAll(/^[\w-]+-by: .*$/gim, '');
  return { prompt, at, gold: new Set(gold) };
}

function lanehold(store: Store, projectId: number): Answer {
  return ({ prompt, at }) =>
    searchFiles(store, { projectId, query: queryOf(prompt), now: at }).map(({ path }) => path);
}

function plainBm25(paths: readonly string[], root: string): Answer {
  const db = new Sqlite(':memory:');
  db.exec('CREATE VIRTUAL TABLE files USING fts5 (path UNINDEXED, title, body)');
  const add = db.prepare('INSERT INTO files (path, title, body) VALUES (?, ?, ?)');
  for (const path of paths) {
    const lines = readFileSync(join(root, path), 'utf8').split('\n');
    for (let at = 0; at < lines.length; at += LINES) {
      add.run(path, path, lines.slice(at, at + LINES).join('\n'));
    }
  }
  const find = db
    .prepare<[string], string>('SELECT path FROM files WHERE files MATCH ? ORDER BY rank LIMIT 200')
    .pluck();
  return ({ prompt }) => {
    const words = [...new Set(prompt.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])];
    return [...new Set(find.all(words.map((it) => `"${it}"`).join(' OR ')))];
  };
}

function score(name: string, answer: Answer, questions: readonly Question[]): Scores {
  const times: number[] = [];
  const each = questions.map((question) => {
    const start = process.cpuUsage();
    const found = answer(question).filter((it) => !isTestFile(it) && !NO_SOURCE.test(it));
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1_000);
    const first = found.findIndex((it) => question.gold.has(it));
    const recall = DEPTHS.map(
      (depth) =>
        found.slice(0, depth).filter((it) => question.gold.has(it)).length / question.gold.size,
    );
    return { recall, mrr: first === -1 ? 0 : 1 / (first + 1) };
  });
  times.sort((a, b) => a - b);
  const recallAt = (at: number) => mean(each.map(({ recall }) => recall[at] ?? 0));
  return {
    name,
    recall: { 1: recallAt(0), 5: recallAt(1), 10: recallAt(2) },
    mrr: mean(each.map(({ mrr }) => mrr)),
    medianMs: times[Math.floor(times.length / 2)] ?? 0,
    p95Ms: times[Math.floor(times.length * 0.95)] ?? 0,
  };
}

function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, it) => sum + it, 0) / numbers.length;
}

function print(
  { files, commits }: { files: number; commits: number },
  results: readonly Scores[],
  growth: Awaited<ReturnType<typeof measureGrowth>>,
  questions: number,
): void {
  console.log(`${files} files, ${commits} commits, ${questions} later commits as prompts`);
  console.log('             R@1    R@5    R@10   MRR    median    p95 (ms of processor time)');
  for (const { name, recall, mrr, medianMs, p95Ms } of results) {
    const figures = [recall[1], recall[5], recall[10], mrr].map((it) => it.toFixed(3));
    console.log(
      `${name.padEnd(12)} ${figures.join('  ')}  ${medianMs.toFixed(1).padStart(6)} ${p95Ms.toFixed(1).padStart(6)}`,
    );
  }
  for (const { pieces, items, medianMs, worstMs } of growth) {
    console.log(
      `${pieces} pieces of files, ${items} items: median ${medianMs.toFixed(1)} ms, worst ${worstMs.toFixed(1)} ms of processor time a prompt`,
    );
  }
}
