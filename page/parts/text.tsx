/** Small parts of text: times, durations, money, keys and commands. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { duration } from '../../src/base/text/time.ts';
import { now } from '../base/clock.ts';
import { copy } from '../base/copy.ts';
import { Glyph } from './state.tsx';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Dates of the server are ISO texts. */
export type At = string | Date;

export const msOf = (at: At): number => new Date(at).getTime();

/** `12 s`, `3 min`, `2 h`, `4 d`: one unit. */
export function span(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** How long ago, with the exact time in its title: `3 min ago`, or `3 min` where the words around say the rest. */
export function Time({ at, ago = true }: { at: At; ago?: boolean }): JSX.Element {
  const ms = now.value - msOf(at);
  const text = ms < -SECOND ? `in ${span(-ms)}` : `${span(ms)}${ago ? ' ago' : ''}`;
  return <ExactTime at={at}>{text}</ExactTime>;
}

export function ExactTime({ at, children }: { at: At; children: ComponentChildren }): JSX.Element {
  const date = new Date(at);
  const iso = Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
  return (
    <time dateTime={iso} title={`${date.toLocaleString()} (${iso.slice(0, 19)}Z)`}>
      {children}
    </time>
  );
}

/** The time since then in two units, which goes on by itself: for what is at work. */
export function Since({ at }: { at: At }): JSX.Element {
  return <ExactTime at={at}>{duration(Math.max(SECOND, now.value - msOf(at)))}</ExactTime>;
}

export const money = (usd: number): string => `$${usd.toFixed(usd > 0 && usd < 0.005 ? 4 : 2)}`;

interface Cost {
  readonly usd: number;
  readonly seconds: number;
}

/** What was used: money, or the time where no price was reported. */
export function costWords({ usd, seconds }: Cost, cap?: number): string {
  if (usd === 0 && cap === undefined) return `${span(seconds * 1_000)} of work`;
  return cap === undefined ? money(usd) : `${money(usd)} of ${money(cap)}`;
}

/** `838 B`, `12 kB`, `1.2 MB` */
export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  if (count < 999_500) return `${Math.round(count / 1_000)} kB`;
  return count < 999_500_000
    ? `${(count / 1_000_000).toFixed(1)} MB`
    : `${(count / 1_000_000_000).toFixed(1)} GB`;
}

/** `1 lane`, `3 lanes` */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** `person ada` and `agent codex` by their names alone. */
export const actorName = (actor: string): string => actor.replace(/^(?:agent|person) /, '');

const LONG_KEY = 12;
const TAIL = 6;

/** A key is cut in its middle, where it has no room: both ends tell one from another. */
export function Key({ text }: { text: string }): JSX.Element {
  const isLong = text.length > LONG_KEY;
  return (
    <span class="midcut" title={text}>
      <span class="cut">{isLong ? text.slice(0, -TAIL) : text}</span>
      {isLong && <span>{text.slice(-TAIL)}</span>}
    </span>
  );
}

const COPIED_MS = 1_500;

/** Copies a text when it is clicked, and says for a moment that it did. */
function useCopied(text: string) {
  const [copied, setCopied] = useState(false);
  const onClick = async () => {
    if (!(await copy(text))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return { copied, onClick };
}

/** A command to paste; it breaks only at spaces, so that no option is torn. */
export function Command({ text }: { text: string }): JSX.Element {
  const { copied, onClick } = useCopied(text);
  return (
    <div class="cmd">
      <code>
        {text.split(' ').map((word, at) => (
          <span key={at}>
            {at > 0 && ' '}
            <span class="w">{word}</span>
          </span>
        ))}
      </code>
      <button type="button" data-copy="" aria-label={`Copy: ${text}`} onClick={onClick}>
        {copied ? 'copied' : 'copy'}
      </button>
    </div>
  );
}

interface CopyAsProps {
  readonly command: string;
  /** The key copies it in this view, where nothing else has the focus. */
  readonly first?: true;
}

/** A small button that copies the command which tells what stands here. */
export function CopyAs({ command, first }: CopyAsProps): JSX.Element {
  const { copied, onClick } = useCopied(command);
  return (
    <button
      type="button"
      class="copy-as"
      data-copy=""
      data-copy-first={first}
      title={`Copy as command: ${command}`}
      aria-label={`Copy as command: ${command}`}
      onClick={onClick}
    >
      <Glyph state={copied ? 'ok' : 'command'} />
    </button>
  );
}

/** What only a person may do: commands to type, beside an amber edge. */
export function Yours({
  why,
  commands,
}: {
  why: string;
  commands: readonly string[];
}): JSX.Element {
  return (
    <div class="yours" data-commands="">
      <p>{why}</p>
      {commands.map((it) => (
        <Command key={it} text={it} />
      ))}
    </div>
  );
}

/** A sentence of ours in which backticks set what is typed. */
export function Rich({ text }: { text: string }): JSX.Element {
  const parts = text.split('`');
  return (
    <>
      {parts.map((it, at) =>
        at % 2 === 1 && at < parts.length - 1 ? <code key={at}>{it}</code> : it,
      )}
    </>
  );
}
