/** The lanes of a run: a board of their states, a timeline, or a graph of what needs what. */
import type { ComponentChildren, JSX } from 'preact';
import { compactCount, shortRef } from '../../src/base/text/printable.ts';
import { duration } from '../../src/base/text/time.ts';
import { COPY, MOVE, OPEN, useKeys } from '../base/keys.ts';
import { useView } from '../base/live.ts';
import { addressOf, go, route } from '../base/route.ts';
import { BANDS, bandOf, flagWords, isDense, orderOf, shownState } from '../parts/lane-state.ts';
import { Do, Empty, Head, Missing } from '../parts/layout.tsx';
import { State, wordOf } from '../parts/state.tsx';
import { costWords, Key, money, plural, Since, Time } from '../parts/text.tsx';
import type { LanesView, LaneTile, RunBoard } from '../types.ts';
import { LanePull } from './lane-pull.tsx';
import { Needed } from './needed.tsx';
import type { ViewProps } from './props.ts';
import { RunDetails } from './run.tsx';
import { RunNews } from './run-news.tsx';
import { runQuery } from './run-query.ts';
import { Timeline } from './timeline.tsx';

const MODES = { board: 'Board', time: 'Timeline', graph: 'Graph', about: 'Run' } as const;
type Mode = keyof typeof MODES;
const MODE_NAMES = Object.keys(MODES) as Mode[];

export function Lanes(_: ViewProps): JSX.Element {
  const { data, problem } = useView<LanesView>(`lanes${runQuery()}`);
  const { params } = route.value;
  const mode = MODE_NAMES.find((it) => params.has(it)) ?? 'board';
  const next = MODE_NAMES[(MODE_NAMES.indexOf(mode) + 1) % MODE_NAMES.length] ?? 'board';
  const turn = {
    shown: 't',
    does: 'board, timeline, graph, run',
    press: { t: () => go(addressOfMode(next)) },
  };
  const hasRows = mode !== 'about' && data?.board?.lanes.length;
  useKeys([...(hasRows ? [MOVE, OPEN] : []), ...(data?.board ? [turn] : []), COPY]);
  if (data === null) return <Missing title="Lanes" problem={problem} />;
  const { board, runs } = data;
  if (board === null) return <NoRun />;
  return (
    <>
      <Head title={board.run.goal} command={`lanehold orchestrate status${board.runOption}`}>
        <RunButtons board={board} />
        <div class="seg">
          {MODE_NAMES.map((it) => (
            <button
              key={it}
              type="button"
              aria-pressed={it === mode}
              onClick={() => go(addressOfMode(it))}
            >
              {MODES[it]}
            </button>
          ))}
        </div>
      </Head>
      <Sum board={board} runs={runs} />
      {board.lanes.length === 0 && <NoLanes />}
      {mode === 'board' && <Board lanes={board.lanes} />}
      {mode === 'time' && <Timeline board={board} />}
      {mode === 'graph' && <Needed lanes={board.lanes} />}
      {mode === 'board' && <RunNews board={board} />}
      {mode === 'board' && board.pull !== null && (
        <div class="below">
          <LanePull pull={board.pull} runOption={board.runOption} />
        </div>
      )}
      {mode === 'about' && <RunDetails runOption={board.runOption} />}
    </>
  );
}

const addressOfMode = (mode: Mode): string =>
  addressOf('lanes', null, mode === 'board' ? {} : { [mode]: '' });

function NoRun(): JSX.Element {
  return (
    <>
      <Head title="No run is open" />
      <Empty
        title="A run splits work into lanes."
        why="Each lane has a task, the files it may touch and the command that proves it. Begin with a goal; an agent with the lanes skill does the rest."
        command="lanehold orchestrate init 'Move billing to the new API'"
      />
    </>
  );
}

function NoLanes(): JSX.Element {
  return (
    <Empty
      title="The run has no lanes yet."
      why="A lane is one piece of the goal, with the command that proves it."
      command="lanehold orchestrate lane add mail --desc 'Send a mail with each order' --validate 'npm test'"
    />
  );
}

/** What a person does with the run as a whole. */
function RunButtons({ board }: { board: RunBoard }): JSX.Element | null {
  const { intent, name } = board.run;
  const of = { run: name };
  const has = (state: string) => board.lanes.some((lane) => shownState(lane) === state);
  if (intent !== 'active' && intent !== 'paused') return null;
  return (
    <>
      {has('integrated') && (
        <Do action="land" with={of}>
          Land
        </Do>
      )}
      {has('verified') && (
        <Do action="integrate" with={of}>
          Integrate
        </Do>
      )}
      {intent === 'paused' ? (
        <Do action="resume" with={of} main>
          Resume the run
        </Do>
      ) : (
        <Do action="pause" with={of}>
          Pause the run
        </Do>
      )}
    </>
  );
}

const INTENTS: Readonly<Record<string, string>> = {
  paused: 'paused',
  cancelled: 'cancelled',
  closed: 'closed: all has landed',
};

function Sum({ board, runs }: { board: RunBoard; runs: LanesView['runs'] }): JSX.Element {
  const { run, lanes, budget } = board;
  const landed = lanes.filter(({ state }) => state === 'landed').length;
  const intent = INTENTS[run.intent];
  return (
    <p class="sum muted">
      {runs.length > 1 && (
        <select
          class="in slim"
          aria-label="Run"
          value={run.name}
          onChange={({ currentTarget }) =>
            go(addressOf('lanes', null, { run: currentTarget.value }))
          }
        >
          {runs.map(({ id, name }) => (
            <option key={id} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      {intent && (
        <b>
          {intent}
          {run.pauseReason && `: ${run.pauseReason}`}
        </b>
      )}
      <span>
        {landed} of {lanes.length} landed on {shortRef(run.targetRef)}
      </span>
      <span>
        begun <Time at={run.createdAt} />
      </span>
      <span>{moneyWords(budget)}</span>
      {board.pull !== null && (
        <span>
          pull request #{board.pull.number} {board.pull.state}
        </span>
      )}
      <span>at most {run.policy.parallel} at work</span>
    </p>
  );
}

/** What was used, and beside it what workers that have not ended may still use: two figures. */
function moneyWords({ used, reserved, cap }: RunBoard['budget']): string {
  const parts = [
    `${costWords(used, cap.usd)} used`,
    reserved.usd > 0 && `${money(reserved.usd)} reserved`,
    used.tokens > 0 && `${compactCount(used.tokens)} tokens`,
  ];
  return parts.filter((it) => it !== false).join(', ');
}

function Board({ lanes }: { lanes: readonly LaneTile[] }): JSX.Element {
  const sorted = lanes.toSorted((a, b) => orderOf(a) - orderOf(b));
  const dense = isDense(lanes);
  const cancelled = lanes.filter(({ state }) => state === 'cancelled');
  const columnsOf = (band: number) =>
    Map.groupBy(
      sorted.filter((it) => bandOf(it) === band),
      shownState,
    );
  return (
    <>
      <section class={dense ? 'board dense' : 'board'} aria-label="Lanes by state">
        {BANDS.flatMap(({ title, tone }, band) =>
          [...columnsOf(band)].map(([state, of], at) => (
            <Column key={`${band} ${state}`} state={state} tone={tone} lanes={of} dense={dense}>
              {at === 0 ? title : null}
            </Column>
          )),
        )}
      </section>
      {cancelled.length > 0 && (
        <p class="muted cancelled">
          {plural(cancelled.length, 'lane')} cancelled:{' '}
          {cancelled.map(({ key }, at) => (
            <span key={key}>
              {at > 0 && ', '}
              <a class="mono link" href={addressOf('lanes', key)}>
                {key}
              </a>
            </span>
          ))}
        </p>
      )}
    </>
  );
}

interface ColumnProps {
  readonly state: string;
  readonly tone: string;
  readonly lanes: readonly LaneTile[];
  readonly dense: boolean;
  /** The title of the band, in its first column. */
  readonly children: ComponentChildren;
}

function Column({ state, tone, lanes, dense, children }: ColumnProps): JSX.Element {
  return (
    <section class="col" aria-label={wordOf(state)}>
      <p class={children === null ? `band ${tone}` : `band ${tone} first`}>{children}</p>
      <h2>
        <State state={state} />
        <span class="n">{lanes.length}</span>
      </h2>
      <ul>
        {lanes.map((lane) => (
          <li key={lane.key}>
            <Tile lane={lane} state={state} dense={dense} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface TileProps {
  readonly lane: LaneTile;
  readonly state: string;
  readonly dense: boolean;
}

function Tile({ lane, state, dense }: TileProps): JSX.Element {
  const why = whyOf(lane, state) ?? flagsOf(lane);
  return (
    <a class="lane" href={addressOf('lanes', lane.key)} data-row="" data-command={lane.help[0]}>
      <b>
        <Key text={lane.key} />
      </b>
      <span class="d">{lane.desc}</span>
      {why && <span class="why">{why}</span>}
      {lane.doing && <span class="now move cut">{lane.doing}</span>}
      <Effort lane={lane} dense={dense} />
      <span class="meta">
        <Size diff={lane.diff} />
        <Tests tests={lane.tests} />
      </span>
    </a>
  );
}

/** Who works on it, for how long, and what it costs; where there is little room, what changes comes first. */
function Effort({ lane, dense }: { lane: LaneTile; dense: boolean }): JSX.Element {
  const { attempt, spec, used, reserved, team } = lane;
  const worker = attempt?.agent ?? spec.agent;
  const agent = team?.host ? `${worker} on ${team.host}` : worker;
  const rest: ComponentChildren[] = [
    attempt && (attempt.endedAt === null ? <Since at={attempt.startedAt} /> : lasted(attempt)),
    used.usd > 0 && money(used.usd),
    lane.live && reserved.usd > used.usd && `${money(reserved.usd)} reserved`,
  ].filter(Boolean);
  const parts = dense ? [...rest, agent] : [agent, ...rest];
  return (
    <span class={dense ? 'meta cut' : 'meta'}>
      {parts.flatMap((it, at) => (at === 0 ? [it] : [' · ', it]))}
    </span>
  );
}

const lasted = ({ startedAt, endedAt }: NonNullable<LaneTile['attempt']>): string =>
  duration(Date.parse(endedAt ?? startedAt) - Date.parse(startedAt));

export function Size({ diff }: { diff: LaneTile['diff'] }): JSX.Element | null {
  // Before a checkpoint nobody knows what has changed.
  if (diff === null) return null;
  if (diff.added + diff.removed === 0) return <>nothing changed</>;
  return (
    <>
      <span class="plus">+{diff.added.toLocaleString('en')}</span>{' '}
      <span class="minus">−{diff.removed.toLocaleString('en')}</span>
    </>
  );
}

function Tests({ tests }: { tests: LaneTile['tests'] }): JSX.Element | null {
  const words = testWords(tests);
  return words === '' ? null : <> · {words}</>;
}

/** `11 ran · 2 new · 1 failed` */
export function testWords({ ran, ranOnBase, failed, removed }: LaneTile['tests']): string {
  if (ran === null) return failed.length > 0 ? `${failed.length} failed` : '';
  const more = ranOnBase === null ? 0 : ran - ranOnBase + removed.length;
  return [
    `${ran} ran`,
    more > 0 && `${more} new`,
    removed.length > 0 && `${removed.length} gone`,
    failed.length > 0 && `${failed.length} failed`,
  ]
    .filter((it) => it !== false)
    .join(' · ');
}

/** Warnings beside its state that nobody has accepted. */
function flagsOf({ flags }: LaneTile): string | null {
  const open = flags.filter(({ acceptedBy }) => acceptedBy === null).map(flagWords);
  return open.length === 0 ? null : `Flag: ${open.join('; ')}`;
}

type WhyOf = (lane: LaneTile) => string | null;

const noteOf: WhyOf = ({ note }) => note;

const WHYS: Readonly<Record<string, WhyOf>> = {
  asks: ({ questions }) => questions[0]?.body ?? null,
  look: ({ tests: { removed }, note }) =>
    removed.length > 0 ? `${plural(removed.length, 'test is', 'tests are')} gone` : note,
  pick: ({ rivals }) => `One of ${rivals.length + 1} tries`,
  conflict: ({ refused, note }) =>
    refused === null ? note : `With ${othersOf(refused)} in ${refused.paths.join(', ')}`,
  culprit: ({ refused, note }) => (refused === null ? note : `Fails with ${othersOf(refused)}`),
  failed: whyFailed,
  waiting: ({ waitsFor: { needs } }) => (needs.length > 0 ? `After ${needs.join(', ')}` : null),
  ready: ({ hindered, waitsFor: { clashes } }) =>
    hindered ?? (clashes.length > 0 ? `Beside ${clashes.join(', ')}` : null),
  parked: ({ parked }) => parked?.why ?? null,
  blocked: ({ blocked }) => blocked,
  untested: noteOf,
  stale: noteOf,
  'taken-back': noteOf,
};

/** Why it stands where it stands, in a line; nothing where the state says all. */
const whyOf = (lane: LaneTile, state: string): string | null => WHYS[state]?.(lane) ?? null;

function whyFailed({ tests, attempt, note }: LaneTile): string | null {
  const [first, ...more] = tests.failed.map((it) => it.split(' > ').at(-1) ?? it);
  if (first === undefined) return attempt?.endDetail ?? note;
  return more.length === 0 ? `New failure: ${first}` : `${more.length + 1} new failures: ${first}`;
}

const othersOf = ({ with: others }: NonNullable<LaneTile['refused']>): string =>
  others.length === 0 ? 'what is integrated' : others.join(', ');
