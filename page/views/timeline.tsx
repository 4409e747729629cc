/** Who worked when, what was validated, and who waited for what. */
import type { JSX } from 'preact';
import { duration } from '../../src/base/text/time.ts';
import { now } from '../base/clock.ts';
import { isPhone } from '../base/media.ts';
import { addressOf } from '../base/route.ts';
import { isDense, orderOf, shownState, waitsForYou } from '../parts/lane-state.ts';
import { Glyph, wordOf } from '../parts/state.tsx';
import { Key, money, plural, span } from '../parts/text.tsx';
import type { LaneTile, RunBoard } from '../types.ts';

type BarKind = 'work' | 'val' | 'val no' | 'calmgood' | 'you' | 'slot';

interface Bar {
  readonly kind: BarKind;
  readonly from: number;
  readonly to: number;
  readonly title: string;
}

interface Row {
  readonly lane: LaneTile;
  readonly state: string;
  readonly bars: readonly Bar[];
  /** When it came to its state, if nobody works on it. */
  readonly mark: number | null;
}

const LEGEND: readonly (readonly [BarKind, string])[] = [
  ['work', 'works'],
  ['val', 'proof passed'],
  ['val no', 'proof failed'],
  ['calmgood', 'proven, not merged yet'],
  ['you', 'waits for you'],
  ['slot', 'waits to begin: for a slot, or for other lanes'],
];

/** A bar moves by less than a pixel in so many parts of the whole. */
const STEPS = 600;

export function Timeline({ board }: { board: RunBoard }): JSX.Element {
  const begin = Date.parse(board.run.createdAt);
  const end = endOf(board, begin);
  const dense = isDense(board.lanes);
  const rows = board.lanes
    .map((lane): Row => rowOf(lane, end))
    .toSorted((a, b) => (dense ? orderOf(a.lane) - orderOf(b.lane) : 0) || startOf(a) - startOf(b));
  const place = (at: number) => Math.min(100, Math.max(0, ((at - begin) / (end - begin)) * 100));
  const ticks = ticksOf(end - begin, isPhone.value ? 2 : 5);
  return (
    <>
      <div class={dense ? 'tl dense' : 'tl'}>
        <div class="axis" />
        <div class="axis bars" aria-hidden="true">
          {ticks.map((tick) => (
            <span key={tick} class="meta" style={{ left: `${place(begin + tick)}%` }}>
              {tick === 0 ? 'begun' : span(tick)}
            </span>
          ))}
          <span class="meta end">{board.run.intent === 'closed' ? 'end' : 'now'}</span>
        </div>
        <div class="axis meta num cost">cost</div>
        {rows.map((row) => (
          <LaneRow
            key={row.lane.key}
            row={row}
            place={place}
            ticks={ticks.slice(1).map((it) => begin + it)}
          />
        ))}
      </div>
      <p class="legend meta">
        {LEGEND.map(([kind, words]) => (
          <span key={kind}>
            <i class={`bar ${kind}`} />
            {words}
          </span>
        ))}
      </p>
      <WhereItWent rows={rows} />
    </>
  );
}

const startOf = ({ bars }: Row): number =>
  bars.find(({ kind }) => kind === 'work')?.from ?? Number.MAX_VALUE;

/** A run that is over ends with its last event; an open one goes on to this moment. */
function endOf(board: RunBoard, begin: number): number {
  const isOpen = board.run.intent === 'active' || board.run.intent === 'paused';
  if (!isOpen) {
    const times = board.lanes.map(({ since }) => Date.parse(since));
    return Math.max(begin + 1_000, ...times);
  }
  const step = Math.max(1_000, (Date.now() - begin) / STEPS);
  return Math.max(begin + 1_000, Math.ceil(now.value / step) * step);
}

function rowOf(lane: LaneTile, end: number): Row {
  const added = Date.parse(lane.createdAt);
  const state = shownState(lane);
  const last = lane.attempts.at(-1);
  if (last === undefined) {
    const waits =
      state === 'planned' || state === 'cancelled' ? [] : bar('slot', added, end, 'waits to begin');
    return { lane, state, bars: waits, mark: null };
  }
  const bars = lane.attempts.flatMap((it, at) => [
    ...barBefore(it, lane.attempts[at - 1], added),
    ...barsOf(it, end),
  ]);
  if (lane.live) return { lane, state, bars, mark: null };
  const ended = endedAt(last, end);
  const since = Math.max(Date.parse(lane.since), ended);
  return {
    lane,
    state,
    bars: [...bars, ...barsAfter({ lane, last, ended, since, end })],
    mark: since,
  };
}

type Attempt = LaneTile['attempts'][number];

function bar(kind: BarKind, from: number, to: number, title: string): Bar[] {
  return to > from ? [{ kind, from, to, title: `${title} ${duration(to - from)}` }] : [];
}

const endedAt = (attempt: Attempt, end: number): number =>
  attempt.endedAt === null ? end : Date.parse(attempt.endedAt);

/** What a lane waited for until an attempt began. */
function barBefore(attempt: Attempt, before: Attempt | undefined, added: number): Bar[] {
  const started = Date.parse(attempt.startedAt);
  if (before === undefined) return bar('slot', added, started, 'waited to begin');
  const ended = endedAt(before, started);
  return before.endReason === 'verified'
    ? bar('calmgood', ended, started, 'proven for')
    : bar('you', ended, started, 'waited for you');
}

function barsOf(attempt: Attempt, end: number): Bar[] {
  const { n, times, endReason } = attempt;
  const ended = endedAt(attempt, end);
  const judged = times.validating === undefined ? ended : Date.parse(times.validating);
  const passed = endReason === 'verified' || attempt.endedAt === null;
  return [
    ...bar('work', Date.parse(attempt.startedAt), judged, `attempt ${n}: worked`),
    ...bar(passed ? 'val' : 'val no', judged, ended, 'proof ran'),
  ];
}

interface Rest {
  readonly lane: LaneTile;
  readonly last: Attempt;
  readonly ended: number;
  readonly since: number;
  readonly end: number;
}

/** What a lane has waited for since its last attempt. */
function barsAfter({ lane, last, ended, since, end }: Rest): Bar[] {
  const proven = last.endReason === 'verified' ? bar('calmgood', ended, since, 'proven for') : [];
  if (waitsForYou(lane)) return [...proven, ...bar('you', since, end, 'waits for you')];
  return lane.state === 'verified' ? bar('calmgood', ended, end, 'proven for') : proven;
}

interface LaneRowProps {
  readonly row: Row;
  readonly place: (at: number) => number;
  readonly ticks: readonly number[];
}

function LaneRow({ row, place, ticks }: LaneRowProps): JSX.Element {
  const { lane, state, bars, mark } = row;
  const told = bars.map(({ title }) => title).join(', ');
  return (
    <>
      <a class="k" href={addressOf('lanes', lane.key)} data-row="">
        <Glyph state={state} word={wordOf(state)} />
        <Key text={lane.key} />
      </a>
      <div class="bars" role="img" aria-label={`${lane.key}, ${wordOf(state)}: ${told}`}>
        {ticks.map((tick) => (
          <i key={tick} class="bar tick" style={{ left: `${place(tick)}%` }} />
        ))}
        {bars.map(({ kind, from, to, title }) => (
          <i
            key={`${kind} ${from}`}
            class={`bar ${kind}`}
            title={title}
            style={{ left: `${place(from)}%`, width: `${place(to) - place(from)}%` }}
          />
        ))}
        {mark !== null && (
          <span class="mark" style={{ left: `${place(mark)}%` }}>
            <Glyph state={state} />
          </span>
        )}
      </div>
      <div class="meta num cost">
        {lane.used.usd > 0 ? money(lane.used.usd) : lane.live ? '…' : '–'}
      </div>
    </>
  );
}

const STEP_S = [10, 30, 60, 300, 600, 1_800, 3_600, 21_600, 86_400, 604_800];

/** Times after the begin at which a line is drawn; the last one leaves room for `now`. */
function ticksOf(length: number, most: number): number[] {
  const step = (STEP_S.find((it) => length / 1_000 / it <= most) ?? length / 1_000 / most) * 1_000;
  const ticks: number[] = [];
  for (let at = 0; at < length * 0.9; at += step) ticks.push(at);
  return ticks;
}

const WENT: readonly (readonly [string, (kind: BarKind) => boolean])[] = [
  ['Worked', (kind) => kind === 'work'],
  ['Proofs ran', (kind) => kind.startsWith('val')],
  ['Waited for you (all lanes)', (kind) => kind === 'you'],
  ['Waited to begin', (kind) => kind === 'slot'],
];

function WhereItWent({ rows }: { rows: readonly Row[] }): JSX.Element {
  const bars = rows.flatMap((row) => row.bars);
  return (
    <dl class="went" aria-label={`Where the time of ${plural(rows.length, 'lane')} went`}>
      {WENT.map(([words, isOf]) => (
        <div key={words}>
          <dt>{words}</dt>
          <dd>
            {duration(
              bars
                .filter(({ kind }) => isOf(kind))
                .reduce((sum, { from, to }) => sum + to - from, 0),
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
