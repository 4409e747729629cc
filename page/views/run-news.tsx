/** Below the board: what the last integration tried, and which lanes did not go together. */
import type { JSX } from 'preact';
import { Nothing, Section } from '../parts/layout.tsx';
import { plural, Time } from '../parts/text.tsx';
import type { RunBoard, SeenConflict } from '../types.ts';

export function RunNews({
  board,
}: {
  board: Pick<RunBoard, 'integration' | 'seen' | 'runOption'>;
}): JSX.Element {
  const { integration, seen, runOption } = board;
  return (
    <div class="two even below">
      <Section
        id="queue"
        title="What the last integration tried"
        right={integration && <Time at={integration.at} />}
        command={`lanehold orchestrate integrate --explain${runOption}`}
      >
        {integration === null ? (
          <Nothing>
            Nothing was integrated yet. Verified lanes are merged and validated together.
          </Nothing>
        ) : (
          <ol class="steps">
            {integration.steps.map((step, at) => (
              <li key={`${at} ${step}`}>
                <span class="faint">{at + 1}</span>
                {step}
              </li>
            ))}
          </ol>
        )}
      </Section>
      <Section
        id="seen"
        title="Conflicts seen before and at the merge"
        right={seen.length > 0 && plural(seen.length, 'time')}
      >
        {seen.length === 0 ? (
          <Nothing>
            None. Lanes that touch the same files are tried together while they are at work.
          </Nothing>
        ) : (
          <SeenList seen={seen} />
        )}
      </Section>
    </div>
  );
}

const MOST_SEEN = 20;

export function SeenList({ seen }: { seen: readonly SeenConflict[] }): JSX.Element {
  return (
    <ol class="msgs">
      {seen.slice(0, MOST_SEEN).map((it) => (
        <li key={`${it.at} ${it.lanes.join(' ')}`}>
          <span>
            <b class="mono">{lanesOf(it.lanes)}</b>{' '}
            {it.paths.length > 0 ? `in ${it.paths.join(', ')}` : `fail ${it.command ?? 'together'}`}
          </span>
          {it.failures.length > 0 && <span class="muted">{it.failures.join(', ')}</span>}
          <span class="meta">
            {it.atMerge ? 'at the integration' : 'tried while both were at work'},{' '}
            <Time at={it.at} />
            {it.resolved && ', solved since'}
          </span>
        </li>
      ))}
    </ol>
  );
}

const lanesOf = (lanes: SeenConflict['lanes']): string =>
  lanes.map((it) => it ?? 'what is integrated').join(' and ');
