/**
 * TAP, with subtests indented before their parent's line, or in braces after it.
 *
 * @see https://testanything.org/tap-version-14-specification.html
 */
import { failureTree, type Result } from './failure-tree.ts';
import { count, type FormatReader, joined, nameList } from './format.ts';

const RESULT = /^( *)(not )?ok (\d+)(?: -)?(?: (.*))?$/;
const DIRECTIVE = / # (?:todo|skip)\b/i;
const COMMENT = /(?:^| )# (?:todo\b|skip\b|time=).*$/i;
const LOCATION = /^ +location: '(.+?)(?::\d+:\d+)?'$/;

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
