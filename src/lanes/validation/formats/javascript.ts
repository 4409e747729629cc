/** Jest, Mocha, Vitest, Playwright and `deno test`. */
import { count, format, joined, summarised } from './format.ts';

const BROKEN_FILE = 'Test suite failed to run';

export const jest = format((list) => {
  let file: string | undefined;
  let repeating = false;

  const onHeading = (text: string): void => {
    if (text.startsWith('PASS ')) file = undefined;
    else if (text.startsWith('FAIL ')) file = text.slice(5).replace(/ \([\d.]+ m?s\)$/, '');
    // After many tests, all failures are printed again.
    else if (text === 'Summary of all failing tests') repeating = true;
    else if (text.startsWith('Test Suites: ')) {
      list.seen = true;
      repeating = false;
      file = undefined;
    } else list.counted += count(/^Tests: +(\d+) failed/.exec(text)?.[1]);
  };

  return (text) => {
    onHeading(text);
    if (file === undefined || repeating) return;
    const title = /^ {2}● (.+)$/.exec(text)?.[1];
    if (title === undefined || title === 'Console') return;
    if (title === BROKEN_FILE) {
      list.counted += 1;
      list.add(file);
    } else list.add(joined(file, title.replaceAll(' › ', ' > ')));
  };
});

/** A title takes several lines, one for each level of `describe`. */
const MAX_TITLE_LINES = 20;

export const mocha = summarised((list) => {
  let inList = false;
  let title: string[] | undefined;

  const onTitle = (text: string): void => {
    const entry = /^ {2}\d+\) (.+)$/.exec(text)?.[1];
    if (entry !== undefined) title = [];
    if (title === undefined) return;
    const level = entry ?? text.trim();
    title.push(level.replace(/:$/, ''));
    const ends = level.endsWith(':');
    if (ends) list.add(joined(...title));
    if (ends || level === '' || title.length > MAX_TITLE_LINES) title = undefined;
  };

  return (text) => {
    if (/^ {2}\d+ passing \(/.test(text)) {
      list.seen = true;
      inList = false;
    }
    const failing = /^ {2}(\d+) failing$/.exec(text)?.[1];
    if (failing !== undefined) inList = list.seen;
    if (inList) {
      list.counted += count(failing);
      onTitle(text);
    }
  };
});

export const vitest = format((list) => {
  return (text) => {
    // A file that could not be loaded is followed by its path in brackets.
    list.failure(/^ FAIL {2}(\S.*?)(?: \[ .+ \])?$/, text);
    const origin = /^This error originated in "(.+?)" test file/.exec(text)?.[1];
    if (origin !== undefined) list.add(joined(origin, 'unhandled error'));
    list.counted += count(/^⎯+ Failed (?:Suites|Tests|Benchmarks) (\d+) ⎯/.exec(text)?.[1]);
    list.counted += count(/^ +Errors {2}(\d+) errors?$/.exec(text)?.[1]);
    list.seen ||= /^ +Test Files {2}\d+ /.test(text);
  };
});

/** Playwright: the number of failures, then their names, then other outcomes in the same form. */
export const playwright = format((list) => {
  let inList = false;
  return (text) => {
    const entry = inList ? /^ {4}(\S.* › .+?)[ ─]*$/.exec(text)?.[1] : undefined;
    if (entry !== undefined) list.add(entry.replaceAll(' › ', ' > '));
    const failed = /^ {2}(\d+) failed$/.exec(text)?.[1];
    list.counted += count(failed);
    inList = failed !== undefined || entry !== undefined;
  };
});

/** `deno test`: all failures with their locations under a heading at the end. */
export const deno = summarised((list) => {
  let inList = false;
  return (text) => {
    if (text.trim() === 'FAILURES') inList = true;
    const entry = inList ? /^(\S.*) => (\S+?):\d+:\d+$/.exec(text) : null;
    if (entry !== null) list.add(joined(entry[2] ?? '', entry[1] ?? ''));
    const end = /^(?:ok|FAILED) \| \d+ passed (?:\(.+?\) )?\| (\d+) failed\b/;
    if (list.summary(end, text)) inList = false;
  };
});
