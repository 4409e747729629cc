/** Jest, Mocha, Vitest, Playwright and `deno test`. */
import { count, type FormatReader, joined, nameList } from './format.ts';

const BROKEN_FILE = 'Test suite failed to run';

export function jest(): FormatReader {
  const list = nameList();
  let file: string | undefined;
  let repeating = false;
  let seen = false;
  let counted = 0;

  const onHeading = (text: string): void => {
    if (text.startsWith('PASS ')) file = undefined;
    else if (text.startsWith('FAIL ')) file = text.slice(5).replace(/ \([\d.]+ m?s\)$/, '');
    // After many tests, all failures are printed again.
    else if (text === 'Summary of all failing tests') repeating = true;
    else if (text.startsWith('Test Suites: ')) {
      seen = true;
      repeating = false;
      file = undefined;
    } else counted += count(/^Tests: +(\d+) failed/.exec(text)?.[1]);
  };

  return {
    line(text) {
      onHeading(text);
      if (file === undefined || repeating) return;
      const title = /^ {2}● (.+)$/.exec(text)?.[1];
      if (title === undefined || title === 'Console') return;
      if (title === BROKEN_FILE) {
        counted += 1;
        list.add(file);
      } else list.add(joined(file, title.replaceAll(' › ', ' > ')));
    },
    findings: () => (seen || list.total() > 0 ? list.findings(counted) : undefined),
  };
}

/** A title takes several lines, one for each level of `describe`. */
const MAX_TITLE_LINES = 20;

export function mocha(): FormatReader {
  const list = nameList();
  let seen = false;
  let counted = 0;
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

  return {
    line(text) {
      if (/^ {2}\d+ passing \(/.test(text)) {
        seen = true;
        inList = false;
      }
      const failing = /^ {2}(\d+) failing$/.exec(text)?.[1];
      if (failing !== undefined) inList = seen;
      if (inList) {
        counted += count(failing);
        onTitle(text);
      }
    },
    findings: () => (seen ? list.findings(counted) : undefined),
  };
}

export function vitest(): FormatReader {
  const list = nameList();
  let seen = false;
  let counted = 0;
  return {
    line(text) {
      const failed = /^ FAIL {2}(\S.*)$/.exec(text)?.[1];
      // A file that could not be loaded is followed by its path in brackets.
      if (failed !== undefined) list.add(failed.replace(/ \[ .+ \]$/, ''));
      const origin = /^This error originated in "(.+?)" test file/.exec(text)?.[1];
      if (origin !== undefined) list.add(joined(origin, 'unhandled error'));
      counted += count(/^⎯+ Failed (?:Suites|Tests|Benchmarks) (\d+) ⎯/.exec(text)?.[1]);
      counted += count(/^ +Errors {2}(\d+) errors?$/.exec(text)?.[1]);
      seen ||= /^ +Test Files {2}\d+ /.test(text);
    },
    findings: () => (seen || list.total() > 0 ? list.findings(counted) : undefined),
  };
}

/** Playwright: the number of failures, then their names, then other outcomes in the same form. */
export function playwright(): FormatReader {
  const list = nameList();
  let inList = false;
  let counted = 0;
  return {
    line(text) {
      const failed = /^ {2}(\d+) failed$/.exec(text)?.[1];
      const name = inList ? /^ {4}(\S.* › .+?)[ ─]*$/.exec(text)?.[1] : undefined;
      counted += count(failed);
      if (name !== undefined) list.add(name.replaceAll(' › ', ' > '));
      inList = failed !== undefined || name !== undefined;
    },
    findings: () => (list.total() > 0 ? list.findings(counted) : undefined),
  };
}

/** `deno test`: all failures with their locations under a heading at the end. */
export function deno(): FormatReader {
  const list = nameList();
  let inList = false;
  let seen = false;
  let counted = 0;
  return {
    line(text) {
      if (text.trim() === 'FAILURES') inList = true;
      const entry = inList ? /^(\S.*) => (\S+?):\d+:\d+$/.exec(text) : null;
      if (entry !== null) list.add(joined(entry[2] ?? '', entry[1] ?? ''));
      const end = /^(?:ok|FAILED) \| \d+ passed (?:\(.+?\) )?\| (\d+) failed\b/.exec(text)?.[1];
      if (end === undefined) return;
      seen = true;
      inList = false;
      counted += count(end);
    },
    findings: () => (seen ? list.findings(counted) : undefined),
  };
}
