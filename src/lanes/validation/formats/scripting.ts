/** pytest, unittest, RSpec, Minitest, PHPUnit and Perl's `prove`. */
import { count, type FormatReader, joined, nameList, summarised } from './format.ts';

const SUMMARY = /^(FAILED|ERROR|SUBFAIL(?:ED)?(?:\([^()]*\)|\[[^\][]*\])*) (.+)$/;
const PROGRESS = /^(\S+\.\w+(?:::.+?)?) (?:FAILED|ERROR)(?: +\[ *\d+%\])?$/;
/** With several processes (xdist). */
const DISTRIBUTED = /^\[gw\d+\] \[ *\d+%\] (?:FAILED|ERROR) (.+)$/;

/** `=== 1 failed, 2 passed in 0.12s ===`, with `-q` without the rules. */
const END = /^=* ?((?:\d+ [a-z ]+, )*\d+ [a-z ]+) in [\d.]+s\b/;
const FAILED_COUNT = /(\d+) (?:failed|errors?)\b/g;
const INTERNAL_ERROR = 'INTERNALERROR> Traceback (most recent call last):';

/** The short summary, else (`-rN`) the progress of `-v`, else the headings of failures. */
export function pytest(): FormatReader {
  const lists = { summary: nameList(), progress: nameList(), headings: nameList() };
  let inSummary = false;
  let inFailures = false;
  let seen = false;
  let counted = 0;

  const onRule = (text: string): void => {
    inSummary = text.includes(' short test summary info ');
    inFailures = /^=+ (?:FAILURES|ERRORS) =+$/.test(text);
  };
  const onEnd = (outcomes: string): void => {
    seen = true;
    for (const [, number] of outcomes.matchAll(FAILED_COUNT)) counted += count(number);
  };
  const onSummary = (text: string): void => {
    const [, kind = '', rest] = SUMMARY.exec(text) ?? [];
    if (rest !== undefined) lists.summary.add(joined(nodeId(rest), subtest(kind)));
  };
  const onOther = (text: string): void => {
    const tried = (PROGRESS.exec(text) ?? DISTRIBUTED.exec(text))?.[1];
    if (tried !== undefined) lists.progress.add(tried);
    const heading = inFailures ? /^_+ (.+?) _+$/.exec(text)?.[1] : undefined;
    if (heading !== undefined) lists.headings.add(heading);
    if (text !== INTERNAL_ERROR) return;
    seen = true;
    lists.summary.add('pytest: internal error');
  };

  return {
    line(text) {
      const outcomes = END.exec(text)?.[1];
      if (outcomes !== undefined) onEnd(outcomes);
      if (/^=+ .* =+$/.test(text)) onRule(text);
      else if (inSummary) onSummary(text);
      else onOther(text);
    },
    findings() {
      const { summary, progress, headings } = lists;
      const complete = [summary, progress, headings].find((it) => it.total() >= counted);
      const list = complete ?? summary;
      return seen || list.total() > 0 ? list.findings(counted) : undefined;
    },
  };
}

/** `path::test[a - b] - message`: the parameters in brackets may contain ` - `. */
function nodeId(text: string): string {
  const bracket = text.indexOf('[');
  const dash = text.indexOf(' - ');
  if (dash === -1) return text;
  if (bracket === -1 || dash < bracket) return text.slice(0, dash);
  const end = text.indexOf('] - ', bracket);
  return end === -1 ? text : text.slice(0, end + 1);
}

function subtest(kind: string): string {
  return kind.replace(/^(?:FAILED|ERROR|SUBFAIL(?:ED)?)/, '');
}

export const unittest = summarised((list) => {
  let afterRule = false;
  return (text) => {
    if (afterRule) list.failure(/^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (.+)$/, text);
    afterRule = /^={70}$/.test(text);
    list.seen ||= /^Ran \d+ tests? in /.test(text);
    const summary = list.seen ? /^FAILED \((.+)\)$/.exec(text)?.[1] : undefined;
    for (const [, number] of (summary ?? '').matchAll(FAILURES)) list.counted += count(number);
  };
});

const FAILURES = /(?:failures|errors|unexpected successes)=(\d+)/g;

export const rspec = summarised((list) => (text) => {
  list.failure(/^An error occurred while loading (\S+?)\.$/, text);
  list.failure(/^rspec '?(\S+?)(?::\d+|\[[\d:]+\])?'? # (.+)$/, text);
  list.summary(/^\d+ examples?, (\d+) failures?(?:.*, (\d+) errors? occurred outside)?/, text);
});

export const minitest = summarised((list) => {
  let heading = false;
  return (text) => {
    if (heading) list.failure(/^ *(\S+#.+?)(?: \[.*\])?:$/, text);
    heading = /^ *\d+\) (?:Failure|Error):$/.test(text);
    list.summary(/^\d+ (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors/, text);
  };
});

export const phpunit = summarised((list) => {
  let inList = false;
  return (text) => {
    const heading = /^There (?:was|were) \d+ (.+):$/.exec(text)?.[1];
    // Warnings, risky and skipped tests are listed alike.
    if (heading !== undefined) inList = /^(?:failure|error)s?$/.test(heading);
    if (inList) list.failure(/^\d+\) (\S+::\S+)(?: with data set (#\d+|"[^"]*"))?/, text);
    list.summary(/^OK \(\d+ tests?, /, text);
    if (!list.summary(/^Tests: \d+, Assertions: /, text)) return;
    inList = false;
    for (const [, number] of text.matchAll(/, (?:Failures|Errors): (\d+)/g))
      list.counted += count(number);
  };
});

/**
 * Reads the report of the TAP that `prove` has read, and the diagnostics that it passes through.
 * Without the report the output is TAP, which its own reader has read.
 */
export const prove = summarised((list) => {
  let inReport = false;
  let title: string | undefined;
  return (text) => {
    if (text.startsWith('#   Failed test ')) title = /'(.*)'$/.exec(text)?.[1] ?? 'a test';
    const place = /^# {3}(?:Failed test )?at (.+) line \d+\.$/.exec(text)?.[1];
    if (place !== undefined && title !== undefined) {
      list.add(joined(place, title));
      title = undefined;
    }
    if (text === 'Test Summary Report') {
      inReport = true;
      list.seen = true;
    }
    const file = inReport ? /^(.+?) +\(Wstat: [1-9]/.exec(text)?.[1] : undefined;
    if (file !== undefined) list.add(joined(file, 'ended with an error'));
    if (text.startsWith('Result: ')) inReport = false;
  };
});
