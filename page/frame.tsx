/** What is around every view: the bar, the rail, the keys, what was just said. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { pushesHeld } from '../src/fronts/words/hold.ts';
import { readOnly } from './base/do.ts';
import { isGoing, isHelpOpen, shownKeys } from './base/keys.ts';
import { connection, isCutOff, useView } from './base/live.ts';
import { addressOf, project, route, VIEW_NAMES, VIEWS, type ViewName } from './base/route.ts';
import { said } from './base/say.ts';
import { BANDS, bandOf } from './parts/lane-state.ts';
import { Rich } from './parts/text.tsx';
import type { LanesView, NeedsView, ProjectsView } from './types.ts';
import { runQuery } from './views/run-query.ts';

export function Frame({ children }: { children: ComponentChildren }): JSX.Element {
  const projects = useView<ProjectsView>('/projects').data;
  const needs = useView<NeedsView>('needs').data;
  useEffect(() => {
    readOnly.value = projects?.readOnly ?? null;
  }, [projects]);
  useTitle(needs?.needs.length ?? 0, nameOf(projects));
  return (
    <>
      <button class="skip" type="button" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <div class="frame">
        <Bar projects={projects} run={needs?.quiet.runs[0]} />
        <Rail needs={needs} />
        <main id="main" tabIndex={-1}>
          <NotLive />
          {readOnly.value !== null && (
            <p class="read-only">
              This page only shows things: {readOnly.value}. Type the commands instead.
            </p>
          )}
          {children}
        </main>
        <Keys />
      </div>
      <Help />
      <Said />
    </>
  );
}

const nameOf = (projects: ProjectsView | null): string =>
  (projects?.projects.find(({ key }) => key === project.value) ?? projects?.projects[0])?.name ??
  '';

interface BarProps {
  readonly projects: ProjectsView | null;
  /** The newest open one. */
  readonly run: string | undefined;
}

function Bar({ projects, run }: BarProps): JSX.Element {
  const { view } = route.value;
  const all = projects?.projects ?? [];
  return (
    <header class="top">
      <a class="brand" href={addressOf('needs')} aria-label="lanehold, needs you">
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path class="logo-lanes" d="M2 5h7M2 15h7M2 10h16" />
          <path class="logo-bar" d="M13 2v5M13 13v5" />
        </svg>
        <span>lanehold</span>
      </a>
      <div class="where">
        {all.length > 1 ? (
          <select
            class="btn"
            aria-label="Project"
            value={project.value}
            onChange={({ currentTarget }) => {
              location.hash = addressOf(view, null, {
                project: currentTarget.value,
                run: undefined,
              });
            }}
          >
            {all.map(({ key, name }) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        ) : (
          <b class="project cut">{nameOf(projects)}</b>
        )}
        {run !== undefined && (
          <span class="cut goal">run {route.value.params.get('run') ?? run}</span>
        )}
      </div>
      <Live />
      <button
        class="btn"
        type="button"
        aria-label="All keys"
        onClick={() => {
          isHelpOpen.value = true;
        }}
      >
        ?
      </button>
    </header>
  );
}

const LIVE_WORDS = {
  connecting: 'connecting',
  live: 'live',
  lost: 'not connected',
  refused: 'not let in',
  unknown: 'no such project',
} as const;

function Live(): JSX.Element {
  const state = connection.value;
  return (
    <span class={`live meta ${state}`} role="status">
      <b>{LIVE_WORDS[state]}</b>
    </span>
  );
}

function NotLive(): JSX.Element | null {
  if (!isCutOff.value) return null;
  const isLost = connection.value === 'lost';
  return (
    <div class="not-live" role="alert">
      <p>
        {isLost
          ? 'Not connected: the server of this page does not answer.'
          : 'This browser was not let in: the server was started anew, or this address was used before.'}
      </p>
      <p class="muted">
        {isLost
          ? 'Nothing can be sent. If lanehold ui has ended, start it again and open the address that it prints in this browser: then this page comes back.'
          : 'Open the address that lanehold ui prints; enter in its terminal prints a new one.'}
      </p>
    </div>
  );
}

function Rail({ needs }: { needs: NeedsView | null }): JSX.Element {
  const { view } = route.value;
  const nav = useRef<HTMLElement>(null);
  // On a phone the rail is a strip, in which the chosen view may lie outside.
  useEffect(() => {
    nav.current
      ?.querySelector('[aria-current]')
      ?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [view]);
  return (
    <nav aria-label="Views" ref={nav} data-g={isGoing.value ? '' : undefined}>
      {VIEW_NAMES.map((it) => (
        <a
          key={it}
          href={addressOf(it)}
          aria-current={it === view ? 'page' : undefined}
          data-alarm={it === 'needs' && needs !== null && needs.needs.length > 0 ? '' : undefined}
        >
          {VIEWS[it].title}
          <span class="n">{countOf(it, needs)}</span>
          <kbd class="gk">{VIEWS[it].letter}</kbd>
        </a>
      ))}
      <span class="gap" />
      <Progress />
    </nav>
  );
}

function countOf(view: ViewName, needs: NeedsView | null): string {
  if (needs === null) return '';
  if (view === 'needs') return String(needs.needs.length);
  const { lanes, held } = needs.quiet;
  if (view === 'lanes') return lanes > 0 ? String(lanes) : '';
  return view === 'hold' && held > 0 ? pushesHeld(held) : '';
}

/** How far the run is, a part for each band of states. */
function Progress(): JSX.Element | null {
  const board = useView<LanesView>(`lanes${runQuery()}`).data?.board;
  if (!board || board.lanes.length === 0) return null;
  const bands = board.lanes.map(bandOf);
  const counts = BANDS.map((band, at) => ({
    ...band,
    count: bands.filter((it) => it === at).length,
  })).toReversed();
  const landed = board.lanes.filter(({ state }) => state === 'landed').length;
  return (
    <div class="foot meta">
      <span class="cut">Run {board.run.name}</span>
      <div
        class="prog"
        role="img"
        aria-label={counts.map(({ title, count }) => `${title}: ${count}`).join(', ')}
      >
        {counts.map(
          ({ tone, count }) =>
            count > 0 && <i key={tone} class={tone} style={{ flexGrow: count }} />,
        )}
      </div>
      <span>
        {landed} of {board.lanes.length} lanes landed
      </span>
    </div>
  );
}

function Keys(): JSX.Element {
  return (
    <footer class="keys">
      {shownKeys.value.map(({ shown, does }) => (
        <span key={shown}>
          <kbd>{shown}</kbd>
          {does}
        </span>
      ))}
    </footer>
  );
}

function Help(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = isHelpOpen.value;
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="keys-title"
      onClose={() => {
        isHelpOpen.value = false;
      }}
    >
      <h2 id="keys-title">Keys</h2>
      <dl>
        {shownKeys.value.map(({ shown, does }) => (
          <Pair key={shown} keys={shown} does={does} />
        ))}
        {VIEW_NAMES.map((it) => (
          <Pair key={it} keys={`g ${VIEWS[it].letter}`} does={VIEWS[it].title} />
        ))}
        <Pair keys="ctrl ↵" does="send what you have written" />
      </dl>
      <button class="btn" type="button" onClick={() => dialog.current?.close()}>
        Close <kbd>esc</kbd>
      </button>
    </dialog>
  );
}

function Pair({ keys, does }: { keys: string; does: string }): JSX.Element {
  return (
    <>
      <dt>
        <kbd>{keys}</kbd>
      </dt>
      <dd>{does}</dd>
    </>
  );
}

function Said(): JSX.Element {
  const it = said.value;
  return (
    <div role="status" class="said" data-tone={it?.tone}>
      {it && (
        <p>
          <Rich text={it.text} />
          {it.hint && (
            <span class="muted">
              {' '}
              <Rich text={it.hint} />
            </span>
          )}
        </p>
      )}
    </div>
  );
}

/** How many things need a person stands in the title and in the icon, so that a tab in the background tells it. */
function useTitle(count: number, name: string): void {
  const { view, name: what } = route.value;
  const isOff = isCutOff.value;
  useEffect(() => {
    const parts = [what ?? VIEWS[view].title, name, 'lanehold'].filter((it) => it !== '');
    document.title = `${isOff ? '× ' : count > 0 ? `(${count}) ` : ''}${parts.join(' · ')}`;
  }, [count, name, view, what, isOff]);
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon !== null) icon.href = `data:image/svg+xml,${encodeURIComponent(iconOf(count, isOff))}`;
  }, [count, isOff]);
}

/** Without the page's tokens, which an icon does not see: its colours hold on light and dark tabs. */
function iconOf(count: number, isOff: boolean): string {
  const colour = isOff ? '#85877d' : '#6a6cf0';
  const lanes = `<path d="M2 5h7M2 15h7M2 10h16" stroke="#85877d" stroke-width="2" stroke-linecap="round"/><path d="M13 2v5M13 13v5" stroke="${colour}" stroke-width="3" stroke-linecap="round"/>`;
  const shown = count > 9 ? '9+' : String(count);
  const disc = `<rect x="0" y="1" width="20" height="18" rx="9" fill="#f2ae1c"/><text x="10" y="15" font-family="sans-serif" font-size="13" font-weight="700" text-anchor="middle" fill="#2b1c00">${shown}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">${count > 0 && !isOff ? disc : lanes}</svg>`;
}
