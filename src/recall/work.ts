/** Shows what earlier sessions did: the last work when a session starts, and work that a prompt is about. */
import { observationStore } from '../store/observations.ts';
import type { Store } from '../store/open.ts';
import { sessionStore } from '../store/sessions.ts';
import { inert, quoted } from './fence.ts';
import { sentences, withoutCode, withoutLabel } from './prompts.ts';
import { QUESTION } from './query.ts';
import type { ItemMatch } from './search.ts';
import { type SessionName, type Summary, summaryId, summaryOf } from './summaries.ts';
import { isShown, type Listener, sayingId, type Telling } from './told.ts';
import { answering, type Turn } from './turns.ts';
import { indexed } from './words.ts';

export interface LastWork extends SessionName {
  readonly id: string;
  readonly last: Date;
  readonly summary: Summary;
}

/** The most sessions without work that are passed over in the search for those with work. */
const MOST_WITHOUT_WORK = 20;

/** Sessions that changed files of the project, or left a result to show, the last one first. */
export function lastWork(
  store: Store,
  projectId: number,
  { without, most }: { readonly without: SessionName; readonly most: number },
): LastWork[] {
  const observations = observationStore(store);
  return (
    sessionStore(store)
      .lastAtWork(projectId, most + MOST_WITHOUT_WORK)
      // The values are lazy, because most of the time is needed for summaries.
      .values()
      .filter((it) => it.agent !== without.agent || it.session !== without.session)
      .map(({ agent, session, last }) => ({
        agent,
        session,
        id: summaryId({ agent, session }),
        last: new Date(last),
        // What it ran is not told.
        summary: summaryOf(observations.saidAndEdited(agent, session)),
      }))
      .filter(({ summary }) => summary.files.length > 0 || saidIn(summary).length > 0)
      .take(most)
      .toArray()
  );
}

interface Sentence {
  readonly verb: string;
  readonly text: string;
}

/** The sentences of a session that are worth showing later, the most important first, without duplicates. */
function saidIn({ decisions, gotchas, learned, next }: Summary): Sentence[] {
  const all = [
    ...decisions.map((text) => ({ verb: 'decided', text })),
    ...gotchas.map((text) => ({ verb: 'noted', text })),
    ...learned.map((text) => ({ verb: 'learned', text })),
    ...next.map((text) => ({ verb: 'next', text })),
  ];
  return all.filter(({ text }, at) => all.findIndex((it) => it.text === text) === at);
}

const MOST_SAID = 2;

/** Sentences of the same kind form one quote. */
const said = (told: readonly Sentence[]): string[] =>
  [...Map.groupBy(told, ({ verb }) => verb)].map(([verb, of]) => {
    const text = of.map((it) => withoutLabel(it.text)).join(' ');
    return `${verb} ${quoted(text, 140 * of.length)}`;
  });

/** The sentences that no other line has shown to the session. */
function unsaid(store: Store, all: readonly Sentence[], listener: Listener): Sentence[] {
  return all.filter(({ text }) => !isShown(store, listener, sayingId(text)));
}

export function workTelling(store: Store, work: LastWork, listener: Listener): Telling {
  const { next, request } = work.summary;
  const all = unsaid(store, saidIn({ ...work.summary, next: [] }), listener);
  const told = [
    ...all.slice(0, MOST_SAID),
    ...next.slice(0, 1).map((text) => ({ verb: 'next', text })),
  ];
  return telling(work, request, told);
}

function telling(
  { id, agent, last, summary }: LastWork,
  asked: string | undefined,
  told: readonly Sentence[],
): Telling {
  const { request, openRequest } = summary;
  const later = asked !== request || openRequest === request ? undefined : openRequest;
  // Requests may be notes by now; of a long one the line has only the beginning.
  const requests = [asked ?? '', later ?? ''].filter((it) => it && it.length <= LONGEST_QUOTE);
  const files = summary.files.slice(0, 4).map((it) => inert(it, 60));
  const parts = [
    ...(asked === undefined ? [] : [`asked ${quoted(asked, 140)}`]),
    ...(later === undefined ? [] : [`then ${quoted(later, 100)}`]),
    ...said(told),
    ...(files.length === 0 ? [] : [`edited ${files.join(', ')}`]),
  ];
  return {
    uid: id,
    // The line grows while that session continues; it is shown once.
    digest: id,
    line: `- [${origin(id, last, agent)}] ${parts.join('; ')}`,
    says: [...told.map(({ text }) => text), ...requests],
    saysOnly: false,
  };
}

const LONGEST_QUOTE = 100;

const origin = (id: string, at: Date, agent: string): string =>
  `${id} ${at.toISOString().slice(0, 10)}, ${inert(agent, 40)}`;

/**
 * What a session says about a prompt: its line with the answer to a similar request, or only the new part if the line
 * was shown before. `undefined` if the session was not recorded.
 */
export function sessionTellings(
  store: Store,
  { item, turns }: ItemMatch,
  terms: readonly string[],
  listener: Listener,
): Telling[] | undefined {
  const { agent, session, uid, at } = item;
  const observed =
    agent === null || session === null ? [] : observationStore(store).ofSession(agent, session);
  if (agent === null || session === null || observed.length === 0) return undefined;
  const summary = summaryOf(observed);
  const having = (text: string) => {
    const words = new Set(indexed(text).split(' '));
    return terms.filter((it) => words.has(it)).length;
  };
  const turn = answering(turns);
  const answer = answerIn(turn, having);
  const others = saidIn(summary)
    .filter(({ text }) => !answer.includes(text) && having(text) >= Math.min(2, terms.length))
    .sort((a, b) => having(b.text) - having(a.text));
  // What follows a sentence that was told says little alone.
  const isTold = isShown(store, listener, sayingId(answer[0] ?? ''));
  const answers = isTold ? [] : answer.map((text) => ({ verb: 'answered', text }));
  const told = [...answers, ...others.slice(0, MOST_SAID - Math.min(1, answers.length))];
  const about = unsaid(store, told, listener);
  if (turns.length > 0 && turn === undefined && about.length === 0) return [];
  const last = turn?.at ?? at;
  if (!isShown(store, listener, uid)) {
    const work = { id: uid, agent, session, last, summary };
    return [telling(work, turn?.asked || summary.request, about)];
  }
  if (about.length === 0) return [];
  const says = about.map(({ text }) => text);
  const line = `- [${origin(uid, last, agent)}] ${said(about).join('; ')}`;
  return [{ uid: `${uid} ${sayingId(says.join(' '))}`, digest: '', line, says, saysOnly: true }];
}

/** In bytes: a letter of Chinese or Japanese is as much as three. */
const SHORTEST_ANSWER = 20;

/** The sentence of an answer that has most words of the prompt, and the next one; to a request, `Done.` is no answer. */
function answerIn(turn: Turn | undefined, having: (text: string) => number): string[] {
  const all = sentences(withoutCode(turn?.answered ?? ''));
  const counts = all.map(having);
  const best = counts.indexOf(Math.max(...counts));
  const answer = all.slice(best, best + 2);
  const isLong = Buffer.byteLength(answer.join(' ')) >= SHORTEST_ANSWER;
  return isLong || QUESTION.test(turn?.asked ?? '') ? answer : [];
}
