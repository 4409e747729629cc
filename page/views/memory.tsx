/** What is remembered: a search as a session would make it, the notes as a tree, rules, and who was told. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { MemoryView } from '../../src/app/view/memory.ts';
import { compactCount } from '../../src/base/text/printable.ts';
import { shellQuoted } from '../../src/base/text/shell-quote.ts';
import { act, readOnly } from '../base/do.ts';
import { COPY, type Key, MOVE, useKeys } from '../base/keys.ts';
import { useView } from '../base/live.ts';
import { addressOf, go, route } from '../base/route.ts';
import { Empty, Head, Missing, Nothing, Section } from '../parts/layout.tsx';
import { Glyph, State } from '../parts/state.tsx';
import { Command, plural, Rich, Time } from '../parts/text.tsx';
import { Decisions, ProposalDetail, SuggestionDetail } from './decisions.tsx';
import { NoteDetail, truthState } from './note.tsx';
import type { ViewProps } from './props.ts';

type Note = MemoryView['notes'][number];
type Search = NonNullable<MemoryView['search']>;

export function Memory({ name }: ViewProps): JSX.Element {
  const words = route.value.params.get('q') ?? '';
  const query = words === '' ? '' : `?${new URLSearchParams({ q: words })}`;
  const { data, problem } = useView<MemoryView>(`memory${query}`);
  const selected = name ?? firstOf(data);
  useKeys([
    ...(selected === null ? [] : [{ ...MOVE, does: 'note' }]),
    ...decisionKeys(data, selected),
    COPY,
  ]);
  if (data === null) return <Missing title="Memory" problem={problem} />;
  const { notes, guards, suggestions, proposals, broken } = data;
  if (notes.length + guards.length + suggestions.length + proposals.length === 0) {
    return <NothingRemembered words={words} search={data.search} />;
  }
  return (
    <>
      <Head
        title={`${plural(notes.filter(({ status }) => status !== 'superseded').length, 'note')}, ${plural(guards.length, 'rule')} about files`}
        sub={toldText(data)}
        command="lanehold recall stats"
      />
      <div class={name === null ? 'split loose memory' : 'split loose memory chosen'}>
        <div class="stack">
          <Searching key={words} words={words} search={data.search} />
          {broken.length > 0 && <Broken broken={broken} />}
          <Decisions view={data} selected={selected} addressOf={(id) => addressWith(id, words)} />
          <Tree notes={notes} selected={selected} words={words} />
        </div>
        <div class="stack">
          {selected !== null && (
            <div class="stack detail">
              <a class="back link" href={addressWith(null, words)}>
                All notes
              </a>
              <Detail view={data} id={selected} key={selected} />
            </div>
          )}
          <Guards guards={guards} />
        </div>
      </div>
    </>
  );
}

/** What the keys decide on: a suggestion, a proposal, or whether a note is true. */
function decisionKeys(data: MemoryView | null, selected: string | null): Key[] {
  if (readOnly.value !== null) return [];
  // What was superseded or put aside is not brought back by a key.
  const isOpen = ({ id, truth }: Note) =>
    id === selected && (truth === 'true' || truth === 'to-be-confirmed');
  const has = (all: readonly { readonly id: string }[] | undefined) =>
    all?.some(({ id }) => id === selected) === true;
  const decides = (does: string, yes: string, no: string, what: object): Key[] => {
    const press = { y: () => void act(yes, { ...what }), x: () => void act(no, { ...what }) };
    return [{ shown: 'y x', does, press }];
  };
  if (has(data?.suggestions))
    return decides('keep, reject', 'confirm-note', 'reject-note', { note: selected });
  if (has(data?.proposals))
    return decides('apply, reject', 'apply-proposal', 'reject-proposal', { proposal: selected });
  return data?.notes.some(isOpen) === true
    ? decides('confirm, put aside', 'confirm-note', 'reject-note', { note: selected })
    : [];
}

function Detail({ view, id }: { view: MemoryView; id: string }): JSX.Element {
  const suggestion = view.suggestions.find((it) => it.id === id);
  const proposal = view.proposals.find((it) => it.id === id);
  if (suggestion !== undefined) return <SuggestionDetail suggestion={suggestion} />;
  return proposal === undefined ? (
    <NoteDetail id={id} notes={view.notes} />
  ) : (
    <ProposalDetail proposal={proposal} />
  );
}

interface SearchProps {
  readonly words: string;
  readonly search: Search | null;
}

/** Sessions can be searched though there is no note. */
function NothingRemembered({ words, search }: SearchProps): JSX.Element {
  return (
    <>
      <Head title="Nothing is remembered" />
      <Searching key={words} words={words} search={search} />
      <Empty
        title="Write down what a new session has to know."
        why="A decision, a trap, a preference. Notes with files are told before those files are edited."
        command="lanehold note add project/decisions/db 'SQLite, one file' --files src/store"
      />
    </>
  );
}

/** What was found, else what waits for a decision, else what has to be confirmed, else the first. */
function firstOf(data: MemoryView | null): string | null {
  if (data === null) return null;
  const { suggestions, proposals, notes, search } = data;
  const found = search?.hits.find(({ id }) => notes.some((it) => it.id === id));
  const doubtful = notes.find(({ truth }) => truth === 'to-be-confirmed');
  const first = notes.find(({ truth }) => truth === 'true') ?? notes[0];
  return (found ?? suggestions[0] ?? proposals[0] ?? doubtful ?? first)?.id ?? null;
}

function toldText({ told }: MemoryView): string {
  if (told.told === 0) return 'nothing was told to a session yet';
  const times = `told ${plural(told.told, 'time')} in ${plural(told.sessions, 'session')}`;
  return `${times}, ${compactCount(told.tokens)} tokens; used ${plural(told.used, 'time')}`;
}

const addressWith = (id: string | null, words: string): string =>
  addressOf('memory', id, { q: words === '' ? undefined : words });

function Searching({ words, search }: SearchProps): JSX.Element {
  const [text, setText] = useState(words);
  const ask = (wish: string) => {
    if (wish.trim() !== words) go(addressWith(null, wish.trim()));
  };
  return (
    <search>
      <form
        class="block"
        onSubmit={(event) => {
          event.preventDefault();
          ask(text);
        }}
      >
        <label class="block">
          <span class="faint">Search as a session would</span>
          <input
            class="in"
            type="search"
            value={text}
            placeholder="words of a prompt"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
            onChange={() => ask(text)}
          />
        </label>
        {search !== null && <Hits search={search} words={words} />}
      </form>
    </search>
  );
}

function Hits({ search, words }: { search: Search; words: string }): JSX.Element {
  const { hits, told, terms } = search;
  return (
    <div class="block" data-commands="">
      {hits.length === 0 ? (
        <p class="muted">
          Nothing has {terms.length === 0 ? 'a word that counts' : terms.join(' or ')}.
        </p>
      ) : (
        <ol class="hits">
          {hits.map((hit) => (
            <li key={hit.id}>
              <a
                href={addressWith(hit.id, words)}
                data-row=""
                data-follow={hit.id.startsWith('lh-') ? '' : undefined}
              >
                <span class="two-l">{hit.title}</span>
                <span class="meta num">
                  {hit.kind}, score {hit.score.toFixed(1)}
                </span>
                <span class="meta why">
                  has {hit.words.join(', ')}
                  {told.includes(hit.id) ? '; a prompt of these words is told it' : ''}
                </span>
              </a>
            </li>
          ))}
        </ol>
      )}
      <Command text={`lanehold recall search ${shellQuoted(words)}`} />
    </div>
  );
}

function Broken({ broken }: { broken: MemoryView['broken'] }): JSX.Element {
  return (
    <Section id="broken" title="Cannot be read" command="lanehold note list">
      <ul class="msgs">
        {broken.map(({ file, problem }) => (
          <li key={file}>
            <State state="broken" word="a note" />
            <span class="path mono">{file}</span>
            <span class="muted">{problem}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface ChoosingProps {
  readonly selected: string | null;
  readonly words: string;
}

function Tree({ notes, selected, words }: ChoosingProps & { notes: readonly Note[] }): JSX.Element {
  const folders = Map.groupBy(notes, ({ path }) => path.split('/').slice(0, -1).join('/'));
  return (
    <Section id="notes" title="Notes" command="lanehold note list --all">
      <div class="tree">
        {[...folders].map(([folder, inside]) => (
          <details key={folder} open>
            <summary>
              {folder} <span class="count">{inside.length}</span>
            </summary>
            <ul>
              {inside.map((note) => (
                <li key={note.id}>
                  <TreeRow note={note} isSelected={note.id === selected} words={words} />
                </li>
              ))}
            </ul>
          </details>
        ))}
      </div>
    </Section>
  );
}

interface TreeRowProps {
  readonly note: Note;
  readonly isSelected: boolean;
  readonly words: string;
}

function TreeRow({ note, isSelected, words }: TreeRowProps): JSX.Element {
  const isTrue = note.truth === 'true';
  const { state, word } = truthState(note.truth);
  return (
    <a
      class={isTrue ? '' : 'faint'}
      href={addressWith(note.id, words)}
      data-row=""
      data-follow=""
      data-command={`lanehold note show ${note.id}`}
      aria-current={isSelected ? 'true' : undefined}
    >
      <Glyph state={state} word={isTrue ? undefined : word} />
      <span class="cut" title={note.title}>
        {note.title}
      </span>
      <span class="meta">{note.told > 0 ? `told ${note.told}` : note.kind}</span>
    </a>
  );
}

function Guards({ guards }: { guards: MemoryView['guards'] }): JSX.Element {
  return (
    <Section id="guards" title="Rules about files" command="lanehold guard list">
      {guards.length === 0 ? (
        <Nothing>
          <Rich text="None. `lanehold guard add FILES RULE` tells agents before they edit, or refuses." />
        </Nothing>
      ) : (
        <ul class="msgs">
          {guards.map(({ id, files, rule, reason, denies, by, at }) => (
            <li key={id}>
              <p class="guard">
                <code>{files}</code>
                <State state={denies ? 'held' : 'told'} word={denies ? 'refuses' : 'tells'} />
              </p>
              <p>
                {rule}
                {reason !== null && <span class="muted">: {reason}</span>}
              </p>
              <p class="meta">
                by {by}, <Time at={at} />; a person removes it:
              </p>
              <Command text={`lanehold guard remove ${id}`} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
