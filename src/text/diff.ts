/** A line diff for previews: `-` and `+` lines with a little of what stands around them. */
const CONTEXT_LINES = 2;
/** Beyond this many pairs of lines the changed part is shown as a whole. */
const MAX_PAIRS = 4_000_000;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

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

function compare(before: readonly string[], after: readonly string[]): Line[] {
  const start = sharedLength(before, after, (lines, index) => lines[index]);
  const rest = [before.slice(start), after.slice(start)] as const;
  const end = sharedLength(...rest, (lines, index) => lines[lines.length - 1 - index]);
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  return [
    ...marked(' ', before.slice(0, start)),
    ...changes(removed, added),
    ...marked(' ', before.slice(before.length - end)),
  ];
}

function sharedLength(
  a: readonly string[],
  b: readonly string[],
  at: (lines: readonly string[], index: number) => string | undefined,
): number {
  const most = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < most && at(a, shared) === at(b, shared)) shared += 1;
  return shared;
}

const marked = (mark: Line['mark'], lines: readonly string[]): Line[] =>
  lines.map((text) => ({ mark, text }));

/** By the longest common subsequence, where that is affordable. */
function changes(removed: readonly string[], added: readonly string[]): Line[] {
  if (removed.length * added.length > MAX_PAIRS) {
    return [...marked('-', removed), ...marked('+', added)];
  }
  const longest = commonLengths(removed, added);
  const at = (row: number, column: number) => longest[row]?.[column] ?? 0;
  const lines: Line[] = [];
  let row = 0;
  let column = 0;
  while (row < removed.length && column < added.length) {
    const text = removed[row] ?? '';
    if (text === added[column]) {
      lines.push({ mark: ' ', text });
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) {
      lines.push({ mark: '-', text });
      row += 1;
    } else {
      lines.push({ mark: '+', text: added[column] ?? '' });
      column += 1;
    }
  }
  return [...lines, ...marked('-', removed.slice(row)), ...marked('+', added.slice(column))];
}

/** `[i][j]`: how many lines the tails from `a[i]` and `b[j]` have in common, in order. */
function commonLengths(a: readonly string[], b: readonly string[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () =>
    new Array<number>(b.length + 1).fill(0),
  );
  for (let row = a.length - 1; row >= 0; row -= 1) {
    const [current = [], next = []] = [lengths[row], lengths[row + 1]];
    for (let column = b.length - 1; column >= 0; column -= 1) {
      current[column] =
        a[row] === b[column]
          ? (next[column + 1] ?? 0) + 1
          : Math.max(next[column] ?? 0, current[column + 1] ?? 0);
    }
  }
  return lengths;
}
