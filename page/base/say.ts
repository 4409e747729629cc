/** What has just happened, for a moment at the bottom and for screen readers. */
import { signal } from '@preact/signals';

export interface Said {
  readonly text: string;
  readonly hint?: string | undefined;
  readonly tone: 'good' | 'bad';
}

const SHOWN_MS = { good: 4_000, bad: 12_000 };

export const said = signal<Said | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

export function say(text: string, { tone = 'good', hint }: Partial<Omit<Said, 'text'>> = {}): void {
  clearTimeout(timer);
  said.value = { text, hint, tone };
  timer = setTimeout(() => {
    said.value = null;
  }, SHOWN_MS[tone]);
}
