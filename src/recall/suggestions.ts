/** Notes that lanehold has inferred. They stay in the database until somebody confirms them as documents. */

import { redact } from '../base/text/redact/redact.ts';
import { sha256 } from '../base/text/sha256.ts';
import { observationStore } from '../store/observations.ts';
import type { Store } from '../store/open.ts';
import { isNote, type NoteKind, type RecallItem, recallStore } from '../store/recall.ts';
import { sentences, standingRules, withoutCode, withoutLabel } from './prompts.ts';
import { EMPTY_FIELDS, putItem } from './put-item.ts';
import { statementIn } from './statements.ts';
import { type SessionName, summaryId } from './summaries.ts';

export interface Suggestion {
  /** `null`: for every project. */
  readonly projectId: number | null;
  readonly kind: NoteKind;
  readonly title: string;
  readonly body: string;
  /** The facts that it was inferred from, for the person who decides. */
  readonly why: string;
  readonly files?: readonly string[];
  readonly commands?: readonly string[];
  readonly links?: readonly string[];
  readonly agent: string | null;
  readonly session: string | null;
  /** `auto`: it counts without a confirmation. */
  readonly mode?: 'auto' | 'suggest';
}

/**
 * Adds a suggestion, once, also if it was rejected. Call it inside a write.
 *
 * @returns its id, or `undefined` if it was made before.
 */
export function suggest(store: Store, { mode, ...it }: Suggestion, now: Date): string | undefined {
  const recall = recallStore(store);
  const title = redact(withoutLabel(it.title)).slice(0, 200);
  const body = redact(it.body);
  const digest = sha256(JSON.stringify([it.projectId, it.kind, title, body])).slice(0, 16);
  const uid = `lh-${digest.slice(0, 8)}`;
  if (recall.find(uid) !== undefined) return undefined;
  putItem(recall, {
    ...EMPTY_FIELDS,
    ...it,
    uid,
    title,
    body,
    digest,
    status: mode === 'auto' ? 'active' : 'suggested',
    why: redact(it.why),
    source: 'lanehold',
    at: now,
  });
  return uid;
}

/** True also for a suggestion without a document that counts already. */
export const isWaiting = ({ status, path, source, kind }: RecallItem): boolean =>
  (status === 'suggested' || status === 'active') &&
  path === null &&
  source === 'lanehold' &&
  isNote({ kind });

/** The path of its document: `project/gotchas/expiry-is-in-seconds-4f2a`. */
export function pathOfSuggestion({ kind, title, uid, projectId }: RecallItem): string {
  const words = title.toLowerCase().match(/[a-z0-9]{1,20}/g) ?? [];
  const slug = [...words.slice(0, 6), uid.slice(-4)].join('-');
  return `${projectId === null ? 'global' : 'project'}/${kind}s/${slug}`;
}

/** The most suggestions of one kind from one session. */
const MOST = 3;
/** A person's words say what holds for good; an agent's say what it decided and found. */
const BY_AGENT: readonly NoteKind[] = ['decision', 'gotcha', 'fact'];

/** "Remember that." says nothing without the sentence before it; where there is none, it is left out. */
const whole = (said: readonly string[]): string[] =>
  said.flatMap((it, at) => {
    const before = POINTS_BACK.test(it) ? said[at - 1] : '';
    return before === undefined ? [] : `${before} ${it}`.trim();
  });
const POINTS_BACK =
  /^(?:(?:please|bitte) )?(?:remember (?:that|this|it)|(?:keep|bear) (?:that|this|it) in mind|(?:do not|don[\u2019']?t) forget (?:that|this|it)|merke? dir das|denke? daran|nicht vergessen|vergiss das nicht|n[\u2019']oublie(?:z)? pas(?: ça| cela)?|retiens(?:-le)?|souviens-t[\u2019']en|recuérdalo|no (?:lo )?olvides(?: eso| esto)?|(?:记住|记得|别忘了)(?:这个|这点|这一点)?|覚えておいて(?:ください|ね)?|忘れないで(?:ください|ね)?)(?: please| bitte)?[.!\u3002\uff01]*$/i;

const isInstruction = (sentence: string): boolean => statementIn(sentence) === 'instruction';

/** @param mode `auto`: inferred notes count without a confirmation. */
export function suggestFromSession(
  store: Store,
  { agent, session }: SessionName,
  { now, mode }: { readonly now: Date; readonly mode: 'auto' | 'suggest' },
): void {
  const observations = observationStore(store).ofSession(agent, session);
  const projectId = observations.at(-1)?.projectId;
  if (projectId === undefined) return;
  const statements = observations.flatMap(({ kind, text }) => {
    if (kind !== 'prompt' && kind !== 'stop') return [];
    return whole(sentences(withoutCode(text ?? ''))).map((title) => ({ title, by: kind }));
  });
  // The instructions of the person that no later prompt has withdrawn or replaced.
  const prompts = observations
    .filter(({ kind }) => kind === 'prompt')
    .map(({ text }) => ({ text, rules: sentences(withoutCode(text ?? '')).filter(isInstruction) }));
  const standing = new Set(standingRules(prompts));
  const found = Map.groupBy(statements.reverse(), ({ title, by }) => {
    const kind = statementIn(title);
    if (kind === 'instruction' && !standing.has(title)) return undefined;
    return kind && (by === 'prompt' || BY_AGENT.includes(kind)) ? kind : undefined;
  });
  found.delete(undefined);
  const links = [`session:${session}`];
  store.write(() => {
    for (const [kind, ofKind] of found) {
      for (const { title, by } of ofKind.slice(0, MOST)) {
        const who = by === 'prompt' ? 'the user' : agent;
        const why = `${who} said so in session ${summaryId({ agent, session })}`;
        const facts = { projectId, kind: kind as NoteKind, title, body: '', why, links };
        suggest(store, { ...facts, agent: null, session, mode }, now);
      }
    }
  });
}
