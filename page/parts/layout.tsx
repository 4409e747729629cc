/** What views are made of: their head, sections, facts, buttons and empty states. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { act, busy, hindrance } from '../base/do.ts';
import { isCutOff, type Problem } from '../base/live.ts';
import { route, VIEWS } from '../base/route.ts';
import { Command, CopyAs, Rich } from './text.tsx';

interface HeadProps {
  readonly title: ComponentChildren;
  readonly sub?: ComponentChildren;
  /** What tells the same in a terminal; by default the command of the view. */
  readonly command?: string | undefined;
  /** Buttons at the right end. */
  readonly children?: ComponentChildren;
}

export function Head({ title, sub, command, children }: HeadProps): JSX.Element {
  return (
    <div class="head">
      <div class="named">
        <h1>{title}</h1>
        <CopyAs command={command ?? VIEWS[route.value.view].command} />
      </div>
      {sub && <p class="sub">{sub}</p>}
      {children && <div class="right">{children}</div>}
    </div>
  );
}

interface SectionProps {
  /** Of the element, so that a key or an address can lead to it. */
  readonly id: string;
  readonly title: ComponentChildren;
  readonly right?: ComponentChildren;
  /** What tells the same in a terminal. */
  readonly command?: string | undefined;
  readonly children: ComponentChildren;
}

export function Section({ id, title, right, command, children }: SectionProps): JSX.Element {
  return (
    <section class="sect" data-commands="" id={id} aria-labelledby={`${id}-h`} tabIndex={-1}>
      <h2 id={`${id}-h`}>
        {title}
        {right && <span class="r meta">{right}</span>}
        {command && <CopyAs command={command} />}
      </h2>
      {children}
    </section>
  );
}

export type Fact = readonly [string, ComponentChildren] | false | null | undefined;

export function Facts({ facts }: { facts: readonly Fact[] }): JSX.Element {
  return (
    <dl class="facts">
      {facts.map(
        (it) =>
          it && (
            <div class="fact" key={it[0]}>
              <dt>{it[0]}</dt>
              <dd>{it[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

interface TableProps {
  readonly heads: readonly string[];
  /** Its rows. */
  readonly children: ComponentChildren;
}

export function Table({ heads, children }: TableProps): JSX.Element {
  return (
    <table>
      <thead>
        <tr>
          {heads.map((it) => (
            <th key={it} scope="col">
              {it}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly why: string;
  readonly command?: string | undefined;
}

/** What will be here, and what to do so that it is. */
export function Empty({ title, why, command }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <p class="say">{title}</p>
      <p class="muted">
        <Rich text={why} />
      </p>
      {command && <Command text={command} />}
    </div>
  );
}

/** A section that has nothing yet. */
export function Nothing({ children }: { children: ComponentChildren }): JSX.Element {
  return <p class="muted nothing">{children}</p>;
}

/** What is drawn before the first answer, or instead of one that never came. */
export function Missing({
  title,
  problem,
}: {
  title: string;
  problem: Problem | null;
}): JSX.Element {
  return (
    <>
      <Head title={title} />
      <MissingPart problem={problem} />
    </>
  );
}

/** The same for a part of a view. */
export function MissingPart({ problem }: { problem: Problem | null }): JSX.Element | null {
  // The banner above every view says it.
  if (isCutOff.value) return null;
  if (problem === null) return <Nothing>Reading…</Nothing>;
  return (
    <div class="empty" role="alert">
      <p class="say">
        <Rich text={problem.error} />
      </p>
      {problem.hint && (
        <p class="muted">
          <Rich text={problem.hint} />
        </p>
      )}
    </div>
  );
}

interface DoProps {
  readonly action: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly main?: boolean;
  readonly kbd?: string;
  readonly then?: () => void;
  readonly children: ComponentChildren;
}

/** A button that does what a command does; where nothing may be done, it says so. */
export function Do({
  action,
  with: more,
  main = false,
  kbd,
  then,
  children,
}: DoProps): JSX.Element {
  const why = hindrance.value;
  const onClick = async () => {
    if (await act(action, more)) then?.();
  };
  return (
    <button
      type="button"
      class={main ? 'btn main' : 'btn'}
      data-do={action}
      disabled={why !== null || busy.value !== null}
      title={why ?? undefined}
      onClick={onClick}
    >
      {children}
      {kbd && <kbd>{kbd}</kbd>}
    </button>
  );
}

interface CancelProps {
  readonly with: Readonly<Record<string, unknown>>;
  /** What is cancelled, in words. */
  readonly what: string;
}

/** Asks once more: what a worker has not saved is lost with it. */
export function Cancel({ with: more, what }: CancelProps): JSX.Element {
  const [asked, setAsked] = useState(false);
  if (!asked) {
    return (
      <button type="button" class="btn" onClick={() => setAsked(true)}>
        Cancel…
      </button>
    );
  }
  return (
    <>
      <Do action="cancel" with={more} then={() => setAsked(false)}>
        Yes, cancel {what}
      </Do>
      <button type="button" class="btn" onClick={() => setAsked(false)}>
        Keep it
      </button>
    </>
  );
}
