/**
 * Secrets that a sentence announces, in either order: `the password for staging is …`, `Passwort ist …`,
 * `here is the token …`, `… is the password`. The token beside such a word is one, unless it is a word that is
 * said of secrets (`is wrong`), a name in code, or the name of an algorithm.
 */
import { onDemand } from './detectors.ts';
import { LETTERS } from './values.ts';
import {
  isCompound,
  isMixed,
  isMixedCase,
  isPaired,
  isPassphrase,
  isPassword,
  isToken,
  isUsed,
  isWord,
} from './words.ts';

/** A plain word may be the value of one: what else is said of these is known. */
const PASSWORDS =
  'pass ?words?|pass(?:wd|phrase|code)|digicode|pwd?|(?:unlock|door|alarm) codes?|' +
  'pass(?:wort|w\u00f6rter)|kenn?wort|zugangscode|mots? de passe|mdp|phrase secr\u00e8te|' +
  'contrase(?:\u00f1|n)as?|claves?(?: de acceso)?|' +
  '密码|密碼|口令|パスワード|パス(?=は)|暗号化キー|暗証番号|合言葉';

/** Words for a password in languages for which `OTHER_IS` has only the verbs. */
const OTHER_PASSWORDS =
  '(?<=(?:the|my|our|your|root|admin|sudo|user|db|wi-?fi|ssh|vpn|ftp|guest) )pass|(?:codes?|cl\u00e9|clave|chiave|chave)(?: du| de la| del| do| da)? wi-?fi|(?:pass|p(?=[:=]))(?<=\\b(?:u|user(?: ?name)?|login)\\b[^\\r\\n]{1,60})|(?:wi-?fi|wlan|network|netzwerk)[ -](?:key|schl\u00fcssel)|senhas?|palavra-passe|has\u0142[oa]|парол[ьяюе]|wacht?woord(?:en)?|parola(?: d.ordine)?|l\u00f6senord(?:et)?|비밀번호';

const ANY_PASSWORD = `${PASSWORDS}|${OTHER_PASSWORDS}`;

const TOKENS =
  '(?:(?:api|access|auth(?:entication)?|bearer|deploy|refresh|session|personal|webhook|bot)[ _-])*tokens?|' +
  '(?:api|access|auth|deploy|license|signing|encryption|master|secret|private|service)[ _-]?keys?(?: base)?|' +
  '(?:client|webhook|signing|shared|api)[ _-]secrets?|secrets?|security question|(?:recovery|backup|access|security) codes?|' +
  '(?:api-|zugangs)schl\u00fcssel|geheimnis|geheime[rn]? schl\u00fcssel|zugangstoken|jetons?(?: d.acc\u00e8s)?|' +
  '(?:cl\u00e9s?|claves?|chiavi?e?|chaves?|klucz|sleutel|ключ)(?: de| di| da| do| del| la){0,2} ?(?:api|d.api|d.acc\u00e8s|wi-?fi|acceso|accesso|acesso|dost\u0119pu|доступа|secr\u00e8te|secret[ao]|segreta)|' +
  'tokens? de acceso|secretos?|токен[а-я]?|令牌|密钥|密鑰|金鑰|トークン|秘密鍵|(?:api|アクセス) ?キー|シークレット';

/** A name and a password follow. */
const ACCOUNTS =
  'log[ -]?ins?|basic[ -]auth|cred(?:ential)?s?|(?:login|zugangs|anmelde)daten|anmeldung|identifiants?|credencia(?:le?s|is)|credenziali|acceso|accesso|acesso|' +
  'dane logowania|inloggegevens|учетные данные|логин|账号|帳號|登录|アカウント|ログイン(?:情報)?';

/** Accounts with a password behind a colon or a slash. */
const NAMED_ACCOUNTS =
  '(?:admin(?:istrator|istrador|istrateur)?|root|super-?user|sysadmin|guest|gast|админ)(?:@[\\w.-]{1,60})?|' +
  '(?:users?|benutzer|nutzer|utilisateur|usuario|utente|usu\u00e1rio|u\u017cytkownik|gebruiker)(?: ?name)?[:=]? [\\w.@-]{2,60}';

const PASSPHRASES =
  '(?:seed|recovery|mnemonic) (?:phrase|words)|mnemonic|pass[ -]?phrase|(?:wlan|wi-?fi)[ -](?:passwor[dt]|key)|phrase secr\u00e8te|frase secreta|合言葉';

const CODES =
  'pin(?: codes?)?|passcodes?|(?:unlock|door|alarm|access|security|recovery|backup|safe) (?:codes?|combination)';

const KEYS = 'keys?|schl\u00fcssel|cl\u00e9s?|llaves?|claves?|codes?|密钥|キー';

/** Phrases that introduce a value. */
const HERE =
  'here(?:.s| is| are)|hier (?:ist|sind)|voici|voil\u00e0|aqu\u00ed (?:est\u00e1|tienes)|这是|これが';

/** Words that say what a secret is for: `for the staging broker`, `der Datenbank`, `[prod]`, `you need`. */
const FOR = "(?:[ \\t]{1,8}(?!-)[\\w.@/'()[\\]\u00c0-\u024f\u0400-\u04ff-]{1,30}){0,5}?";

const IS =
  '(?:[ \\t]?[?\uff1f])?(?:[ \\t]{0,4}(?:[=:\uff1a]|[-=]>|\u2192|\u662f|\u4e3a|\u70ba|[\u4e00-\u9fff]{0,6}(?:\u6539\u6210|\u6539\u4e3a|\u8bbe\u4e3a)|\u306f(?:[\u3040-\u9fff]{1,12}[:\uff1a])?|\u304c|\u3092|[\u2013\u2014])[ \\t]{0,4}[:\uff1a]?[ \\t]{0,4}|' +
  "(?:'s|,?[ \\t]{1,8}(?:is|it.s|was|are|goes|reads|became|w(?:ill|ould) be|'s|ist|lautet|war|heisst|hei\u00dft|(?:c.)?est|sera|\u00e9tait|es|ser\u00e1|son|\u00e4r))" +
  '(?:[ \\t]{1,8}(?:now|still|jetzt|nun|maintenant|ahora))?[ \\t]{0,8}:?[ \\t]{1,8})';

/** Verbs for `is` after a word of `OTHER_PASSWORDS`. */
const OTHER_IS =
  '[ \\t]{1,8}(?:\u00e8|\u00e9|era|foi|fue|jest|to(?<=has\u0142[^\\r\\n]{1,60})|это|heet|luidt|brzmi)[ \\t]{0,8}:?[ \\t]{1,8}';

/** These words say what a password is used for. */
const TO_ENTER =
  '(?:to|and) (?:get|log|sign)[ -]?in(?:to)?|to (?:unlock|decrypt)|zum (?:anmelden|einloggen)|(?:pour|para) (?:te |se |me )?(?:connecter|entrer|entrar|acceder)';

/** Words right before a password. */
const BEFORE = '(?:(?:re)?set |changed )?(?:to|as)|auf|from|type|enter|von|en|mal|de|na|z';
const STILL =
  '(?:still|immer noch|toujours|sigue|todav\u00eda|now|jetzt|maintenant|ahora)(?:[ \\t]{1,8}(?:is|it.?s?|goes|ist|es|c.est)){0,2}';

/** In Chinese and Japanese no space is needed. */
const BESIDE =
  '(?:[ \\t]\\((?=[^\\s()]+\\))|[ \\t]?[?\uff1f][ \\t]{0,4}|[ \\t]{1,4}|(?<=[\\u3040-\\u9fff]))';

const QUOTE = '["\'`\u201c\u201e\u00ab\u300c*]{0,2}';
const VALUE = `[\\w!#$%^+~${LETTERS}][\\w!#-&(-+.\\/:<-@\\[\\]^{}~${LETTERS}-]{3,200}`;
/** A value with a digit or a sign: words before it cannot be taken for it. */
const MIXED = `(?=\\S{0,40}[\\d!@#$%^&*+=~?])${VALUE}`;

const ENDS =
  '(?=[.,;!?)\\s\u3000-\u9fff]|$)(?! ?(?:hash|form|field|format|protocol|algorithm|digest))';
/** A value with a word that joins it to what it is, and what may stand between. */
const BACKWARDS =
  `${VALUE}(?=["'\`]?(?:[ \\t]{1,8}(?:is|was|are|ist|sind|est|es)(?:[ \\t]{1,8}[\\w\u00e0-\u00ff]{1,20}){1,3}?[ \\t]{1,8}|` +
  '\u662f[\u4e00-\u9fff]{0,8}|\u304c[\u3040-\u9fff]{0,8}|' +
  `,[ \\t]{1,8}(?:(?:it|that|this|which|das|c)['\u2019 ]?(?:s|is|was|were|war|ist|est|\u00e9tait)[ \\t]{1,8})?(?:the|our|my|your|das|unser|mein|le|la|notre)[ \\t]{1,8}(?:\\w{1,20}[ \\t]{1,8}){0,2})(?:${ANY_PASSWORD}|${TOKENS}|(?:log-?in )?credentials|zugangsdaten|credenciales)${ENDS})`;

/** Not within a word; one begins after `WLAN-`. Letters of all scripts would take a hook long to compile. */
const WORD_START = '(?<![A-Za-z\u00c0-\u024f\\d]|(?<![A-Za-z])-)';

/** Each name contains one of these. */
const HINT =
  /to get in|combin|question|pass|phrase|frase|pwd?|pin|code|wort|mdp|contrase|c[hl]av|chiav|klucz|sleutel|token|key|secret|geheim|schl|jeton|cl\u00e9|llave|log[ -]?in|cred|daten|meldung|user|utente|usu|nutzer|utilis|u\u017cyt|gebruik|identifiant|acces|aceso|senha|has\u0142|wach|parola|senord|logow|gegevens|admin|root|super|gast|guest|[\u0400-\u04ff\u3040-\u9fff\uac00-\ud7a3]/i;

const AFTER = '(?=([\\s\\S]{0,5}))';
const ANNOUNCEMENTS = (
  [
    // `unlock code 5561`
    [
      CODES,
      `${FOR}(?:${IS}|${BESIDE})`,
      '\\d{4,12}(?![\\w.])|\\d{2,6}(?:[ -]\\d{2,6}){1,3}(?![\\w.])|(?:[a-z\\d]{4,6}-[a-z\\d]{4,6}[ ,]{0,2}){2,20}',
      () => true,
    ],
    [
      `(?:${PASSWORDS})(?![ -](?:types?|hash|length|field|column|policy|format))`,
      `(?:${FOR}|[^.!?\\r\\n]{1,60}?[ ,](?:new one|neue|nouveau|nouvelle|nuev[ao])|[?][^.!?\\r\\n]{0,30}? it)${IS}`,
      VALUE,
      isPassword,
    ],
    // `a senha do banco é X`, `the password for admin was reset to X`, `here is the password X`
    [
      `(?:${ANY_PASSWORD})(?:[ \\t]{1,8}(?:${BEFORE}))?`,
      `(?:${BESIDE}|${FOR}(?:${IS}|${OTHER_IS})|[^.!?\\r\\n]{1,60}?[ ,](?:${BEFORE})[ \\t]{1,8})`,
      MIXED,
      isMixed,
    ],
    [
      TOKENS,
      `(?:${FOR}(?:${IS}|${OTHER_IS})|(?:[ \\t]{1,8}(?:to|auf))?${BESIDE}(?=["'\`]?[^\\s"'\`]{10}))`,
      MIXED,
      isToken,
    ],
    // `here is the key: X`, `the key to the vault: X`
    [
      `(?:${HERE})${FOR}[ \\t]{1,8}(?:${KEYS})|(?:hard-?coded|leaked|current|new|old) (?:${KEYS})|(?:${KEYS}|${TOKENS})[^\\r\\n]{1,40}? one|(?:${KEYS}) (?:to|f.rs?|zu[mr]|del?|du|para|pour)`,
      `${FOR}${IS}(?![a-z]{3,}[:-])`,
      MIXED,
      isToken,
    ],
    // `login: thomas / X`
    [
      ACCOUNTS,
      `${FOR}(?:${IS}[\\w.@-]{2,60}(?: ?[/|:] ?| (?:and|und|et|y) )|[ \\t]{1,8}[\\w.@-]{2,60}(?: ?[/|] ?|:))`,
      MIXED,
      isPaired,
    ],
    // `admin:X`, `root / X`
    [`(?<!/)(?:${NAMED_ACCOUNTS})`, '(?: ?[/|] |:)', MIXED, isPaired],
    // `log in as root with X`, `the password for the broker X`, `the password changed, now it is X`
    [
      `(?:${ACCOUNTS}|${NAMED_ACCOUNTS})${FOR}[ \\t]{1,8}(?:with|mit|avec|con|com|met|and|und|et|is|ist|est|es)|` +
        `(?:${ANY_PASSWORD})(?:[ \\t]{1,8}(?:for|f\u00fcr|de|del|du|do|da|van|od|от|для|к)(?:[ \\t]{1,8}\\S{1,20}){1,2}?|[?\uff1f](?:[ \\t]{1,8}\\w{1,12}){1,3}?|[^.!?\\r\\n]{1,60}?[ ,](?:${STILL}))`,
      '[ \\t]{1,8}',
      MIXED,
      isMixedCase,
    ],
    // A question, and the answer in the next line, behind the name of who answers.
    [
      `(?:${ANY_PASSWORD}|${TOKENS})[^\\r\\n?\uff1f]{0,60}[?\uff1f]`,
      '[ \\t]{0,4}\\r?\\n(?:[^\\r\\n:>\\]]{1,40}[:>\\]][ \\t]{0,4}){0,3}',
      `${MIXED}(?=[ \\t]{0,8}$)`,
      isMixed,
    ],
    // `X is the password`, `X ist das Passwort`
    ['(?<=^|[\\s(])', '', BACKWARDS, isToken],
    // `use X as password`, `enter X when prompted for the password`
    [
      'with|mit|avec|con|used?|take|tr(?:y|ied)|enter(?:ed)?|typed?|put|nimm|nutze|verwende|probier(?: mal)?|utilise|prends|mis|mets|usa|pon|coloque',
      '[ \\t]{1,8}',
      `${VALUE}(?=["'\`]?(?:[ \\t]{1,8}\\w{2,12})?[ \\t]{1,8}(?:as|als|comme|como|come|for|f\u00fcr|when (?:prompted|asked) for)(?:[ \\t]{1,8}\\w{1,12}){0,2}[ \\t]{1,8}(?:${ANY_PASSWORD})${ENDS}|[ \\t]{1,8}(?:${TO_ENTER}))`,
      isUsed,
    ],
    // `the new one is X, update the password`
    ['one|it', IS, `${MIXED}(?=[^.!?\\r\\n]{1,60}[ \\t](?:${ANY_PASSWORD})${ENDS})`, isToken],
    // `user demo, password X`, `with the password "X Y"`
    [
      `(?:user(?: ?name)?|login|benutzer(?:name)?|utilisateur|usuario|用户名)[:=]?[ \\t]{1,8}\\S{1,60}[,，][ \\t]{0,2}(?:(?:and|und|et|y) )?(?:${ANY_PASSWORD}|pass)`,
      '[:=]?[ \\t]{1,8}',
      VALUE,
      (value: string, after: string) => isPassword(value, after) || isCompound(value),
    ],
    [
      ANY_PASSWORD,
      `(?:${FOR}${IS}|[ \\t]{1,8})(?=["\u201c\u201e\u00ab\u300c])`,
      '(?<=["\u201c\u201e\u00ab\u300c])[^"\u201d\u201c\u00bb\u300d\\r\\n]{5,60}(?=["\u201d\u201c\u00bb\u300d])',
      (value: string) => isPassphrase(value) || isWord(value),
    ],
    // Words of a passphrase, in quotes or to the end of the line.
    [
      PASSPHRASES,
      `(?:${FOR}${IS}|[^.!?\\r\\n]{1,60}?[ ,](?:${STILL}|typed|entered|used)[ \\t]{1,8})`,
      '(?<=["\u201c\u201e\u00ab\u300c\'])[^"\u201d\u201c\u00bb\u300d\'\\r\\n]{8,200}|\\w{2,20}(?: \\w{1,20}){2,23}(?=[ \\t.]*$)',
      (value: string, after: string) =>
        /^["\u201d\u201c\u00bb\u300d']/.test(after) || isPassphrase(value),
    ],
  ] as const
).map(([names, link, value, isSecret]) => ({
  pattern: onDemand(
    `(${WORD_START}(?:${names})${link}${QUOTE})(?<!\\[redacted:)(${value})${AFTER}`,
    'gim',
  ),
  isSecret,
}));

/** Lines with a name, and the one that follows, where an answer may stand. */
const LINES = onDemand(`^(?:[^\\n]*?(?:${HINT.source})[^\\n]*\\n?)+[^\\n]*`, 'gim');

export const redactAnnounced = (text: string): string =>
  HINT.test(text) ? text.replace(LINES(), redactLines) : text;

const redactLines = (text: string): string =>
  ANNOUNCEMENTS.reduce(
    (current, { pattern, isSecret }) =>
      current.replace(pattern(), (match, kept: string, run: string, after: string) => {
        const value = run.replace(/[.,:!?*"`)\]}>]+$/, '');
        const rest = run.slice(value.length);
        return isSecret(value, rest + after) ? `${kept}[redacted:secret]${rest}` : match;
      }),
    text,
  );
