/**
 * What stands in the place of a secret. It is one unless it is known to be none: a placeholder, a reference, a path,
 * code, a name, a number, a word that is said of secrets.
 */
import { IS_MASKED } from './plain-form.ts';

/** Characters of Latin and Cyrillic scripts, without quotes, separators and backslashes. */
export const LETTERS = 'A-Za-z\u00c0-\u024f\u0400-\u04ff';

/** Placeholders: types, empty values and masks. */
export const NOTHING =
  /^(?:null|none|nil|true|false|undefined|string|text|number|bool(?:ean)?|object|array|function|void|await|any|unknown|never|required|optional|empty|missing|invalid|expected|hidden|masked|\[?redacted\]?|pass(?:word|ed|phrase|wd|code)?|failed|auth|token|secret|aws4-hmac-sha256|include|omit|todo|tbd|fixme|test|dummy|fake|sample|example|passwort|kennwort|contraseña|senha|wachtwoord|hasło|пароль|密码|密碼|パスワード|same-origin|x+|\*+|\.+|-+|\u2022+|_+)[,;!?]?$/i;

/** Stands where a person is to write the value: `your-api-key-here`, `changeme`. */
export const isPlaceholder = (value: string): boolean =>
  /^(?:keyboard cat|foobared)$|^(?:your|my|replace|insert|put|enter|add)[-_ ][a-z_ -]+$|^change[-_]?(?:me|it|this)$|^[a-z_-]{0,12}(?:\.{3}|…|x{4,40})$/i.test(
    value,
  ) ||
  /^(?:(?:the|some|new|old|test)[-_])?(?:api[-_]?)?(?:key|token|pass(?:word)?|secret)(?:[-_](?:here|value|name|id))?$/i.test(
    value,
  );

/** A reference to the value instead of the value. */
export const REFERENCE =
  /^!{0,2}(?:\$|(?:Read|Get|New|Import|Invoke|Convert(?:To|From))-[A-Z]\w+$|(?<=!)[a-z]+$|%[A-Za-z_]+%|\{\{|<|process\.env|os\.environ|env[.:[(]|secrets\.|vars\.|(?:vault|ssm|op|sops):)/;

/** A file, an address of the web, a name of a resource, a package. */
const PATH =
  /^(?:~|\.{1,2})?\/[\w.@-]*(?:\/[\w.@-]+)*$|^https?:|^!\w+$|^[a-z]{2,}(?:\/[\w.@-]+)+(?::\d+)*$|^[A-Z]+\/\d|^[a-z]{3,}:\d{1,4}(?:-\w+)?$|^arn:|^[\w.-]+:\d{2,5}\/|^@[\w-]+\/[\w.-]+$|\.(?:[cm]?[jt]sx?|py|go|rs|json|ya?ml|toml|md|txt|env|pem|key|sh|html?|css|log|conf|cfg|ini|xml|csv|sql|lock)(?::\d+)*$/i;

const isRandom = (value: string): boolean =>
  value.length >= 16 && /[0-9]/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);

/** Is none in any place. */
export const isNone = (value: string): boolean =>
  value.length < 4 ||
  IS_MASKED.test(value) ||
  NOTHING.test(value) ||
  isPlaceholder(value) ||
  REFERENCE.test(value) ||
  (PATH.test(value) && !isRandom(value));

const ORDINARY: readonly RegExp[] = [
  // A member of an object: `config.password`.
  /^[A-Za-z_$]+\d?(?:[?!]?\.[A-Za-z_$]+)+$/,
  // Names of variables, branches, tickets, types, colours.
  /^[a-z]+\d?(?:[-_/][a-z]+)+$|^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$|^[A-Z]{2,10}-\d{1,6}$|^[A-Z]?[a-z]+(?:[A-Z][a-z]+)+$|^#[a-z-]+$/,
  // A package of a version, somebody at a host.
  /^[\w./-]+@(?:v\d|\d+\.)[\w.]*$|^[a-z][\w.-]*@[a-z\d-]+(?:\.[a-z\d-]+)+$/,
  // A call, an assignment, an option of a program, a value in brackets.
  /^[\w.]+![rsa]$|^\d*\*|^[?+][a-z]+$|[([{]|=>|^[\w-]+=(?!=?$)|^(?:[a-z_]+|[A-Z_]+)=$|\w[<>~^]=?\d+\.|^%|^--?[a-z][a-z-]*(?:=|$)/,
  // Algorithms, versions, sizes, times, numbers.
  /^(?:sha|md|aes|des|rsa|hs|rs|es|ps|base|utf|uuid|latin|crc|argon|blake|bcrypt|scrypt|pbkdf|hmac|ed|oauth|oidc|saml|jwt|tls|http|ipv|ec|k8|w3|i18|2fa|mfa|rfc)[-_]?\d[\w./+=-]*$|^[vxpsn]\d[\d._]*(?:[-_]?[a-z]{1,5}[.-]?\d{0,3})?$|^\d+(?:[-_]?(?:bits?|bytes?|chars?|characters?|[smhdwy]|ms|min|hours?|days?|x|th|nd|rd|st|%|[kmg]i?b))+$|^[\d.,:%/-]+$|^2fa$|^1password$|^\d-way$|^iso\d+$|^\d\dp\d\d$|^\d{4}-\d\d-\d\dt[\d:.]*z?$/i,
];

const LETTER = new RegExp(`[${LETTERS}]`);
const DIGIT_OR_SIGN = /[0-9]|[!@#$%^&*+=~?]./;

/** With a digit or a sign, which hardly a word has. */
export const isMixed = (value: string): boolean =>
  /^\S{5,}$/.test(value) &&
  DIGIT_OR_SIGN.test(value) &&
  LETTER.test(value) &&
  !isNone(value) &&
  !ORDINARY.some((it) => it.test(value));

/** A word, or two, and a number: `staging-eu1`. */
const NUMBERED = /^#?[a-z]+\d{0,3}(?:[-_./@#:][a-z]*\d{0,3})?$/;
/** Any more of these in a row: `user:42:profile`. */
export const IDENTIFIER = /^[a-z]+\d{0,3}(?:[-_./@#](?:[a-z]*\d{0,3}|(?:19|20)\d\d)|:[a-z]*\d*)*$/;

/** A longer one, which hardly a name of something is. */
export const isToken = (value: string): boolean =>
  value.length >= 8 && isMixed(value) && !NUMBERED.test(value);

/** Endings of adjectives and participles of the languages that are written with Latin letters. */
const ENDING =
  /(?:ed|ing|able|ible|ly|ful|less|ous|ive|ent|ant|ary|ory|ic|ical|al|lich|tig|bar|isch|los|haft|ert|iert|scht|tzt|llt|tet|tes|ter|\u00e9e?s?|ado|ada|ido|ida|ble|oire|aire|ari[ao]|tori[ao])$/i;

const SAID_OF_SECRETS = new Set(
  `wrong right correct incorrect empty weak strong short long safe secret unsafe invalid valid public hidden plain known
  unknown stale fresh null none nil undefined missing gone lost broken stolen leaked random unique static dynamic fine
  good better bad worse there here always never often only also still not just too very now then what where when
  string strings optional required needed opaque sent kept read written built set unset reset rotten shown given taken
  latest okay ours yours mine theirs his hers everything nothing something anything another longer shorter older newer
  plaintext cleartext ascii bytes length strength expiry numeric sensitive unclear different identical similar equal
  option options flag flags argument arguments parameter parameters value values prompt file stdin with from
  instead when that this will works must task tasks time use side only in non per falsch richtig korrekt leer schwach stark kurz lang sicher geheim bekannt unbekannt neu alt weg
  nicht noch schon immer jetzt hier dort gut schlecht erforderlich abgelaufen verloren gesetzt
  faux vrai vide faible fort court secret connu inconnu perdu nouveau ancien toujours jamais bonne
  correcto incorrecto falso corto largo seguro secreto nuevo viejo siempre nunca
  aqui falta vacio`.split(/\s+/),
);

/** `wrong`, `expired`: a word that describes a secret, and is none. */
const isSaidOfSecrets = (word: string): boolean =>
  [word, word.replace(/as?$/i, 'o'), word.replace(/e?s?$/i, '')].some((it) =>
    SAID_OF_SECRETS.has(it.toLowerCase()),
  ) || ENDING.test(word);

/** `walrus-tusk`: words that are joined as no name in code is, and name no secret. */
const isCompound = (value: string): boolean =>
  /^[A-Za-z]+(?:-[A-Za-z]+)+$|^[A-Z][a-z]+(?:\.[A-Z][a-z]+)+$/.test(value) &&
  !/pass|pwd|token|secret|key/i.test(value) &&
  !/(?:ed|ing|able|ible|ive|ly)$/.test(value) &&
  !value.split('-').some((it) => SAID_OF_SECRETS.has(it.toLowerCase()));

/** A word where a setting has its value; `expired` is what a list says of one. */
export const isWord = (value: string): boolean =>
  isCompound(value) ||
  (/^[A-Z]?[a-z]{4,}$/.test(value) &&
    !NOTHING.test(value) &&
    !isPlaceholder(value) &&
    !SAID_OF_SECRETS.has(value.toLowerCase()) &&
    !/(?:ed|able|ible|oire|aire|[oa]ri[ao]|[ai]d[oa]|lich)$/.test(value));

/** The text behind the last word of a sentence, or of a part of it. */
export const END = /^(?:[.,;!?)"'`\n\r]|$| \(| ?[}\u3000-\u9fff]| (?:and|und|et|y|e) )/i;

/** A plain word is a password only at the end of the sentence, or of a part of it. */
export function isPassword(value: string, after: string): boolean {
  if (/^\d{6,12}$/.test(value)) return true;
  if (isNone(value)) return false;
  if (isCompound(value)) return END.test(after);
  if (ORDINARY.some((it) => it.test(value))) return false;
  if (/[^A-Za-z\u00c0-\u024f\u0400-\u04ff]/.test(value)) return !/^\d{1,3}$/.test(value);
  return /^[a-z\u00c0-\u024f]{6,}$/i.test(value) && !isSaidOfSecrets(value) && END.test(after);
}

/** Words of sentences, labels and messages, which a passphrase hardly has. */
const ofSentences = (): RegExp =>
  /(?<!\p{L})(?:an?|the|in|on|of|for|to|by|with|as|and|or|if|not|no|too|is|are|was|be|been|has|have|must|should|can|can't|does|do|did|don't|doesn't|your|you|my|our|this|that|it|its|from|at|ask|see|same|like|min(?:imum)?|max(?:imum)?|characters?|letters?|digits?|length|field|enter|use|show|hide|forgot|change|reset|der|die|das|und|nicht|ist|zu|le|la|el|los|un|une|de|du|y|et)(?!\p{L})|pass|pwd|token|secret|(?<!\p{L})keys?(?!\p{L})|wort|contras|mot de|[.!?:]$/iu;

/** `purple lantern seven`: words that make no sentence. */
export const isPassphrase = (value: string): boolean =>
  /^[\p{L}\d'-]{2,20}(?: [\p{L}\d'-]{1,20}){1,23}$/u.test(value) &&
  !ofSentences().test(value) &&
  (/( .*){2}/.test(value) || !value.split(' ').some((it) => SAID_OF_SECRETS.has(it.toLowerCase())));
