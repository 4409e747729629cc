/** Tests in the file of what they test: those of the base are put into the file as a lane has it. Pure. */
import { codeAlone, type Language, languageOf } from './code-text.ts';
import { minus } from './removed-tests.ts';

/** Where an item of tests begins. */
const BEGINS: Readonly<Partial<Record<Language, RegExp>>> = {
  rs: /#\[(?:cfg\(\s*(?:(?:all|any)\(\s*)?test\b|(?:\w+::)*test\b)/,
  js: /\bif\s*\(\s*import\.meta\.vitest\b/,
};

/**
 * The text of the lane's file with the tests of the base; `undefined` where it has changed none; `unread` where they are
 * at places from which they cannot be taken.
 */
export function withInlineTests(path: string, base: string, lane: string) {
  const language = languageOf(path);
  if (language === 'py')
    return minus(examples(base), examples(lane)).length > 0 ? 'unread' : undefined;
  const begins = language && BEGINS[language];
  if (language === undefined || begins === undefined || !begins.test(base)) return undefined;
  const [before, after] = [itemsOfTests(base, language), itemsOfTests(lane, language)];
  if (before === undefined || after === undefined) return 'unread';
  const textOf = (text: string, items: typeof before) =>
    items.map(([from, end]) => text.slice(from, end)).join('\n');
  const tests = textOf(base, before);
  if (tests === textOf(lane, after)) return undefined;
  const rest = after.map(([from], at) => lane.slice(after[at - 1]?.[1] ?? 0, from));
  return `${rest.join('')}${lane.slice(after.at(-1)?.[1] ?? 0)}\n${tests}\n`;
}

/** Lines of doctests, which are not taken over. */
const examples = (text: string): string[] =>
  text.split('\n').filter((line) => /^\s*>>> /.test(line));

/** Where top-level items of tests are; `undefined` if there are others, or brackets do not match. */
export function itemsOfTests(text: string, language: Language) {
  const items: (readonly [from: number, end: number])[] = [];
  const begins = BEGINS[language];
  if (begins === undefined) return items;
  const code = codeAlone(text, language);
  const marks = new RegExp(`(${begins.source})|[{}]`, 'g');
  let depth = 0;
  for (let mark = marks.exec(code); mark !== null; mark = marks.exec(code)) {
    if (mark[1] === undefined) {
      depth += mark[0] === '{' ? 1 : -1;
      continue;
    }
    const end = endOfItem(code, mark.index);
    if (depth !== 0 || end === undefined) return undefined;
    // Attributes before it belong to it.
    const from = /(?:(?<=^|\n)[ \t]*#\[.*\]\s*\n)*[ \t]*$/.exec(code.slice(0, mark.index));
    items.push([from?.index ?? 0, end]);
    marks.lastIndex = end;
  }
  return depth === 0 ? items : undefined;
}

/** After its last bracket, or its semicolon if it has none. */
function endOfItem(code: string, from: number): number | undefined {
  const marks = /[{};]/g;
  marks.lastIndex = from;
  let depth = 0;
  for (let mark = marks.exec(code); mark !== null; mark = marks.exec(code)) {
    if (mark[0] !== ';') depth += mark[0] === '{' ? 1 : -1;
    if (depth <= 0) return depth < 0 ? undefined : marks.lastIndex;
  }
  return undefined;
}
