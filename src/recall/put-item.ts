/** Stores an item with its index words, and without secrets, because it may have any origin. */

import { redact } from '../base/text/redact/redact.ts';
import type { Store } from '../store/open.ts';
import { type ItemWords, type RecallItem, recallStore } from '../store/recall.ts';
import { indexed, indexedPaths } from './words.ts';

/** The fields that most items leave empty. */
export const EMPTY_FIELDS = {
  status: 'active',
  conditions: '',
  files: [],
  links: [],
  commands: [],
  why: null,
  path: null,
  agent: null,
  session: null,
  checkedAt: null,
  anchors: null,
} satisfies Partial<RecallItem>;

export function putItem(recall: ReturnType<typeof recallStore>, given: RecallItem): void {
  const item: RecallItem = {
    ...given,
    title: redact(given.title),
    body: redact(given.body),
    conditions: redact(given.conditions),
    why: given.why === null ? null : redact(given.why),
    files: given.files.map(redact),
    links: given.links.map(redact),
    commands: given.commands.map(redact),
  };
  recall.put(item, wordsOfItem(item));
}

export const wordsOfItem = ({ title, conditions, files, body }: RecallItem): ItemWords => ({
  title: indexed(title),
  conditions: indexed(conditions),
  files: indexedPaths(files),
  body: indexed(body),
});

/**
 * Replaces the earlier items by the present ones; items that are equal are not written again.
 *
 * @returns the number of changed and removed items.
 */
export function replaceItems(
  store: Store,
  before: readonly RecallItem[],
  now: readonly RecallItem[],
): number {
  const known = new Map(before.map((it) => [it.uid, it]));
  const uids = new Set(now.map(({ uid }) => uid));
  const changed = now.filter(({ uid, digest, path }) => {
    const was = known.get(uid);
    return was?.digest !== digest || was.path !== path;
  });
  const gone = before.filter(({ uid }) => !uids.has(uid));
  if (changed.length + gone.length === 0) return 0;
  store.write(() => {
    const recall = recallStore(store);
    // All are removed first, because a new one may have the path of an old one.
    for (const { uid } of [...gone, ...changed]) recall.remove(uid);
    for (const it of changed) putItem(recall, it);
  });
  return changed.length + gone.length;
}
