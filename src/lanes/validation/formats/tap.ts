/** TAP, and `node --test` with its `spec` and `dot` reporters; its `tap` reporter is TAP. */
import { count, type FormatReader, joined, MAX_NAMES, nameList } from './format.ts';

const RESULT = /^( *)(not )?ok (\d+)(?: -)?(?: (.*))?$/;
const DIRECTIVE = / # (?:todo|skip)\b/i;
const COMMENT = /(?:^| )# (?:todo\b|skip\b|time=).*$/i;
const LOCATION = /^ +location: '(.+?)(?::\d+:\d+)?'$/;

/**
 * Subtests are indented before their parent's line, or in braces after it.
 *
 * @see https://testanything.org/tap-version-14-specification.html
 */
export function tap(): FormatReader {
  const failures = failureTree();
  /** Parents of subtests in braces, whose line comes first. */
  const open: Result[] = [];
  let seen = false;
  let notOk = 0;
  let counted = 0;

  const onResult = (result: Result, opens: boolean): void => {
    seen = true;
    if (result.failed && !result.excused) notOk += 1;
    if (opens) open.push(result);
    else failures.settle(result);
  };

  return {
    line(text) {
      const match = RESULT.exec(text);
      if (match !== null) return onResult(resultOf(match), text.endsWith('{'));
      if (!seen) return;
      const file = LOCATION.exec(text)?.[1];
      if (file !== undefined) failures.locate(file);
      else if (/^ *\}$/.test(text)) {
        const parent = open.pop();
        if (parent !== undefined) failures.settle(parent);
      } else if (text.startsWith('Bail out!')) {
        failures.settle({ depth: 0, name: text, failed: true, excused: false });
      } else counted += count(/^# fail +(\d+)$/.exec(text)?.[1]);
    },
    findings() {
      if (!seen) return undefined;
      const list = nameList();
      for (const { file, path } of failures.all()) {
        const name = joined(...path);
        list.add(file.endsWith(name) ? name : joined(file, name));
      }
      // The summary counts parents, too, and each of them has a line of its own.
      return list.findings(list.total() + failures.dropped() + Math.max(0, counted - notOk));
    },
  };
}

function resultOf([, indent = '', not, number = '', rest = '']: RegExpExecArray): Result {
  const description = rest.replace(/ \{$/, '').replace(COMMENT, '').replaceAll('\\#', '#');
  return {
    depth: indent.length,
    name: description.trim() || `test ${number}`,
    failed: not !== undefined,
    excused: DIRECTIVE.test(` ${rest}`),
  };
}

const FAILED = /^✖ (.+?)(?: \([\d.]+ms\))?(?: # .*)?$/;

/** The progress is a tree without files, the list at the end has files but no tree. */
export function nodeSpec(): FormatReader {
  const tree = failureTree();
  const listed: { readonly file: string; readonly name: string }[] = [];
  let file: string | undefined;
  let seen = false;
  let counted = 0;
  return {
    line(text) {
      const name = FAILED.exec(text)?.[1];
      if (file !== undefined && name !== undefined) listed.push({ file, name });
      else if (file === undefined) {
        const [, indent = '', sign, title = ''] = PROGRESS.exec(text) ?? [];
        const result = { depth: indent.length, name: title, failed: sign === '✖', excused: false };
        if (sign !== undefined) tree.settle(result);
      }
      file = /^test at (.+?):\d+:\d+$/.exec(text)?.[1];
      const failed = /^ℹ fail (\d+)$/.exec(text)?.[1];
      if (failed === undefined) return;
      seen = true;
      counted += count(failed);
    },
    findings() {
      if (!seen) return undefined;
      const list = nameList();
      const paths = tree.all().map(({ path }) => path);
      const fits = listed.every(({ name }, at) => paths[at]?.at(-1) === name);
      for (const [at, { file, name }] of listed.entries()) {
        const levels = (fits && paths[at]) || [name];
        list.add(file.endsWith(name) ? name : joined(file, ...levels));
      }
      // The count includes parents, which are not in the list, so it is used only for an empty list.
      return list.findings(list.total() === 0 ? counted : 0);
    },
  };
}

/** `✖ name (1.5ms)` follows its subtests; some versions end a parent with `▶ name (1.5ms)`. */
const PROGRESS = /^( *)([✖✔▶]) (.+?) \([\d.]+ms\)/;

const NO_TEST_OF_ITS_OWN = /^ {2}'\d+ subtests? failed'$/;

export function nodeDot(): FormatReader {
  const list = nameList();
  let inList = false;
  let name: string | undefined;
  const settle = (): void => {
    if (name !== undefined) list.add(name);
    name = undefined;
  };
  return {
    line(text) {
      if (text === 'Failed tests:') inList = true;
      if (!inList) return;
      if (NO_TEST_OF_ITS_OWN.test(text)) name = undefined;
      if (/^[✖⚠] /.test(text)) settle();
      name = FAILED.exec(text)?.[1] ?? name;
    },
    findings() {
      settle();
      return list.total() > 0 ? list.findings() : undefined;
    },
  };
}

interface Failure {
  readonly depth: number;
  readonly file: string;
  /** Levels of its name, outermost first. */
  readonly path: readonly string[];
}

interface Result {
  /** Larger for subtests; in any unit. */
  readonly depth: number;
  readonly name: string;
  readonly failed: boolean;
  /** Marked `# TODO` or `# SKIP`: the test and its subtests do not count as failed. */
  readonly excused: boolean;
}

/**
 * Collects failures of tests with subtests, for tools that print a test's own result after those of
 * its subtests. The result of a parent adds its name to those of its subtests, or drops them.
 */
function failureTree() {
  /** Ordered by depth, so that the subtests of a parent are at the end. */
  const failures: Failure[] = [];
  let fresh = false;
  let dropped = 0;

  const takeBelow = (depth: number): Failure[] => {
    let from = failures.length;
    while ((failures[from - 1]?.depth ?? 0) > depth) from -= 1;
    return failures.splice(from);
  };

  return {
    all: (): readonly Failure[] => failures,
    /** Number of failures that were not kept since there were too many. */
    dropped: (): number => dropped,
    settle({ depth, name, failed, excused }: Result): void {
      const below = takeBelow(depth);
      fresh = failed && !excused && below.length === 0 && failures.length < MAX_NAMES;
      if (excused) return;
      for (const it of below) failures.push({ ...it, depth, path: [name, ...it.path] });
      if (fresh) failures.push({ depth, file: '', path: [name] });
      else if (failed && below.length === 0) dropped += 1;
    },
    /** Sets the file of the failure that was settled last, if it was one. */
    locate(file: string): void {
      const last = fresh ? failures.pop() : undefined;
      if (last !== undefined) failures.push({ ...last, file });
      fresh = false;
    },
  };
}
