/** What stands in the place of a secret: which values may be one, and which are known to be none. */

/** Placeholders: types, empty values and masks. */
export const NOTHING =
  /^(?:null|none|nil|true|false|undefined|string|number|boolean|object|array|function|any|unknown|never|required|optional|empty|missing|invalid|expected|hidden|masked|redacted|pass(?:word|ed|phrase|wd|code)?|failed|auth|token|secret|aws4-hmac-sha256|include|omit|todo|tbd|fixme|test|dummy|fake|sample|example|passwort|kennwort|contraseña|senha|wachtwoord|hasło|пароль|密码|密碼|パスワード|same-origin|x+|\*+|\.+|-+|\u2022+|_+)[,;!?]?$/i;

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

const isRandom = (value: string): boolean =>
  value.length >= 16 && /[0-9]/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);

/** Characters of Latin and Cyrillic scripts, without quotes, separators and backslashes. */
export const LETTERS = 'A-Za-z\u00c0-\u024f\u0400-\u04ff';
