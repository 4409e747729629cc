/** Shell patterns (`*`, `?`, `[…]`) on short texts, in time proportional to both lengths. */

/** `*`, or whether one character matches. */
type Token = '*' | ((char: string) => boolean);

export function matchesGlob(pattern: string, text: string): boolean {
  const tokens = tokenize(pattern);
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
    } else if (current?.(text[at] as string)) {
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

function inSet(members: string, char: string): boolean {
  for (let at = 0; at < members.length; at += 1) {
    if (members[at + 1] === '-' && at + 2 < members.length) {
      if (char >= (members[at] as string) && char <= (members[at + 2] as string)) return true;
      at += 2;
    } else if (members[at] === char) return true;
  }
  return false;
}

function tokenize(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at] as string;
    const close = char === '[' ? pattern.indexOf(']', at + 2) : -1;
    if (close > 0) {
      tokens.push(setOf(pattern.slice(at + 1, close)));
      at = close;
    } else if (char === '\\' && at + 1 < pattern.length) {
      at += 1;
      tokens.push(isChar(pattern[at] as string));
    } else tokens.push(plainToken(char));
  }
  return tokens;
}

const isChar = (wanted: string) => (char: string) => char === wanted;

const plainToken = (char: string): Token =>
  char === '*' ? '*' : char === '?' ? () => true : isChar(char);

function setOf(body: string): Token {
  const not = body.startsWith('!') || body.startsWith('^');
  const members = not ? body.slice(1) : body;
  return (char) => inSet(members, char) !== not;
}
