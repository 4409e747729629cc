/** Rules about files: shown before the files are edited, or refusing the edit. */

import { printableLine } from '../base/text/printable.ts';
import { matcher } from '../features/match.ts';
import { type Guard, guardStore } from '../store/guards.ts';
import type { Store } from '../store/open.ts';
import type { OneLine } from './told.ts';

/** @param paths relative to the project. */
export function guardsOf(store: Store, projectId: number, paths: readonly string[]): Guard[] {
  return guardStore(store)
    .list(projectId)
    .filter(({ files }) => paths.some(matcher([files]).matches));
}

function ruleText({ uid, files, rule, reason, by, at }: Guard): string {
  const why = reason === null ? '' : ` (${printableLine(reason, 200)})`;
  const origin = `${uid}, by ${by}, ${at.toISOString().slice(0, 10)}`;
  return `${printableLine(files)} [${origin}]: ${printableLine(rule, 300)}${why}`;
}

export const ruleLine = (guard: Guard): OneLine => ({
  uid: guard.uid,
  text: `lanehold: a rule about ${ruleText(guard)}`,
});

/** The text for a model in the middle of its work: the verdict first, then the alternative. */
export function refusalBy(guards: readonly Guard[], program: string): string {
  const denies = guards.some((it) => it.denies);
  return [
    `lanehold holds this edit because of ${guards.length === 1 ? 'a rule' : 'rules'}:`,
    ...guards.map((it) => `- ${ruleText(it)}`),
    denies
      ? `Do it another way, or ask the user; a person lifts the rule with \`${program} guard remove ${guards[0]?.uid}\`.`
      : 'Make the edit again if it follows the rule: this is told once.',
  ].join('\n');
}
