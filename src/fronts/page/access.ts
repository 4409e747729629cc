/** Controls access: only a browser that got its address from the terminal, and this server's own page in it. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const secret = () => randomBytes(32).toString('base64url');
const hashed = (text: string) => createHash('sha256').update(text).digest();

export type Access = ReturnType<typeof access>;

export function access() {
  let token: Buffer | undefined;
  const sessions: Buffer[] = [];
  const isOne = (known: Buffer, given: string) => timingSafeEqual(known, hashed(given));
  return {
    /** A token of 256 bits for one exchange. It makes the earlier one invalid. */
    newToken(): string {
      const text = secret();
      token = hashed(text);
      return text;
    },
    /** @returns the browser's cookie from now on; `undefined` if the token is wrong, or was used before. */
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
 * Whether the request is for this server, and comes from its own page or from none. A name that another DNS resolves to
 * this machine is refused, as is a page on another port.
 *
 * @param hosts with the port.
 */
export function isOwnRequest(headers: Headers, method: string, hosts: readonly string[]): boolean {
  const host = headers.get('host') ?? '';
  if (!hosts.includes(host)) return false;
  const origin = headers.get('origin');
  // Browsers send an origin with every request that is more than reading.
  if (origin !== null || method !== 'GET') return origin === `http://${host}`;
  // A link to the page may be anywhere: the cookie is not sent with it.
  const isLink = headers.get('sec-fetch-mode') === 'navigate';
  return isLink || /^(?:same-origin|none)$/.test(headers.get('sec-fetch-site') ?? 'none');
}

/** Headers of every answer: no inline code, nothing from other servers, no frames, no caching. */
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
