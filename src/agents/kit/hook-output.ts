/** What adapters print. */
import type { HookOutput } from '../types.ts';

export const SILENT: HookOutput = { stdout: '', stderr: '', exitCode: 0 };

/** One JSON document. */
export function jsonOutput(answer: object, exitCode = 0): HookOutput {
  return { stdout: JSON.stringify(answer), stderr: '', exitCode };
}

const CLIPPED = '\n… (cut short)';

/**
 * Without leading blank lines, because collapsed views show only the first line.
 *
 * @param maxUnits what the agent shows to its model, in UTF-16 units.
 */
export function clippedText(text: string, maxUnits: number): string {
  const trimmed = text.trim();
  if (trimmed.length <= maxUnits) return trimmed;
  const kept = trimmed.slice(0, maxUnits - CLIPPED.length);
  // Half of a surrogate pair would reach the model as a replacement character.
  return kept.replace(/[\uD800-\uDBFF]$/, '') + CLIPPED;
}

/** The reason of a question. The model reads it, too, where nobody is there to be asked. */
export const asQuestion = (question: string): string =>
  `${question.trim()}\nA person can agree to it here, or do it in a terminal of their own.`;

/** The reason of a denial, for agents whose hooks cannot have a person asked. */
export function questionAsDenial(question: string): string {
  const held = question.trim().replace(/^lanehold asks(?: before)?\b/, 'lanehold holds');
  return `${held}\nNobody can be asked from here: a person has to do it in a terminal of their own.`;
}
