/** Secrets in the columns of a table whose heading says so: rows of SQL, CSV, Markdown, output of databases. */
import { onDemand } from './detectors.ts';
import { masked } from './plain-form.ts';
import { isMixed, isPassword } from './values.ts';

/** Settings and columns with a secret have one of these names. */
export const NAMES =
  'pass(?:word|wd|phrase)?|pwd?|psk|pre[_-]?shared[_-]?key|secret|token|credentials?|authorization|_auth|connection[_-]?string|' +
  '(?:api|access|secret|private|signing|encryption|master|account|auth|deploy|service)[_-]?key(?:[_-]base)?';

/** A string of SQL. One that has a quote in it, written twice, is matched as two strings. */
const STRING = `'[^']{0,2000}'`;
const CALL = `\\((?:${STRING}|[^()']){0,500}\\)`;
const ROW = `\\((?:${STRING}|${CALL}|[^()']){0,2000}\\)`;
/** Groups: up to the names of the columns, these, up to the rows, the rows. */
const INSERTION = onDemand(
  `(\\binsert\\s{1,8}into\\s{1,8}[\\w."\`]{1,100}\\s{0,4}\\()([^()]{1,1000})(\\)\\s{0,8}values\\s{0,8})((?:${ROW}[\\s,]{0,8}){1,100})`,
  'gi',
);
const ROWS = onDemand(ROW, 'g');
const VALUES = onDemand(`(?:${STRING}|${CALL}|[^,'()])+`, 'g');
const STRINGS = onDemand(`(?:${STRING})+`, 'g');
const IS_NAME = onDemand(`(?:${NAMES})["\`]?\\s*$`, 'i');

/** Values of a row of SQL whose columns have such names. */
function maskInsertions(text: string): string {
  return text.replace(INSERTION(), (_, into, columns: string, between, rows: string) => {
    const isSecretAt = columns.split(',').map((it) => IS_NAME().test(it));
    const redacted = rows.replaceAll(ROWS(), (row) => {
      let at = -1;
      const values = row.slice(1, -1).replace(VALUES(), (value) => {
        at += 1;
        return isSecretAt[at]
          ? value.replace(STRINGS(), (it) => `'${masked(it.slice(1, -1))}'`)
          : value;
      });
      return `(${values})`;
    });
    return `${into}${columns}${between}${redacted}`;
  });
}

const PASSWORD =
  'pass(?:word|wd|phrase)?|pwd?|passwort|kennwort|mot de passe|contrase\u00f1a|clave|senha|密码|密碼|パスワード';
const HEADING = onDemand(
  `(?:^|[,;|\\t]| {2})[ "*]{0,8}(?:[\\w-]{0,20}[ _-])?(?:${NAMES}|${PASSWORD})[ "*]{0,8}(?:[,;|\\t\\r\\n]| {2}|$)`,
  'im',
);
const IS_PASSWORD = onDemand(`(?:${PASSWORD})[ "*]*$`, 'i');
/** The cells of a heading are names: a line of code has other signs, spaces behind its commas, or is indented. */
const isHeading = (line: string): boolean =>
  /^[\p{L}\p{N}_ .#*"|;\t/-]+$|^[\p{L}"](?:[\p{L}\p{N}_.#"/-]|,(?! ))+$/u.test(line);
const LONGEST_HEADING = 400;
/** The line between a heading and its rows. */
const RULE = /^[\s:|+-]+$/;

const NONE = /$/;
const SEPARATORS = [/(\|)/, /(\t)/, /(;)/, /(,)/, /( {2,})/];

/** Cells in lines below a heading, as long as a line has as many as it. */
function maskColumns(text: string): string {
  if (!HEADING().test(text)) return text;
  let separator = NONE;
  let headings: readonly string[] = [];
  let previous = '';
  return text
    .split('\n')
    .map((whole) => {
      const line = whole.trimEnd();
      const cells = line.split(separator);
      if (cells.length === headings.length) {
        const redacted = cells.map((it, at) => maskCell(it, headings[at] ?? '')).join('');
        return redacted + whole.slice(line.length);
      }
      if (RULE.test(line)) return whole;
      separator = separatorOf(line, previous) ?? NONE;
      headings = separator === NONE ? [] : line.split(separator);
      previous = line;
      return whole;
    })
    .join('\n');
}

/** What stands between the cells of a line, if it is the first of a table. */
function separatorOf(line: string, previous: string): RegExp | undefined {
  if (line.length > LONGEST_HEADING || !HEADING().test(line) || !isHeading(line)) return;
  return SEPARATORS.find((it) => {
    const cells = line.split(it);
    const names = cells.filter((name) => /\w/.test(name));
    if (it.source === '( {2,})' && (names.length < 3 || /\S \S|^ /.test(line))) return false;
    return names.length > 1 && previous.split(it).length !== cells.length;
  });
}

function maskCell(cell: string, heading: string): string {
  if (!HEADING().test(heading)) return cell;
  return cell.replace(/[^\s"'`*]\S{0,400}[^\s"'`*]/, (value) => {
    const isSecret = IS_PASSWORD().test(heading)
      ? isPassword(value, '')
      : value.length >= 8 && isMixed(value);
    return isSecret ? masked(value) : value;
  });
}

/** Redacts the values in columns that are named like a secret. */
export const maskTables = (text: string): string => maskColumns(maskInsertions(text));
