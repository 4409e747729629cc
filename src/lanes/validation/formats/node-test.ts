/** `node --test` with its `spec` and `dot` reporters; its `tap` reporter is TAP. */
import { failureTree } from './failure-tree.ts';
import { count, type FormatReader, joined, nameList } from './format.ts';

const FAILED = /^✖ (.+?)(?: \([\d.]+ms\))?(?: # .*)?$/;

/** The progress is a tree without files, the list at the end has files but no tree. */
export function nodeSpec(): FormatReader {
  const tree = progressTree();
  const listed: { readonly file: string; readonly name: string }[] = [];
  let file: string | undefined;
  let seen = false;
  let counted = 0;
  return {
    line(text) {
      const name = FAILED.exec(text)?.[1];
      if (file !== undefined && name !== undefined) listed.push({ file, name });
      else if (file === undefined) tree.line(text);
      file = /^test at (.+?):\d+:\d+$/.exec(text)?.[1];
      const failed = /^ℹ fail (\d+)$/.exec(text)?.[1];
      if (failed === undefined) return;
      seen = true;
      counted += count(failed);
    },
    findings() {
      if (!seen) return undefined;
      const list = nameList();
      const paths = tree.paths();
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
function progressTree() {
  const tree = failureTree();
  return {
    line(text: string): void {
      const match = /^( *)([✖✔▶]) (.+?) \([\d.]+ms\)/.exec(text);
      if (match === null) return;
      const [, indent = '', sign, name = ''] = match;
      tree.settle({ depth: indent.length, name, failed: sign === '✖', excused: false });
    },
    paths: (): string[][] => tree.all().map(({ path }) => [...path]),
  };
}

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
