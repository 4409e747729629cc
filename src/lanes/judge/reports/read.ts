/** Reads the reports of test runners: lines of `node --test`, JSON of Vitest and Jest, JUnit XML. */
import { lstatSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import sax from 'sax';
import * as z from 'zod/mini';
import { attempt } from '../../../base/errors.ts';
import { readPlainFile } from '../../../base/files/plain-file.ts';
import type { Git } from '../../../base/git/git.ts';
import { splitNul } from '../../../base/git/paths.ts';
import { joined } from './names.ts';

export interface TestResult {
  /** Files that could not be loaded have failed, and are no tests that ran. */
  readonly status: 'passed' | 'failed' | 'skipped' | 'not-loaded';
  readonly name: string;
  /** The kind and message of a failure, in one line. */
  readonly why?: string;
}

export const reportsIn = (folder: string): string[] =>
  readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));

const MOST_FILES = 5_000;

/**
 * Files that may be reports in JUnit's format, and that a tool has written into the tree, as Gradle and Maven do.
 *
 * @param since a time before the tool was started, in milliseconds.
 */
export async function reportsWritten(git: Git, since: number): Promise<string[]> {
  const args = ['ls-files', '--others', '-z', '--exclude=node_modules', '--', '*.xml'];
  return splitNul(await git.text(args))
    .slice(0, MOST_FILES)
    .map((path) => join(git.directory, path))
    .filter((file) => (lstatSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0) >= since);
}

/** The tests that ran, by the runners' reports; `undefined` if there is no report. */
export function readReports(files: readonly string[]): TestResult[] | undefined {
  const reports = files
    .map((file) => READERS[extname(file)]?.(readPlainFile(file) ?? ''))
    .filter((report) => report !== undefined);
  return reports.length === 0 ? undefined : reports.flat();
}

const READERS: Readonly<Record<string, (text: string) => TestResult[] | undefined>> = {
  '.jsonl': nodeResults,
  '.json': jestResults,
  '.xml': junitResults,
};

const NodeLine = z.object({
  status: z.enum(['passed', 'failed', 'skipped']),
  path: z.string(),
  title: z.array(z.string()),
  why: z._default(z.string(), ''),
});

function nodeResults(text: string): TestResult[] {
  return text.split('\n').flatMap((line) => {
    const parsed = NodeLine.safeParse(attempt(() => JSON.parse(line)));
    if (!parsed.success) return [];
    const { status, path, title, why } = parsed.data;
    // A file without tests of its own is reported as a test, named by its path.
    const [last = ''] = title.slice(-1);
    const name = path.endsWith(last) ? path : joined(path, ...title);
    return [{ status, name, ...(status === 'failed' && { why: oneLine(why) }) }];
  });
}

const JestReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(
        z.object({
          status: z.string(),
          title: z.string(),
          ancestorTitles: z.array(z.string()),
          failureMessages: z._default(z.array(z.string()), []),
        }),
      ),
    }),
  ),
});

/** Reads the report of Jest; that of Vitest is the same. */
function jestResults(text: string): TestResult[] | undefined {
  const parsed = JestReport.safeParse(attempt(() => JSON.parse(text)));
  if (!parsed.success) return undefined;
  return parsed.data.testResults.flatMap(
    ({ name: file, status, assertionResults }): TestResult[] => {
      const failed = assertionResults.some((it) => it.status === 'failed');
      const own: TestResult[] = assertionResults.map((it) => ({
        status: it.status === 'passed' || it.status === 'failed' ? it.status : 'skipped',
        name: joined(file, ...it.ancestorTitles, it.title),
        ...(it.failureMessages.length > 0 && { why: oneLine(it.failureMessages.join('\n')) }),
      }));
      return status === 'failed' && !failed ? [...own, { status: 'not-loaded', name: file }] : own;
    },
  );
}

const MOST_WHY = 300;

/** The message in one line, without the stack that follows it. */
export function oneLine(message: string): string {
  const [said = ''] = stripVTControlCharacters(message).split(/\n\s+at /);
  return said.replaceAll(/\s+/g, ' ').trim().slice(0, MOST_WHY);
}

const OUTCOMES = new Set(['failure', 'error', 'skipped']);

/** Reads JUnit's format, of which tools write dialects: `testcase` with `failure`, `error` or `skipped` in it. */
function junitResults(text: string): TestResult[] | undefined {
  const results: TestResult[] = [];
  let open: { name: string; outcome: string; why: string } | undefined;
  let isReport = false;
  let isBroken = false;
  const parser = sax.parser(true);
  const attribute = ({ attributes }: sax.Tag | sax.QualifiedTag, name: string): string =>
    String(attributes[name] ?? '');
  parser.onopentag = (tag) => {
    if (tag.name === 'testsuite' || tag.name === 'testsuites') isReport = true;
    if (tag.name === 'testcase') {
      const name = joined(attribute(tag, 'classname'), attribute(tag, 'name'));
      open = { name, outcome: '', why: '' };
    } else if (open !== undefined && OUTCOMES.has(tag.name)) {
      open.outcome ||= tag.name;
      open.why ||= attribute(tag, 'message');
    }
  };
  parser.onclosetag = (name) => {
    if (name !== 'testcase' || open === undefined) return;
    const { name: test, why } = open;
    results.push({ status: statusOf(open), name: test, ...(why && { why: oneLine(why) }) });
    open = undefined;
  };
  parser.onerror = () => {
    isBroken = true;
  };
  if (text.trim() !== '') parser.write(text).close();
  // A report that is cut off, as by a crash, does not count.
  return isReport && !isBroken ? results : undefined;
}

function statusOf({ outcome, why }: { outcome: string; why: string }): TestResult['status'] {
  if (outcome === '') return 'passed';
  if (outcome === 'skipped') return 'skipped';
  return outcome === 'error' && why === 'collection failure' ? 'not-loaded' : 'failed';
}
