/** One session as one line of time: what was asked, edited and run, what the model was told, what was held. */
import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { SessionView, TimelineView } from '../../src/app/view/sessions.ts';
import { compactCount } from '../../src/base/text/printable.ts';
import { shellQuoted } from '../../src/base/text/shell-quote.ts';
import { duration } from '../../src/base/text/time.ts';
import { useView } from '../base/live.ts';
import { addressOf, choose, route } from '../base/route.ts';
import { MissingPart, Nothing } from '../parts/layout.tsx';
import { Glyph } from '../parts/state.tsx';
import { bytes, Command, CopyAs, ExactTime, plural, Rich, Time } from '../parts/text.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';

type Entry = SessionView['entries'][number];
type Told = Extract<Entry, { kind: 'told' }>;
type Answer = Extract<Entry, { kind: 'answer' }>;
type Seen = Exclude<Entry, Told | Answer>;

/** What was told at one moment is one step. */
type Step = { readonly at: string; readonly key: string } & (
  | { readonly kind: 'told'; readonly items: readonly Told[] }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'seen'; readonly seen: Seen }
);

const SHOWN = ['all', 'held', 'edits', 'commands', 'told'] as const;
type Shown = (typeof SHOWN)[number];

interface DetailProps {
  readonly id: string;
  /** Of the filters, with its `?`; edits of other files are left out. */
  readonly query: string;
}

export function SessionDetail({ id, query }: DetailProps): JSX.Element {
  const { data, problem } = useView<SessionView>(`sessions/${encodeURIComponent(id)}${query}`);
  if (data === null) return <MissingPart problem={problem} />;
  return (
    <>
      <SessionHead session={data} />
      <Steps entries={data.entries} />
    </>
  );
}

interface StepsProps {
  readonly entries: readonly Entry[];
  /** Of several sessions: each says at its first step whose it is. */
  readonly isShared?: boolean;
}

function Steps({ entries, isShared = false }: StepsProps): JSX.Element {
  const { params } = route.value;
  const shown = SHOWN.find((it) => params.has(it)) ?? 'all';
  const steps = useMemo(
    () => stepsOf(entries).filter((it) => isShown(it, shown)),
    [entries, shown],
  );
  const show = (it: Shown) =>
    choose({
      ...Object.fromEntries(SHOWN.map((other) => [other, undefined])),
      ...(it === 'all' ? {} : { [it]: '' }),
    });
  return (
    <>
      {(params.has('file') || params.has('feature')) && (
        <p class="meta">Edits of other files are left out.</p>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is no row of buttons */}
      <div class="seg show" role="group" aria-label="Show">
        {SHOWN.filter((it) => !(isShared && it === 'told')).map((it) => (
          <button key={it} type="button" aria-pressed={it === shown} onClick={() => show(it)}>
            {it}
          </button>
        ))}
      </div>
      {steps.length === 0 ? (
        <Nothing>Nothing of this kind in this session.</Nothing>
      ) : (
        <VirtualList
          class="timeline"
          listLabel="What happened, the first first"
          count={steps.length}
          estimate={() => 44}
          keyOf={(at) => steps[at]?.key ?? String(at)}
        >
          {(at) => {
            const step = steps[at];
            if (step === undefined) return null;
            const isNext = isShared && sessionOf(step) !== sessionOf(steps[at - 1]);
            return (
              <>
                {isNext && <Whose step={step} />}
                <StepRow step={step} />
              </>
            );
          }}
        </VirtualList>
      )}
    </>
  );
}

const sessionOf = (step: Step | undefined): string =>
  step?.kind === 'seen' ? step.seen.session : '';

function Whose({ step }: { step: Step }): JSX.Element {
  return (
    <p class="whose meta">
      {agentOf(step)},{' '}
      <a class="link mono" href={addressOf('sessions', sessionOf(step))}>
        {sessionOf(step)}
      </a>
    </p>
  );
}

function SessionHead({ session }: { session: SessionView }): JSX.Element {
  const { id, agent, began, last, edits, commands, held, tokens, request } = session;
  const facts = [
    plural(edits, 'edit'),
    plural(commands, 'command'),
    held > 0 && `${held} held`,
    tokens > 0 && `${compactCount(tokens)} tokens told`,
  ].filter((it) => it !== false);
  return (
    <header class="block" data-commands="">
      <h2 class="say clamp">{request ?? 'Nothing was asked in this session'}</h2>
      <p class="muted">
        {agent}, <Time at={began} />, {duration(Date.parse(last) - Date.parse(began))}:{' '}
        {facts.join(', ')} <CopyAs command={`lanehold session show ${id}`} first />
      </p>
    </header>
  );
}

function stepsOf(entries: readonly Entry[]): Step[] {
  const steps: Step[] = [];
  for (const [at, entry] of entries.entries()) {
    const place = { at: entry.at, key: `${at} ${entry.at}` };
    const before = steps.at(-1);
    if (entry.kind === 'told') {
      if (before?.kind === 'told' && before.items[0]?.moment === entry.moment) {
        steps[steps.length - 1] = { ...before, items: [...before.items, entry] };
      } else steps.push({ ...place, kind: 'told', items: [entry] });
    } else if (entry.kind === 'answer') steps.push({ ...place, kind: 'answer', answer: entry });
    else steps.push({ ...place, kind: 'seen', seen: entry });
  }
  return steps;
}

function isShown(step: Step, shown: Shown): boolean {
  switch (shown) {
    case 'all':
      return true;
    case 'held':
      return isHeld(step);
    case 'edits':
      return step.kind === 'seen' && step.seen.kind === 'edit';
    case 'commands':
      return step.kind === 'answer' || (step.kind === 'seen' && step.seen.kind === 'command');
    case 'told':
      return step.kind === 'told';
  }
}

function isHeld(step: Step): boolean {
  if (step.kind === 'answer') return step.answer.decision !== 'pass';
  return step.kind === 'seen' && step.seen.outcome === 'denied';
}

/** The last events of all sessions, whose agent is said where it changes. */
export function AllSessions({ query }: { query: string }): JSX.Element {
  const { data, problem } = useView<TimelineView>(`timeline${query}`);
  if (data === null) return <MissingPart problem={problem} />;
  return (
    <>
      <header class="block" data-commands="">
        <h2 class="say clamp">All sessions on one line of time</h2>
        <p class="muted">
          The last {data.entries.length} events, the first first{' '}
          <CopyAs command={`lanehold recall timeline --limit ${data.entries.length}`} first />
        </p>
      </header>
      <Steps entries={data.entries} isShared />
    </>
  );
}

const agentOf = (step: Step): string => (step.kind === 'seen' ? step.seen.agent : '');

function StepRow({ step }: { step: Step }): JSX.Element {
  if (step.kind === 'told') return <ToldStep at={step.at} items={step.items} />;
  if (step.kind === 'answer') return <AnswerStep {...step.answer} />;
  return <SeenStep {...step.seen} />;
}

interface RowProps {
  readonly at: string;
  readonly glyph: string;
  readonly tone?: 'held' | 'break' | undefined;
  /** At the right end. */
  readonly right?: ComponentChildren;
  readonly children: ComponentChildren;
}

function Row({ at, glyph, tone, right, children }: RowProps): JSX.Element {
  return (
    <div class={tone === undefined ? 'step' : `step ${tone}`}>
      <span class="t meta">
        <ExactTime at={at}>{new Date(at).toLocaleTimeString('en-GB')}</ExactTime>
      </span>
      <span class="p">
        <Glyph state={glyph} />
      </span>
      <div class="c">{children}</div>
      <span class="k meta num">{right}</span>
    </div>
  );
}

const MOMENTS: Readonly<Record<string, string>> = {
  'session-start': 'at the start',
  'prompt-submit': 'with the prompt',
  'before-tool': 'before this step',
  'after-tool': 'after this step',
};

function ToldStep({ at, items }: { at: string; items: readonly Told[] }): JSX.Element {
  const [first] = items;
  const tokens = items.reduce((sum, it) => sum + it.tokens, 0);
  const when = MOMENTS[first?.moment ?? ''] ?? first?.moment;
  return (
    <Row at={at} glyph="told" right={`${compactCount(tokens)} tokens`}>
      <p>
        <b class="strong">Told</b> <span class="muted">{when}</span>
      </p>
      <ul class="told">
        {items.map(({ id, title, opened }) => (
          <li key={id}>
            <ToldLink id={id.split(' ')[0] ?? ''} title={title} />
            {opened && <span class="meta good"> asked for all of it</span>}
          </li>
        ))}
      </ul>
    </Row>
  );
}

/** Not only notes are told: also earlier sessions, and what has no view of its own. */
function ToldLink({ id, title }: { id: string; title: string }): JSX.Element {
  const isNote = id.startsWith('lh-');
  if (!isNote && !id.startsWith('se-')) return <span>{title}</span>;
  return (
    <a class="link" href={addressOf(isNote ? 'memory' : 'sessions', id)}>
      {title}
    </a>
  );
}

function AnswerStep({ at, decision, command, reason }: Answer): JSX.Element {
  if (decision === 'pass') {
    return (
      <Row at={at} glyph="passed">
        <p>
          <b class="strong">Let through</b> <code>{command}</code>
        </p>
      </Row>
    );
  }
  const [, ...why] = reason.split('\n');
  const verify = why.find((line) => line.startsWith('Verify: '))?.slice('Verify: '.length);
  return (
    <Row at={at} glyph="held" tone="held">
      <p>
        <b class="strong">{decision === 'deny' ? 'Held' : 'Asked you'}</b> <code>{command}</code>
      </p>
      <ul class="block muted" data-commands="">
        {why
          .filter((line) => line.startsWith('- '))
          .map((line) => (
            <li key={line}>
              <Rich text={line.slice(2)} />
            </li>
          ))}
        <li>
          <Command text={verify ?? `lanehold gate --explain --command ${shellQuoted(command)}`} />
        </li>
      </ul>
    </Row>
  );
}

const STARTS: Readonly<Record<string, string>> = {
  new: 'Session began',
  resumed: 'Session was resumed',
  compacted: 'Went on after the compaction',
  cleared: 'Began anew: the conversation was cleared',
};

function SeenStep(seen: Seen): JSX.Element {
  const { at, kind, name, category, text, files = [], outcome, outputBytes } = seen;
  const failed = outcome === 'failed' && <span class="bad">, failed</span>;
  switch (kind) {
    case 'start':
      return (
        <Row at={at} glyph="began">
          <p class="muted">{STARTS[name ?? ''] ?? 'Session began'}</p>
        </Row>
      );
    case 'prompt':
      return (
        <Row at={at} glyph="prompt">
          <p>
            <b class="strong">You</b>
          </p>
          <p class="prompt">{text}</p>
        </Row>
      );
    case 'edit':
      return (
        <Row at={at} glyph={glyphOf(outcome, 'edit')}>
          <p>
            <b class="strong">Edit</b>{' '}
            {files.map((it) => (
              <a
                key={it}
                class="link mono"
                href={addressOf('sessions', null, { file: it })}
                title="sessions that edited this file"
              >
                {it}
              </a>
            ))}
            {failed}
          </p>
        </Row>
      );
    case 'compaction':
      return (
        <Row at={at} glyph="compaction" tone="break">
          <p>
            <b class="strong">Compaction</b>{' '}
            <span class="muted">what the model knew became a summary</span>
          </p>
        </Row>
      );
    case 'stop':
      return (
        <Row at={at} glyph="ended">
          <p class="muted">Turn ended</p>
          {text !== undefined && <p class="prompt muted">{text}</p>}
        </Row>
      );
    case 'end':
      return (
        <Row at={at} glyph="ended">
          <p class="muted">Session ended</p>
        </Row>
      );
    case 'command':
    case 'tool':
      return (
        <Row
          at={at}
          glyph={glyphOf(outcome, 'command')}
          tone={outcome === 'denied' ? 'held' : undefined}
          right={outputBytes === undefined ? null : bytes(outputBytes)}
        >
          <p>
            <b class="strong">{kind === 'tool' ? 'Tool' : 'Command'}</b> <code>{text ?? name}</code>
            {category !== undefined && category !== 'other' && category !== name && (
              <span class="muted">, {category}</span>
            )}
            {failed}
            {outcome === 'denied' && <span class="need">, refused</span>}
          </p>
        </Row>
      );
  }
}

function glyphOf(outcome: Seen['outcome'], usual: string): string {
  if (outcome === 'denied') return 'held';
  return outcome === 'failed' ? 'failed' : usual;
}
