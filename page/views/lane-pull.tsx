/** The pull request of a lane or a run, as its forge last told of it. */
import type { JSX } from 'preact';
import { Facts, Section } from '../parts/layout.tsx';
import { State } from '../parts/state.tsx';
import type { LaneView } from '../types.ts';

const REVIEWS: Readonly<Record<string, string>> = {
  '': 'nobody has decided',
  approved: 'approved',
  'changes-requested': 'changes are requested',
  required: 'a review is required',
};

const CHECK_STATES = { passed: 'passed', pending: 'validating', failed: 'failed' } as const;

interface LanePullProps {
  readonly pull: LaneView['lane']['pull'];
  readonly runOption: string;
}

export function LanePull({ pull, runOption }: LanePullProps): JSX.Element | null {
  if (pull === null) return null;
  const { number, url, base, state, look, problem } = pull;
  const checks = look?.checks ?? [];
  return (
    <Section
      id="pull"
      title={`Pull request #${number}`}
      right={state}
      command={`lanehold orchestrate status${runOption}`}
    >
      <div class="stack-2 padded">
        {problem !== null && <p class="bad">{problem}</p>}
        <Facts
          facts={[
            ['Address', <Address url={url} />],
            ['Onto', <code>{base}</code>],
            look !== null && ['Review', REVIEWS[look.review] ?? look.review],
            look?.mergeable === 'conflict' && ['Merge', 'conflicts with its base'],
            look?.queued === true && ['Queue', 'in the merge queue'],
          ]}
        />
        {checks.length > 0 && (
          <ul class="names" aria-label="Checks">
            {checks.map(({ name, state: it }) => (
              <li key={name}>
                <State state={CHECK_STATES[it]} word={name} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </Section>
  );
}

/** A link only where it leads to the web: the text is what a forge has sent. */
function Address({ url }: { url: string }): JSX.Element {
  if (!/^https?:\/\//i.test(url)) return <code>{url}</code>;
  return (
    <a class="link" href={url} rel="noreferrer" target="_blank">
      {url}
    </a>
  );
}
