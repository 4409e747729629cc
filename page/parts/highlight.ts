/** Colours for code, as tokens; loaded when a diff is opened. */
import { common, createLowlight } from 'lowlight';

/** A piece of a line, with the class of its colour if it has one. */
export type Token = readonly [text: string, className: string];

type Nodes = ReturnType<ReturnType<typeof createLowlight>['highlight']>['children'];

const lowlight = createLowlight(common);

const BY_ENDING: Readonly<Record<string, string>> = {
  cjs: 'javascript',
  cts: 'typescript',
  htm: 'xml',
  markdown: 'markdown',
  mjs: 'javascript',
  mts: 'typescript',
  vue: 'xml',
  zsh: 'bash',
};

/** The language of a file by its name; undefined if its text is shown without colours. */
export function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const ending = name.slice(name.lastIndexOf('.') + 1);
  return [BY_ENDING[ending], ending].find((it) => it !== undefined && lowlight.registered(it));
}

/** The tokens of each line of a text. */
export function tokensByLine(text: string, language: string): Token[][] {
  const lines: Token[][] = [[]];
  const walk = (nodes: Nodes, className: string): void => {
    for (const node of nodes) {
      if (node.type === 'element') {
        walk(node.children as Nodes, [node.properties.className].flat().join(' '));
      } else if (node.type === 'text') {
        node.value.split('\n').forEach((piece, index) => {
          if (index > 0) lines.push([]);
          if (piece !== '') lines.at(-1)?.push([piece, className]);
        });
      }
    }
  };
  walk(lowlight.highlight(language, text).children, '');
  return lines;
}
