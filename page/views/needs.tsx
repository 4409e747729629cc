/** What waits for a person, the most urgent first: the text in full, what it is about, and what answers it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { HoldView } from '../../src/app/view/hold.ts';
import { duration } from '../../src/base/text/time.ts';
import { pushesHeld } from '../../src/fronts/words/hold.ts';
import { needWord } from '../../src/fronts/words/signs.ts';
import { COPY, type Key as KeyOf, MOVE, useKeys } from '../base/keys.ts';
import { useView } from '../base/live.ts';
import { isNarrow } from '../base/media.ts';
import { useOnce } from '../base/once.ts';
import { addressOf, go } from '../base/route.ts';
import { Commands } from '../parts/commands.tsx';
import { Write } from '../parts/form.tsx';
import { Do, Empty, Facts, Head, Missing } from '../parts/layout.tsx';
import { Glyph, toneOf } from '../parts/state.tsx';
import { money, plural, Rich, Time } from '../parts/text.tsx';
import type { Need, NeedsView } from '../types.ts';
import { Meanwhile } from './meanwhile.tsx';
import { NeedProof } from './need-proof.tsx';
import type { ViewProps } from './props.ts';

export function Needs({ name }: ViewProps): JSX.Element {
  const { data, problem } = useView<NeedsView>('needs');
  const needs = data?.needs ?? [];
  const selected = needs.find(({ id }) => id === name) ?? needs[0];
  useKeys([...(needs.length > 1 ? [MOVE] : []), ...keysOf(selected), COPY]);
  if (data === null) return <Missing title="Needs you" problem={problem} />;
  if (selected === undefined) return <NobodyNeeded {...data.quiet} />;
  return (
    <>
      <Head
        title={`${plural(needs.length, 'thing')} ${needs.length === 1 ? 'needs' : 'need'} you`}
        sub={<Longest needs={needs} />}
      />
      {name !== null && selected.id !== name && (
        <p class="muted gone">What this address named needs nobody any more.</p>
      )}
      <div class="split">
        <div class="stack">
          <ul class="rows" aria-label="What needs you">
            {needs.map((need) => (
              <li class="item-wrap" key={need.id}>
                <Item need={need} isSelected={need === selected} />
                {isNarrow.value && need === selected && (
                  <div class="detail">
                    <Detail need={need} key={need.id} />
                  </div>
                )}
              </li>
            ))}
          </ul>
          <Meanwhile />
        </div>
        {!isNarrow.value && (
          <section class="detail" aria-label="What it is about">
            <Detail need={selected} key={selected.id} />
          </section>
        )}
      </div>
    </>
  );
}

const laneAddress = ({ lane }: Need): string | null =>
  lane && addressOf('lanes', lane.key, { run: lane.run });

function keysOf(need: Need | undefined): KeyOf[] {
  if (need === undefined) return [];
  const answer = () => document.querySelector<HTMLElement>('#main .detail textarea')?.focus();
  const to = addressOfSubject(need);
  return [
    ...(need.kind === 'asks' ? [{ shown: 'a', does: 'answer', press: { a: answer } }] : []),
    ...(to === null ? [] : [{ shown: '↵', does: 'open', press: { Enter: () => go(to) } }]),
  ];
}

/** Where there is more of it. */
function addressOfSubject(need: Need): string | null {
  const { kind } = need;
  if (need.lane !== null) return laneAddress(need);
  if (kind === 'held') return addressOf('hold');
  if (kind === 'proposals' || kind === 'suggestions') return addressOf('memory');
  return kind === 'unguarded' ? addressOf('health') : null;
}

function NobodyNeeded({ atWork, lanes, held }: NeedsView['quiet']): JSX.Element {
  const isBare = useOnce<HoldView>('hold').data?.features.length === 0;
  const isAre = atWork === 1 ? 'is' : 'are';
  const work = lanes === 0 ? 'No run is open' : `${plural(atWork, 'lane')} ${isAre} at work`;
  const push = held === 0 ? 'nothing is held' : pushesHeld(held);
  return (
    <>
      <Head title="Nothing needs you" />
      <Empty
        title={
          lanes === 0 ? 'Nothing waits for anybody.' : 'All that is going on goes on without you.'
        }
        why={`${work}, ${isBare ? 'and nothing can be held: no feature is registered yet' : push}. This page changes by itself, and its tab shows a number when somebody waits.`}
        command={isBare ? 'lanehold init' : 'lanehold status --watch'}
      />
      <Meanwhile />
    </>
  );
}

function Longest({ needs }: { needs: readonly Need[] }): JSX.Element | null {
  const [oldest] = needs.flatMap(({ since }) => since ?? []).toSorted();
  if (oldest === undefined) return null;
  return (
    <>
      the longest for <Time at={oldest} ago={false} />
    </>
  );
}

function Item({ need, isSelected }: { need: Need; isSelected: boolean }): JSX.Element {
  const { id, kind, subject, since, text, lane } = need;
  return (
    <a
      class="item"
      href={addressOf('needs', id)}
      aria-current={isSelected ? 'true' : undefined}
      data-row=""
      data-follow=""
    >
      <Glyph state={kind} />
      <span class="cut" title={subject}>
        <b class="mono">{subject}</b>{' '}
        <span class={toneOf(kind)}>{needWord(kind, lane?.attempt ?? 0)}</span>
      </span>
      <span class="meta num">{since !== null && <Time at={since} ago={false} />}</span>
      <span class="txt two-l">
        <Rich text={text} />
      </span>
    </a>
  );
}

function Detail({ need }: { need: Need }): JSX.Element {
  const { kind, subject, since, lane, commands } = need;
  return (
    <>
      <div class="head flat">
        <h2 class="dh">
          <Glyph state={kind} />
          <span class="mono">{subject}</span>
          <span class={toneOf(kind)}>{needWord(kind, lane?.attempt ?? 0)}</span>
        </h2>
        {since !== null && (
          <span class="sub">
            for <Time at={since} ago={false} />
          </span>
        )}
      </div>
      {kind === 'asks' ? <Question need={need} /> : <Matter need={need} />}
      {kind !== 'asks' && <Commands commands={commands} />}
      {lane && (
        <Facts
          facts={[
            ['Task', lane.task],
            ['Worker', workerWords(lane)],
          ]}
        />
      )}
    </>
  );
}

const workerWords = ({ agent, attempt, seconds, usd }: NonNullable<Need['lane']>): string =>
  [
    agent,
    attempt !== null && `attempt ${attempt}`,
    seconds !== null && duration(seconds * 1_000),
    usd > 0 && money(usd),
  ]
    .filter((it) => it !== false)
    .join(', ');

function Question({ need }: { need: Need }): JSX.Element {
  const { id, whole, lane, commands } = need;
  return (
    <>
      <p class="say quote">{whole}</p>
      {lane && (
        <Write
          id={`answer-${id}`}
          label="Your answer: the worker goes on with it"
          button="Answer"
          action="answer"
          with={{ run: lane.run, lane: lane.key, question: lane.question ?? undefined }}
        >
          <OpenLane need={need} />
        </Write>
      )}
      <Commands commands={commands} />
      {lane && lane.before.length > 0 && (
        <div class="block">
          <h3>What the worker did before it asked</h3>
          <Output lines={lane.before} label="End of the log" />
        </div>
      )}
    </>
  );
}

function Output({ lines, label }: { lines: readonly string[]; label: string }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <section class="log short" aria-label={label} tabIndex={0}>
      {lines.map((line, at) => (
        <p key={`${at} ${line}`} class={line.startsWith('→') ? 'tool' : undefined}>
          {line}
        </p>
      ))}
    </section>
  );
}

/** What it is about, and what a person may do here. */
function Matter({ need }: { need: Need }): JSX.Element {
  const { kind, text, whole, lane } = need;
  return (
    <>
      <p class="say">
        <Rich text={kind === 'look' ? text : whole || text} />
      </p>
      {lane && <NeedProof kind={kind} lane={lane} />}
      <Ways need={need} />
    </>
  );
}

const RETRIED: Readonly<Record<string, string>> = {
  conflict: 'Retry on the new tip',
  culprit: 'Retry',
  failed: 'Retry',
};
const VERIFIED = ['untested', 'stale', 'baseless'];

function Ways({ need }: { need: Need }): JSX.Element | null {
  const [isWriting, setWriting] = useState(false);
  const { id, kind, lane } = need;
  if (lane === null) return <OpenSubject need={need} />;
  const of = { run: lane.run, lane: lane.key };
  const retry = RETRIED[kind];
  const write = kind === 'look' ? 'Send it back with a message' : 'Message to the worker';
  return (
    <>
      <div class="act">
        {retry && (
          <Do action="retry" with={of} main>
            {retry}
          </Do>
        )}
        {VERIFIED.includes(kind) && (
          <Do action="verify" with={of} main>
            Verify
          </Do>
        )}
        {kind === 'parked' && (
          <Do action="resume" with={of} main>
            Resume
          </Do>
        )}
        {kind === 'taken-back' && (
          <Do action="integrate" with={{ run: lane.run, lanes: [lane.key] }} main>
            Integrate it again
          </Do>
        )}
        {!isWriting && (
          <button type="button" class="btn" onClick={() => setWriting(true)}>
            {write}
          </button>
        )}
        <OpenLane need={need} />
      </div>
      {isWriting && (
        <Write
          id={`message-${id}`}
          label={
            kind === 'look'
              ? 'What is wrong: its worker begins again with it'
              : 'The worker is told with its next step'
          }
          button="Send"
          action={kind === 'look' ? 'retry' : 'message'}
          as={kind === 'look' ? 'notes' : 'text'}
          with={of}
          close={() => setWriting(false)}
        />
      )}
    </>
  );
}

function OpenLane({ need }: { need: Need }): JSX.Element | null {
  const to = laneAddress(need);
  return to === null ? null : (
    <a class="btn" href={to}>
      Open the lane
    </a>
  );
}

const SUBJECT_BUTTONS: Readonly<Record<string, string>> = {
  held: 'See what is held',
  proposals: 'Decide in Memory',
  suggestions: 'Decide in Memory',
  unguarded: 'Open Health',
};

function OpenSubject({ need }: { need: Need }): JSX.Element | null {
  const to = addressOfSubject(need);
  const words = SUBJECT_BUTTONS[need.kind];
  if (to === null || words === undefined) return null;
  return (
    <div class="act">
      <a class="btn" href={to}>
        {words}
      </a>
    </div>
  );
}
