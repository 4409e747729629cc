/**
 * Secrets that are recognised by their name: `DB_PASSWORD=…`, `"apiKey": "…"`, `token: …`, `--token …`.
 *
 * Many other things have such names (types, labels, parser tokens), so the value is checked as well:
 * the weaker the spelling, the more the value has to look like a secret.
 */

const NAMES =
  'pass(?:word|wd|phrase)?|pwd?|secret|token|credentials?|authorization|_auth|connection[_-]?string|' +
  '(?:api|access|secret|private|signing|encryption|master|account|auth|deploy|service)[_-]?key(?:[_-]base)?';

/** Each name has one of these in it. To look for them is much cheaper than to compile the expressions. */
const HINT = /pass|pw|secret|token|credential|auth|connection|key/i;

const NAME = `(?:${NAMES})(?:[_-]?[0-9]{1,3})?`;
// `A= B=1` sets A to nothing: white space stands on both sides of `=` or on none.
const SEPARATOR = '(?:[ \\t]{0,4}(?::=|=>|:)[ \\t]{0,4}|[ \\t]{1,4}=[ \\t]{1,4}|=)';

/** Groups of a pattern: what is kept, the quote that opens the value (or nothing), the value. */
const SPELLINGS = (
  [
    [
      'quoted',
      `(${NAME}["'\`]?\\]?${SEPARATOR})(["'\`])((?:\\\\.|(?!\\2)[^\\\\\\r\\n]){1,4000})(?=\\2)`,
    ],
    [
      'quoted',
      `((?:define|setenv|putenv)\\(["'][A-Z_]{0,40}${NAME}["'], {0,2})(["'])([^"'\\r\\n]{1,4000})(?=\\2)`,
    ],
    // Inside a JSON string, or a shell word: \"password\": \"…\"
    [
      'quoted',
      `(${NAME}(?:\\\\{1,3}["'])?${SEPARATOR})(\\\\{1,3}["'])([^\\\\"'\\r\\n]{1,4000})(?=\\\\)`,
    ],
    ['variable', `(${NAME.toUpperCase()}=)()([^\\s"'\`]+)`],
    // `ENV NAME value`, `setx NAME value`, `set -gx NAME value`
    [
      'variable',
      `((?<![\\w-])(?:ENV|setx|setenv|set -[gxU]{1,3})[ \\t]{1,4}[A-Z0-9_]{0,40}${NAME.toUpperCase()}[ \\t]{1,4})(["']?)([^\\s"'\`=]+)`,
    ],
    // `- name: SMTP_PASSWORD` and `value: …` in the next line, or beside it in JSON.
    [
      'quoted',
      `(name["']?: {0,4}["']?[\\w.-]{0,60}${NAME}["']?,?\\s{1,80}["']?value["']?: {0,4})(["']?)([^"'\\r\\n]{4,4000})`,
    ],
    ['flag', `(--(?:[a-z0-9]{1,30}-){0,4}(?:${NAME})(?:[ \\t]{1,4}|=))(["']?)([^\\s"'\`]+)`],
    ['bare', `(${NAME}["'\`]?${SEPARATOR})()([^\\s"'\`,;&|<>(){}\\[\\]\\\\]+)`],
  ] as const
).map(([spelling, pattern]) => ({
  spelling,
  pattern: new RegExp(pattern, spelling === 'variable' ? 'g' : 'gi'),
}));

/** With a quote that is written twice, it is two of these. */
const STRING = `'[^']{0,2000}'`;
const CALL = `\\((?:${STRING}|[^()']){0,500}\\)`;
const ROW = `\\((?:${STRING}|${CALL}|[^()']){0,2000}\\)`;
/** Groups: up to the names of the columns, these, up to the rows, the rows. */
const INSERTION = new RegExp(
  `(\\binsert\\s{1,8}into\\s{1,8}[\\w."\`]{1,100}\\s{0,4}\\()([^()]{1,1000})(\\)\\s{0,8}values\\s{0,8})((?:${ROW}[\\s,]{0,8}){1,100})`,
  'gi',
);
const ROWS = new RegExp(ROW, 'g');
const VALUES = new RegExp(`(?:${STRING}|${CALL}|[^,'()])+`, 'g');
const STRINGS = new RegExp(`(?:${STRING})+`, 'g');
const IS_NAME = new RegExp(`(?:${NAMES})["\`]?\\s*$`, 'i');

/** Values of a row of SQL whose columns have such names. */
function redactRows(text: string): string {
  return text.replace(INSERTION, (_, into, columns: string, between, rows: string) => {
    const isSecretAt = columns.split(',').map((it) => IS_NAME.test(it));
    const redacted = rows.replaceAll(ROWS, (row) => {
      let at = -1;
      const values = row.slice(1, -1).replace(VALUES, (value) => {
        at += 1;
        return isSecretAt[at] ? value.replace(STRINGS, "'[redacted:secret]'") : value;
      });
      return `(${values})`;
    });
    return `${into}${columns}${between}${redacted}`;
  });
}

export function redactSettings(given: string): string {
  if (!HINT.test(given)) return given;
  const text = redactRows(given);
  return SPELLINGS.reduce(
    (current, { spelling, pattern }) =>
      current.replace(
        pattern,
        (match, kept: string, quote: string, value: string, offset: number) => {
          const before = current.slice(Math.max(0, offset - LOOK_BACK), offset);
          const after = current.charAt(offset + match.length);
          const setting = { spelling, before, name: kept, value, after };
          return isSecret(setting) ? `${kept}${quote}[redacted:secret]` : match;
        },
      ),
    text,
  );
}

/** Characters before a name that may tell what it belongs to. */
const LOOK_BACK = 60;

interface Setting {
  readonly spelling: (typeof SPELLINGS)[number]['spelling'];
  readonly before: string;
  readonly name: string;
  readonly value: string;
  readonly after: string;
}

function isSecret(setting: Setting): boolean {
  const { spelling, before, name, value } = setting;
  if (value.length < 4 || NOTHING.test(value) || REFERENCE.test(value)) return false;
  if (value.includes('[redacted:') || isPlaceholder(value)) return false;
  if (endsLongerWord(before, name) || isPath(value)) return false;
  switch (spelling) {
    case 'variable':
      return true;
    case 'quoted':
      return !/\s/.test(value) || /[0-9]/.test(value);
    case 'flag':
      return name.endsWith('=') || (!value.startsWith('-') && isUncommon(value));
    case 'bare':
      return isBareSecret(setting);
  }
}

/** `token: x` may be a setting, a type, output of a parser, or prose. */
function isBareSecret({ before, name, value, after }: Setting): boolean {
  if (before.endsWith('_auth') && name === 'Token=') return true;
  // `PASS: name` is the result of a test.
  if (/^PASS:/.test(name) && !/\w$/.test(before)) return false;
  if (after === '(' || after === '[' || MEMBER.test(value) || DIGEST.test(value)) return false;
  if (/^[0-9.]+$/.test(value) || value.length < 6) return false;
  return isProse(before) && !name.endsWith('=') ? isRandom(value) : isUncommon(value);
}

/** Placeholders: types, empty values and masks. */
export const NOTHING =
  /^(?:null|none|nil|true|false|undefined|string|number|boolean|object|array|function|any|unknown|never|required|optional|empty|missing|invalid|expected|hidden|masked|redacted|pass(?:word|ed)?|failed|auth|token|secret|aws4-hmac-sha256|include|omit|todo|tbd|fixme|same-origin|x+|\*+|\.+|-+|\u2022+|_+)[,;]?$/i;

/** Stands where a person is to write the value: `your-api-key-here`, `changeme`. */
export const isPlaceholder = (value: string): boolean =>
  /^(?:your|my|replace|insert|put|enter|add)[-_ ][a-z_ -]+$|^change[-_]?(?:me|it|this)$|^[a-z_-]{0,12}(?:\.{3}|…|x{4,40})$/i.test(
    value,
  ) ||
  /^(?:(?:the|some|new|old|test)[-_])?(?:api[-_]?)?(?:key|token|pass(?:word)?|secret)(?:[-_](?:here|value|name|id))?$/i.test(
    value,
  );

/** A reference to the value instead of the value. */
export const REFERENCE =
  /^(?:\$|!{1,2}[a-z]+$|%[A-Za-z_]+%|\{\{|<|process\.env|os\.environ|env[.:[(]|secrets\.|vars\.)/;

/** A member of an object: `config.password`. */
export const MEMBER =
  /^[a-z_$][\w$]*(?:[?!]?\.[A-Za-z_$][\w$]*)+$|^[A-Z][A-Za-z]*(?:\.[A-Za-z]+)+$/;
/** Ids of objects, digests, UUIDs. */
export const DIGEST =
  /^(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|sha(?:1|256|384|512)[-:].*)$/i;

const isPath = (value: string): boolean =>
  /^(?:~|\.{1,2})?\/[\w.@-]*(?:\/[\w.@-]+)*$/.test(value) && !isRandom(value);

const isUncommon = (value: string): boolean =>
  value.length >= 6 && /[0-9!@#$%^&*+=/~?]/.test(value);

const isRandom = (value: string): boolean =>
  value.length >= 16 && /[0-9]/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);

/** `compass=` and `bypass:` are no passwords; `PGPASSWORD=` and `dbPass=` are. */
function endsLongerWord(before: string, name: string): boolean {
  if (!/^(?:pass|pwd?)(?![a-z])/i.test(name)) return false;
  const hump = /[a-z]$/.test(before) && /^[A-Z]/.test(name);
  return /[A-Za-z]$/.test(before) && !hump;
}

/** True if a word stands before the name that does not introduce a setting. */
function isProse(before: string): boolean {
  const sentence = before.replace(/[\w.-]*$/, '');
  return /[\w'\u2019)][ \t]+$/.test(sentence) && !INTRODUCTION.test(sentence);
}

const INTRODUCTION =
  /\b(?:export|setx?|env|arg|const|let|var|val|private|public|readonly|static|final|with|-e)[ \t]+$/i;
