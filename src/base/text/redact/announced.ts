/**
 * Secrets that a sentence announces, in either order: `the password for staging is …`, `Passwort ist …`,
 * `here is the token …`, `… is the password`. The token beside such a word is one, unless it is a word that is
 * said of secrets (`is wrong`), a name in code, or the name of an algorithm.
 */
import { DIGEST, isPlaceholder, MEMBER, NOTHING, REFERENCE } from './settings.ts';

/** Password words are tried first, because a plain word may follow one. */
const PASSWORDS =
  'pass ?words?|pass(?:wd|phrase|code)|pwd?|pin(?: code)?|(?:unlock|door|alarm) codes?|' +
  'pass(?:wort|w\u00f6rter)|kenn?wort|zugangscode|mots? de passe|mdp|phrase secr\u00e8te|' +
  'contrase(?:\u00f1|n)as?|claves?(?: de acceso)?|' +
  '密码|密碼|口令|パスワード|暗証番号|合言葉';

/** Also passwords in languages of which it is not known what else is said of them. */
const TOKENS =
  '(?:(?:api|access|auth(?:entication)?|bearer|deploy|refresh|session|personal|webhook|bot)[ _-])*tokens?|' +
  '(?:api|access|auth|deploy|license|signing|encryption|master|secret|private|service)[ _-]?keys?(?: base)?|' +
  '(?:client|webhook|signing|shared|api)[ _-]secrets?|secrets?|(?:recovery|backup|access|security) codes?|' +
  '(?:api-|zugangs)schl\u00fcssel|geheimnis|zugangstoken|jetons?(?: d.acc\u00e8s)?|cl\u00e9s?(?: d.acc\u00e8s| secr\u00e8te| d.?api| api)|' +
  'claves? (?:de (?:la )?api|secreta|api)|tokens? de acceso|secretos?|' +
  '(?<=(?:the|my|our|your|root|admin|sudo|user|db|wi-?fi) )pass|senhas?|palavra-passe|has\u0142[oa]|\u043f\u0430\u0440\u043e\u043b[\u044c\u044f]|wachtwoord|parola(?: d.ordine)?|l\u00f6senord(?:et)?|' +
  '令牌|密钥|密鑰|金鑰|トークン|秘密鍵|(?:api|アクセス) ?キー|シークレット';

/** A name and a password follow. */
const ACCOUNTS =
  'log[ -]?ins?|credentials?|(?:login|zugangs)daten|identifiants?|credenciales|acceso|账号|帳號|アカウント';

const PASSPHRASES = 'pass[ -]?phrase|phrase secr\u00e8te|frase secreta|合言葉';

const KEYS = 'keys?|schl\u00fcssel|cl\u00e9s?|llaves?|claves?|codes?|密钥|キー';

/** Phrases that introduce a value. */
const HERE =
  'here(?:.s| is| are)|hier (?:ist|sind)|voici|voil\u00e0|aqu\u00ed (?:est\u00e1|tienes)|这是|これが';

/** What it is for: `for the staging broker`, `der Datenbank`, `you need`. */
const FOR = "(?:[ \\t]+[\\w.@/'()\u00e0-\u024f\u0430-\u044f-]{1,30}){0,5}?";

const IS =
  '[ \\t]{0,4}(?:[=:\uff1a]|[-=]>|\u2192|\u662f|\u4e3a|\u70ba|\u6539\u6210|\u6539\u4e3a|\u8bbe\u4e3a|\u306f|\u304c|[\u2013\u2014])[ \\t]{0,4}|' +
  "[ \\t]+(?:is|was|are|became|will be|'s|ist|lautet|war|heisst|hei\u00dft|est|sera|\u00e9tait|es|ser\u00e1|son|\u00e8|\u00e9|\u00e4r|jest)" +
  '(?:[ \\t]+(?:now|still|jetzt|nun|maintenant|ahora))?[ \\t]*:?[ \\t]+';

/** In Chinese and Japanese no space is needed. */
const BESIDE = '(?:[ \\t]{1,4}|(?<=[\\u3040-\\u9fff]))';

const QUOTE = '["\'`\u201c\u201e\u00ab\u300c*]{0,2}';
/** Characters that are printed as one byte, without quotes, separators and backslashes. */
const VALUE = '[\\w!@#$%^&+~][\\w!#-&(-+.\\/:<-@\\[\\]^{}~-]{3,200}';

const ENDS =
  '(?=[.,;!?)\\s\u3000-\u9fff]|$)(?! ?(?:hash|form|field|format|protocol|algorithm|digest))';
/** A value with a word that joins it to what it is, and what may stand between. */
const BACKWARDS =
  `${VALUE}(?=["'\`]?(?:[ \\t]+(?:is|was|are|ist|sind|est|es)(?:[ \\t]+[\\w\u00e0-\u00ff]{1,20}){1,3}?[ \\t]+|` +
  '\u662f[\u4e00-\u9fff]{0,8}|\u304c[\u3040-\u9fff]{0,8}|' +
  `,[ \\t]+(?:the|our|my|das|le|la)[ \\t]+(?:\\w{1,20}[ \\t]+)?)(?:${PASSWORDS}|${TOKENS}|(?:log-?in )?credentials|zugangsdaten|credenciales)${ENDS})`;

/** Not within a word; one begins after `WLAN-`. Letters of all scripts would take a hook long to compile. */
const WORD_START = '(?<![A-Za-z\u00c0-\u024f\\d_]|(?<![A-Za-z])-)';

/** Each name contains one of these. */
const HINT =
  /pass|phrase|frase|pwd?|pin|code|wort|mdp|contrase|clave|token|key|secret|geheim|schl|jeton|cl\u00e9|llave|log[ -]?in|credential|daten|identifiant|credencial|acceso|senha|has\u0142|\u043f\u0430\u0440\u043e\u043b|wachtw|parola|senord|[\u3040-\u9fff]/i;

const AFTER = '(?=([\\s\\S]{0,5}))';
const ANNOUNCEMENTS = (
  [
    [PASSWORDS, `${FOR}(?:${IS})`, VALUE, isPassword],
    [TOKENS, `${FOR}(?:${IS})`, VALUE, isToken],
    // `here is the token X`, `changed the password to X`
    [`(?:${PASSWORDS}|pass)(?:[ \\t]+(?:to|auf|en|mal))?`, BESIDE, VALUE, isMixed],
    [TOKENS, BESIDE, VALUE, isLongMixed],
    // `the password has not changed, still X`, `the password changed, now it is X`
    [
      PASSWORDS,
      `[^.!?\\r\\n]{1,60}?[ ,](?:still|immer noch|toujours|sigue|todav\u00eda|now|jetzt|maintenant|ahora)(?:[ \\t]+(?:is|it.?s?|ist|es|c.est)){0,2}[ \\t]+`,
      VALUE,
      isToken,
    ],
    // `login: thomas / X`
    [ACCOUNTS, `${FOR}(?:${IS})[\\w.@-]{2,60} ?[/|:] ?`, VALUE, isPaired],
    // `X is the password`, `X ist das Passwort`
    ['(?<=^|[\\s(])', '', BACKWARDS, isToken],
    // `the key to the vault: X`
    [KEYS, ` (?:to|f.r|zu[mr]|del?|du|para|pour)${FOR}(?:${IS})(?![a-z]+[:-])`, VALUE, isLongMixed],
    // `here is the key: X`
    [HERE, `${FOR}[ \\t]+(?:${KEYS})${FOR}(?:${IS})`, VALUE, isLongMixed],
    // `use X as password`
    [
      'use|take|try|nimm|nutze|verwende|utilise|prends|usa',
      '[ \\t]+',
      `${VALUE}(?=["'\`]?[ \\t]+(?:as|als|comme|como)[ \\t]+(?:\\w{2,4}[ \\t]+)?(?:${PASSWORDS})${ENDS})`,
      isUsed,
    ],
    // Words of a passphrase, in quotes or to the end of the line.
    [
      PASSPHRASES,
      `${FOR}(?:${IS})["\u201c\u201e\u00ab\u300c']`,
      '[^"\u201d\u201c\u00bb\u300d\'\\r\\n]{8,200}',
      () => true,
    ],
    [
      PASSPHRASES,
      `${FOR}[ \\t]*(?:\\w{2,3}[ \\t]*)?[:=][ \\t]*`,
      '\\w{2,20}(?: \\w{2,20}){2,11}(?=[ \\t.]*$)',
      () => true,
    ],
  ] as const
).map(([names, link, value, isSecret]) => ({
  pattern: new RegExp(`(${WORD_START}(?:${names})${link}${QUOTE})(${value})${AFTER}`, 'gim'),
  isSecret,
}));

export function redactAnnounced(text: string): string {
  if (!HINT.test(text)) return text;
  return ANNOUNCEMENTS.reduce(
    (current, { pattern, isSecret }) =>
      current.replace(pattern, (match, kept: string, run: string, after: string) => {
        const value = run.replace(/[.,:!?*"`)\]}>]+$/, '');
        const rest = run.slice(value.length);
        return isSecret(value, rest + after) ? `${kept}[redacted:secret]${rest}` : match;
      }),
    text,
  );
}

/** The text after the last word of a sentence, or of a part of it. */
const END = /^(?:[.,;!?)"'`\n\r]|$| ?[\u3000-\u9fff]| (?:and|und|et|y|e) )/i;

/** A plain word is a password only at the end of the sentence, or of a part of it. */
function isPassword(value: string, after: string): boolean {
  if (/^\d{6,12}$/.test(value)) return true;
  if (isNoSecret(value)) return false;
  if (!/^[a-z]+$/i.test(value)) return !/^\d{1,3}$/.test(value);
  return value.length >= 6 && !isSaidOfSecrets(value) && END.test(after);
}

/** The words after the value say that it is a password. */
function isUsed(value: string): boolean {
  return value.length >= 6 && !isNoSecret(value) && !isSaidOfSecrets(value);
}

function isPaired(value: string): boolean {
  return /^(?=.*[\d!@#$%^&*+=~])(?=.*[a-z]).{8}/i.test(value) && !PATH.test(value);
}

function isToken(value: string): boolean {
  return value.length >= 8 && isMixed(value) && !/^[a-z]+[-_]?\d{1,3}$/i.test(value);
}

/** True with a digit or a sign, which hardly a word has. */
function isMixed(value: string): boolean {
  if (isNoSecret(value) || value.length < 5) return false;
  return /[0-9]|[!@#$%^&*+=~?]./.test(value) && /[a-z]/i.test(value);
}

function isLongMixed(value: string): boolean {
  return value.length >= 10 && isMixed(value);
}

/** True for references, placeholders, paths, options, code, digests and names of algorithms. */
const isNoSecret = (value: string): boolean =>
  value.includes('[redacted') ||
  isPlaceholder(value) ||
  NOTHING.test(value) ||
  [REFERENCE, MEMBER, DIGEST, ALGORITHM, NAME, PATH, CODE].some((it) => it.test(value));

const NAME =
  /^[a-z]+(?:[-_/][a-z]+)+$|^[A-Z][A-Z\d]*(?:_[A-Z]+)+$|^[A-Z]{2,10}-\d{1,6}$|^[A-Z]?[a-z]+(?:[A-Z][a-z]+)+$|^#[a-z-]+$/;
const PATH =
  /^(?:~|\.{1,2})?\/|^https?:|\.(?:[cm]?[jt]sx?|py|go|rs|json|ya?ml|toml|md|txt|env|pem|key|sh)$/i;
/** A call, an assignment, an option of a program, a value in brackets. */
const CODE = /[([{]|=>|^[\w-]+=|^--?[a-z]|^%/i;

const ALGORITHM =
  /^(?:sha|md|aes|des|rsa|hs|rs|es|ps|base|utf|crc|argon|blake|bcrypt|scrypt|pbkdf|hmac|ed|oauth|oidc|saml|jwt|tls|http|ipv|ec|k8|w3|i18|2fa|mfa)[-_]?\d[\w./-]*$|^[vxpsn]\d[\d._]*(?:[-_]?[a-z]{1,8}[.-]?\d{0,3})?$|^\d+(?:[-_]?(?:bits?|bytes?|chars?|characters?|[smhdwy]|ms|min|hours?|days?|x|th|nd|rd|st|%|[kmg]i?b))+$|^[\d.,:%/-]+$|^2fa$/i;

/** Endings of adjectives and participles of the languages that are written with Latin letters. */
const ENDING =
  /(?:ed|ing|able|ible|ly|ful|less|ous|ive|ent|ant|ary|ory|ic|ical|al|lich|bar|isch|los|haft|ert|iert|tet|tes|ter|\u00e9e?s?|ado|ada|ido|ida|ble|oire|aire|ari[ao]|tori[ao])$/i;

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
const isSaidOfSecrets = (word: string): boolean =>
  [word, word.replace(/as?$/i, 'o')].some((it) => SAID_OF_SECRETS.has(it.toLowerCase())) ||
  ENDING.test(word);
