import type { JSX } from 'preact';
import { copy } from '../base/copy.ts';

/** Copies the command that prints what it stands beside. @param first what the key copies in this view. */
export function AsCommand({ text, first }: { text: string; first?: true }): JSX.Element {
  return (
    <button
      type="button"
      class="as-command"
      data-copy-first={first}
      title={text}
      aria-label={`Copy as command: ${text}`}
      onClick={() => copy(text)}
    >
      as command
    </button>
  );
}
