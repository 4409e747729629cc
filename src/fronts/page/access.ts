/** Who may ask: a browser that was given an address by the terminal, and only this server's own page in it. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const secret = () => randomBytes(32).toString('base64url');
const hashed = (text: string) => createHash('sha256').update(text).digest();

export type Access = ReturnType<typeof access>;

export function access() {
  let token: Buffer | undefined;
  const sessions: Buffer[] = [];
  const isOne = (known: Buffer, given: string) => timingSafeEqual(known, hashed(given));
  return {
    /** 256 bits for one exchange. The one before is void. */
    newToken(): string {
      const text = secret();
      token = hashed(text);
      return text;
    },
    /** @returns what the browser shows from now on; `undefined` if it is not the token, or was exchanged before. */
    exchange(given: string): string | undefined {
      if (token === undefined || !isOne(token, given)) return undefined;
      token = undefined;
      const session = secret();
      sessions.push(hashed(session));
      return session;
    },
    knows: (session: string | undefined): boolean =>
      session !== undefined && sessions.some((it) => isOne(it, session)),
  };
}

/**
 * Whether the request is meant for this server, and comes from its own page if it comes from one. A name that
 * somebody's DNS leads to this machine is no name of it, and a page of another port is another page.
 *
 * @param hosts with the port.
 */
export function isOwnRequest(headers: Headers, method: string, hosts: readonly string[]): boolean {
  const host = headers.get('host') ?? '';
  if (!hosts.includes(host)) return false;
  const origin = headers.get('origin');
  // Browsers send an origin with whatever is more than reading.
  if (origin !== null || method !== 'GET') return origin === `http://${host}`;
  // A link to the page may stand anywhere: the cookie does not come with it.
  const isLink = headers.get('sec-fetch-mode') === 'navigate';
  return isLink || /^(?:same-origin|none)$/.test(headers.get('sec-fetch-site') ?? 'none');
}

/** Of every answer: nothing inline, nothing from elsewhere, in nobody's frame, kept nowhere. */
export const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};
