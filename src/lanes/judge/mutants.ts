/** Small changes of the lines that a lane has changed: does a test notice them? Pure. */
import { codeAlone, type Language, languageOf } from './code-text.ts';
import { itemsOfTests } from './inline-tests.ts';
import { minus } from './removed-tests.ts';

export interface Mutant {
  readonly path: string;
  /** `src/cart.js:4: <= for <` */
  readonly what: string;
  /** The whole file, with one change. */
  readonly text: string;
}

interface SourceText {
  readonly path: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** At most as many as are asked for, from all over the lines that are new or changed. */
export function mutantsOf(files: readonly SourceText[], most: number): Mutant[] {
  const all = files.flatMap((file) => {
    const language = languageOf(file.path);
    return language === undefined ? [] : mutantsIn(file, language);
  });
  const share = (at: number) => Math.floor((at * most) / Math.max(all.length, most));
  return all.filter((_, at) => at === 0 || share(at) !== share(at - 1));
}

function mutantsIn({ path, before = '', after = '' }: SourceText, language: Language): Mutant[] {
  const lines = after.split('\n');
  const changed = new Set(minus(lines, before.split('\n')));
  const isTest = testsIn(after, language);
  const code = codeAlone(after, language).split('\n');
  let start = 0;
  return lines.flatMap((line, at) => {
    const from = start;
    start += line.length + 1;
    if (!changed.has(line) || isTest(from)) return [];
    return replacements(code[at] ?? '', language).map(({ column, length, by }) => {
      const text = after.slice(0, from + column) + by + after.slice(from + column + length);
      const old = line.slice(column, column + length).trim();
      const what = by === '' ? `without ${old}` : `${by} for ${old}`;
      return { path, what: `${path}:${at + 1}: ${what}`, text };
    });
  });
}

function testsIn(text: string, language: Language): (at: number) => boolean {
  const items = itemsOfTests(text, language);
  return (at) => items === undefined || items.some(([from, end]) => at >= from && at < end);
}

const OPPOSITES = new Map(
  [
    ...['=== !==', '== !=', '< <=', '> >=', '&& ||', 'and or', '+ -', '* /', '+= -=', '++ --'],
    ...['true false', 'True False'],
  ].flatMap((pair) => {
    const [one = '', other = ''] = pair.split(' ');
    return [[one, other] as const, [other, one] as const];
  }),
);
/** Operators stand between blanks, so that types, pointers and signs are none. */
const OPERATORS =
  /(?<= )(?:[=!]==?|[<>]=?|&&|\|\||and|or|[+*/-]|[+-]=)(?= |$)|\+\+|--|\b(?:[tT]rue|[fF]alse)\b/g;
const NUMBERS = /(?<![\w.])\d{1,9}(?![\w.])/g;
const NOT = /(?<![\w)\]=!])!(?=[\w(])|\bnot (?=\w)/g;
const RETURNED = /(?<=^\s*return )\S.*?(?=;?\s*$)/g;
/** A statement that is a call and nothing else. */
const CALL =
  /(?<=^\s*)(?:await )?(?!(?:if|for|while|switch|return|super|func|fn|function|match)\b)[\w.]+\(.*\)(?=;?\s*$)/g;
const NO_WORK = /^\s*(?:import|from|use|package|export \*|@|#)|\b(?:console|log|logger)\.|\bprint/;
const NOTHING: Readonly<Partial<Record<Language, string>>> = { js: 'undefined', py: 'None' };

function replacements(code: string, language: Language) {
  if (NO_WORK.test(code)) return [];
  const found = (pattern: RegExp, by: (old: string) => string | undefined) =>
    [...code.matchAll(pattern)].flatMap(({ 0: old, index: column }) => {
      const other = by(old);
      return other === undefined || other === old ? [] : { column, length: old.length, by: other };
    });
  const ifWhole = (by: string | undefined) => (old: string) => (isClosed(old) ? by : undefined);
  return [
    ...found(OPERATORS, (old) => OPPOSITES.get(old)),
    ...found(NUMBERS, (old) => String(Number(old) + 1)),
    ...found(NOT, () => ''),
    ...found(RETURNED, ifWhole(NOTHING[language])),
    ...found(CALL, ifWhole(language === 'py' ? 'pass' : '')),
  ];
}

/** Whether no bracket of it is open at its end. */
function isClosed(code: string): boolean {
  let depth = 0;
  for (const it of code) {
    if ('([{'.includes(it)) depth += 1;
    if (')]}'.includes(it)) depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
