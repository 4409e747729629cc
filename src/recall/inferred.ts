/** Suggests notes to a person from what a session said, by rules and without a model. */

import { printableLine } from '../base/text/printable.ts';
import { observationStore } from '../store/observations.ts';
import type { Store } from '../store/open.ts';
import { noteRecallProjects } from '../store/recall.ts';
import { type Suggestion, suggest } from './suggestions.ts';
import { type SessionName, summaryOf } from './summaries.ts';

/** The most suggestions of one kind from one session. */
const MOST = 3;
/** Words of a wish that lasts beyond the task. */
const LASTING =
  /\b(?:always|never|from now on|every time|in (?:the )?future|immer|nie(?:mals)?)\b/i;

/** @param mode `auto`: what is inferred counts without being confirmed. */
export function suggestFromSession(
  store: Store,
  { agent, session }: SessionName,
  { now, mode }: { readonly now: Date; readonly mode: 'auto' | 'suggest' },
): void {
  const observations = observationStore(store).ofSession(agent, session);
  const projectId = observations.at(-1)?.projectId;
  if (projectId === undefined) return;
  const { basis, constraints, decisions, gotchas } = summaryOf(observations);
  const said = basis === 'agent' ? { decision: decisions, gotcha: gotchas } : {};
  const lasting = constraints.filter((it) => LASTING.test(it));
  const found = Object.entries({ ...said, instruction: lasting }) as [
    Suggestion['kind'],
    readonly string[],
  ][];
  const links = [`session:${session}`];
  store.write(() => {
    for (const [kind, sentences] of found) {
      const by = kind === 'instruction' ? 'the user' : agent;
      const why = `${by} said so in session ${printableLine(session, 60)}`;
      for (const title of sentences.slice(0, MOST)) {
        suggest(
          store,
          { projectId, kind, title, body: '', why, links, agent: null, session, mode },
          now,
        );
      }
    }
    noteRecallProjects(store);
  });
}
