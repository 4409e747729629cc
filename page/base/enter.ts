/** The address that the terminal printed carries a token, which is exchanged once for a cookie. */
const TOKEN = /^#(?:token=)?([\w-]{32,})$/;

/** @returns whether there was a token; the page itself says whether it was let in. */
export async function enter(): Promise<boolean> {
  const token = TOKEN.exec(location.hash)?.[1];
  if (token === undefined) return false;
  // Neither the history nor a bookmark keeps it.
  history.replaceState(null, '', '#/needs');
  dispatchEvent(new HashChangeEvent('hashchange'));
  await fetch('/enter', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  }).catch(() => null);
  return true;
}
