/** The log of an attempt: its end, which grows as its worker writes, and what was before by pieces of bytes. */
import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Problem, problemOf, request, useLogSize } from '../base/live.ts';
import type { LogView } from '../types.ts';
import { VirtualList } from './virtual-list.tsx';

interface LogProps {
  /** The path of the lane's log below the project, without a query. */
  readonly path: string;
  /** Of the lane and its run. */
  readonly lane: string;
  readonly run: string;
  readonly attempt: number;
  /** `stdout`, `stderr`, or the id of a validation. */
  readonly of: string;
  readonly raw: boolean;
  readonly label: string;
}

type Line = LogView['lines'][number];

interface Loaded {
  readonly lines: readonly Line[];
  /** The number of the first line: lines before the one that was read first have negative ones. */
  readonly first: number;
  readonly from: number;
  readonly to: number;
  readonly size: number;
}

export function Log(props: LogProps): JSX.Element {
  const { raw, of, label, lane, attempt } = props;
  const scroller = useRef<HTMLElement>(null);
  const { loaded, problem, earlier, isLoading } = useLog(props);
  const size = useLogSize(of === 'stdout' ? `${lane}/${attempt}` : null);
  return (
    <>
      {loaded !== null && loaded.from > 0 && (
        <p class="earlier meta">
          <button type="button" class="link" disabled={isLoading} onClick={earlier}>
            Earlier lines
          </button>
          <span>
            {bytes(loaded.from)} before this, {bytes(size ?? loaded.size)} in all
          </span>
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <section class={raw ? 'log raw' : 'log'} aria-label={label} tabIndex={0} ref={scroller}>
        {problem !== null && <p class="x">{problem.error}</p>}
        {loaded !== null && loaded.lines.length === 0 && <p class="tool">Nothing was written.</p>}
        {loaded !== null && (
          <VirtualList
            count={loaded.lines.length}
            estimate={() => 18}
            keyOf={(at) => String(loaded.first + at)}
            rowClass={(at) => CLASSES[loaded.lines[at]?.kind ?? 'text'] ?? ''}
            scroller={scroller}
            follow
          >
            {(at) => loaded.lines[at]?.text || ' '}
          </VirtualList>
        )}
      </section>
    </>
  );
}

const CLASSES: Readonly<Record<string, string>> = { tool: 'tool', error: 'x', end: 'end' };

function bytes(count: number): string {
  if (count < 1_000) return `${count} bytes`;
  return count < 1_000_000
    ? `${Math.round(count / 1_000)} kB`
    : `${(count / 1_000_000).toFixed(1)} MB`;
}

function useLog(props: LogProps) {
  const { path, run, attempt, of, raw, lane } = props;
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const busy = useRef(false);
  const [isLoading, setLoading] = useState(false);
  const state = useRef<Loaded | null>(null);
  const size = useLogSize(of === 'stdout' ? `${lane}/${attempt}` : null);
  const what = `${path}?${new URLSearchParams({ run, attempt: String(attempt), of, raw: raw ? '1' : '0' })}`;

  const load = useCallback(
    async (range: string, join: (before: Loaded | null, piece: LogView) => Loaded) => {
      if (busy.current) return;
      busy.current = true;
      setLoading(true);
      try {
        const piece = (await (await request(`${what}${range}`)).json()) as LogView;
        state.current = join(state.current, piece);
        setLoaded(state.current);
        setProblem(null);
      } catch (cause) {
        setProblem(problemOf(cause));
      } finally {
        busy.current = false;
        setLoading(false);
      }
    },
    [what],
  );
  useEffect(() => {
    state.current = null;
    setLoaded(null);
    void load('', (_, { lines, from, to, size: all }) => ({
      lines,
      first: 0,
      from,
      to,
      size: all,
    }));
  }, [load]);
  useEffect(() => {
    const known = state.current;
    if (size === null || known === null || size <= known.to) return;
    void load(`&from=${known.to}`, (before, piece) => ({
      lines: [...(before?.lines ?? []), ...piece.lines],
      first: before?.first ?? 0,
      from: before?.from ?? piece.from,
      to: piece.to,
      size: piece.size,
    }));
  }, [size, load]);
  const earlier = () => {
    const known = state.current;
    if (known === null) return;
    void load(`&before=${known.from}`, (before, piece) => ({
      lines: [...piece.lines, ...(before?.lines ?? [])],
      first: (before?.first ?? 0) - piece.lines.length,
      from: piece.from,
      to: before?.to ?? piece.to,
      size: piece.size,
    }));
  };
  return { loaded, problem, earlier, isLoading };
}
