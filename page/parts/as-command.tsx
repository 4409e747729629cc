import type { JSX } from 'preact';
import { copy } from '../base/copy.ts';

/** Copies the command that prints what it stands beside. */
export function AsCommand({ text }: { text: string }): JSX.Element {
  return (
    <button
      type="button"
      class="as-command"
      title={text}
      aria-label={`Copy as command: ${text}`}
      onClick={() => copy(text)}
    >
      as command
    </button>
  );
}
