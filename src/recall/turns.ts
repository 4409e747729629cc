/**
 * Turns of sessions: a request and its answer. Each has its own index words, as a piece of its session; its text stays
 * in the observations.
 */
import { observationStore, type StoredObservation } from '../store/observations.ts';
import type { Store } from '../store/open.ts';
import { type ItemWords, recallStore } from '../store/recall.ts';
import { QUESTION, queryOf, relevantText } from './query.ts';
import { indexed } from './words.ts';

export interface Turn {
  readonly agent: string;
  readonly session: string;
  /** The number of its first observation. */
  readonly id: number;
  readonly at: Date;
  readonly projectId: number;
  /** Empty if only the answer was observed. */
  readonly asked: string;
  readonly answered: string;
}

/** The most indexed turns of a session, the newest. */
const MOST_TURNS = 200;

/** A question that got no answer says nothing: only a statement does. */
export const isUnanswered = ({ asked, answered }: Pick<Turn, 'asked' | 'answered'>): boolean =>
  answered === '' && QUESTION.test(asked);

/** Of these turns, the best first, the one that answers: of those that ask the same as the best one, the last. */
export function answering(turns: readonly Turn[]): Turn | undefined {
  const [best, ...others] = turns.filter((it) => !isUnanswered(it));
  if (best === undefined) return undefined;
  return others.reduce((a, b) => (b.at > a.at && asksSame(best, b) ? b : a), best);
}

/** Whether nearly the same words are asked, or stated. */
export function asksSame(one: Turn, other: Turn): boolean {
  const termsOf = ({ asked }: Turn) => new Set(queryOf(asked).terms);
  const [a, b] = [termsOf(one), termsOf(other)];
  return a.intersection(b).size >= SAME * Math.max(a.size, b.size, 2);
}
const SAME = 0.75;

export function turnsOf(observations: readonly StoredObservation[]): Turn[] {
  const turns: Turn[] = [];
  for (const { kind, text, id, at, projectId, agent, session } of observations) {
    if (text === null || (kind !== 'prompt' && kind !== 'stop')) continue;
    const begun = { id, at, projectId, agent, session, asked: '', answered: '' };
    if (kind === 'prompt') {
      turns.push({ ...begun, asked: text });
    } else {
      const turn = turns.pop() ?? begun;
      const answered = turn.answered === '' ? text : `${turn.answered}\n${text}`;
      turns.push({ ...turn, answered });
    }
  }
  return turns;
}

/** Indexes the turns that are new, or were answered since. Call it inside a write. */
export function indexTurns(store: Store, observations: readonly StoredObservation[]): void {
  const recall = recallStore(store);
  const turns = turnsOf(observations);
  // Turns before the first one that is not indexed were removed earlier.
  for (const { id } of turns.splice(0, turns.length - MOST_TURNS).reverse()) {
    if (recall.hasTurn(id) === undefined) break;
    recall.dropTurn(id);
  }
  const known = turns.findLastIndex(({ id }) => recall.hasTurn(id) !== undefined);
  for (const it of turns.slice(Math.max(0, known)))
    recall.putTurn(it.id, it.projectId, wordsOfTurn(it));
}

export const wordsOfTurn = ({ asked, answered }: Turn): ItemWords => ({
  title: indexed(relevantText(asked)),
  conditions: '',
  files: '',
  body: indexed(relevantText(answered)),
});

/** The turns that begin with these observations, without those that were deleted. */
export function turnsAt(store: Store, ids: readonly number[]): ReadonlyMap<number, Turn> {
  const said = observationStore(store).turns(JSON.stringify(ids));
  const bySession = Map.groupBy(said, ({ agent, session }) => `${agent} ${session}`);
  return new Map([...bySession.values()].flatMap(turnsOf).map((it) => [it.id, it]));
}

/** Indexes turns that were recorded before turns existed, or that were restored from another database. */
export function indexUnfoundTurns(store: Store, projectId: number): void {
  const observations = observationStore(store);
  for (const { agent, session } of observations.unfound(projectId))
    store.write(() => indexTurns(store, observations.ofSession(agent, session)));
}
