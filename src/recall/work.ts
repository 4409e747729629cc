/** Tells what earlier sessions did: the last work when a session starts, and work that a prompt is about. */
import { observationStore } from '../store/observations.ts';
import type { Store } from '../store/open.ts';
import type { RecallItem } from '../store/recall.ts';
import { sessionStore } from '../store/sessions.ts';
import { inert, quoted } from './fence.ts';
import { type SessionName, type Summary, summaryId, summaryOf } from './summaries.ts';
import { isShown, type Listener, sayingId, type Telling } from './told.ts';
import { indexed } from './words.ts';

export interface LastWork extends SessionName {
  readonly id: string;
  readonly last: Date;
  readonly summary: Summary;
}

/** Sessions of which there is nothing to tell may stand between those that did something. */
const MOST_WITHOUT_WORK = 20;

/** Sessions that changed files of the project or left something to be told, the last one first. */
export function lastWork(
  store: Store,
  projectId: number,
  { without, most }: { readonly without: SessionName; readonly most: number },
): LastWork[] {
  const observations = observationStore(store);
  return (
    sessionStore(store)
      .lastAtWork(projectId, most + MOST_WITHOUT_WORK)
      // Most of the time goes into summaries: no more are made than are needed.
      .values()
      .filter((it) => it.agent !== without.agent || it.session !== without.session)
      .map(({ agent, session, last }) => ({
        agent,
        session,
        id: summaryId({ agent, session }),
        last: new Date(last),
        summary: summaryOf(observations.ofSession(agent, session)),
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

/** The sentences of a session that are worth telling later, the weightiest first, each once. */
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
const LABEL = /^(?:next(?: steps?)?|todo|note|done|decision|learned)\s*[:\u2013-]\s*/i;
const said = ({ verb, text }: Sentence): string =>
  `${verb} ${quoted(text.replace(LABEL, ''), 140)}`;

/** The sentences that the session has not been shown by another line. */
function unsaid(store: Store, all: readonly Sentence[], listener: Listener): Sentence[] {
  return all.filter(({ text }) => !isShown(store, listener, sayingId(text)));
}

export function workTelling(store: Store, work: LastWork, listener: Listener): Telling {
  const { next } = work.summary;
  const all = unsaid(store, saidIn({ ...work.summary, next: [] }), listener);
  const told = [
    ...all.slice(0, MOST_SAID),
    ...next.slice(0, 1).map((text) => ({ verb: 'next', text })),
  ];
  return telling(work, told);
}

function telling({ id, agent, last, summary }: LastWork, told: readonly Sentence[]): Telling {
  const { request, openRequest } = summary;
  const later = openRequest === request ? undefined : openRequest;
  const files = summary.files.slice(0, 4).map((it) => inert(it, 60));
  const parts = [
    ...(request === undefined ? [] : [`asked ${quoted(request, 140)}`]),
    ...(later === undefined ? [] : [`then ${quoted(later, 100)}`]),
    ...told.map(said),
    ...(files.length === 0 ? [] : [`edited ${files.join(', ')}`]),
  ];
  return {
    uid: id,
    // It grows while that session goes on; once is enough.
    digest: id,
    line: `- [${origin(id, last, agent)}] ${parts.join('; ')}`,
    says: told.map(({ text }) => text),
    saysOnly: false,
  };
}

const origin = (id: string, at: Date, agent: string): string =>
  `${id} ${at.toISOString().slice(0, 10)}, ${inert(agent, 40)}`;

/**
 * What of a summary is about the words of a prompt: the session's line, or where that is known already the
 * sentences that were not in it. `undefined` where its session was not recorded.
 */
export function summaryTellings(
  store: Store,
  item: RecallItem,
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
  const about = unsaid(store, saidIn(summary), listener)
    .map((it) => ({ ...it, count: having(it.text) }))
    .filter(({ count }) => count >= Math.min(2, terms.length))
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_SAID);
  if (!isShown(store, listener, uid)) {
    return [telling({ id: uid, agent, session, last: at, summary }, about)];
  }
  return about.map((it) => ({
    uid: `${uid} ${sayingId(it.text)}`,
    digest: '',
    line: `- [${origin(uid, at, agent)}] ${said(it)}`,
    says: [it.text],
    saysOnly: true,
  }));
}
