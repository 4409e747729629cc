/** A run as a whole: what is next in the queue, what may conflict, what it costs, what has happened, its handoff. */
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { compactCount } from '../../src/base/text/printable.ts';
import { useView } from '../base/live.ts';
import { addressOf } from '../base/route.ts';
import { Cancel, Facts, MissingPart, Nothing, Section, Table } from '../parts/layout.tsx';
import { State } from '../parts/state.tsx';
import {
  Command,
  costWords,
  ExactTime,
  money,
  msOf,
  plural,
  Rich,
  span,
  Time,
} from '../parts/text.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import type { RunView } from '../types.ts';
import { Clash, Seen } from './run-news.tsx';
import { runQuery } from './run-query.ts';

type Run = NonNullable<RunView['run']>;

export function RunDetails({ runOption }: { readonly runOption: string }): JSX.Element | null {
  const { data, problem } = useView<RunView>(`run${runQuery()}`);
  if (data === null) return <MissingPart problem={problem} />;
  const { run } = data;
  if (run === null) return null;
  return (
    <div class="two even">
      <div class="stack">
        <Queue queue={run.queue} runOption={runOption} />
        <Forecast forecast={run.forecast} runOption={runOption} />
        <Seen seen={run.seen} runOption={runOption} />
        <Handoff text={run.handoff} runOption={runOption} />
        {(run.run.intent === 'active' || run.run.intent === 'paused') && (
          <Section
            id="give-up"
            title="Give the run up"
            command={`lanehold orchestrate cancel${runOption}`}
          >
            <div class="stack-2 padded">
              <p class="muted">Its workers are ended. What they have saved stays.</p>
              <div class="act">
                <Cancel with={{ run: run.run.name }} what="the run" />
              </div>
            </div>
          </Section>
        )}
      </div>
      <div class="stack">
        <Money run={run} runOption={runOption} />
        <Events events={run.events} runOption={runOption} />
      </div>
    </div>
  );
}

const LaneLink = ({ lane }: { lane: string }) => (
  <a class="mono link" href={addressOf('lanes', lane)}>
    {lane}
  </a>
);

const QUEUE_STATES: Readonly<Record<string, string>> = {
  queued: 'ready',
  merged: 'integrating',
  withdrawn: 'cancelled',
};

interface Of {
  readonly runOption: string;
}

function Queue({ queue, runOption }: Of & { readonly queue: Run['queue'] }): JSX.Element {
  return (
    <Section
      id="queue"
      title="Merge queue"
      command={`lanehold orchestrate integrate --explain${runOption}`}
      right={queue.length > 0 && plural(queue.length, 'lane')}
    >
      {queue.length === 0 ? (
        <Nothing>
          <Rich text="Nothing is queued. `lanehold orchestrate integrate` takes every verified lane." />
        </Nothing>
      ) : (
        <Table heads={['Lane', 'Commit', 'State', 'Since']}>
          {queue.toReversed().map(({ lane, sha, state, at }) => (
            <tr key={`${lane} ${sha}`}>
              <td>
                <LaneLink lane={lane} />
              </td>
              <td class="s mono">{sha.slice(0, 8)}</td>
              <td class="s">
                <State state={QUEUE_STATES[state] ?? state} word={state} />
              </td>
              <td class="s meta">
                <Time at={at} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}

function Forecast({
  forecast,
  runOption,
}: Of & { readonly forecast: Run['forecast'] }): JSX.Element {
  const { conflicts } = forecast;
  const clashing = new Set(conflicts.flatMap(({ lanes }) => lanes));
  const untried = forecast.untried.filter((key) => !clashing.has(key));
  return (
    <Section
      id="forecast"
      title="Forecast of conflicts"
      right="from trial merges of what is saved"
      command={`lanehold orchestrate status${runOption}`}
    >
      {conflicts.length === 0 && untried.length === 0 && (
        <Nothing>As far as it was tried, all lanes go together.</Nothing>
      )}
      <ul class="msgs">
        {conflicts.map((it) => (
          <li key={`${it.lanes.join(' ')} ${it.kind}`}>
            <Clash {...it} />
            <span class="meta">
              found <Time at={it.at} />
            </span>
          </li>
        ))}
      </ul>
      {untried.length > 0 && (
        <p class="muted nothing">Not tried with the others yet: {untried.join(', ')}</p>
      )}
    </Section>
  );
}

function Money({ run, runOption }: Of & { readonly run: Run }): JSX.Element {
  const { used, reserved, cap, usedToday, dayCap } = run.budget;
  return (
    <Section
      id="budget"
      title="Budget"
      right="at the end of each attempt"
      command={`lanehold orchestrate status${runOption}`}
    >
      <Burnt run={run} />
      <Facts
        facts={[
          ['Used', `${costWords(used, cap.usd)}, ${compactCount(used.tokens)} tokens`],
          reserved.usd > 0 && [
            'Reserved',
            `${money(reserved.usd)} for workers that have not ended`,
          ],
          ['Today', `${costWords(usedToday, dayCap.usd)} used`],
        ]}
      />
    </Section>
  );
}

const WIDTH = 400;
const HEIGHT = 96;

/** Money over time as steps: nothing tells it between the ends of attempts. */
function Burnt({ run }: { run: Run }): JSX.Element | null {
  const { burnt, run: of, at, budget } = run;
  const last = burnt.at(-1);
  if (last === undefined || last.usd === 0) return <Nothing>Nothing was used yet.</Nothing>;
  const begin = msOf(of.createdAt);
  const length = Math.max(1, msOf(at) - begin);
  const cap = budget.cap.usd;
  const top = cap !== undefined && last.usd > cap / 4 ? Math.max(cap, last.usd) : last.usd;
  const x = (time: string) => ((msOf(time) - begin) / length) * WIDTH;
  const y = (usd: number) => HEIGHT - (usd / top) * (HEIGHT - 8);
  const line = burnt.map((it) => `H${x(it.at).toFixed(1)}V${y(it.usd).toFixed(1)}`).join('');
  const words = `${money(last.usd)} in ${span(length)}, in ${plural(burnt.length, 'attempt')}`;
  return (
    <figure class="burnt">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words}
      >
        {cap !== undefined && top === cap && <path class="cap-line" d={`M0 ${y(cap)}H${WIDTH}`} />}
        <path class="area" d={`M0 ${HEIGHT}${line}H${WIDTH}V${HEIGHT}Z`} />
        <path class="burn" d={`M0 ${HEIGHT}${line}H${WIDTH}`} />
      </svg>
      <figcaption class="meta">
        <span>begun</span>
        <span>{words}</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}

/** Events whose own names are of the inside of the program. */
const EVENTS: Readonly<Record<string, string>> = {
  'attempt.adopted': 'its worker is watched again',
  'attempt.unguarded': 'its worker was watched by nobody',
  'breaker.closed': 'the account goes on',
  'breaker.hurried': 'the account is tried again now',
  'breaker.opened': 'the account is used up',
  'lane.restacked': 'lane moved to a new base',
  'lane.spawned': 'lane let go on',
  'lane.widened': 'lane may touch more',
  'target.seen': 'your branch was looked at',
  'tip.moved': 'integration moved on',
  flag: 'flagged',
  checkpoint: 'work saved',
  composition: 'tried together with others',
};

function Events({ events, runOption }: Of & { readonly events: Run['events'] }): JSX.Element {
  const scroller = useRef<HTMLElement>(null);
  return (
    <Section
      id="events"
      title="What has happened"
      right={plural(events.length, 'event')}
      command={`lanehold orchestrate handoff --since 0${runOption}`}
    >
      {events.length === 0 ? (
        <Nothing>Nothing yet.</Nothing>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        <section class="events" ref={scroller} tabIndex={0} aria-label="Events">
          <VirtualList
            count={events.length}
            scroller={scroller}
            estimate={() => 28}
            keyOf={(at) => String(events[at]?.seq ?? at)}
            listLabel="Events of the run, the newest first"
            rowClass={() => 'event'}
          >
            {(at) => {
              const event = events[at];
              if (event === undefined) return null;
              return (
                <>
                  <span class="meta">
                    <ExactTime at={event.at}>
                      {new Date(event.at).toLocaleTimeString([], { hour12: false })}
                    </ExactTime>
                  </span>
                  <span class="mono cut">{event.lane ?? 'run'}</span>
                  <span class="cut" title={event.type}>
                    {EVENTS[event.type] ?? event.type.replaceAll(/[.-]/g, ' ')}
                  </span>
                </>
              );
            }}
          </VirtualList>
        </section>
      )}
    </Section>
  );
}

function Handoff({ text, runOption }: Of & { readonly text: string }): JSX.Element {
  return (
    <Section id="handoff" title="Handoff" right="for whoever goes on with it">
      <div class="block padded">
        <Command text={`lanehold orchestrate handoff${runOption}`} />
        <details>
          <summary>Read it here</summary>
          <pre class="pre">{text}</pre>
        </details>
      </div>
    </Section>
  );
}
