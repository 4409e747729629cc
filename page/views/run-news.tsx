/** Below the board: what the last integration tried, and which lanes did not go together. */
import type { JSX } from 'preact';
import { Nothing, Section } from '../parts/layout.tsx';
import { plural, Time } from '../parts/text.tsx';
import type { RunBoard, SeenConflict } from '../types.ts';

export function RunNews({
  board,
}: {
  board: Pick<RunBoard, 'integration' | 'seen' | 'untrue' | 'runOption'>;
}): JSX.Element {
  const { integration, seen, untrue, runOption } = board;
  return (
    <div class="two even below">
      {untrue.length > 0 && <Amiss untrue={untrue} runOption={runOption} />}
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
      <Seen seen={seen} runOption={runOption} />
    </div>
  );
}

interface AmissProps {
  readonly untrue: RunBoard['untrue'];
  readonly runOption: string;
}

/** Records of the run that git or the disk contradicts. */
function Amiss({ untrue, runOption }: AmissProps): JSX.Element {
  return (
    <Section
      id="amiss"
      title="Amiss: not as it was recorded"
      command={`lanehold orchestrate sync${runOption}`}
    >
      <ul class="msgs">
        {untrue.map(({ about, now }) => (
          <li key={`${about} ${now}`}>
            <b class="mono">{about}</b>
            <span>{now}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const MOST_SEEN = 20;

interface SeenProps {
  readonly seen: readonly SeenConflict[];
  readonly runOption: string;
}

export function Seen({ seen, runOption }: SeenProps): JSX.Element {
  return (
    <Section
      id="seen"
      title="Conflicts seen before and at the merge"
      right={seen.length > 0 && plural(seen.length, 'time')}
      command={`lanehold orchestrate status${runOption}`}
    >
      {seen.length === 0 ? (
        <Nothing>
          None. Lanes that touch the same files are tried together while they are at work.
        </Nothing>
      ) : (
        <ol class="msgs">
          {seen.slice(0, MOST_SEEN).map((it) => (
            <li key={`${it.at} ${it.lanes.join(' ')}`}>
              <Clash {...it} />
              <span class="meta">
                {it.atMerge ? 'at the integration' : 'tried while both were at work'},{' '}
                <Time at={it.at} />
                {it.resolved && ', solved since'}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

interface ClashProps {
  /** One of them may be what is integrated, which has no key. */
  readonly lanes: readonly (string | null | undefined)[];
  readonly paths: readonly string[];
  readonly command: string | null | undefined;
  readonly failures: readonly string[];
}

/** Which lanes do not go together, and in what. */
export function Clash({ lanes, paths, command, failures }: ClashProps): JSX.Element {
  return (
    <>
      <span>
        <b class="mono">{lanes.map((it) => it ?? 'what is integrated').join(' and ')}</b>{' '}
        {paths.length > 0 ? `in ${paths.join(', ')}` : `fail ${command ?? 'together'}`}
      </span>
      {failures.length > 0 && <span class="muted">{failures.join(', ')}</span>}
    </>
  );
}
