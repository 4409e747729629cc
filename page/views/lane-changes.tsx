/** What a lane changes: against what it began with, what is integrated, or what was looked at last. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { act, readOnly } from '../base/do.ts';
import { useView } from '../base/live.ts';
import { Changes } from '../parts/changes.tsx';
import type { LineComment } from '../parts/diff.tsx';
import { Do, Nothing, Section } from '../parts/layout.tsx';
import { Time } from '../parts/text.tsx';
import type { DiffView, LaneView } from '../types.ts';

const AGAINST = { base: 'its base', tip: 'the tip', seen: 'last look' } as const;
type Against = keyof typeof AGAINST;

interface LaneChangesProps {
  readonly lane: LaneView['lane'];
  readonly run: string;
  readonly seen: LaneView['seen'];
  readonly runOption: string;
}

export function LaneChanges({ lane, run, seen, runOption }: LaneChangesProps): JSX.Element {
  const [against, setAgainst] = useState<Against>('base');
  const query = new URLSearchParams({ against, run });
  const { data, problem } = useView<DiffView>(
    `lanes/${encodeURIComponent(lane.key)}/diff?${query}`,
  );
  const files = data?.files ?? [];
  const sum = (what: 'added' | 'removed') => files.reduce((all, it) => all + it[what], 0);
  const comment = ({ path, line, text }: LineComment) =>
    act('comment', { run, lane: lane.key, at: `${path}:${line}`, text });
  const choices = (Object.keys(AGAINST) as Against[]).filter(
    (it) => it !== 'seen' || seen !== null,
  );
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
              onClick={() => setAgainst(it)}
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
      {data !== null && files.length === 0 && (
        <Nothing>
          {against === 'seen'
            ? 'Nothing has changed since you looked.'
            : lane.state === 'cancelled'
              ? 'It was cancelled before anything was saved of it.'
              : lane.attempt === null || lane.live
                ? 'Nothing is saved yet. What the worker changes is saved every few minutes, and at its end.'
                : 'It has changed nothing.'}
        </Nothing>
      )}
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
