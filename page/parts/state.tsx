/** A state is a shape and a word, then a colour: squares are refusals, discs and rings go on, the diamond wants eyes. */
import type { JSX } from 'preact';
import { SIGNS, type SignName, type Tone } from '../../src/fronts/words/signs.ts';

/** The shape of each state that the terminal has a sign for. */
const SIGN_SHAPES: Readonly<Record<SignName, Shape>> = {
  asks: 'ask',
  look: 'eye',
  pick: 'ask',
  held: 'gate',
  parked: 'pause',
  blocked: 'bar',
  stale: 'half',
  untested: 'half',
  'taken-back': 'half',
  baseless: 'half',
  next: 'ask',
  account: 'pause',
  proposals: 'ask',
  suggestions: 'ask',
  failed: 'cross',
  culprit: 'cross',
  unguarded: 'cross',
  conflict: 'fork',
  starting: 'ring',
  running: 'ring',
  validating: 'tickring',
  integrating: 'merge',
  verified: 'tick',
  integrated: 'merge',
  landed: 'solid',
  planned: 'dash',
  ready: 'dash',
  waiting: 'dash',
  cancelled: 'slash',
};

/** States that only the page draws, of features, checks and the steps of a session. Each is its own word. */
const OWN: ReadonlyMap<string, readonly [Tone, Shape]> = new Map([
  ['broken', ['bad', 'cross']],
  ['passed', ['good', 'tick']],
  ['ok', ['good', 'tick']],
  ['unknown', ['calm', 'dash']],
  ['began', ['calm', 'dot']],
  ['prompt', ['calm', 'say']],
  ['edit', ['calm', 'pen']],
  ['command', ['calm', 'run']],
  ['ended', ['calm', 'dot']],
  ['told', ['calm', 'in']],
  ['compaction', ['calm', 'fold']],
]);

type Shape =
  | 'ask'
  | 'eye'
  | 'gate'
  | 'cross'
  | 'fork'
  | 'ring'
  | 'tickring'
  | 'tick'
  | 'solid'
  | 'merge'
  | 'dash'
  | 'say'
  | 'pen'
  | 'run'
  | 'dot'
  | 'in'
  | 'fold'
  | 'bar'
  | 'pause'
  | 'half'
  | 'slash';

interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly shape: Shape;
}

function lookOf(state: string): Look {
  if (Object.hasOwn(SIGNS, state)) {
    const name = state as SignName;
    const { word, tone } = SIGNS[name];
    return { word, tone, shape: SIGN_SHAPES[name] };
  }
  // A state of a newer server is shown by its name.
  const [tone, shape] = OWN.get(state) ?? ['calm', 'dot'];
  return { word: state, tone, shape };
}

export const wordOf = (state: string): string => lookOf(state).word;
export const toneOf = (state: string): Tone => lookOf(state).tone;

interface StateProps {
  readonly state: string;
  /** What is said instead of the usual word. */
  readonly word?: string | undefined;
}

export function State({ state, word }: StateProps): JSX.Element {
  return (
    <span class={`state ${toneOf(state)}`}>
      <Glyph state={state} />
      <span>{word ?? wordOf(state)}</span>
    </span>
  );
}

interface GlyphProps {
  readonly state: string;
  /** Tells a screen reader what the glyph means, where no text beside it does. */
  readonly word?: string | undefined;
}

export function Glyph({ state, word }: GlyphProps): JSX.Element {
  const { tone, shape } = lookOf(state);
  const looks = { class: `g t-${tone}`, viewBox: '0 0 16 16', 'stroke-width': 1.5 };
  if (word === undefined) {
    return (
      <svg {...looks} aria-hidden="true">
        {SHAPES[shape]}
      </svg>
    );
  }
  return (
    <svg {...looks} role="img" aria-label={word}>
      {SHAPES[shape]}
    </svg>
  );
}

const ring = <circle class="st" cx={8} cy={8} r={6.25} />;
const stroke = (d: string, w = 1.5) => <path class="st" d={d} stroke-width={w} />;
const on = (d: string, w = 1.5) => <path class="on" d={d} stroke-width={w} />;
const disc = <circle class="fl" cx={8} cy={8} r={7} />;

/** Colours come from the tone of the picture: `st` is its stroke, `fl` its filling, `on` what lies on that. */
const SHAPES: Readonly<Record<Shape, JSX.Element>> = {
  ask: (
    <>
      {disc}
      {on('M6 6.2a2 2 0 1 1 2.6 1.9c-.5.2-.6.5-.6 1')}
      <circle class="dot-on" cx={8} cy={11.6} r={1} />
    </>
  ),
  eye: (
    <>
      <path class="fl" d="M8 1 15 8 8 15 1 8Z" stroke-linejoin="round" />
      {on('M8 4.8v3.8', 1.75)}
      <circle class="dot-on" cx={8} cy={11.2} r={1} />
    </>
  ),
  gate: (
    <>
      <rect class="fl" x={1} y={1} width={14} height={14} rx={3} />
      {on('M3.5 8h4M10.5 3.8v8.4', 2)}
    </>
  ),
  cross: (
    <>
      <rect class="fl" x={1} y={1} width={14} height={14} rx={2} />
      {on('M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6', 1.75)}
    </>
  ),
  fork: (
    <>
      <rect class="fl" x={1} y={1} width={14} height={14} rx={2} />
      {on('M3.8 4.2 7 8l-3.2 3.8M12.2 4.2 9 8l3.2 3.8', 1.75)}
    </>
  ),
  ring: (
    <>
      <circle class="st track" cx={8} cy={8} r={6.25} />
      <path class="st spin" d="M8 1.75a6.25 6.25 0 0 1 6.25 6.25" stroke-width={2} />
      <circle class="dot" cx={8} cy={8} r={2} />
    </>
  ),
  tickring: (
    <>
      <circle class="st" cx={8} cy={8} r={6.25} stroke-dasharray="2.5 2.4" />
      {stroke('M5.4 8.2l1.8 1.8 3.4-3.8')}
    </>
  ),
  tick: (
    <>
      {ring}
      {stroke('M5.2 8.2l2 2 3.6-4.2')}
    </>
  ),
  solid: (
    <>
      {disc}
      {on('M4.9 8.2l2.2 2.2 4-4.6', 1.75)}
    </>
  ),
  merge: (
    <>
      {ring}
      {stroke('M5 5.5v5M5 8c2.4 0 3.4-.6 5.6-2.6M10.8 5v2.4')}
    </>
  ),
  dash: <circle class="st" cx={8} cy={8} r={6.25} stroke-dasharray="1.6 2.3" />,
  say: <path class="st bg" d="M2 3h12v8H8l-3.5 3V11H2Z" />,
  pen: stroke('M3 13l.6-2.8L10.8 3 13 5.2 5.8 12.4Z'),
  run: (
    <>
      <rect class="st bg" x={1.5} y={2.5} width={13} height={11} rx={2} />
      {stroke('M4.5 6 6.5 8l-2 2M8.5 10.2h3')}
    </>
  ),
  dot: <circle class="dot" cx={8} cy={8} r={3} />,
  in: stroke('M2 8h8M7 5l3 3-3 3M13.5 3v10'),
  fold: stroke('M5.5 2.5 8 5l2.5-2.5M5.5 13.5 8 11l2.5 2.5M2 8h12'),
  bar: (
    <>
      {ring}
      {stroke('M5 8h6', 2)}
    </>
  ),
  pause: (
    <>
      {ring}
      {stroke('M6.4 5.8v4.4M9.6 5.8v4.4', 1.75)}
    </>
  ),
  half: (
    <>
      {ring}
      <path class="fl" d="M8 1.75a6.25 6.25 0 0 1 0 12.5Z" />
    </>
  ),
  slash: (
    <>
      {ring}
      {stroke('M4 12 12 4')}
    </>
  ),
};
