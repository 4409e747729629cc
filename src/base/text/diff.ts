/** A line diff for previews: `-` and `+` lines with a little of what stands around them. */
import { diffArrays } from 'diff';

const CONTEXT_LINES = 2;
/** Texts with more changed lines than this are both shown as a whole. */
const MAX_CHANGES = 2_000;

/** @returns one string per line, without colour; empty if nothing changes. */
export function diffLines(before: string, after: string): string[] {
  const lines = compare(before.split('\n'), after.split('\n'));
  const near = new Set<number>();
  for (const [index, { mark }] of lines.entries()) {
    if (mark === ' ') continue;
    for (let it = index - CONTEXT_LINES; it <= index + CONTEXT_LINES; it += 1) near.add(it);
  }
  const shown: string[] = [];
  for (const [index, { mark, text }] of lines.entries()) {
    if (near.has(index)) shown.push(`${mark} ${text.replace(/\r$/, '')}`.trimEnd());
    else if (near.has(index - 1)) shown.push('…');
  }
  return shown;
}

function compare(before: string[], after: string[]) {
  const changes = diffArrays(before, after, { maxEditLength: MAX_CHANGES }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return changes.flatMap(({ value, removed, added }) => {
    const mark = removed ? '-' : added ? '+' : ' ';
    return value.map((text) => ({ mark, text }));
  });
}
