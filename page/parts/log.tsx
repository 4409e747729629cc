/** The log of an attempt: its end, which grows as its worker writes, and what was before by pieces of bytes. */
import type { JSX } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Problem, problemOf, request, useLogSize } from '../base/live.ts';
import type { LogView } from '../types.ts';
import { bytes } from './text.tsx';
import { VirtualList } from './virtual-list.tsx';

interface LogProps {
  /** The path of the lane's log below the project, without a query. */
  readonly path: string;
  /** Of the lane and its run. */
  readonly lane: string;
  readonly run: string;
  readonly attempt: number;
  /** Its worker has not ended. */
  readonly isLive: boolean;
  /** `stdout`, `stderr`, or the id of a validation. */
  readonly of: string;
  readonly raw: boolean;
  readonly label: string;
}

type Piece = Pick<LogView, 'from' | 'to' | 'size' | 'lines'>;

/** More lines than these are not kept at once, so that scrolling stays smooth; two pieces always are. */
const MOST_LINES = 8_000;
/** What was written last may be the begin of a line, which comes when it is whole. */
const UNFINISHED_BYTES = 64 * 1_024;
/** What a log has grown by joins the piece before it, up to this size. */
const JOINED_BYTES = 256 * 1_024;

const isAtEnd = ({ to, size }: Piece): boolean => to >= size - UNFINISHED_BYTES;

function appended(pieces: readonly Piece[], next: Piece): readonly Piece[] {
  const last = pieces.at(-1);
  if (last === undefined || next.to - last.from > JOINED_BYTES) return [...pieces, next];
  return [
    ...pieces.slice(0, -1),
    { ...next, from: last.from, lines: [...last.lines, ...next.lines] },
  ];
}

export function Log(props: LogProps): JSX.Element {
  const { raw, label } = props;
  const scroller = useRef<HTMLElement>(null);
  const { pieces, problem, size, isLoading, earlier, later, latest } = useLog(props);
  const lines = useMemo(
    () =>
      pieces.flatMap(({ from, lines: of }) =>
        of.map((line, at) => ({ ...line, key: `${from} ${at}` })),
      ),
    [pieces],
  );
  const from = pieces[0]?.from ?? 0;
  const last = pieces.at(-1);
  const isEnd = last === undefined || isAtEnd(last);
  return (
    <>
      {from > 0 && (
        <p class="earlier meta">
          <button type="button" class="link" disabled={isLoading} onClick={earlier}>
            Earlier lines
          </button>
          <span>
            {bytes(from)} before this, {bytes(size)} in all
          </span>
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <section class={raw ? 'log raw' : 'log'} aria-label={label} tabIndex={0} ref={scroller}>
        {problem !== null && <p class="x">{problem.error}</p>}
        {pieces.length > 0 && lines.length === 0 && <p class="tool">Nothing was written.</p>}
        {lines.length > 0 && (
          <VirtualList
            count={lines.length}
            estimate={() => 18}
            keyOf={(at) => lines[at]?.key ?? String(at)}
            rowClass={(at) => CLASSES[lines[at]?.kind ?? 'text'] ?? ''}
            scroller={scroller}
            follow={isEnd}
          >
            {(at) => lines[at]?.text || ' '}
          </VirtualList>
        )}
      </section>
      {!isEnd && (
        <p class="later meta">
          <button type="button" class="link" disabled={isLoading} onClick={later}>
            Later lines
          </button>
          <button type="button" class="link" disabled={isLoading} onClick={latest}>
            The end
          </button>
        </p>
      )}
    </>
  );
}

const CLASSES: Readonly<Record<string, string>> = { tool: 'tool', error: 'x', end: 'end' };

/** The same without those at the other end that are too many. */
function kept(pieces: readonly Piece[], drop: 'first' | 'last'): readonly Piece[] {
  const all = [...pieces];
  let count = all.reduce((sum, { lines }) => sum + lines.length, 0);
  while (count > MOST_LINES && all.length > 2) {
    const gone = drop === 'first' ? all.shift() : all.pop();
    count -= gone?.lines.length ?? 0;
  }
  return all;
}

function useLog({ path, run, attempt, isLive, of, raw, lane }: LogProps) {
  const [pieces, setPieces] = useState<readonly Piece[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isLoading, setLoading] = useState(false);
  const isBusy = useRef(false);
  const known = useRef(pieces);
  const grown = useLogSize(run, isLive && of === 'stdout' ? `${lane}/${attempt}` : null);
  const what = `${path}?${new URLSearchParams({ run, attempt: String(attempt), of, raw: raw ? '1' : '0' })}`;

  const load = useCallback(
    async (range: string, join: (piece: Piece) => readonly Piece[]) => {
      if (isBusy.current) return;
      isBusy.current = true;
      setLoading(true);
      try {
        const piece = (await (await request(`${what}${range}`)).json()) as LogView;
        known.current = join(piece);
        setPieces(known.current);
        setProblem(null);
      } catch (cause) {
        setProblem(problemOf(cause));
      } finally {
        isBusy.current = false;
        setLoading(false);
      }
    },
    [what],
  );
  const latest = useCallback(() => load('', (piece) => [piece]), [load]);
  const later = useCallback(() => {
    const { to = 0 } = known.current.at(-1) ?? {};
    return load(`&from=${to}`, (piece) => kept(appended(known.current, piece), 'first'));
  }, [load]);
  const earlier = () => {
    const { from = 0 } = known.current[0] ?? {};
    return load(`&before=${from}`, (piece) => kept([piece, ...known.current], 'last'));
  };
  useEffect(() => {
    void latest();
  }, [latest]);
  useEffect(() => {
    const last = known.current.at(-1);
    // Whoever reads an earlier part stays there.
    if (grown !== null && last && isAtEnd(last) && grown > last.size) void later();
  }, [grown, pieces, later]);
  // The stream tells nothing more of a worker that has ended: its last words are asked for.
  useEffect(() => {
    const last = known.current.at(-1);
    if (!isLive && last && isAtEnd(last)) void later();
  }, [isLive, later]);
  const size = Math.max(grown ?? 0, pieces.at(-1)?.size ?? 0);
  return { pieces, problem, size, isLoading, earlier, later, latest };
}
