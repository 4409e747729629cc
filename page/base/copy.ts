/** Commands that people paste into a terminal. */
import { say } from './say.ts';

export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied: ${text}`);
    return true;
  } catch {
    say('The browser does not let this page copy: select the text');
    return false;
  }
}

/** Copies the command of what has the focus, else one beside it, else the first one of the view. */
export function copyNearest(): void {
  const own = document.activeElement?.getAttribute('data-command');
  if (own) {
    void copy(own);
    return;
  }
  const around = document.activeElement?.closest('[data-commands]');
  const button =
    around?.querySelector<HTMLElement>('[data-copy]') ??
    document.querySelector<HTMLElement>('#main [data-copy-first]') ??
    document.querySelector<HTMLElement>('#main .detail .cmd [data-copy]') ??
    document.querySelector<HTMLElement>('#main .cmd [data-copy]') ??
    document.querySelector<HTMLElement>('#main [data-copy]');
  if (button === null || button === undefined) say('Nothing here is done by a command');
  else button.click();
}
