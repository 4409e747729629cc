/**
 * How well earlier sessions are found by what is asked later. Conversations are written as the transcripts of an
 * agent, read by the program as it reads any, and asked: an answer is right if it names the session.
 *
 * `sessions.jsonl` is made up for this project. LoCoMo and LongMemEval are read from files that a person has.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerQuery } from '../src/app/recall/recall.ts';
import { refreshRecall } from '../src/app/recall/refresh.ts';
import { homeOf } from '../src/base/files/home.ts';
import { summaryId } from '../src/recall/summaries.ts';
import { openStore } from '../src/store/open.ts';

interface Conversation {
  readonly session: string;
  readonly at: Date;
  readonly messages: readonly { readonly by: 'user' | 'assistant'; readonly text: string }[];
}

/** Conversations of one project, and what is asked about them. */
export interface Past {
  readonly conversations: readonly Conversation[];
  readonly questions: readonly {
    readonly text: string;
    readonly at: Date;
    readonly gold: readonly string[];
  }[];
}

const AGENT = 'claude-code';
const DAY_MS = 86_400_000;
const BEGAN = new Date('2026-08-01T09:00:00Z');

interface OwnSession {
  readonly day: number;
  readonly turns: readonly (readonly [asked: string, answered: string])[];
  readonly questions: readonly string[];
}

/** Files of sessions that were made up for this project, each of a trade of its own. */
export const OWN_PASTS = ['sessions', 'sessions-second'] as const;
type OwnPast = (typeof OWN_PASTS)[number];

interface Filler {
  readonly subjects: Readonly<Record<OwnPast, readonly string[]>>;
  readonly turns: OwnSession['turns'];
}

/** Everyday work before what is asked for later, and days of nothing else: it is in the way, as in real life. */
const FILLER_BEFORE = 3;
const FILLER_DAYS = 156;
const TURNS_A_DAY = 6;

const own = (file: string): string =>
  readFileSync(join(import.meta.dirname, 'recall-corpus', file), 'utf8').trim();

/** All of them are asked after the last day. */
export function ownPast(name: OwnPast = 'sessions'): Past {
  const sessions = own(`${name}.jsonl`)
    .split('\n')
    .map((line): OwnSession => JSON.parse(line));
  const { subjects: trades, turns: kinds } = JSON.parse(own('filler.json')) as Filler;
  const subjects = trades[name];
  let count = 0;
  const everyday = (most: number) =>
    Array.from({ length: most }, () => {
      count += 1;
      const [a = '', b = ''] = [subjects[(count * 7) % subjects.length], subjects[count % 39]];
      const turn = kinds[(count * 5) % kinds.length] ?? ['', ''];
      return turn.map((it) => it.replaceAll('{a}', a).replaceAll('{b}', b)) as [string, string];
    });
  const days = [
    ...sessions.map(({ day, turns }) => ({ day, turns: [...everyday(FILLER_BEFORE), ...turns] })),
    ...Array.from({ length: FILLER_DAYS }, (_, at) => ({
      day: 1 + (at % sessions.length) + (at + 1) / 1_000,
      turns: everyday(TURNS_A_DAY),
    })),
  ];
  const after = (day: number) => new Date(BEGAN.getTime() + day * 2 * DAY_MS);
  const end = after(sessions.length + 1);
  return {
    conversations: days.map(({ day, turns }) => ({
      session: `day-${day}`,
      at: after(day),
      messages: turns.flatMap(([asked, answered]) => [
        { by: 'user' as const, text: asked },
        { by: 'assistant' as const, text: answered },
      ]),
    })),
    questions: sessions.flatMap(({ day, questions }) =>
      questions.map((text) => ({ text, at: end, gold: [`day-${day}`] })),
    ),
  };
}

interface LongMemEval {
  readonly question_id: string;
  readonly question: string;
  readonly question_date: string;
  readonly haystack_dates: readonly string[];
  readonly haystack_session_ids: readonly string[];
  readonly haystack_sessions: readonly (readonly {
    readonly role: 'user' | 'assistant';
    readonly content: string;
  }[])[];
  readonly answer_session_ids: readonly string[];
}

/** One past for each question. Those that no session answers are left out, as others do. */
export const longMemEval = (file: string): Past[] =>
  (JSON.parse(readFileSync(file, 'utf8')) as LongMemEval[])
    .filter((it) => !it.question_id.endsWith('_abs'))
    .map((it) => ({
      conversations: it.haystack_sessions.map((messages, at) => ({
        session: it.haystack_session_ids[at] ?? `session-${at}`,
        at: timeIn(it.haystack_dates[at]),
        messages: messages.map(({ role, content }) => ({ by: role, text: content })),
      })),
      questions: [{ text: it.question, at: timeIn(it.question_date), gold: it.answer_session_ids }],
    }));

/** `2023/05/20 (Sat) 02:21`. */
const timeIn = (text = ''): Date => new Date(`${text.replace(/ \(\w+\)/, '')} UTC`);

interface Locomo {
  readonly conversation: Readonly<Record<string, unknown>>;
  readonly qa: readonly { readonly question: string; readonly evidence?: readonly string[] }[];
}
type LocomoTurn = { readonly speaker: string; readonly text: string };

/** The first speaker counts as the user. Questions without evidence are left out. */
export const locomo = (file: string): Past[] =>
  (JSON.parse(readFileSync(file, 'utf8')) as Locomo[]).map(({ conversation, qa }) => {
    const conversations = Object.entries(conversation).flatMap(([session, turns]) =>
      /^session_\d+$/.test(session)
        ? [
            {
              session,
              at: spokenTime(String(conversation[`${session}_date_time`])),
              messages: (turns as LocomoTurn[]).map(({ speaker, text }) => ({
                by: speaker === conversation.speaker_a ? ('user' as const) : ('assistant' as const),
                text,
              })),
            },
          ]
        : [],
    );
    const end = new Date(Math.max(...conversations.map(({ at }) => at.getTime())) + DAY_MS);
    const questions = qa.flatMap(({ question, evidence = [] }) => {
      const gold = evidence.flatMap((it) => /D(\d+):/.exec(it)?.[1] ?? []);
      const sessions = [...new Set(gold)].map((it) => `session_${it}`);
      return sessions.length === 0 ? [] : [{ text: question, at: end, gold: sessions }];
    });
    return { conversations, questions };
  });

/** `1:56 pm on 8 May, 2023`. */
function spokenTime(text: string): Date {
  const [clock, day] = text.split(' on ');
  return new Date(`${day} ${clock} UTC`);
}

export interface SessionFigures {
  readonly questions: number;
  readonly sessions: number;
  /** The share of the right sessions among the first, and the first five. */
  readonly recallAt1: number;
  readonly recallAt5: number;
  /** The share of questions of which a prompt would be told a right session. */
  readonly told: number;
  readonly msEach: number;
}

export async function measureSessions(
  folder: string,
  pasts: readonly Past[],
): Promise<SessionFigures> {
  const sum = { sessions: 0, at1: 0, at5: 0, told: 0, ms: 0, questions: 0 };
  for (const [number, past] of pasts.entries()) {
    const { context, close } = await placePast(join(folder, `past-${number}`), past);
    sum.sessions += past.conversations.length;
    for (const { text, at, gold } of past.questions) {
      const wanted = new Set(gold.map((session) => summaryId({ agent: AGENT, session })));
      const prompt = JSON.stringify({ prompt: text, k: 20, now: at.getTime() / 1_000 });
      const start = process.cpuUsage();
      const { ids, inject } = await answerQuery(context, prompt);
      const { user, system } = process.cpuUsage(start);
      const sessions = ids.filter((it) => it.startsWith('se-'));
      const share = (most: number) =>
        sessions.slice(0, most).filter((it) => wanted.has(it)).length / wanted.size;
      sum.questions += 1;
      sum.ms += (user + system) / 1_000;
      sum.at1 += share(1);
      sum.at5 += share(5);
      sum.told += ids.slice(0, inject).some((it) => wanted.has(it)) ? 1 : 0;
    }
    close();
  }
  const { sessions, questions } = sum;
  const mean = (value: number) => value / Math.max(1, questions);
  return {
    ...{ questions, sessions, recallAt1: mean(sum.at1), recallAt5: mean(sum.at5) },
    ...{ told: mean(sum.told), msEach: mean(sum.ms) },
  };
}

/** Writes the conversations as transcripts of the project of this name below `root`, and has them read. */
export async function placePast(root: string, { conversations }: Past, name = 'project') {
  const cwd = join(root, name);
  mkdirSync(join(root, 'lanehold'), { recursive: true });
  mkdirSync(cwd, { recursive: true });
  const settings = { recall: { transcripts: 'on' } };
  writeFileSync(join(root, 'lanehold/config.json'), JSON.stringify(settings), { mode: 0o600 });
  for (const it of conversations) writeTranscript(root, cwd, it);
  const env = { HOME: root, LANEHOLD_HOME: join(root, 'lanehold'), PATH: process.env.PATH };
  const store = await openStore(homeOf(env));
  const base = { env, cwd, now: () => new Date(), progress: () => undefined };
  const context = { ...base, store: async () => store };
  await refreshRecall(context);
  return { context, env, cwd, close: () => store.close() };
}

/** As Claude Code writes it. */
function writeTranscript(home: string, cwd: string, { session, at, messages }: Conversation): void {
  const name = cwd.replaceAll(/[^A-Za-z0-9]/g, '-');
  const folder = join(home, '.claude/projects', name);
  mkdirSync(folder, { recursive: true });
  const lines = messages.map(({ by, text }, number) => {
    const timestamp = new Date(at.getTime() + number * 10_000).toISOString();
    const content = by === 'user' ? text : [{ type: 'text', text }];
    const message = { role: by, content };
    return `${JSON.stringify({ type: by, message, cwd, sessionId: session, timestamp })}\n`;
  });
  writeFileSync(join(folder, `${session}.jsonl`), lines.join(''));
}
