/** What a lane changes: against what it began with, what is integrated, or what was looked at last. */
import type { JSX } from 'preact';
import { act, readOnly } from '../base/do.ts';
import { useView } from '../base/live.ts';
import { choose, route } from '../base/route.ts';
import { Changes } from '../parts/changes.tsx';
import type { LineComment } from '../parts/diff.tsx';
import { Do, Nothing, Section } from '../parts/layout.tsx';
import { Time } from '../parts/text.tsx';
import type { DiffView, LaneView } from '../types.ts';

const AGAINST = { base: 'its base', tip: 'the tip', seen: 'last look' } as const;
const AGAINSTS = Object.keys(AGAINST) as (keyof typeof AGAINST)[];

interface LaneChangesProps {
  readonly lane: LaneView['lane'];
  readonly run: string;
  readonly seen: LaneView['seen'];
  readonly runOption: string;
}

export function LaneChanges({ lane, run, seen, runOption }: LaneChangesProps): JSX.Element {
  const chosen = route.value.params.get('against');
  const choices = AGAINSTS.filter((it) => it !== 'seen' || seen !== null);
  const against = choices.find((it) => it === chosen) ?? 'base';
  const query = new URLSearchParams({ against, run });
  const { data, problem } = useView<DiffView>(
    `lanes/${encodeURIComponent(lane.key)}/diff?${query}`,
  );
  const files = data?.files ?? [];
  const sum = (what: 'added' | 'removed') => files.reduce((all, it) => all + it[what], 0);
  const comment = ({ path, line, text }: LineComment) =>
    act('comment', { run, lane: lane.key, at: `${path}:${line}`, text });
  return (
    <Section
      id="changes"
      title="Changes"
      command={`lanehold orchestrate lane diff ${lane.key}${runOption}`}
      right={
        files.length > 0 && (
          <>
            <span class="plus">+{sum('added')}</span> <span class="minus">−{sum('removed')}</span>
          </>
        )
      }
    >
      <div class="act tools">
        <div class="seg small">
          {choices.map((it) => (
            <button
              key={it}
              type="button"
              aria-pressed={it === against}
              onClick={() => choose({ against: it === 'base' ? undefined : it })}
            >
              {AGAINST[it]}
            </button>
          ))}
        </div>
        {files.length > 0 && (
          <Do action="seen" with={{ run, lane: lane.key, sha: data?.to }}>
            Mark as seen
          </Do>
        )}
        {seen !== null && (
          <span class="meta">
            seen at {seen.sha.slice(0, 8)}, <Time at={seen.at} />
          </span>
        )}
      </div>
      {problem && <Nothing>{problem.error}</Nothing>}
      {data !== null && files.length === 0 && <Nothing>{nothingWords(lane, against)}</Nothing>}
      {files.length > 0 && (
        <Changes
          files={files}
          who={lane.key}
          onComment={readOnly.value === null ? comment : undefined}
        />
      )}
    </Section>
  );
}

function nothingWords({ state, attempt, live }: LaneView['lane'], against: string): string {
  if (against === 'seen') return 'Nothing has changed since you looked.';
  if (state === 'cancelled') return 'It was cancelled before anything was saved of it.';
  return attempt === null || live
    ? 'Nothing is saved yet. What the worker changes is saved every few minutes, and at its end.'
    : 'It has changed nothing.';
}
