/**
 * Secrets that are recognised by their name: `DB_PASSWORD=…`, `"apiKey": "…"`, `token: …`, `--token …`.
 *
 * Many other things have such names (types, labels, parser tokens), so the value is checked as well:
 * the weaker the spelling, the more the value has to look like a secret.
 */

import { onDemand } from './detectors.ts';
import { MASKS, masked } from './plain-form.ts';
import { maskTables, NAMES } from './tables.ts';
import { isMixed, isNone, isPassphrase, isWord } from './values.ts';

/** Each name has one of these in it. To look for them is much cheaper than to compile the expressions. */
const HINT =
  /pdo\(|mqtt|log_?in\(|sign_?in\(|wifi\.|pass|pw|psk|wort|clave|senha|contrase|密|パス|secret|token|credential|auth|connection|key/i;

const NAME = `(?:${NAMES})(?:[_-]?[0-9]{1,3})?`;
// `A= B=1` sets A to nothing: white space stands on both sides of `=` or on none.
const SEPARATOR =
  '(?:[ \\t]{0,40}(?:(?:\\|\\||[:?+])=|=>|:)[ \\t]{0,40}|[ \\t]{1,40}=[ \\t]{1,40}|=)';

const TYPE = '(?:\\[\\d{0,4}\\]|:?[ \\t]{0,4}(?:string|&str|str))?';
/** A space is enough behind an option, a keyword, and a directive that begins its line. */
const BESIDE =
  '(?:(?<=(?:--?|[\\s{(]:)[\\w-]{1,40}|: PSK|["\']\\])[ \\t]{1,4}|(?<=^[ \\t]{0,40}[\\w-]{1,40})[ \\t]{1,4}(?=["\'][^"\'\\r\\n]{4,200}["\'];?[ \\t]{0,9}$))';

const LONG_NAME = `[\\w.:-]{0,60}${NAME}`;
const LOGIN =
  '(?:PDO|WiFi\\.begin|mysqli_connect|getConnection|credentials?(?:::new)?|basic_?auth|password_?(?:authentication|credential)|(?:log|sign)_?in|authenticate|mqtt\\w{0,20}\\.connect|\\.auth)\\(|auth ?[:=] ?[(\\[]';
/** One of these stands before a value in quotes. */
const BEFORE_QUOTES = [
  // `define('DB_PASSWORD', '…')`, `fill('#password', '…')`, `getByLabel('Password').fill('…')`
  `(?:define|setenv|putenv|put|set|set_?property|append|field|fill|type)\\(\\s{0,4}["'](?:[^"'\\r\\n]{0,40}[^\\w"'\\r\\n])?${LONG_NAME}\\]?["'],\\s{0,20}`,
  `${NAME}["']\\)\\.(?:fill|type|send_?keys|set_?value)\\(`,
  // `variable "db_password" { default = "…" }`, `"adminPassword": { "value": "…" }`
  `${NAME}["']?\\s{0,4}[:=]?\\s{0,4}\\{\\s{0,80}(?:["']?\\w{1,20}["']?\\s{0,8}[:=][^\\r\\n{},]{0,120}[\\r\\n,]\\s{0,80}){0,3}?["']?(?:default_?)?(?:value|default)["']?\\s{0,8}[:=]\\s{0,8}`,
  // `new Credential("anna", "…")`
  `(?:${LOGIN})\\s{0,40}(?:[^"'()\\r\\n]{0,80}["'][^"'\\r\\n]{1,200}["'][\\w.()]{0,20},\\s{0,40}){1,3}`,
];

/** Groups of a pattern: what is kept, the quote that opens the value (or nothing), the value. */
const SPELLINGS = (
  [
    [
      'quoted',
      `(${NAME}["'\`]?\\]?(?:${TYPE}${SEPARATOR}|${BESIDE})[Nbu@]{0,2}(?:"[^"\\r\\n]{0,200}" -> )??)(["'\`])(?![${MASKS}])((?:\\\\.|(?!\\2)[^\\\\\\r\\n]){1,4000})(?=\\2)`,
    ],
    // Inside a JSON string, or a shell word: \"password\": \"…\"
    [
      'quoted',
      `(${NAME}(?:\\\\{1,3}["'])?${SEPARATOR})(\\\\{1,3}["'])([^\\\\"'\\r\\n]{1,4000})(?=\\\\)`,
    ],
    ['quoted', `(${BEFORE_QUOTES.join('|')})(["'])([^"'\\r\\n]{4,4000})(?=\\2)`],
    // `- name: SMTP_PASSWORD` and `value: …` in the next line; `<key>SmtpPassword</key> <string>…`
    [
      'quoted',
      `(\\b(?:name|key)["']?: {0,4}["']?${LONG_NAME}["']?,?\\s{0,80}["']?value["']?: {0,4}|(?:property|param|entry|setting) name=["']${LONG_NAME}["']>\\s{0,80}(?:<value>)?|<key>${LONG_NAME}</key>\\s{0,80}<string>|\\b(?:name|key)=["']${LONG_NAME}["'] value=)(["']?)([^<"'\\r\\n]{4,4000})`,
    ],
    // `NAME=value`, `ENV NAME value`, `setx NAME value`, `set -gx NAME value`
    [
      'variable',
      `(${NAME.toUpperCase()}=|(?<![\\w-])(?:ENV|setx|setenv|set -[gxU]{1,3}|#define(?=[^\\r\\n]{0,80}"))[ \\t]{1,4}[A-Z0-9_]{0,40}${NAME.toUpperCase()}[ \\t]{1,4}(?![=(])["']?)()([^\\s"'\`]+)`,
    ],
    // `default_pass = damselfly`, `password: brambling finch`
    [
      'line',
      `(^[ \\t+~-]{0,40}[\\w.-]{0,40}(?:password|passphrase|psk|[._-]pass|(?<=(?:user(?:name)?|login|host)\\b[^\\r\\n]{0,80}\\n[ \\t]{0,40})pass)[ \\t]{0,4}[:=][ \\t]{0,4})()([A-Za-z-]{5,60}|(?<=: +)[a-z]{2,20}(?: [a-z]{2,20}){1,11})(?=[ \\t]{0,9}$)`,
    ],
    [
      'flag',
      `((?<![\\w-])--?(?:[a-z0-9]{1,30}-){0,4}(?:${NAME})(?:[ \\t]{1,4}|=))(["']?)([^\\s"'\`]+)`,
    ],
    ['bare', `(${NAME}["'\`]?${SEPARATOR})()([^\\s"'\`,;&|<>(){}\\[\\]\\\\]+)`],
  ] as const
).map(([spelling, pattern]) => ({
  spelling,
  pattern: onDemand(pattern, spelling === 'variable' ? 'gm' : 'gim'),
}));

export function maskSettings(given: string): string {
  if (!HINT.test(given)) return given;
  const text = maskTables(given);
  return SPELLINGS.reduce(
    (current, { spelling, pattern }) =>
      current.replace(
        pattern(),
        (match, kept: string, quote: string, value: string, offset: number) => {
          const before = current.slice(Math.max(0, offset - LOOK_BACK), offset);
          const after = current.charAt(offset + match.length);
          const setting = { spelling, before, name: kept, value, after };
          return isSecret(setting) ? kept + quote + masked(value) : match;
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
  const { spelling, before, name, value, after } = setting;
  if (isNone(value) || endsLongerWord(before, name)) return false;
  if (spelling === 'quoted') return isQuotedSecret(setting);
  if (spelling === 'variable') return true;
  if (spelling === 'line') return isWord(value) || isPassphrase(value);
  if (spelling === 'flag' && name.endsWith('=')) return !value.startsWith('-');
  // A call, an item of a list, `--- PASS: x2`, `Unexpected token: x2`, `build pass: x-2`
  if (/[([]/.test(after) || RESULT.test(before.slice(-5) + name)) return false;
  if (/pass|pw|psk/i.test(name)) return isMixed(value) || isOneWord(setting);
  return isMixed(value) && !/^[\w$]+(?:[?!]?\.[\w$]+)+$/.test(value);
}

const RESULT = /(?:^|--[ \t]|\n)PASS:|\w[ \t]+(?:[Pp]ass|PASS|[Tt]oken):/;

/** A word behind `password=` or `--password`, if that is no argument of a call. */
const isOneWord = ({ spelling, name, value, after }: Setting): boolean =>
  (spelling === 'flag' || name.endsWith('=')) && isWord(value) && !/[,).]/.test(after);

/** Words in quotes may be a label or a message. */
function isQuotedSecret({ before, name, value }: Setting): boolean {
  if (/^\s|^[\^~<>=v]*\d+(?:\.[\dx*]+)+$/.test(value)) return false;
  if (!/\s/.test(value) || /[0-9]/.test(value)) return true;
  if (/^[A-Z_]+=$|\w\s+$/.test(name) || /(?:^|\s)--?[\w-]*$/.test(before)) return true;
  return isPassphrase(value);
}

/** `compass=` and `bypass:` are no passwords; `PGPASSWORD=` and `dbPass=` are. */
function endsLongerWord(before: string, name: string): boolean {
  if (/public_?key_?$/i.test(before)) return true;
  if (!/^(?:pass|pwd?)(?![a-z])/i.test(name)) return false;
  if (/(?:db|user|admin|root|smtp|ftp|key|store|sql|wifi)$/i.test(before)) return false;
  const hump = /[a-z]$/.test(before) && /^[A-Z]/.test(name);
  return /[A-Za-z]$/.test(before) && !hump;
}
