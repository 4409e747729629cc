/** The attempts of a lane, each with its times and how it ended. */
import type { JSX } from 'preact';
import { compactCount } from '../../src/base/text/printable.ts';
import { duration } from '../../src/base/text/time.ts';
import { now } from '../base/clock.ts';
import { Nothing, Section } from '../parts/layout.tsx';
import { Glyph, wordOf } from '../parts/state.tsx';
import { money, msOf, plural, Since, Time } from '../parts/text.tsx';
import type { LaneView } from '../types.ts';

type Attempt = LaneView['attempts'][number];

export function Attempts({ data }: { data: LaneView }): JSX.Element {
  const { attempts, lane } = data;
  const longest = Math.max(1, ...attempts.map(lengthOf));
  const asked = ({ id, endReason }: Attempt) =>
    endReason !== 'verified' &&
    data.said.some(({ kind, attemptId }) => kind === 'ask' && attemptId === id);
  const asks = lane.questions.length > 0;
  return (
    <Section
      id="attempts"
      title="Attempts"
      command={`lanehold orchestrate status --json${data.runOption}`}
      right={attempts.length > 1 && plural(attempts.length, 'attempt')}
    >
      {attempts.length === 0 ? (
        <Nothing>
          {lane.hindered ?? waitsWords(lane.waitsFor) ?? 'No worker has been started on it yet.'}
        </Nothing>
      ) : (
        <ol class="tries">
          {attempts.map((attempt, at) => (
            <Row
              key={attempt.id}
              attempt={attempt}
              longest={longest}
              asked={asked(attempt)}
              waits={asks && at === attempts.length - 1}
            />
          ))}
        </ol>
      )}
    </Section>
  );
}

function waitsWords({ needs, clashes }: LaneView['lane']['waitsFor']): string | null {
  if (needs.length > 0) return `It begins after ${needs.join(', ')}.`;
  return clashes.length > 0
    ? `It waits for ${clashes.join(', ')}, which touch the same files.`
    : null;
}

const lengthOf = ({ startedAt, endedAt }: Attempt): number =>
  (endedAt === null ? now.value : msOf(endedAt)) - msOf(startedAt);

function stateOf({ state, endedAt, endReason }: Attempt, asks: boolean): string {
  if (asks) return 'asks';
  if (endedAt === null) return state === 'validating' || state === 'starting' ? state : 'running';
  if (endReason === 'verified') return 'verified';
  return endReason === 'parked' || endReason === 'cancelled' ? endReason : 'failed';
}

const KINDS: Readonly<Record<string, string>> = {
  fix: ', told how the last one ended',
  validate: ', its proof alone',
};

interface RowProps {
  readonly attempt: Attempt;
  readonly longest: number;
  /** It ended with a question. */
  readonly asked: boolean;
  /** Nobody has answered it. */
  readonly waits: boolean;
}

function Row({ attempt, longest, asked, waits }: RowProps): JSX.Element {
  const { n, kind, usage, endDetail, startedAt, endedAt } = attempt;
  const effort = [
    usage && usage.turns > 0 && plural(usage.turns, 'turn'),
    usage && usage.tokens > 0 && `${compactCount(usage.tokens)} tokens`,
    usage?.usd !== undefined && usage.usd > 0 && money(usage.usd),
  ].filter((it) => typeof it === 'string');
  const isProven = attempt.endReason === 'verified';
  const asks = asked || waits;
  const state = stateOf(attempt, asks);
  const answer = waits ? ' and waits for the answer.' : ', which was answered.';
  const why = asks ? `It has asked a question${answer}` : !isProven && endDetail;
  return (
    <li>
      <Glyph state={state} word={wordOf(state)} />
      <span>
        <b>Attempt {n}</b>
        {KINDS[kind]}
        <span class="muted">
          {attempt.agent && `, ${attempt.agent}`}
          {attempt.model && ` (${attempt.model})`}
        </span>
      </span>
      <span class="meta num">
        {endedAt === null ? <Since at={startedAt} /> : duration(lengthOf(attempt))}
        {effort.length > 0 && ` · ${effort.join(' · ')}`}
      </span>
      {why && <p class="more">{why}</p>}
      {endedAt === null && attempt.lastOutputAt && (
        <p class="more meta">
          last output <Time at={attempt.lastOutputAt} />
        </p>
      )}
      <Strip attempt={attempt} longest={longest} asks={asks} />
    </li>
  );
}

/** What it did in its time: work, then its proof. Its length is its share of the longest attempt. */
function Strip({ attempt, longest, asks }: { attempt: Attempt; longest: number; asks: boolean }) {
  const begin = msOf(attempt.startedAt);
  const end = begin + lengthOf(attempt);
  const judged = attempt.times.validating === undefined ? end : msOf(attempt.times.validating);
  const share = (ms: number) => `${Math.max(0, (ms / longest) * 100)}%`;
  const isGood = asks || attempt.endedAt === null || attempt.endReason === 'verified';
  return (
    <div class="strip" aria-hidden="true">
      <i
        class="bar work"
        title={`worked ${duration(judged - begin)}`}
        style={{ left: '0%', width: share(judged - begin) }}
      />
      {end > judged && (
        <i
          class={isGood ? 'bar val' : 'bar val no'}
          title={`its proof ran ${duration(end - judged)}`}
          style={{ left: share(judged - begin), width: share(end - judged) }}
        />
      )}
    </div>
  );
}
