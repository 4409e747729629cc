/** What waits for a decision of a person: notes that were suggested, and changes that `dream` proposes. */
import type { JSX } from 'preact';
import type { MemoryView } from '../../src/app/view/memory.ts';
import { addressOf } from '../base/route.ts';
import { Do, Nothing, Section } from '../parts/layout.tsx';
import { Glyph, State } from '../parts/state.tsx';
import { Command, Rich, Time, Yours } from '../parts/text.tsx';

type Suggestion = MemoryView['suggestions'][number];
type Proposal = MemoryView['proposals'][number];

interface DecisionsProps {
  readonly view: MemoryView;
  readonly selected: string | null;
  readonly addressOf: (id: string) => string;
}

export function Decisions({ view, selected, addressOf: to }: DecisionsProps): JSX.Element {
  const { suggestions, proposals } = view;
  const rows = [
    ...suggestions.map(({ id, title, at, counts }) => {
      const command = 'lanehold note suggestions';
      return {
        id,
        state: 'suggestions',
        word: counts ? 'told already' : 'suggested',
        text: title,
        at,
        command,
      };
    }),
    ...proposals.map(({ id, operation: { op }, why, at }) => {
      const text = `${OPERATIONS[op] ?? op}: ${why}`;
      const command = `lanehold dream show ${id}`;
      return { id, state: 'proposals', word: 'proposed', text, at, command };
    }),
  ];
  return (
    <Section
      id="decisions"
      title="To be decided"
      right={rows.length > 0 && String(rows.length)}
      command={`lanehold ${suggestions.length > 0 ? 'note suggestions' : 'dream list'}`}
    >
      {rows.length === 0 ? (
        <Nothing>
          <Rich text="Nothing. After a few sessions, `lanehold dream` looks for what they had in common." />
        </Nothing>
      ) : (
        <ul class="rows">
          {rows.map(({ id, state, word, text, at, command }) => (
            <li key={id}>
              <a
                class="item"
                href={to(id)}
                data-row=""
                data-follow=""
                data-command={command}
                aria-current={id === selected ? 'true' : undefined}
              >
                <Glyph state={state} word={word} />
                <span class="two-l">{text}</span>
                <span class="meta">
                  <Time at={at} />
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

export function SuggestionDetail({ suggestion }: { suggestion: Suggestion }): JSX.Element {
  const { id, title, body, why, files, kind, agent, at, path, counts } = suggestion;
  return (
    <section class="stack note" aria-label="Suggestion" data-commands="">
      <div class="block">
        <State state="suggestions" word={counts ? 'told already' : 'suggested'} />
        <p class="say">{title}</p>
        {body !== '' && <p class="pre">{body}</p>}
        <p class="muted">
          A {kind}
          {agent !== null && `, by ${agent}`}, <Time at={at} />: <Rich text={why ?? ''} />
        </p>
        {files.length > 0 && <p class="mono path">{files.join('  ')}</p>}
        <p class="meta path">kept as {path}</p>
      </div>
      <div class="act">
        <Do action="confirm-note" with={{ note: id }} main kbd="y">
          Keep it
        </Do>
        <Do action="reject-note" with={{ note: id }} kbd="x">
          Reject
        </Do>
      </div>
      <div class="block">
        <Command text={`lanehold note confirm ${id}`} />
        <Command text={`lanehold note reject ${id}`} />
      </div>
    </section>
  );
}

const OPERATIONS: Readonly<Record<string, string>> = {
  create: 'A new note',
  update: 'A note is changed',
  merge: 'Notes become one',
  supersede: 'A note replaces another',
  archive: 'A note is put aside',
  guard: 'A rule about files',
  feature: 'Files of a feature',
};

export function ProposalDetail({ proposal }: { proposal: Proposal }): JSX.Element {
  const { id, operation, why, diff, evidence, at, source } = proposal;
  const apply = `lanehold dream apply ${id}`;
  const isTyped = operation.op === 'feature';
  return (
    <section class="stack note" aria-label="Proposal" data-commands="">
      <div class="block">
        <State state="proposals" word="proposed" />
        <p class="say">{OPERATIONS[operation.op] ?? operation.op}</p>
        <p class="muted">
          {source === 'program' ? 'By the program' : 'By the rules of dream'}, <Time at={at} />,
          because {why}
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
        <pre class="log tail" tabIndex={0}>
          {diff.join('\n')}
        </pre>
        {evidence.map(({ session, quote }) => (
          <p key={`${session} ${quote}`} class="quote muted">
            {quote}{' '}
            <a class="link meta" href={addressOf('sessions', session)}>
              session {session.slice(0, 8)}
            </a>
          </p>
        ))}
      </div>
      <div class="act">
        {!isTyped && (
          <Do action="apply-proposal" with={{ proposal: id }} main kbd="y">
            Apply it
          </Do>
        )}
        <Do action="reject-proposal" with={{ proposal: id }} kbd="x">
          Reject
        </Do>
      </div>
      <div class="block">
        {!isTyped && <Command text={apply} />}
        <Command text={`lanehold dream reject ${id}`} />
      </div>
      {isTyped && (
        <Yours
          why="What a feature consists of, a person changes in a terminal:"
          commands={[apply]}
        />
      )}
    </section>
  );
}
