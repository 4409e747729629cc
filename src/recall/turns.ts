/**
 * Turns of sessions: what was asked, and what was answered to it. Each is found by its own words, as a piece of
 * its session; its text stays with what was observed.
 */
import { observationStore, type StoredObservation } from '../store/observations.ts';
import type { Store } from '../store/open.ts';
import { type ItemWords, recallStore } from '../store/recall.ts';
import { relevantText } from './query.ts';
import { indexed } from './words.ts';

export interface Turn {
  readonly agent: string;
  readonly session: string;
  /** The number of its first observation. */
  readonly id: number;
  readonly at: Date;
  readonly projectId: number;
  /** Empty where only the answer was seen. */
  readonly asked: string;
  readonly answered: string;
}

/** Of a session only so many are found, the newest. */
const MOST_TURNS = 200;

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

/** Makes those findable that are new, or were answered since. Call it inside a write. */
export function indexTurns(store: Store, observations: readonly StoredObservation[]): void {
  const recall = recallStore(store);
  const turns = turnsOf(observations);
  // Those before the first one that is not found were dropped earlier.
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

/** Makes turns findable that were recorded before turns were, or that came back from another database. */
export function indexUnfoundTurns(store: Store, projectId: number): void {
  const observations = observationStore(store);
  for (const { agent, session } of observations.unfound(projectId))
    store.write(() => indexTurns(store, observations.ofSession(agent, session)));
}
