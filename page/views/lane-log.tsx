/** The log of one attempt: readable or as it was printed, its errors, and the output of its validations. */
import type { JSX } from 'preact';
import { choose, route } from '../base/route.ts';
import { Nothing, Section } from '../parts/layout.tsx';
import { Log } from '../parts/log.tsx';
import { Time } from '../parts/text.tsx';
import type { LaneView } from '../types.ts';

export function LaneLog({ data }: { data: LaneView }): JSX.Element {
  const { attempts, lane, run } = data;
  const { params } = route.value;
  const [of, raw] = [params.get('of'), params.has('raw')];
  const attempt = attempts.find(({ n }) => String(n) === params.get('attempt')) ?? attempts.at(-1);
  if (attempt === undefined) {
    return (
      <Section id="log" title="Log">
        <Nothing>What its worker prints will be here, as it prints it.</Nothing>
      </Section>
    );
  }
  const sources = sourcesOf(attempt);
  const source = sources.find(({ id }) => id === of)?.id ?? 'stdout';
  return (
    <Section
      id="log"
      title="Log"
      command={`lanehold orchestrate logs ${lane.key} --attempt ${attempt.n}${raw ? ' --raw' : ''}${data.runOption}`}
      right={
        attempt.endedAt === null ? (
          <span class="move">grows</span>
        ) : (
          <>
            ended <Time at={attempt.endedAt} />
          </>
        )
      }
    >
      <div class="act tools">
        {attempts.length > 1 && (
          <select
            class="in slim"
            aria-label="Attempt"
            value={attempt.n}
            onChange={({ currentTarget }) =>
              choose({ attempt: currentTarget.value, of: undefined })
            }
          >
            {attempts.map(({ n }) => (
              <option key={n} value={n}>
                Attempt {n}
              </option>
            ))}
          </select>
        )}
        {sources.length > 1 && (
          <select
            class="in slim"
            aria-label="Output"
            value={source}
            onChange={({ currentTarget }) => choose({ of: currentTarget.value })}
          >
            {sources.map(({ id, words }) => (
              <option key={id} value={id}>
                {words}
              </option>
            ))}
          </select>
        )}
        <div class="seg small">
          <button type="button" aria-pressed={!raw} onClick={() => choose({ raw: undefined })}>
            Readable
          </button>
          <button type="button" aria-pressed={raw} onClick={() => choose({ raw: '' })}>
            Raw
          </button>
        </div>
      </div>
      <Log
        key={`${attempt.id} ${source} ${raw}`}
        path={`lanes/${encodeURIComponent(lane.key)}/log`}
        lane={lane.key}
        run={run.name}
        attempt={attempt.n}
        isLive={attempt.endedAt === null}
        of={source}
        raw={raw}
        label={`Log of attempt ${attempt.n}`}
      />
    </Section>
  );
}

/** What there is to read of an attempt. */
function sourcesOf({ bytes, validations }: LaneView['attempts'][number]) {
  return [
    { id: 'stdout', words: 'Worker' },
    ...(bytes.stderr > 0 ? [{ id: 'stderr', words: 'Its errors' }] : []),
    ...validations.map(({ id, command, result }) => ({ id, words: `${command} (${result})` })),
  ];
}
