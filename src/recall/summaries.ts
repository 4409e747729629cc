/**
 * What a session was about: what was asked, done, learned and left open, in the agent's own words where it sends them.
 * Found by rules, without a model.
 */

import { sha256 } from '../base/text/sha256.ts';
import { observationStore, type StoredObservation } from '../store/observations.ts';
import type { Store } from '../store/open.ts';
import { type RecallItem, recallStore } from '../store/recall.ts';
import { sentences, standingRules, withoutLabel } from './prompts.ts';
import { EMPTY_FIELDS, putItem } from './put-item.ts';
import { statementIn } from './statements.ts';
import { indexTurns } from './turns.ts';

export interface SessionName {
  readonly agent: string;
  readonly session: string;
}

export interface Summary {
  /** The user's first request, in the user's words. */
  readonly request: string | undefined;
  /** The present request; the same as `request` in a session of one subject. */
  readonly openRequest: string | undefined;
  /** Rules that the user stated, and neither withdrew nor replaced, the newest first. */
  readonly constraints: readonly string[];
  readonly done: readonly string[];
  readonly learned: readonly string[];
  readonly decisions: readonly string[];
  readonly gotchas: readonly string[];
  readonly next: readonly string[];
  /** The edited files, the last one first. */
  readonly files: readonly string[];
  /** Whether the agent's words or the observations are its source. */
  readonly basis: 'agent' | 'observations';
}

const MOST_FILES = 20;
const MOST_EACH = 4;

export function summaryOf(observations: readonly StoredObservation[]): Summary {
  const prompts = observations.filter(({ kind }) => kind === 'prompt');
  const requests = prompts.flatMap(({ text }) => (text !== null && isRequest(text) ? [text] : []));
  const said = observations.flatMap(({ kind, text }) => (kind === 'stop' && text ? [text] : []));
  const words = said.flatMap(sentences);
  const like = (pattern: RegExp) => newest(words.filter((it) => pattern.test(it)));
  return {
    request: requests[0] ?? prompts[0]?.text ?? undefined,
    openRequest: requests.at(-1) ?? prompts.at(-1)?.text ?? undefined,
    constraints: standingRules(prompts),
    done: newest(said.flatMap((it) => sentences(it)[0] ?? [])),
    learned: like(
      /\b(?:turns? out|learned|found (?:out )?that|the (?:cause|reason) (?:is|was)|because)\b/i,
    ),
    decisions: newest(words.filter((it) => statementIn(it) === 'decision')),
    gotchas: newest(words.filter((it) => statementIn(it) === 'gotcha')),
    next: like(
      /\b(?:next|todo|to do|remain(?:s|ing)?|still (?:needs?|has to|open|missing)|left to|follow-?up)\b/i,
    ),
    files: filesOf(observations),
    basis: said.length === 0 ? 'observations' : 'agent',
  };
}

/** The last texts, the newest first, without duplicates. */
const newest = (texts: readonly string[]): string[] =>
  [...new Set([...texts].reverse())].slice(0, MOST_EACH);

function filesOf(observations: readonly StoredObservation[]): string[] {
  const edited = observations.filter((it) => it.kind === 'edit' && it.outcome !== 'denied');
  return [...new Set(edited.reverse().flatMap(({ files }) => files))].slice(0, MOST_FILES);
}

/** False for "go on", "yes please" and the like, which request nothing new. */
function isRequest(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length >= 4 && !SMALL_TALK.test(text)) return true;
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{4}/u.test(text);
}

const SMALL_TALK =
  /^(?:(?:ok(?:ay)?|yes|yep|no|sure|thanks?|thank you|great|good|nice|perfect|please|go (?:on|ahead)|continue|proceed|carry on|keep going|looks good)\b[\s,.!]*){1,4}(?:with (?:it|that|this)|then|now|please)?[\s.!]*$/i;

export const summaryId = ({ agent, session }: SessionName): string =>
  `se-${sha256(`${agent}\n${session}`).slice(0, 8)}`;

/** Updates the summary of the session, inside a write; a session that did nothing gets none. */
export function putSummary(store: Store, who: SessionName): void {
  const observations = observationStore(store).ofSession(who.agent, who.session);
  const last = observations.at(-1);
  if (last === undefined) return;
  const summary = summaryOf(observations);
  if (summary.request === undefined && summary.files.length === 0) return;
  putItem(recallStore(store), itemOf(summary, who, last));
  indexTurns(store, observations);
}

/** The parts of a summary, with their names. */
export const partsOf = (summary: Summary): readonly (readonly [string, readonly string[]])[] => [
  ['Constraints', summary.constraints],
  ['Done', summary.done],
  ['Learned', summary.learned],
  ['Decided', summary.decisions],
  ['Gotchas', summary.gotchas],
  ['Next', summary.next],
];

/** The text of a summary, with one part in each line. */
export function summaryText(summary: Summary): string {
  return partsOf(summary)
    .filter(([, texts]) => texts.length > 0)
    .map(([name, texts]) => `${name}: ${texts.map(withoutLabel).join(' ')}`)
    .join('\n');
}

function itemOf(summary: Summary, who: SessionName, last: StoredObservation): RecallItem {
  const title = firstLine(summary.request ?? `Changed ${summary.files.slice(0, 3).join(', ')}`);
  const body = summaryText(summary);
  const digest = sha256(JSON.stringify([title, body, summary.files]));
  return {
    ...EMPTY_FIELDS,
    uid: summaryId(who),
    projectId: last.projectId,
    kind: 'summary',
    title,
    body,
    files: summary.files,
    why: summary.basis,
    source: last.source ?? (summary.basis === 'agent' ? 'agent' : 'lanehold'),
    agent: who.agent,
    session: who.session,
    at: last.at,
    digest: digest.slice(0, 16),
  };
}

const firstLine = (text: string): string => text.trim().split('\n')[0]?.slice(0, 200) ?? '';
