/** What agents did: the sessions, and the chosen one as one line of time. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { SessionsView } from '../../src/app/view/sessions.ts';
import { compactCount } from '../../src/base/text/printable.ts';
import { COPY, type Key, MOVE, OPEN, useKeys } from '../base/keys.ts';
import { useView } from '../base/live.ts';
import { addressOf, go, route } from '../base/route.ts';
import { Empty, Head, Missing, Nothing } from '../parts/layout.tsx';
import { plural, Time } from '../parts/text.tsx';
import type { ViewProps } from './props.ts';
import { AllSessions, SessionDetail } from './session.tsx';

/** Instead of the id of a session. */
const ALL = 'all';

type Session = SessionsView['sessions'][number];

/** In the address, so that a link leads to the same list. */
const FILTERS = ['agent', 'feature', 'file'] as const;
type Filter = (typeof FILTERS)[number];
type Filters = Readonly<Partial<Record<Filter, string>>>;

export function Sessions({ name }: ViewProps): JSX.Element {
  const filters = Object.fromEntries(
    FILTERS.flatMap((it) => {
      const value = route.value.params.get(it);
      return value ? [[it, value]] : [];
    }),
  ) as Filters;
  const asked = new URLSearchParams(filters).toString();
  const query = asked && `?${asked}`;
  const { data, problem } = useView<SessionsView>(`sessions${query}`);
  const listed = data?.sessions ?? [];
  const selected = name ?? listed[0]?.id ?? null;
  useKeys([...(listed.length > 0 ? [MOVE, OPEN] : []), ...keysOf(listed, filters), COPY]);
  if (data === null) return <Missing title="Sessions" problem={problem} />;
  const isFiltered = Object.keys(filters).length > 0;
  if (listed.length === 0 && !isFiltered) return <NoSession />;
  return (
    <>
      <Head
        title={plural(listed.length, 'session')}
        sub={isFiltered ? 'with these filters' : `by ${data.agents.join(', ')}, the last one first`}
      />
      <Filtering view={data} filters={filters} />
      <div class={name === null ? 'split' : 'split chosen'}>
        <List sessions={listed} selected={selected} filters={filters} />
        {selected !== null && (
          <div class="detail wide">
            <a class="back link" href={addressWith(null, filters)}>
              All sessions
            </a>
            {selected === ALL ? (
              <AllSessions query={query} />
            ) : (
              <SessionDetail key={selected} id={selected} query={query} />
            )}
          </div>
        )}
      </div>
    </>
  );
}

function NoSession(): JSX.Element {
  return (
    <>
      <Head title="No session yet" />
      <Empty
        title="Sessions are written down by the hooks of your agents."
        why="Set this project up, then start an agent in it."
        command="lanehold init"
      />
    </>
  );
}

const addressWith = (id: string | null, filters: Filters, change: Filters = {}): string =>
  addressOf('sessions', id, { ...filters, ...change });

function keysOf(listed: readonly Session[], filters: Filters): Key[] {
  const to = (step: number) => () => {
    // Of the address as it is now: keys come faster than the view is drawn.
    const selected = route.value.name ?? listed[0]?.id;
    const at = listed.findIndex(({ id }) => id === selected);
    const next = listed[at + step];
    if (next !== undefined) go(addressWith(next.id, filters), 'replace');
  };
  const filter = () => document.querySelector<HTMLElement>('#main .filters select')?.focus();
  if (listed.length === 0 && Object.keys(filters).length === 0) return [];
  return [
    { shown: '[ ]', does: 'other session', press: { '[': to(-1), ']': to(1) } },
    { shown: 'f', does: 'filter', press: { f: filter } },
  ];
}

function Filtering({ view, filters }: { view: SessionsView; filters: Filters }): JSX.Element {
  const change = (filter: Filter) => (event: { currentTarget: { value: string } }) =>
    go(addressWith(null, filters, { [filter]: event.currentTarget.value || undefined }));
  const [file, setFile] = useState(filters.file ?? '');
  return (
    <form
      class="filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        change('file')({ currentTarget: { value: file.trim() } });
      }}
    >
      <Choice name="Agent" value={filters.agent} all={view.agents} onChange={change('agent')} />
      <Choice
        name="Feature"
        value={filters.feature}
        all={view.features}
        onChange={change('feature')}
      />
      <label>
        <span class="faint">File</span>
        <input
          class="in"
          type="search"
          placeholder="src/api.ts"
          value={file}
          onInput={({ currentTarget }) => setFile(currentTarget.value)}
          onChange={change('file')}
        />
      </label>
    </form>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly value: string | undefined;
  readonly all: readonly string[];
  readonly onChange: (event: { currentTarget: { value: string } }) => void;
}

function Choice({ name, value = '', all, onChange }: ChoiceProps): JSX.Element {
  const known = value === '' || all.includes(value) ? all : [...all, value];
  return (
    <label>
      <span class="faint">{name}</span>
      <select class="in" value={value} onChange={onChange}>
        <option value="">all</option>
        {known.map((it) => (
          <option key={it} value={it}>
            {it}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ListProps {
  readonly sessions: readonly Session[];
  readonly selected: string | null;
  readonly filters: Filters;
}

function List({ sessions, selected, filters }: ListProps): JSX.Element {
  if (sessions.length === 0) return <Nothing>No session fits. Take a filter away.</Nothing>;
  return (
    <ul class="rows" aria-label="Sessions">
      <li>
        <a
          class="item session"
          href={addressWith(ALL, filters)}
          data-row=""
          aria-current={selected === ALL ? 'true' : undefined}
        >
          All on one line of time
        </a>
      </li>
      {sessions.map((it) => (
        <li key={it.id}>
          <a
            class="item session"
            href={addressWith(it.id, filters)}
            data-row=""
            aria-current={it.id === selected ? 'true' : undefined}
          >
            <span class="two-l request">{it.request ?? 'nothing was asked'}</span>
            <span class="meta">
              {it.agent}, <Time at={it.last} />
              {countsOf(it)}
              {it.held > 0 && <span class="need">, {it.held} held</span>}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function countsOf({ edits, commands, tokens }: Session): string {
  const parts = [
    edits > 0 && plural(edits, 'edit'),
    commands > 0 && plural(commands, 'command'),
    tokens > 0 && `told ${compactCount(tokens)} tokens`,
  ].filter((it) => it !== false);
  return parts.map((it) => `, ${it}`).join('');
}
