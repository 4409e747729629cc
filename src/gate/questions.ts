/**
 * Questions that a hook has put to a person, recorded for those that come later and cannot ask: git's hook, and
 * lanehold's own command line. A question counts once, for exactly its subject, and for some minutes.
 */

import { attempt } from '../base/errors.ts';
import type { Word } from '../base/text/options.ts';
import { sha256 } from '../base/text/sha256.ts';
import type { Comparison } from '../features/comparison.ts';
import type { Workspace } from '../features/workspace.ts';
import { questionStore } from '../store/questions.ts';
import type { Hold } from './hold.ts';

/** The subject of a question, as it is stored. */
export type About = string & { readonly __brand: 'About' };

export const aboutCommit = (oid: string) => `commit ${oid}` as About;

export const commitsAsked = (comparisons: readonly Comparison[]): About[] =>
  comparisons.flatMap(({ subject }) =>
    subject.kind === 'revision' ? aboutCommit(subject.oid) : [],
  );

export const contentsAsked = ({ features }: Hold): About[] =>
  features.map(({ fingerprint }) => `content ${fingerprint}` as About);

/** The subject of a command of lanehold. @returns `undefined` if not all of its words are known. */
export function aboutWords(words: readonly Word[]): About | undefined {
  if (words.includes(undefined)) return undefined;
  return `words ${sha256(JSON.stringify(words))}` as About;
}

const FORGOTTEN_MS = 86_400_000;

export function noteQuestion(
  { store, projectId }: Workspace,
  about: readonly About[],
  now: Date,
): void {
  if (about.length === 0) return;
  const questions = questionStore(store);
  const note = () => {
    questions.removeOlder(new Date(now.getTime() - FORGOTTEN_MS));
    for (const it of new Set(about)) questions.add(projectId, it, now);
  };
  // Without the note, the next caller asks again or holds.
  attempt(() => store.writeLast(note));
}

/** Takes the questions about all of these subjects; true if each had been asked. They do not count a second time. */
export function takeQuestions(
  { store, projectId }: Workspace,
  about: readonly About[],
  now: Date,
): boolean {
  const questions = questionStore(store);
  const asked = [...new Set(about)];
  return (
    questions.areThere(projectId, asked, now) &&
    store.write(() => questions.take(projectId, asked, now))
  );
}
