/** One lane: its attempts, what proves it, what it changes, its log, what was said, what it is about. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { shortRef } from '../../src/base/text/printable.ts';
import { COPY, type Key as KeyOf, useKeys } from '../base/keys.ts';
import { useView } from '../base/live.ts';
import { isNarrow } from '../base/media.ts';
import { addressOf, go } from '../base/route.ts';
import { Commands } from '../parts/commands.tsx';
import { Write } from '../parts/form.tsx';
import { flagWords, orderOf, shownState } from '../parts/lane-state.ts';
import { Cancel, Do, Facts, Head, Missing, Nothing, Section } from '../parts/layout.tsx';
import { Proof } from '../parts/proof.tsx';
import { State } from '../parts/state.tsx';
import { Command, CopyAs, costWords, money, plural, Rich, Time } from '../parts/text.tsx';
import type { LanesView, LaneTile, LaneView, Need, NeedsView } from '../types.ts';
import { Attempts } from './lane-attempts.tsx';
import { LaneChanges } from './lane-changes.tsx';
import { LaneLog } from './lane-log.tsx';
import { LanePull } from './lane-pull.tsx';
import { testWords } from './lanes.tsx';
import { runQuery } from './run-query.ts';

type Card = LaneView['lane'];

/** Sections in the order of the keys that lead to them. */
const SECTIONS = ['attempts', 'proof', 'changes', 'log', 'messages'];

export function Lane({ name }: { readonly name: string }): JSX.Element {
  const { data, problem } = useView<LaneView>(`lanes/${encodeURIComponent(name)}${runQuery()}`);
  const lanes = useView<LanesView>(`lanes${runQuery()}`).data?.board?.lanes ?? [];
  const needs = useView<NeedsView>('needs').data?.needs ?? [];
  const [isWriting, setWriting] = useState(false);
  const all = addressOf('lanes');
  const message = () => setWriting(true);
  useKeys([
    { shown: '1–5', does: 'section', press: sectionKeys() },
    otherLane(lanes, name),
    ...(data !== null && RETRIABLE.includes(shownState(data.lane)) ? [RETRY] : []),
    ...(data === null || isOver(data.lane)
      ? []
      : [{ shown: 'm', does: 'message', press: { m: message } }]),
    COPY,
    { shown: 'esc', does: 'all lanes', press: { Escape: () => go(all) } },
  ]);
  if (data === null) return <Missing title={name} problem={problem} />;
  const { lane, run, runOption } = data;
  const of = { run: run.name, lane: lane.key };
  const need = needs.find((it) => it.lane?.key === lane.key && it.lane.run === run.name);
  const asks = lane.questions.length > 0;
  const answers = need && !asks && <Answers need={need} />;
  return (
    <>
      <Head
        command={`lanehold orchestrate logs ${lane.key}${runOption}`}
        title={<span class="mono">{lane.key}</span>}
        sub={
          <>
            <State state={shownState(lane)} /> <span class="task">{lane.desc}</span>
          </>
        }
      >
        <Buttons lane={lane} of={of} onMessage={message} />
        <a class="btn" href={all}>
          All lanes <kbd>esc</kbd>
        </a>
      </Head>
      {isWriting && (
        <div class="block writes">
          <Write
            id={`message-${lane.id}`}
            label={
              lane.live
                ? 'The worker is told with its next step'
                : 'Nobody works on it now: its next attempt is told'
            }
            button="Send"
            action="message"
            with={of}
            close={() => setWriting(false)}
          />
        </div>
      )}
      {lane.questions.map(({ id, number, body, at }) => (
        <div class="block writes" key={id}>
          <p class="say quote">{body}</p>
          <Write
            id={`answer-asks-${id}`}
            label={
              <>
                Your answer: the worker has waited for it for <Time at={at} ago={false} />
              </>
            }
            button="Answer"
            action="answer"
            with={{ ...of, question: number }}
          />
        </div>
      ))}
      {need && asks && <Commands commands={need.commands} />}
      <div class="two">
        <div class="stack">
          {isNarrow.value && answers}
          <Attempts data={data} />
          <Section
            id="proof"
            title="Proof"
            right={<ProofWords lane={lane} />}
            command={`lanehold orchestrate verify ${lane.key}${runOption}`}
          >
            <Proof proof={data.proof} />
          </Section>
          <LaneChanges lane={lane} run={run.name} seen={data.seen} runOption={runOption} />
        </div>
        <div class="stack">
          {!isNarrow.value && answers}
          <LaneLog data={data} />
          <Messages said={data.said} runOption={runOption} />
          <Conflicts data={data} />
          <LanePull pull={lane.pull} runOption={runOption} />
          <About data={data} hasNeed={need !== undefined} />
        </div>
      </div>
    </>
  );
}

/** Why the lane waits for a person, and the commands that answer it. */
function Answers({ need }: { need: Need }): JSX.Element {
  return (
    <Section id="next" title="What answers it">
      <div class="stack-2 padded">
        <p>
          <Rich text={need.kind === 'look' ? need.text : need.whole || need.text} />
        </p>
        <Commands commands={need.commands} />
      </div>
    </Section>
  );
}

function sectionKeys(): Record<string, () => void> {
  return Object.fromEntries(
    SECTIONS.map((id, at) => [
      String(at + 1),
      () => {
        const section = document.getElementById(id);
        section?.scrollIntoView({ block: 'start' });
        section?.focus({ preventScroll: true });
      },
    ]),
  );
}

function otherLane(lanes: readonly LaneTile[], name: string): KeyOf {
  const sorted = lanes.toSorted((a, b) => orderOf(a) - orderOf(b));
  const at = sorted.findIndex(({ key }) => key === name);
  const step = (by: number) => () => {
    const key = sorted[(at + by + sorted.length) % sorted.length]?.key;
    if (key !== undefined) go(addressOf('lanes', key));
  };
  return { shown: '[ ]', does: 'other lane', press: { '[': step(-1), ']': step(1) } };
}

const FAILED = ['failed', 'conflict', 'culprit'];
const UNPROVEN = ['untested', 'stale'];
const RETRIABLE = [...FAILED, ...UNPROVEN, 'look', 'parked'];

const isOver = (lane: Card): boolean =>
  ['landed', 'integrated', 'cancelled'].includes(shownState(lane));

const RETRY: KeyOf = {
  shown: 'r',
  does: 'retry',
  press: { r: () => document.querySelector<HTMLElement>('#main [data-do="retry"]')?.click() },
};

interface ButtonsProps {
  readonly lane: Card;
  readonly of: { readonly run: string; readonly lane: string };
  readonly onMessage: () => void;
}

/** What the state lets a person do here; the usual way on comes first. */
function Buttons({ lane, of, onMessage }: ButtonsProps): JSX.Element {
  const state = shownState(lane);
  return (
    <>
      {state === 'verified' && (
        <Do action="integrate" with={{ run: of.run, lanes: [of.lane] }} main>
          Integrate
        </Do>
      )}
      {state === 'parked' && (
        <Do action="resume" with={of} main>
          Resume
        </Do>
      )}
      {UNPROVEN.includes(state) && (
        <Do action="verify" with={of} main>
          Verify
        </Do>
      )}
      {RETRIABLE.includes(state) && (
        <Do action="retry" with={of} main={FAILED.includes(state)}>
          Retry
        </Do>
      )}
      {!isOver(lane) && (
        <button type="button" class="btn" onClick={onMessage}>
          Message
        </button>
      )}
      {!isOver(lane) && <Cancel with={of} what="the lane" />}
    </>
  );
}

function ProofWords({ lane }: { lane: Card }): JSX.Element {
  const words = testWords(lane.tests);
  const command = lane.verdict?.command ?? lane.spec.validate;
  return (
    <>
      {command && <code>{command}</code>}
      {command && words && ' · '}
      {words}
    </>
  );
}

const SAID: Readonly<Record<string, string>> = {
  ask: 'asks',
  blocked: 'is blocked',
  claims_done: 'says it is done',
  progress: 'reports',
  note: 'notes',
};

function Messages({ said, runOption }: Pick<LaneView, 'said' | 'runOption'>): JSX.Element {
  return (
    <Section
      id="messages"
      title="Messages"
      right={said.length > 0 && String(said.length)}
      command={`lanehold orchestrate handoff${runOption}`}
    >
      {said.length === 0 && (
        <Nothing>What the worker reports and asks, and what it is told, will be here.</Nothing>
      )}
      <ol class="msgs">
        {said.toReversed().map((it) => (
          <li key={it.id}>
            <span class="meta">
              {it.toWorker ? `${it.by}, to the worker` : `${it.by} ${SAID[it.kind] ?? it.kind}`},{' '}
              <Time at={it.at} />
              {it.toWorker && (it.deliveredAt === null ? ', not delivered yet' : ', delivered')}
            </span>
            <p class="body">{it.body}</p>
            {it.answer !== null && (
              <div class="answer">
                <span class="meta">
                  answered by {it.answeredBy}
                  {it.answeredAt && (
                    <>
                      , <Time at={it.answeredAt} />
                    </>
                  )}
                </span>
                <p class="body">{it.answer}</p>
              </div>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Conflicts({ data }: { data: LaneView }): JSX.Element | null {
  const { conflicts } = data;
  if (conflicts.length === 0) return null;
  return (
    <Section
      id="conflicts"
      title="Conflicts"
      right={String(conflicts.length)}
      command={`lanehold orchestrate integrate --explain${data.runOption}`}
    >
      <ol class="msgs">
        {conflicts.map(({ at, with: others, paths, failures, command }) => (
          <li key={`${at} ${others.join(' ')}`}>
            <span>
              with{' '}
              {others.length === 0
                ? 'what is integrated'
                : others.map((it, n) => (
                    <span key={it}>
                      {n > 0 && ', '}
                      <a class="mono link" href={addressOf('lanes', it)}>
                        {it}
                      </a>
                    </span>
                  ))}{' '}
              {paths.length > 0 ? `in ${paths.join(', ')}` : command && `: ${command} fails`}
            </span>
            {failures.length > 0 && <span class="muted">{failures.join(', ')}</span>}
            <span class="meta">
              since <Time at={at} ago={false} />
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function About({ data, hasNeed }: { data: LaneView; hasNeed: boolean }): JSX.Element {
  const { lane, revisions, checkpoints, runOption } = data;
  const { spec, used, reserved } = lane;
  const last = checkpoints.at(-1);
  return (
    <Section id="about" title="About" command={`lanehold orchestrate status --json${runOption}`}>
      <div class="stack-2 padded">
        <Facts
          facts={[
            ['Task', lane.desc],
            lane.notes !== '' && ['Notes', <p class="body">{lane.notes}</p>],
            spec.touches.length > 0 && ['May touch', <code>{spec.touches.join('  ')}</code>],
            spec.validate !== undefined && ['Proof', <code>{spec.validate}</code>],
            spec.needs.length > 0 && ['Needs', <code>{spec.needs.join(' ')}</code>],
            ['Branch', <code>{shortRef(lane.branch)}</code>],
            lane.worktree !== null && ['Worktree', <code>{lane.worktree}</code>],
            lane.headSha !== null && ['Commit', <code>{lane.headSha.slice(0, 12)}</code>],
            ['Used', moneyWords(used, spec.budget)],
            reserved.usd > 0 && ['Reserved', money(reserved.usd)],
            last !== undefined && [
              'Saved',
              <>
                {plural(checkpoints.length, 'time')}, last <Time at={last.at} />{' '}
                <CopyAs command={`lanehold orchestrate lane checkpoints ${lane.key}${runOption}`} />
              </>,
            ],
            ...lane.flags.map((it) => ['Flag', flagWords(it)] as const),
          ]}
        />
        {revisions.length > 1 && (
          <details>
            <summary class="muted">{plural(revisions.length, 'revision')} of its task</summary>
            <ol class="msgs">
              {revisions.toReversed().map(({ rev, at, by, spec: it }) => (
                <li key={rev}>
                  <span class="meta">
                    {rev}, by {by}, <Time at={at} />
                  </span>
                  <p class="body">{it.desc}</p>
                  {it.validate && <code>{it.validate}</code>}
                </li>
              ))}
            </ol>
          </details>
        )}
        {!hasNeed && lane.help.length > 0 && (
          <div class="block">
            <h3>What brings it on</h3>
            {lane.help.map((it) => (
              <Command key={it} text={it} />
            ))}
          </div>
        )}
        <div class="block">
          <h3>Repeat the proof by hand</h3>
          <Command text={`lanehold orchestrate verify ${lane.key}${runOption}`} />
        </div>
      </div>
    </Section>
  );
}

function moneyWords(
  used: { usd: number; tokens: number; seconds: number },
  budget: { usd?: number },
): string {
  const tokens = used.tokens > 0 ? `, ${used.tokens.toLocaleString('en')} tokens` : '';
  return `${costWords(used, budget.usd)}${tokens}`;
}
