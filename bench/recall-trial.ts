/**
 * A project of twelve weeks through the built hook: 200 sessions, 30 notes, and 60 prompts of sessions of five prompts
 * each. Small talk and prompts of other trades should bring nothing; the others the note that they are about.
 *
 * The same database holds another project with the same notes, sessions and files: none of that may be told. Files that
 * are asked about, and that notes are bound to, were changed, renamed or removed since they were indexed: no line may
 * name a place that is not there.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../src/base/errors.ts';
import { homeOf } from '../src/base/files/home.ts';
import { tokensOf } from '../src/recall/tokens.ts';
import { openStore } from '../src/store/open.ts';
import { projectStore } from '../src/store/projects.ts';
import { recallStore } from '../src/store/recall.ts';
import { ownPast, type Past, placePast } from './recall-sessions.ts';

interface TrialNote {
  readonly path: string;
  readonly title: string;
  /** The file that it is bound to. */
  readonly file?: string;
}
interface TrialFile {
  readonly path: string;
  readonly text: string;
  readonly prompt: string;
  /** What happens to the file after it is indexed. */
  readonly then: 'stays' | 'moves' | 'is removed' | 'is renamed within';
}
interface Trial {
  readonly notes: readonly TrialNote[];
  readonly bound: readonly TrialNote[];
  readonly relevant: readonly { readonly prompt: string; readonly note: string }[];
  readonly smallTalk: readonly string[];
  readonly foreign: readonly string[];
  readonly files: readonly TrialFile[];
}

const ROOT = join(import.meta.dirname, '..');
const PROMPTS_A_SESSION = 5;
/** What is reached at least, or at most. */
const GOALS = {
  silentOnSmallTalk: { least: 20, of: 20 },
  silentOnForeign: { least: 19, of: 20 },
  told: { least: 18, of: 20 },
  linesRight: { least: 0.85 },
  repeats: { most: 0 },
  leaks: { most: 0 },
  staleCitations: { most: 0 },
  mostTokens: { most: 2_900 },
} as const;

export interface TrialFigures extends Record<keyof typeof GOALS, number> {
  /** The lines that relevant prompts were told, and those that name a file of the project. */
  readonly lines: number;
  readonly citations: number;
}

/** Plays it, prints the figures with their goals, and returns whether all are reached. */
export async function printTrial(folder: string): Promise<boolean> {
  const { lines, citations, ...figures } = await playTrial(folder);
  console.log(`${lines} lines told to prompts about a note; ${citations} lines that name a file`);
  let reached = true;
  for (const [name, goal] of Object.entries(GOALS)) {
    const value = figures[name as keyof typeof GOALS];
    const isMet = 'least' in goal ? value >= goal.least : value <= goal.most;
    const wanted = 'least' in goal ? `at least ${goal.least}` : `at most ${goal.most}`;
    const whole = 'of' in goal ? ` of ${goal.of}` : '';
    const said = `${Math.round(value * 1_000) / 1_000}${whole}`;
    console.log(
      `${name.padEnd(18)} ${said.padEnd(10)} goal: ${wanted}${isMet ? '' : '  NOT REACHED'}`,
    );
    reached &&= isMet;
  }
  return reached;
}

async function playTrial(folder: string): Promise<TrialFigures> {
  const trial: Trial = JSON.parse(
    readFileSync(join(import.meta.dirname, 'recall-corpus/trial.json'), 'utf8'),
  );
  const { notes, relevant, smallTalk, foreign, files } = trial;
  await placeProject(folder, 'elsewhere', trial, elsewhere(ownPast()));
  const { env, cwd } = await placeProject(folder, 'project', trial, ownPast());
  for (const file of files) changed(cwd, file);
  const isOwn = await ownItems(env, cwd);
  const heard: string[] = [];
  const tokens = new Map<string, number>();
  let asked = 0;
  /** What the session was told at its start. */
  let start = '';
  const tell = (session: string, event: string, more: object): string => {
    const hook = join(ROOT, 'hooks/lanehold-hook.cjs');
    const input = JSON.stringify({ ...more, session_id: session, cwd });
    const args = [hook, event, '--agent', 'claude-code'];
    const output = execFileSync(process.execPath, args, { cwd, env, encoding: 'utf8', input });
    const text = output === '' ? '' : JSON.parse(output).hookSpecificOutput.additionalContext;
    tokens.set(session, (tokens.get(session) ?? 0) + tokensOf(text));
    heard.push(...linesIn(text));
    return text;
  };
  const ask = (kind: string, prompt: string): string => {
    const session = `${kind}-${Math.floor(asked / PROMPTS_A_SESSION)}`;
    asked += 1;
    if (!tokens.has(session)) {
      const payload = { hook_event_name: 'SessionStart', source: 'startup' };
      start = tell(session, 'session-start', payload);
    }
    return tell(session, 'prompt-submit', { hook_event_name: 'UserPromptSubmit', prompt });
  };
  const silent = (kind: string, prompts: readonly string[]) =>
    prompts.filter((it) => linesIn(ask(kind, it)).length === 0).length;
  const silentOnSmallTalk = silent('small', smallTalk);
  const silentOnForeign = silent('foreign', foreign);
  const all: string[] = [];
  let told = 0;
  let right = 0;
  for (const { prompt, note } of relevant) {
    const wanted = notes.find(({ path }) => path.endsWith(`/${note}`))?.title ?? '';
    const lines = linesIn(ask('relevant', prompt));
    const words = new Set(wanted.toLowerCase().match(/\w{5,}/g));
    const isAbout = (it: string) =>
      it.includes(wanted) ||
      (it.toLowerCase().match(/\w{5,}/g) ?? []).filter((word) => words.has(word)).length >= 2;
    told += [start, ...lines].some((it) => it.includes(wanted)) ? 1 : 0;
    right += lines.filter(isAbout).length;
    all.push(...lines);
  }
  for (const { prompt } of files) ask('files', prompt);
  const paths = files.map(({ path }) => path);
  const citing = heard.filter((line) => paths.some((it) => line.includes(it)));
  return {
    ...{ silentOnSmallTalk, silentOnForeign, told, lines: all.length },
    linesRight: right / Math.max(1, all.length),
    repeats: all.length - new Set(all).size,
    leaks: heard.filter((it) => !isOwn(it)).length,
    citations: citing.length,
    staleCitations: citing.filter((it) => isStale(cwd, it)).length,
    mostTokens: Math.max(...tokens.values()),
  };
}

const linesIn = (text: string): string[] => text.split('\n').filter((it) => it.startsWith('- ['));

/** A repository with sessions, files and notes. */
async function placeProject(folder: string, name: string, trial: Trial, past: Past) {
  const cwd = join(folder, name);
  mkdirSync(cwd, { recursive: true });
  execFileSync('git', ['init', '--quiet', cwd]);
  for (const { path, text } of trial.files) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const { env: placed, close } = await placePast(folder, past, name);
  close();
  // Nothing brings the index up to date: a stale one is the harder case.
  const env = { ...placed, LANEHOLD_BACKGROUND: 'off' };
  const run = (args: readonly string[]) => {
    const all = [join(ROOT, 'bin/lanehold.js'), ...args, '--quiet'];
    return execFileSync(process.execPath, all, { cwd, env, stdio: 'pipe' });
  };
  run(['index']);
  for (const { path, title, file } of [...trial.notes, ...trial.bound])
    run([
      'note',
      'add',
      `project/${path}`,
      title,
      ...(file === undefined ? [] : ['--files', file]),
    ]);
  return { env, cwd };
}

/** The same sessions under other names. */
const elsewhere = (past: Past): Past => ({
  ...past,
  conversations: past.conversations.map((it) => ({ ...it, session: `elsewhere-${it.session}` })),
});

function changed(cwd: string, { path, then }: TrialFile): void {
  const file = join(cwd, path);
  const text = readFileSync(file, 'utf8');
  if (then === 'is removed') rmSync(file);
  if (then === 'moves') writeFileSync(file, `${'// A licence.\n'.repeat(100)}${text}`);
  if (then === 'is renamed within') writeFileSync(file, text.replaceAll(/function \w+/g, '$&Now'));
}

/** Whether a line is of an item of this project; lines of files are judged by their place. */
async function ownItems(env: Readonly<Record<string, string | undefined>>, cwd: string) {
  const store = await openStore(homeOf(env));
  const projects = projectStore(store);
  const projectId = projects.find(join(cwd, '.git'));
  if (projectId === undefined) throw new Error(`no project at ${cwd}`);
  const own = new Set(
    recallStore(store)
      .list(projectId)
      .map(({ uid }) => uid),
  );
  store.close();
  return (line: string): boolean => {
    const [, uid = ''] = /^- \[(\S+)/.exec(line) ?? [];
    return own.has(uid) || uid === 'file';
  };
}

/** Whether the line names a file that is gone, or a place in it that does not declare what it says. */
function isStale(cwd: string, line: string): boolean {
  const [, path = '', at, names = ''] =
    /\[file (\S+):(\d+)\] declares (.*)$/.exec(line) ?? /\((\S+?)(?:, .*)?\)$/.exec(line) ?? [];
  const text = attempt(() => readFileSync(join(cwd, path), 'utf8'));
  if (text === undefined) return true;
  const [name = ''] = names.split(', ');
  return at !== undefined && !text.split('\n')[Number(at) - 1]?.includes(name);
}
