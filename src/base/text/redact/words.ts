/** Which words and values beside a name are a secret: the weaker the place, the more a value has to look like one. */
import { DIGEST, isPlaceholder, LETTERS, MEMBER, NOTHING, REFERENCE } from './values.ts';

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
    !NOTHING.test(value) &&
    !isPlaceholder(value) &&
    !SAID_OF_SECRETS.has(value.toLowerCase()) &&
    !/(?:ed|able|ible)$/.test(value));

/** Words of sentences, labels and messages, which a passphrase hardly has. */
const ofSentences = (): RegExp =>
  /(?<!\p{L})(?:an?|the|in|on|of|for|to|by|with|as|and|or|if|not|no|too|is|are|was|be|been|has|have|must|should|can|can't|does|do|did|don't|doesn't|your|you|my|our|this|that|it|its|from|at|ask|see|same|like|min(?:imum)?|max(?:imum)?|characters?|letters?|digits?|length|field|enter|use|show|hide|forgot|change|reset|der|die|das|und|nicht|ist|zu|le|la|el|los|un|une|de|du|y|et)(?!\p{L})|pass|pwd|token|secret|(?<!\p{L})keys?(?!\p{L})|wort|contras|mot de|[.!?:]$/iu;

/** `purple lantern seven`: words that make no sentence. */
export const isPassphrase = (value: string): boolean =>
  /^[\p{L}\d'-]{2,20}(?: [\p{L}\d'-]{1,20}){1,23}$/u.test(value) &&
  !ofSentences().test(value) &&
  (/( .*){2}/.test(value) || !value.split(' ').some((it) => SAID_OF_SECRETS.has(it.toLowerCase())));

const LETTER = new RegExp(`[${LETTERS}]`);
const DIGIT_OR_SIGN = /[0-9]|[!@#$%^&*+=~?]./;
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

const NAME =
  /^[a-z]+\d?(?:[-_/][a-z]+)+$|^[A-Z][A-Z\d]*(?:_[A-Z]+)+$|^[A-Z]{2,10}-\d{1,6}$|^[A-Z]?[a-z]+(?:[A-Z][a-z]+)+$|^#[a-z-]+$/;
/** A package of a version. */
const VERSION = /^[\w./-]+@(?:v\d|\d+\.)[\w.]*$/;
/** Somebody at a host. */
const ADDRESS = /^[a-z][\w.-]*@[a-z\d-]+(?:\.[a-z\d-]+)+$/;
const PATH =
  /^(?:~|\.{1,2})?\/|^https?:|\.(?:[cm]?[jt]sx?|py|go|rs|json|ya?ml|toml|md|txt|env|pem|key|sh)$/i;
/** A call, an assignment, an option of a program, a value in brackets. */
const CODE = /[([{]|=>|^[\w-]+=|^--?[a-z]|^%/i;

const ALGORITHM =
  /^(?:sha|md|aes|des|rsa|hs|rs|es|ps|base|utf|crc|argon|blake|bcrypt|scrypt|pbkdf|hmac|ed|oauth|oidc|saml|jwt|tls|http|ipv|ec|k8|w3|i18|2fa|mfa|rfc)[-_]?\d[\w./-]*$|^[vxpsn]\d[\d._]*(?:[-_]?[a-z]{1,5}[.-]?\d{0,3})?$|^\d+(?:[-_]?(?:bits?|bytes?|chars?|characters?|[smhdwy]|ms|min|hours?|days?|x|th|nd|rd|st|%|[kmg]i?b))+$|^[\d.,:%/-]+$|^2fa$/i;
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

/** The words after the value say that it is a password. */
export function isUsed(value: string, after: string): boolean {
  if (isMixed(value) || isCompound(value)) return true;
  return (
    /^[a-z]{6,}$/i.test(value) && /^["'`]? (?:as|als|com)/.test(after) && !isSaidOfSecrets(value)
  );
}

export function isPaired(value: string): boolean {
  if ([NAME, PATH, ALGORITHM, VERSION, /:|^[\w./?=-]*\//].some((it) => it.test(value)))
    return false;
  return value.length >= 6 && DIGIT_OR_SIGN.test(value) && LETTER.test(value);
}

export function isToken(value: string): boolean {
  if (MEMBER.test(value)) return false;
  return value.length >= 8 && isMixed(value) && !/^[a-z]+[-_]?\d{1,3}$/.test(value);
}

/** Hardly a name of something has letters of both cases and digits. */
export function isMixedCase(value: string): boolean {
  return value.length >= 6 && isMixed(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);
}
