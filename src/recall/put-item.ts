/** Stores an item with the words that it is found by. */
import type { RecallItem, recallStore } from '../store/recall.ts';
import { indexed, indexedPaths } from './words.ts';

export function putItem(recall: ReturnType<typeof recallStore>, item: RecallItem): void {
  recall.put(item, {
    title: indexed(item.title),
    conditions: indexed(item.conditions),
    files: indexedPaths(item.files),
    body: indexed(item.body),
  });
}
