/** pytest and unittest. */
import { count, type FormatReader, joined, nameList } from './format.ts';

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

export function unittest(): FormatReader {
  const list = nameList();
  let afterRule = false;
  let seen = false;
  let counted = 0;
  return {
    line(text) {
      const failed = /^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (.+)$/.exec(text)?.[1];
      if (afterRule && failed !== undefined) list.add(failed);
      afterRule = /^={70}$/.test(text);
      seen ||= /^Ran \d+ tests? in /.test(text);
      const summary = seen ? /^FAILED \((.+)\)$/.exec(text)?.[1] : undefined;
      for (const [, number] of (summary ?? '').matchAll(FAILURES)) counted += count(number);
    },
    findings: () => (seen ? list.findings(counted) : undefined),
  };
}

const FAILURES = /(?:failures|errors|unexpected successes)=(\d+)/g;
