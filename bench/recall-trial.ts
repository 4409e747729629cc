/**
 * A project of twelve weeks through the built hook: 200 sessions, 30 notes, and 60 prompts of sessions of five prompts
 * each. Small talk and prompts of other trades should bring nothing; the others the note that they are about.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tokensOf } from '../src/recall/tokens.ts';
import { ownPast, placePast } from './recall-sessions.ts';

interface Trial {
  readonly notes: readonly { readonly path: string; readonly title: string }[];
  readonly relevant: readonly { readonly prompt: string; readonly note: string }[];
  readonly smallTalk: readonly string[];
  readonly foreign: readonly string[];
}

const ROOT = join(import.meta.dirname, '..');
const PROMPTS_A_SESSION = 5;

export interface TrialFigures {
  readonly silentOnSmallTalk: number;
  readonly silentOnForeign: number;
  /** Of the prompts that are about a note. */
  readonly told: number;
  readonly relevant: number;
  readonly lines: number;
  /** Lines that are a note or a session about the prompt. */
  readonly right: number;
  readonly repeats: number;
  /** Of the session that was told most, with its start. */
  readonly mostTokens: number;
}

export async function playTrial(folder: string): Promise<TrialFigures> {
  const { notes, relevant, smallTalk, foreign }: Trial = JSON.parse(
    readFileSync(join(import.meta.dirname, 'recall-corpus/trial.json'), 'utf8'),
  );
  mkdirSync(folder, { recursive: true });
  const { env, cwd, close } = await placePast(folder, ownPast());
  close();
  const run = (args: readonly string[], input?: string) =>
    execFileSync(process.execPath, args, { cwd, env, encoding: 'utf8', input, stdio: 'pipe' });
  for (const { path, title } of notes)
    run([join(ROOT, 'bin/lanehold.js'), 'note', 'add', `project/${path}`, title]);
  const tokens = new Map<string, number>();
  let asked = 0;
  /** What the session was told at its start. */
  let start = '';
  const tell = (session: string, event: string, more: object): string => {
    const hook = join(ROOT, 'hooks/lanehold-hook.cjs');
    const payload = JSON.stringify({ ...more, session_id: session, cwd });
    const output = run([hook, event, '--agent', 'claude-code'], payload);
    const text = output === '' ? '' : JSON.parse(output).hookSpecificOutput.additionalContext;
    tokens.set(session, (tokens.get(session) ?? 0) + tokensOf(text));
    return text;
  };
  const ask = (kind: string, prompt: string): string => {
    const session = `${kind}-${Math.floor(asked / PROMPTS_A_SESSION)}`;
    asked += 1;
    if (!tokens.has(session)) {
      start = tell(session, 'session-start', {
        hook_event_name: 'SessionStart',
        source: 'startup',
      });
    }
    return tell(session, 'prompt-submit', { hook_event_name: 'UserPromptSubmit', prompt });
  };
  const silent = (kind: string, prompts: readonly string[]) =>
    prompts.filter((it) => !ask(kind, it).includes('- [')).length;
  const silentOnSmallTalk = silent('small', smallTalk);
  const silentOnForeign = silent('foreign', foreign);
  const all: string[] = [];
  let told = 0;
  let right = 0;
  for (const { prompt, note } of relevant) {
    const wanted = notes.find(({ path }) => path.endsWith(`/${note}`))?.title ?? '';
    const lines = ask('relevant', prompt)
      .split('\n')
      .filter((it) => it.startsWith('- ['));
    const words = new Set(wanted.toLowerCase().match(/\w{5,}/g));
    const isAbout = (it: string) =>
      it.includes(wanted) ||
      (it.toLowerCase().match(/\w{5,}/g) ?? []).filter((word) => words.has(word)).length >= 2;
    told += [start, ...lines].some((it) => it.includes(wanted)) ? 1 : 0;
    right += lines.filter(isAbout).length;
    all.push(...lines);
  }
  const repeats = all.length - new Set(all).size;
  const mostTokens = Math.max(...tokens.values());
  return {
    ...{ silentOnSmallTalk, silentOnForeign, told, relevant: relevant.length },
    ...{ lines: all.length, right, repeats, mostTokens },
  };
}
