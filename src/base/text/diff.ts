/** A line diff for previews: `-` and `+` lines with a few lines of context. */
import { structuredPatch } from 'diff';

const CONTEXT_LINES = 2;
/** Texts with more changed lines than this are both shown in full. */
const MAX_CHANGES = 2_000;

/** @returns one string per line, without colour; empty if nothing changes. */
export function diffLines(before: string, after: string): string[] {
  const [old, text] = [`${before}\n`, `${after}\n`];
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_CHANGES };
  const patch = structuredPatch('', '', old, text, undefined, undefined, options);
  const whole = (mark: string, lines: string) => lines.split('\n').map((it) => mark + it);
  const hunks = patch?.hunks ?? [{ lines: [...whole('-', before), ...whole('+', after)] }];
  return hunks.flatMap(({ lines }, at) => [
    ...(at === 0 ? [] : ['…']),
    ...lines.map((line) => `${line[0]} ${line.slice(1)}`.trimEnd()),
  ]);
}
