/**
 * Secrets that a sentence announces: `the password for staging is …`, `Passwort ist …`, `here is the token …`,
 * `… is the password`.
 *
 * One rule: behind a word for a secret, the next token that looks like one is one; if there is none in the sentence,
 * the last one before it that is joined to it. What looks like one depends on the word: a token has digits or signs, a
 * password may be a plain word where `is` or a colon stands right before it and the sentence ends with it.
 */
import { onDemand } from './detectors.ts';
import { MASKS, masked } from './plain-form.ts';
import {
  END,
  IDENTIFIER,
  isMixed,
  isPassphrase,
  isPassword,
  isToken,
  isWord,
  LETTERS,
} from './values.ts';

/** A plain word may be the value of one: what else is said of these is known. */
const PASSWORDS =
  'pass ?words?|pass(?:wd|code)|digicode|(?:bind)?pwd?|(?<=_|(?:the|my|our|your|root|admin|sudo|user|db|wi-?fi|ssh|vpn|ftp|guest) )pass|' +
  'pass(?:wort|w\u00f6rter)|kenn?wort|zugangscode|mots? de passe|mdp|' +
  'contrase(?:\u00f1|n)as?|claves?(?: de acceso)?|' +
  '密码|密碼|口令|パスワード|パス(?=は)|暗号化キー|暗証番号';

/** Several words may be the value of one. */
const PASSPHRASES =
  'pass ?phrases?|(?:seed|recovery|mnemonic) (?:phrase|words)|mnemonic|phrase secr\u00e8te|frase secreta|(?:wlan|wi-?fi)[ -]passwor[dt]|合言葉';

/** Words for a password in languages for which `OTHER_IS` has only the verbs. */
const OTHER_PASSWORDS =
  '(?:codes?|cl\u00e9|clave|chiave|chave)(?: du| de la| del| do| da)? wi-?fi|(?:pass|p(?=[:=]))(?<=\\b(?:u|user(?: ?name)?|login)\\b[^\\r\\n]{1,60})|(?:wi-?fi|wlan|network|netzwerk)[ -](?:key|schl\u00fcssel)|senhas?|palavra-passe|has\u0142[oa]|парол[ьяюе]|wacht?woord(?:en)?|parola(?: d.ordine)?|l\u00f6senord(?:et)?|비밀번호';

const ANY_PASSWORD = `${PASSWORDS}|${PASSPHRASES}|${OTHER_PASSWORDS}`;

const TOKENS =
  '(?:(?:api|access|auth(?:entication)?|bearer|deploy|refresh|session|personal|webhook|bot)[ _-])*token|' +
  '(?:api|access|auth|deploy|license|signing|encryption|master|secret|private|service)[ _-]?keys?(?: base)?|' +
  '(?:client|webhook|signing|shared|api)[ _-]secrets?|secrets?|security question|(?:recovery|backup|access|security) codes?|' +
  '(?:api-|zugangs)schl\u00fcssel|geheimnis|geheime[rn]? schl\u00fcssel|zugangstoken|jetons?(?: d.acc\u00e8s)?|' +
  '(?:cl\u00e9s?|claves?|chiavi?e?|chaves?|klucz|sleutel|ключ)(?: de| di| da| do| del| la){0,2} ?(?:api|d.api|d.acc\u00e8s|wi-?fi|acceso|accesso|acesso|dost\u0119pu|доступа|secr\u00e8te|secret[ao]|segreta)|' +
  'tokens? de acceso|secretos?|токен[а-я]?|令牌|密钥|密鑰|金鑰|トークン|秘密鍵|(?:api|アクセス) ?キー|シークレット';

/** A name and a password follow. */
const ACCOUNTS =
  'log[ -]?ins?|(?:logg|sign)(?:ing|ed) in|basic[ -]auth|cred(?:ential)?s?|(?:login|zugangs|anmelde)daten|anmeldung|identifiants?|credencia(?:le?s|is)|credenziali|acceso|accesso|acesso|' +
  'dane logowania|inloggegevens|учетные данные|логин|账号|帳號|登录|アカウント|ログイン(?:情報)?';

/** Accounts with a password behind a colon or a slash. */
const NAMED_ACCOUNTS =
  '(?:admin(?:istrator|istrador|istrateur)?|root|super-?user|sysadmin|guest|gast|админ)(?:@[\\w.-]{1,60})?|' +
  '(?:users?|benutzer|nutzer|utilisateur|usuario|utente|usu\u00e1rio|u\u017cytkownik|gebruiker)(?: ?name)?[:=]? [\\w.@-]{2,60}';

const CODES =
  'pin(?: codes?)?|passcodes?|(?:unlock|door|alarm|access|security|recovery|backup|safe) (?:codes?|combination)';

const KEYS = 'keys?|schl\u00fcssel|cl\u00e9s?|llaves?|claves?|密钥|キー';

/** These words say what a password is used for. */
const TO_ENTER =
  '(?:to|and) (?:get|log|sign)[ -]?in(?:to)?|to (?:unlock|decrypt)|zum (?:anmelden|einloggen)|(?:pour|para) (?:te |se |me )?(?:connecter|entrer|entrar|acceder)';

/** Phrases that introduce a value. */
const HERE =
  'here(?:.s| is| are)|hier (?:ist|sind)|voici|voil\u00e0|aqu\u00ed (?:est\u00e1|tienes)|\u8fd9\u662f|\u3053\u308c\u304c';
const KEY =
  `(?:${HERE})(?:[ \\t]{1,8}[\\w\u00c0-\u024f]{1,30}){0,5}?[ \\t]{1,8}(?:${KEYS})|(?:hard-?coded|leaked|current|new|old|different) (?:${KEYS})|` +
  `(?:${KEYS}) (?:to|f.rs?|zu[mr]|del?|du|para|pour)|(?:${KEYS})(?=[?])`;

/** Words that say what a secret is for: `for the staging broker`, `der Datenbank`, `[prod]`, `you need`. */
const FOR = "(?:[ \\t]{1,8}(?!-)[\\w.,@/'()[\\]\u00c0-\u024f\u0400-\u04ff-]{1,30}){0,5}?";
const IS =
  '(?:[ \\t]{0,4}(?:[=:]|[-=]>|[\u2192\u2013\u2014\u662f\u4e3a\u70ba\u6210\u306f\u304c\u3092])|' +
  "(?:(?<=\\w)'s|[ \\t]{1,8}(?:is|it.?s|was|are|goes|reads|became|w(?:ill|ould) be|'s|ist|lautet|war|heisst|hei\u00dft|(?:c.)?est|sera|\u00e9tait|es|ser\u00e1|son|\u00e4r))" +
  '(?:[ \\t]{1,8}(?:now|still|just|simply|jetzt|nun|einfach|maintenant|ahora))?(?=[ \\t:]))';
/** Further verbs, behind which the words that are said of passwords are not known. */
const OTHER_IS =
  '[ \\t](?:\u00e8|\u00e9|era|foi|fue|jest|to|\u044d\u0442\u043e|heet|luidt|brzmi|auf|as|one|from|von|type|enter)(?=[ \\t:])';
const OPENING = '[ \\t:]{0,9}["\'`(\u201c\u201e\u00ab\u300c]{0,2}$';

/** What stands between a name and its value: for a plain word, for a token with signs, for one right beside it. */
const SAYS = onDemand(`^${FOR}${IS}${OPENING}`, 'i');
const DIRECT = onDemand(`^${IS}${OPENING}`, 'i');
const LINKED = onDemand(`(?:${IS}|${OTHER_IS})${OPENING}`, 'i');
const BESIDE = /^[^\w,/\ue000-\uf8ff]*$/;
const BESIDE_QUOTED = /^["'`]?[ \t]{1,8}["\u201c\u201e\u00ab\u300c`]$/;
/** No quotes, code, or secret stands between. */
const NEAR = onDemand(`^[^"\`<>{}=${MASKS}]*(?<!\\S[/.@-])["\`]?$`, '');
const QUOTED = /["\u201c\u201e\u00ab\u300c`]$/;
/** Nouns of which another value is told than the password itself. */
const PROPERTY = /^[ -](?:types?|hash|length|fields?|columns?|policy|format|name|id)(?!\w)/i;

const CODE =
  /^(?=.*\d)(?:\d{4,12}|\d{2,6}(?:[ -]\d{2,6}){1,3}|(?:[a-z\d]{4,6}-[a-z\d]{4,6}[ ,]{0,2}){1,20})$/i;

type Judge = (value: string, before: string, after: string) => boolean;

const isMixedBehind: Judge = (value, before, after) =>
  isMixed(value) &&
  (LINKED().test(before) ||
    BESIDE.test(before) ||
    ((isToken(value) || END.test(after)) && NEAR().test(before)));

const isPasswordBehind: Judge = (value, before, after) => {
  if (isMixedBehind(value, before, after) || isCode(value, before, after)) return true;
  if (PROPERTY.test(before)) return false;
  const isQuoted = BESIDE_QUOTED.test(before) || (SAYS().test(before) && QUOTED.test(before));
  if (/\s/.test(value)) return isQuoted && isPassphrase(value);
  if (isPassword(value, after) && SAYS().test(before)) return true;
  const isSet =
    /:[ \t]+$|\u2192[ \t]*$|(?<=[\u3040-\u9fff]):$/.test(before) &&
    END.test(after) &&
    SAYS().test(before);
  const isTo = /^ (?:to|auf|\u00e0|a|en) ["'`]?$/.test(before) && value.includes('-');
  return (isQuoted || isSet || isTo) && value.length > 4 && isWord(value);
};

const isTokenBehind: Judge = (value, before) =>
  (isToken(value) && (LINKED().test(before) || BESIDE.test(before))) ||
  (/^[^.]{9,}$/.test(value) && isMixed(value) && DIRECT().test(before));

/** `4417`, `883 412`, `7kq2-m9xw-4tbz` */
const isCode: Judge = (value, before) =>
  CODE.test(value) && (SAYS().test(before) || /^[\s:"'`(]*$|[?][ \t]$/.test(before));

/** `thomas / …`, `root:…`, `as root with …` */
const isPairedBehind: Judge = (value, before) =>
  /^(?: ?[/|] |:)?["'`]?$/.test(before)
    ? value.length > 5 && isMixed(value) && !/[:/]/.test(value)
    : (isToken(value) || (isMixed(value) && / as \S{1,40} with /.test(before))) &&
      /[ \t](?:with|mit|avec|con|com|met|and|und|et|y|is|ist|est|es)[ \t]["'`]?$/.test(before);

const isPasswordOfUser: Judge = (value, before, after) =>
  BESIDE.test(before) &&
  (isPassword(value, after) || (/[:=]/.test(before) && isWord(value) && END.test(after)));

const USERS = 'user(?: ?name)?|login|benutzer(?:name)?|utilisateur|usuario|\u7528\u6237\u540d';

/** Words for a secret, and what its value looks like behind them. */
const ANNOUNCERS: readonly (readonly [names: string, isSecret: Judge])[] = [
  [
    `(?:(?:${USERS})[:=]?[ \\t]{1,8}\\S{1,60}|\\S{1,60}@\\S{1,60}),[ \\t]{0,2}(?:(?:and|und|et|y) )?(?:${ANY_PASSWORD}|pass)|` +
      `(?:${ACCOUNTS})[^\\r\\n/]{0,30}[ \\t](?:admin|root|demo|test|guest|gast)(?: / )`,
    isPasswordOfUser,
  ],
  [
    `${PASSPHRASES}|${PASSWORDS}|(?<=(?:${PASSWORDS})[^.!?\\r\\n]{1,60}[ ,])(?:new one|neue|nouveau|nouvelle|nuev[ao])|` +
      `(?<=(?:${PASSWORDS}) (?:from|von) \\S{1,60} )(?:to|auf)`,
    isPasswordBehind,
  ],
  [OTHER_PASSWORDS, isMixedBehind],
  [CODES, (...it) => isCode(...it) || isTokenBehind(...it)],
  [TOKENS, isTokenBehind],
  [`${KEY}|tokens`, (value, ...it) => !IDENTIFIER.test(value) && isTokenBehind(value, ...it)],
  [
    `(?:${ACCOUNTS})(?:${FOR}[ \\t:=>\u2192-]{1,5}[\\w.@-]{2,60}(?: ?[/|] ?|:(?=\\S)))?|(?<!/)(?:${NAMED_ACCOUNTS})`,
    isPairedBehind,
  ],
  [TO_ENTER, () => false],
];

/** What joins a value to the name that follows. */
const JOINED =
  /^[!.]?["'`]?(?:[ \t]{1,8}(?:(?:is|was|are|ist|sind|est|es)(?:[ \t]{1,8}[\w\u00e0-\u00ff]{1,20}){1,3}[ \t]{1,8})|,[ \t]{1,8}(?:(?:it|that|this|which|das|c)['\u2019 ]?(?:s|is|was|were|war|ist|est|\u00e9tait)[ \t]{1,8})?(?:the|our|my|your|das|unser|mein|le|la|notre)[ \t]{1,8}(?:\w{1,20}[ \t]{1,8}){0,2}$|\u662f|\u304c)/;
const USED =
  /(?<!\w)(?:with|mit|avec|con|used?|take|tr(?:y|ied)|enter(?:ed)?|typed?|put|nimm|nutze|verwende|probier(?: mal)?|utilise|prends|mis|mets|usa|pon|coloque)[ \t]["'`]?$/i;
const USED_AS =
  /^["'`]?(?:(?:[ \t]\w{2,12})?[ \t](?:as|als|comme|como|come|for|f\u00fcr|when (?:prompted|asked) for)(?:[ \t]\w{1,12}){0,2})[ \t]$/;

const isTokenBefore: Judge = (value, before, after) =>
  (isToken(value) &&
    (JOINED.test(after) || /(?<!\w)(?:one|it)(?: is|.s|:)[ \t]["'`]?$/.test(before))) ||
  (USED.test(before) && isMixed(value) && (/^["'`]?[ \t]$/.test(after) || USED_AS.test(after)));

/** `log in with sunshine as the password`, but not `use bcrypt for passwords` */
const isPasswordBefore: Judge = (value, before, after) =>
  isTokenBefore(value, before, after) ||
  (USED.test(before) && USED_AS.test(after) && !FOR_IT.test(after) && isPassword(value, ''));

const FOR_IT = /^["'`]?[ \t](?:for|f\u00fcr)[ \t]/;

/** Codes, words in quotes, tokens. */
const VALUES = onDemand(
  `\\d{2,6}(?:[ -]\\d{2,6}){1,3}(?![\\w.])|(?:[a-z\\d]{4,6}-[a-z\\d]{4,6}[ ,]{0,2}){2,20}|(?<=["\u201c\u201e\u00ab\u300c\`]|[\\s:=(]')(?=[\\w${LETTERS}])[^"\u201d\u201c\u00bb\u300d'\`\\r\\n]{5,60}(?=["\u201d\u201c\u00bb\u300d'\`])|` +
    `(?<![\\w\\\\])[\\w!#$%^+~${LETTERS}][\\w!#-&(-+.\\/:<-@\\[\\]^{}~${LETTERS}-]{3,200}`,
  'g',
);

/** Not within a word; one begins after `WLAN-`. Letters of all scripts would take a hook long to compile. */
const WORD_START = '(?<![A-Za-z\u00c0-\u024f\\d]|(?<![A-Za-z])-)';

/** Each name contains one of these: to look for them is much cheaper than to compile the names. */
const HINT =
  /to get in|combin|question|pass|phrase|frase|pwd?|pin|code|wort|mdp|contrase|c[hl]av|chiav|klucz|sleutel|token|key|secret|geheim|schl|jeton|cl\u00e9|llave|log[ -]?in|logg|sign|cred|daten|meldung|user|utente|usu|nutzer|utilis|u\u017cyt|gebruik|identifiant|acces|aceso|senha|has\u0142|wach|parola|senord|logow|gegevens|admin|root|super|gast|guest|[\u0400-\u04ff\u3040-\u9fff\uac00-\ud7a3]/i;

/** A name, and what stands behind it in the line; behind a colon or a question, the next line as well. */
const NAMES = onDemand(
  `(?:${WORD_START}|(?=[\u3040-\u9fff]))(?:${ANNOUNCERS.map(([names]) => `(${names})`).join('|')})` +
    `(?=(?:'s(?=[ \\t])|["'\`*)\\]]{0,3})(?:[ \\t:;=?\\r\\n\u2013-\u2192\u3040-\u9fff]|[.,!](?!\\S)|$|(?<=[/|:] ?)\\S))(?=([^\\r\\n${MASKS}]{0,100}(?:(?<=[?:][ \\t]{0,4})\\r?\\n[^\\r\\n${MASKS}]{1,80})?))`,
  'gim',
);
const PART = '(?:[^.!?]|[.!?](?!\\s))*';
const SENTENCE = onDemand(`^[\\s"'\`*)\\]]{0,4}[?:;]?${PART}(?:[?]\\s${PART})?`, '');

/** `is seven tired llamas`, to the end of the sentence. */
const PHRASE = onDemand(
  `^(${FOR}${IS}[ \\t:]{1,9})([\\w'${LETTERS}-]{2,20}(?: [\\w'${LETTERS}-]{1,20}){2,23})[ \\t.]*$`,
  'i',
);
const IS_PASSPHRASE = onDemand(`^(?:${PASSPHRASES})$`, 'i');

/** What is not of the same sentence. */
const BEFORE = onDemand(`^[^]*(?:[.!?;]\\s|[\\r\\n${MASKS}])`, '');

type Span = readonly [from: number, to: number];

function* announcedIn(text: string): Generator<Span> {
  for (const match of text.matchAll(NAMES())) {
    const [name] = match;
    const isSecret = ANNOUNCERS.find((_, at) => match[at + 1] !== undefined)?.[1] ?? isTokenBehind;
    const [sentence = ''] = SENTENCE().exec(match.at(-1) ?? '') ?? [];
    const before = text.slice(Math.max(0, match.index - 60), match.index);
    const part = before.replace(BEFORE(), '');
    const [, link = '', phrase = ''] =
      (IS_PASSPHRASE().test(name) && PHRASE().exec(sentence)) || [];
    const [behind] = isPassphrase(phrase)
      ? ([[link.length, link.length + phrase.length]] as const)
      : valuesIn(sentence, isSecret);
    const [from, span] =
      behind === undefined
        ? [
            match.index - part.length,
            lastIn(part, isSecret === isPasswordBehind && ALONE.test(sentence)),
          ]
        : [match.index + name.length, behind];
    if (span !== undefined) yield [from + span[0], from + span[1]];
  }
}

/** No noun follows the word: `password store`. */
const ALONE = new RegExp(`${END.source}|^ (?:for|of|on|to|at|in|f\u00fcr|pour|para|del?) `, 'i');

const lastIn = (text: string, isPasswordAlone: boolean): Span | undefined =>
  [...valuesIn(text, isPasswordAlone ? isPasswordBefore : isTokenBefore)].at(-1);

function* valuesIn(text: string, isSecret: Judge): Generator<Span> {
  for (const { 0: run, index } of text.matchAll(VALUES())) {
    const value = run.replace(/(?:<\/[\w:]{0,40})?[.,:!?*"`)\]}>]+$/, '');
    const end = index + value.length;
    if (isSecret(value, text.slice(0, index), text.slice(end))) yield [index, end];
  }
}

/** A token may go on behind the part of the line that was looked at. */
const REST = /[\w+/=~-]*(?:[.:][\w+/=~-]+)*/y;

function masksOf(text: string, spans: Iterable<Span>): string {
  let result = '';
  let next = 0;
  for (const [from, to] of [...spans].toSorted(([a], [b]) => a - b)) {
    if (from < next) continue;
    REST.lastIndex = to;
    const end = to + (REST.exec(text)?.[0].length ?? 0);
    result += text.slice(next, from) + masked(text.slice(from, end));
    next = end;
  }
  return result + text.slice(next);
}

export const maskAnnounced = (text: string): string =>
  HINT.test(text) ? masksOf(text, announcedIn(text)) : text;
