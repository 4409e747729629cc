/** Notes that lanehold has inferred. They wait in the database until somebody confirms them as documents. */

import { redact } from '../base/text/redact/redact.ts';
import { sha256 } from '../base/text/sha256.ts';
import type { Store } from '../store/open.ts';
import { NOTE_KINDS, type NoteKind, type RecallItem, recallStore } from '../store/recall.ts';
import { EMPTY_FIELDS, putItem } from './put-item.ts';

export interface Suggestion {
  /** `null`: for every project. */
  readonly projectId: number | null;
  readonly kind: NoteKind;
  readonly title: string;
  readonly body: string;
  /** The facts that it was inferred from, for whoever decides. */
  readonly why: string;
  readonly files?: readonly string[];
  readonly commands?: readonly string[];
  readonly links?: readonly string[];
  readonly agent: string | null;
  readonly session: string | null;
  /** `auto`: it counts without being confirmed. */
  readonly mode?: 'auto' | 'suggest';
}

/**
 * The same suggestion is made once, also after it was rejected. Call it inside a write.
 *
 * @returns its id, or `undefined` if it was made before.
 */
export function suggest(store: Store, { mode, ...it }: Suggestion, now: Date): string | undefined {
  const recall = recallStore(store);
  const title = redact(it.title).slice(0, 200);
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

/** True also for a suggestion that counts already, without a document. */
export const isWaiting = ({ status, path, source, kind }: RecallItem): boolean =>
  (status === 'suggested' || status === 'active') &&
  path === null &&
  source === 'lanehold' &&
  NOTE_KINDS.some((it) => it === kind);

/** The path of its document: `project/gotchas/expiry-is-in-seconds-4f2a`. */
export function pathOfSuggestion({ kind, title, uid, projectId }: RecallItem): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const slug = [...words.slice(0, 6), uid.slice(-4)].join('-');
  return `${projectId === null ? 'global' : 'project'}/${kind}s/${slug}`;
}
