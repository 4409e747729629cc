/** What stands in the place of a secret: which values may be one, and which are known to be none. */

/** Placeholders: types, empty values and masks. */
export const NOTHING =
  /^(?:null|none|nil|true|false|undefined|string|number|boolean|object|array|function|any|unknown|never|required|optional|empty|missing|invalid|expected|hidden|masked|redacted|pass(?:word|ed)?|failed|auth|token|secret|aws4-hmac-sha256|include|omit|todo|tbd|fixme|same-origin|x+|\*+|\.+|-+|\u2022+|_+)[,;!?]?$/i;

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
  /^(?:\$|(?:Read|Get|New|Import|Invoke|Convert(?:To|From))-[A-Z]\w+$|!{1,2}[a-z]+$|%[A-Za-z_]+%|\{\{|<|process\.env|os\.environ|env[.:[(]|secrets\.|vars\.)/;

/** A member of an object: `config.password`. */
export const MEMBER =
  /^[a-z_$][\w$]*(?:[?!]?\.[A-Za-z_$][\w$]*)+$|^[A-Z][A-Za-z]*(?:\.[A-Za-z]+)+$/;
/** Ids of objects, digests, UUIDs. */
export const DIGEST =
  /^(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|sha(?:1|256|384|512)[-:].*)$/i;

export const isPath = (value: string): boolean =>
  /^(?:~|\.{1,2})?\/[\w.@-]*(?:\/[\w.@-]+)*$/.test(value) && !isRandom(value);

export const isUncommon = (value: string): boolean =>
  value.length >= 6 && /[0-9!@#$%^&*+=/~?]/.test(value);

export const isRandom = (value: string): boolean =>
  value.length >= 16 && /[0-9]/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);

/** Endings of adjectives and participles of the languages that are written with Latin letters. */
const ENDING =
  /(?:ed|ing|able|ible|ly|ful|less|ous|ive|ent|ant|ary|ory|ic|ical|al|lich|tig|bar|isch|los|haft|ert|iert|scht|tzt|llt|tet|tes|ter|\u00e9e?s?|ado|ada|ido|ida|ble|oire|aire|ari[ao]|tori[ao])$/i;

const SAID_OF_SECRETS = new Set(
  `wrong right correct incorrect empty weak strong short long safe secret unsafe invalid valid public hidden plain known
  unknown stale fresh null none nil undefined missing gone lost broken stolen leaked random unique static dynamic fine
  good better bad worse there here always never often only also still not just too very now then what where when
  string strings optional required needed opaque sent kept read written built set unset reset rotten shown given taken
  okay ours yours mine theirs his hers everything nothing something anything another longer shorter older newer
  plaintext cleartext ascii bytes numeric sensitive unclear different identical similar equal
  falsch richtig korrekt leer schwach stark kurz lang sicher geheim bekannt unbekannt neu alt weg
  nicht noch schon immer jetzt hier dort gut schlecht erforderlich abgelaufen verloren gesetzt
  faux vrai vide faible fort court secret connu inconnu perdu nouveau ancien toujours jamais bonne
  correcto incorrecto falso corto largo seguro secreto nuevo viejo siempre nunca
  aqui falta vacio`.split(/\s+/),
);

/** `wrong`, `expired`: a word that describes a secret, and is none. */
export const isSaidOfSecrets = (word: string): boolean =>
  [word, word.replace(/as?$/i, 'o'), word.replace(/e?s?$/i, '')].some((it) =>
    SAID_OF_SECRETS.has(it.toLowerCase()),
  ) || ENDING.test(word);

/** A word where a setting has its value; `expired` is what a list says of one. */
export const isWord = (value: string): boolean =>
  isCompound(value) ||
  (/^[A-Z]?[a-z]{4,}$/.test(value) &&
    !SAID_OF_SECRETS.has(value.toLowerCase()) &&
    !/(?:ed|able|ible)$/.test(value));

/** Words of sentences, labels and messages, which a passphrase hardly has. */
const OF_SENTENCES =
  /(?<!\p{L})(?:an?|the|in|on|of|for|to|by|with|as|and|or|if|not|no|too|is|are|was|be|been|has|have|must|should|can|can't|does|do|did|don't|doesn't|your|you|my|our|this|that|it|its|from|at|ask|see|same|like|min(?:imum)?|max(?:imum)?|characters?|letters?|digits?|length|field|enter|use|show|hide|forgot|change|reset|der|die|das|und|nicht|ist|zu|le|la|el|los|un|une|de|du|y|et)(?!\p{L})|pass|pwd|token|secret|(?<!\p{L})keys?(?!\p{L})|wort|contras|mot de|[.!?:]$/iu;

/** `purple lantern seven`: words that make no sentence. */
export const isPassphrase = (value: string): boolean =>
  /^[\p{L}\d'-]{2,20}(?: [\p{L}\d'-]{1,20}){1,23}$/u.test(value) &&
  !OF_SENTENCES.test(value) &&
  (/( .*){2}/.test(value) || !value.split(' ').some((it) => SAID_OF_SECRETS.has(it.toLowerCase())));

/** Characters of Latin and Cyrillic scripts, without quotes, separators and backslashes. */
export const LETTERS = 'A-Za-z\u00c0-\u024f\u0400-\u04ff';
export const LETTER = new RegExp(`[${LETTERS}]`);
export const DIGIT_OR_SIGN = /[0-9]|[!@#$%^&*+=~?]./;
const PLAIN = new RegExp(`^[${LETTERS}]+$`);

/** True with a digit or a sign, which hardly a word has. */
export function isMixed(value: string): boolean {
  if (isNoSecret(value) || value.length < 5) return false;
  return DIGIT_OR_SIGN.test(value) && LETTER.test(value);
}

/** True for references, placeholders, paths, options, code, digests and names of algorithms. */
const isNoSecret = (value: string): boolean =>
  value.includes('[redacted') ||
  isPlaceholder(value) ||
  NOTHING.test(value) ||
  (MEMBER.test(value) && !/\d$/.test(value)) ||
  [REFERENCE, DIGEST, ALGORITHM, NAME, PATH, CODE, VERSION, ADDRESS].some((it) => it.test(value));

export const NAME =
  /^[a-z]+\d?(?:[-_/][a-z]+)+$|^[A-Z][A-Z\d]*(?:_[A-Z]+)+$|^[A-Z]{2,10}-\d{1,6}$|^[A-Z]?[a-z]+(?:[A-Z][a-z]+)+$|^#[a-z-]+$/;
/** A package of a version. */
export const VERSION = /^[\w./-]+@(?:v\d|\d+\.)[\w.]*$/;
/** Somebody at a host. */
const ADDRESS = /^[a-z][\w.-]*@[a-z\d-]+(?:\.[a-z\d-]+)+$/;
export const PATH =
  /^(?:~|\.{1,2})?\/|^https?:|\.(?:[cm]?[jt]sx?|py|go|rs|json|ya?ml|toml|md|txt|env|pem|key|sh)$/i;
/** A call, an assignment, an option of a program, a value in brackets. */
const CODE = /[([{]|=>|^[\w-]+=|^--?[a-z]|^%/i;

export const ALGORITHM =
  /^(?:sha|md|aes|des|rsa|hs|rs|es|ps|base|utf|crc|argon|blake|bcrypt|scrypt|pbkdf|hmac|ed|oauth|oidc|saml|jwt|tls|http|ipv|ec|k8|w3|i18|2fa|mfa)[-_]?\d[\w./-]*$|^[vxpsn]\d[\d._]*(?:[-_]?[a-z]{1,5}[.-]?\d{0,3})?$|^\d+(?:[-_]?(?:bits?|bytes?|chars?|characters?|[smhdwy]|ms|min|hours?|days?|x|th|nd|rd|st|%|[kmg]i?b))+$|^[\d.,:%/-]+$|^2fa$/i;
/** The text after the last word of a sentence, or of a part of it. */
const END = /^(?:[.,;!?)"'`\n\r]|$| \(| ?[\u3000-\u9fff]| (?:and|und|et|y|e) )/i;

/** A plain word is a password only at the end of the sentence, or of a part of it. */
export function isPassword(value: string, after: string): boolean {
  if (/^\d{6,12}$/.test(value)) return true;
  if (isNoSecret(value)) return false;
  if (!PLAIN.test(value)) return !/^\d{1,3}$/.test(value);
  return /^[a-z\u00c0-\u024f]{6,}$/i.test(value) && !isSaidOfSecrets(value) && END.test(after);
}

/** `walrus-tusk`: words that are joined as no name in code is, and name no secret. */
export const isCompound = (value: string): boolean =>
  /^[A-Za-z]+(?:-[A-Za-z]+)+$|^[A-Z][a-z]+(?:\.[A-Z][a-z]+)+$/.test(value) &&
  !/pass|pwd|token|secret|key/i.test(value) &&
  !isSaidOfSecrets(value);
