/** Shell patterns (`*`, `?`, `[…]`) on short texts, in time proportional to both lengths. */

/** An escaped character, a set, or a character by itself. */
const TOKEN = /\\.|\[.[^\]]*\]|./gs;

export function matchesGlob(pattern: string, text: string): boolean {
  const tokens = pattern.match(TOKEN) ?? [];
  let token = 0;
  let at = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    const current = tokens[token];
    if (current === '*') {
      star = token;
      resume = at;
      token += 1;
    } else if (current !== undefined && matchesToken(current, text.charAt(at))) {
      token += 1;
      at += 1;
    } else if (star >= 0) {
      token = star + 1;
      resume += 1;
      at = resume;
    } else return false;
  }
  while (tokens[token] === '*') token += 1;
  return token === tokens.length;
}

function matchesToken(token: string, char: string): boolean {
  if (token === '?') return true;
  const [, not, members] = /^\[([!^]?)(.*)\]$/s.exec(token) ?? [];
  if (members === undefined) return token.at(-1) === char;
  const parts = members.match(/.-.|./gs) ?? [];
  const isIn = parts.some((it) => char >= it.charAt(0) && char <= it.charAt(it.length - 1));
  return isIn !== (not !== '');
}
