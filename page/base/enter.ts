/** The address that the terminal printed carries a token, which is exchanged once for a cookie. */
import { say } from './say.ts';

const TOKEN = /^#(?:token=)?([\w-]{32,})$/;

export async function enter(): Promise<void> {
  const token = TOKEN.exec(location.hash)?.[1];
  if (token === undefined) return;
  // Neither the history nor a bookmark keeps it.
  history.replaceState(null, '', '#/needs');
  dispatchEvent(new HashChangeEvent('hashchange'));
  const response = await fetch('/enter', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  }).catch(() => null);
  if (response === null || response.ok) return;
  const { error, hint } = (await response.json().catch(() => ({}))) as {
    error?: string;
    hint?: string;
  };
  say(error ?? 'The server did not let this page in', { tone: 'bad', hint });
}
