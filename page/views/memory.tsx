/** What is remembered: a search as a session would make it, the notes as a tree, rules, and who was told. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { MemoryView } from '../../src/app/view/memory.ts';
import { compactCount } from '../../src/base/text/count.ts';
import { shellQuoted } from '../../src/base/text/shell-quote.ts';
import { act } from '../base/do.ts';
import { COPY, MOVE, useKeys } from '../base/keys.ts';
import { useView } from '../base/live.ts';
import { addressOf, go, route } from '../base/route.ts';
import { AsCommand } from '../parts/as-command.tsx';
import { Do, Empty, Head, Missing, Nothing, Section } from '../parts/layout.tsx';
import { Glyph, State } from '../parts/state.tsx';
import { Command, plural, Rich, Time, Yours } from '../parts/text.tsx';
import { NoteDetail, truthState } from './note.tsx';
import type { ViewProps } from './props.ts';

type Note = MemoryView['notes'][number];
type Suggestion = MemoryView['suggestions'][number];
type Search = NonNullable<MemoryView['search']>;

export function Memory({ name }: ViewProps): JSX.Element {
  const words = route.value.params.get('q') ?? '';
  const query = words === '' ? '' : `?${new URLSearchParams({ q: words })}`;
  const { data, problem } = useView<MemoryView>(`memory${query}`);
  const selected = name ?? firstOf(data);
  const waiting = data?.suggestions.find(({ id }) => id === selected);
  // What was superseded or put aside is not brought back by a key.
  const isOpen =
    waiting !== undefined ||
    data?.notes.some(
      ({ id, truth }) => id === selected && /^(?:true|to-be-confirmed)$/.test(truth),
    );
  const decide = (action: string) => () => {
    if (selected !== null) void act(action, { note: selected });
  };
  useKeys([
    ...(selected === null ? [] : [{ ...MOVE, does: 'note' }]),
    ...(isOpen
      ? [
          {
            shown: 'y x',
            does: 'confirm, put aside',
            press: { y: decide('confirm-note'), x: decide('reject-note') },
          },
        ]
      : []),
    COPY,
  ]);
  if (data === null) return <Missing title="Memory" problem={problem} />;
  const { notes, guards, suggestions, proposals, broken } = data;
  if (notes.length + guards.length + suggestions.length + proposals.length === 0) {
    return <NothingRemembered />;
  }
  return (
    <>
      <Head
        title={`${plural(notes.length, 'note')}, ${plural(guards.length, 'rule')} about files`}
        sub={toldText(data)}
      >
        <AsCommand text="lanehold recall stats" />
      </Head>
      <div class={name === null ? 'split loose memory' : 'split loose memory chosen'}>
        <div class="stack">
          <Searching key={words} words={words} search={data.search} />
          {broken.length > 0 && <Broken broken={broken} />}
          <Suggestions suggestions={suggestions} selected={selected} words={words} />
          <Tree notes={notes} selected={selected} words={words} />
        </div>
        <div class="stack">
          {selected !== null && (
            <div class="stack detail">
              <a class="back link" href={addressWith(null, words)}>
                All notes
              </a>
              {waiting === undefined ? (
                <NoteDetail key={selected} id={selected} />
              ) : (
                <SuggestionDetail suggestion={waiting} />
              )}
            </div>
          )}
          <Proposals proposals={proposals} />
          <Guards guards={guards} />
        </div>
      </div>
    </>
  );
}

function NothingRemembered(): JSX.Element {
  return (
    <>
      <Head title="Nothing is remembered" />
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
  const { suggestions, notes, search } = data;
  const found = search?.hits.find(({ id }) => notes.some((it) => it.id === id));
  const doubtful = notes.find(({ truth }) => truth === 'to-be-confirmed');
  const first = notes.find(({ truth }) => truth === 'true') ?? notes[0];
  return (found ?? suggestions[0] ?? doubtful ?? first)?.id ?? null;
}

function toldText({ told }: MemoryView): string {
  if (told.told === 0) return 'nothing was told to a session yet';
  const times = `told ${plural(told.told, 'time')} in ${plural(told.sessions, 'session')}`;
  return `${times}, ${compactCount(told.tokens)} tokens; used ${plural(told.used, 'time')}`;
}

const addressWith = (id: string | null, words: string): string =>
  addressOf('memory', id, { q: words === '' ? undefined : words });

function Searching({ words, search }: { words: string; search: Search | null }): JSX.Element {
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
                  {hit.kind} · {hit.score.toFixed(1)}
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
    <Section id="broken" title="Cannot be read">
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

function Suggestions({
  suggestions,
  selected,
  words,
}: ChoosingProps & { suggestions: readonly Suggestion[] }): JSX.Element | null {
  if (suggestions.length === 0) return null;
  return (
    <Section
      id="suggestions"
      title="Suggested, for you to decide"
      right={<AsCommand text="lanehold note suggestions" />}
    >
      <ul class="rows">
        {suggestions.map(({ id, title, at }) => (
          <li key={id}>
            <a
              class="item"
              href={addressWith(id, words)}
              data-row=""
              data-follow=""
              aria-current={id === selected ? 'true' : undefined}
            >
              <Glyph state="suggestions" word="suggested" />
              <span class="two-l">{title}</span>
              <span class="meta">
                <Time at={at} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Tree({ notes, selected, words }: ChoosingProps & { notes: readonly Note[] }): JSX.Element {
  const folders = Map.groupBy(notes, ({ path }) => path.split('/').slice(0, -1).join('/'));
  return (
    <Section id="notes" title="Notes" right={<AsCommand text="lanehold note list --all" />}>
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

function SuggestionDetail({ suggestion }: { suggestion: Suggestion }): JSX.Element {
  const { id, title, body, why, files, kind, agent, at, path } = suggestion;
  return (
    <section class="stack note" aria-label="Suggestion" data-commands="">
      <div class="block">
        <State state="suggestions" word="suggested" />
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
      <Command text={`lanehold note confirm ${id}`} />
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

function Proposals({ proposals }: { proposals: MemoryView['proposals'] }): JSX.Element {
  return (
    <Section id="proposals" title="Proposals" right={<AsCommand text="lanehold dream list" />}>
      {proposals.length === 0 ? (
        <Nothing>
          <Rich text="None. After a few sessions, `lanehold dream` looks for what they had in common." />
        </Nothing>
      ) : (
        <ul class="msgs">
          {proposals.map(({ id, operation, why, diff, evidence, at, source }) => (
            <li key={id}>
              <p>
                <b class="strong">{OPERATIONS[operation.op] ?? operation.op}</b>{' '}
                <span class="muted">because {why}</span>
              </p>
              <p class="meta">
                {source === 'program' ? 'by the program, ' : ''}
                <Time at={at} />
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
              <Yours
                why="Type it, to do what it proposes or to put it aside:"
                commands={[`lanehold dream apply ${id}`, `lanehold dream reject ${id}`]}
              />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Guards({ guards }: { guards: MemoryView['guards'] }): JSX.Element {
  return (
    <Section id="guards" title="Rules about files" right={<AsCommand text="lanehold guard list" />}>
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
                by {by}, <Time at={at} />; to remove it: <code>lanehold guard remove {id}</code>
              </p>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
