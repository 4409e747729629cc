/** What goes on without anybody, and whether a push would be held: the rest of the first view, in a few lines. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { LeavingView } from '../../src/app/view/hold.ts';
import { enumerated } from '../../src/base/text/printable.ts';
import { whyAlone, wouldHold } from '../../src/fronts/words/hold.ts';
import { useView } from '../base/live.ts';
import { useOnce } from '../base/once.ts';
import { addressOf } from '../base/route.ts';
import { BANDS, bandOf, shownState } from '../parts/lane-state.ts';
import { type Fact, Facts, Section } from '../parts/layout.tsx';
import { Glyph, wordOf } from '../parts/state.tsx';
import { Key } from '../parts/text.tsx';
import type { LanesView, LaneTile, NeedsView } from '../types.ts';
import { runQuery } from './run-query.ts';

const MOST_LANES = 6;
const MOST_NAMES = 3;

export function Meanwhile(): JSX.Element | null {
  const board = useView<LanesView>(`lanes${runQuery()}`).data?.board;
  const leaving = useLeaving();
  const lanes = board?.lanes ?? [];
  const bands = BANDS.slice(1).map(({ title }, at): Fact => {
    const of = lanes.filter((it) => bandOf(it) === at + 1);
    return of.length > 0 && [title, <Of key={title} lanes={of} />];
  });
  const facts: Fact[] = [
    ...bands,
    leaving !== null && leaving.features > 0 && ['Hold', <Leaving key="hold" leaving={leaving} />],
  ];
  if (!facts.some(Boolean)) return null;
  return (
    <Section id="meanwhile" title="Meanwhile" command="lanehold status --watch">
      <div class="padded">
        <Facts facts={facts} />
      </div>
    </Section>
  );
}

/** git reads the whole working tree for it: not with each change, but soon after the last one. */
const LEAVING_MS = 5_000;

function useLeaving(): LeavingView | null {
  const { data, again } = useOnce<LeavingView>('leaving');
  const changedAt = useView<NeedsView>('needs').data?.at ?? '';
  const turn = Math.floor(Date.parse(changedAt) / LEAVING_MS);
  const isKnown = data !== null;
  useEffect(() => {
    if (isKnown) again();
  }, [turn]);
  useEffect(() => {
    const timer = setTimeout(again, LEAVING_MS);
    return () => clearTimeout(timer);
  }, [changedAt]);
  return data;
}

function Of({ lanes }: { lanes: readonly LaneTile[] }): JSX.Element {
  const left = lanes.length - MOST_LANES;
  return (
    <ul class="few">
      {lanes.slice(0, MOST_LANES).map((lane) => (
        <li key={lane.key}>
          <a class="state" href={addressOf('lanes', lane.key)}>
            <Glyph state={shownState(lane)} />
            <span class="mono">
              <Key text={lane.key} />
            </span>
            <span class="meta">{wordOf(shownState(lane))}</span>
          </a>
        </li>
      ))}
      {left > 0 && (
        <li>
          <a class="link" href={addressOf('lanes')}>
            and {left} more
          </a>
        </li>
      )}
    </ul>
  );
}

function Leaving({ leaving }: { leaving: LeavingView }): ComponentChildren {
  const { held, features, branch, uncovered } = leaving;
  const names = held.map(({ feature }) => feature);
  const [first] = held;
  return (
    <>
      <a class="link" href={addressOf('hold')}>
        {wouldHold(held.length, features, branch)}
      </a>
      {first !== undefined && (
        <p class="muted">
          {held.length === 1
            ? `${first.feature}: ${whyAlone(first.why, first.feature)}`
            : enumerated(names, MOST_NAMES)}
        </p>
      )}
      {uncovered.map((it) => (
        <p key={it} class="muted">
          {it}
        </p>
      ))}
    </>
  );
}
