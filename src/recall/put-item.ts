/** Stores an item with the words that it is found by, and without secrets: it may come from anywhere. */

import { redact } from '../base/text/redact/redact.ts';
import type { RecallItem, recallStore } from '../store/recall.ts';
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
  recall.put(item, {
    title: indexed(item.title),
    conditions: indexed(item.conditions),
    files: indexedPaths(item.files),
    body: indexed(item.body),
  });
}
