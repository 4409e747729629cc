/** Finds what a source file declares in which line: by a parser for JavaScript and TypeScript, else by lines. */
import { attempt } from '../../base/errors.ts';

export interface Declaration {
  readonly name: string;
  /** The line, counted from 1. */
  readonly line: number;
}

export type Declarations = (path: string, text: string) => readonly Declaration[];

const MODULE = /\.[cm]?[jt]sx?$/;
/** Names of fewer letters say nothing. */
const SHORTEST = 2;
const MOST = 2_000;

/** All files are read by lines if the parser's part for this platform is missing. */
export async function declarationReader(): Promise<Declarations> {
  const parser = await import('oxc-parser').catch(() => undefined);
  return (path, text) => {
    const parsed =
      parser !== undefined && MODULE.test(path)
        ? attempt(() => ofModule(parser.parseSync(path, text), text))
        : undefined;
    const found = parsed === undefined || parsed.length === 0 ? byLines(path, text) : parsed;
    return found.filter(({ name }) => name.length >= SHORTEST).slice(0, MOST);
  };
}

type Module = ReturnType<typeof import('oxc-parser').parseSync>;

/** Declarations of the module itself and members of its classes, in their order. */
function ofModule({ program }: Module, text: string): Declaration[] {
  const lines = lineCounter(text);
  return program.body
    .flatMap((node) => namesIn(node as unknown as Node))
    .map(([name, start]) => ({ name, line: lines(start) }));
}

/** The fields of the syntax tree that are read. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly name?: string;
  readonly id?: Node | null;
  readonly key?: Node;
  readonly declaration?: Node | null;
  readonly declarations?: readonly Node[];
  readonly body?: Node | readonly Node[] | null;
}

type Named = readonly [name: string, start: number];

function namesIn(node: Node): Named[] {
  if (node.declaration) return namesIn(node.declaration);
  if (node.declarations) return node.declarations.flatMap(namesIn);
  const name = node.id?.name ?? node.key?.name;
  const own: Named[] = name === undefined ? [] : [[name, node.start]];
  if (!/Class|Interface|Module/.test(node.type)) return own;
  const inner = node.body && 'body' in node.body ? node.body.body : undefined;
  return Array.isArray(inner) ? [...own, ...inner.flatMap(namesIn)] : own;
}

/** Offsets come in their order, almost: a smaller one is counted from the beginning again. */
function lineCounter(text: string): (offset: number) => number {
  let [line, counted] = [1, 0];
  return (offset) => {
    if (offset < counted) [line, counted] = [1, 0];
    for (let at = text.indexOf('\n', counted); at !== -1 && at < offset; line += 1) {
      counted = at + 1;
      at = text.indexOf('\n', counted);
    }
    return line;
  };
}

const MODIFIERS =
  '(?:(?:public|private|protected|internal|static|final|abstract|async|override|virtual|sealed|open|synchronized|partial|readonly|inline|suspend|data)\\s+)';
const TYPES = 'class|interface|enum|record|struct|trait|object|protocol|extension|namespace';

/** The first group that matched is the name. */
const LINES: readonly (readonly [endings: RegExp, line: RegExp])[] = [
  [/\.pyi?$/, /^\s*(?:async\s+)?(?:def|class)\s+(\w+)/],
  [/\.go$/, /^func\s+(?:\([^)]*\)\s*)?(\w+)|^type\s+(\w+)/],
  [
    /\.rs$/,
    /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|unsafe|const|default)\s+|extern\s+"[^"]*"\s+)*(?:fn|struct|enum|trait|mod|type|union|macro_rules!)\s+(\w+)/,
  ],
  [
    /\.(?:java|cs|kts?|scala|swift|dart|groovy)$/,
    new RegExp(
      `^\\s*(?:@\\w+\\s+)*${MODIFIERS}*(?:${TYPES})\\s+(\\w+)|\\b(?:fun|func|def)\\s+(?:<[^>]+>\\s*)?(?:\\w+\\.)?(\\w+)|^\\s*${MODIFIERS}+[\\w<>\\[\\],.? ]+\\s(\\w+)\\s*\\(`,
    ),
  ],
  [/\.(?:rb|rake)$/, /^\s*(?:def\s+(?:self\.)?(\w+)|(?:class|module)\s+([\w:]+))/],
  [
    /\.php$/,
    /^\s*(?:(?:abstract|final|readonly)\s+)*(?:class|interface|trait|enum)\s+(\w+)|\bfunction\s+&?(\w+)/,
  ],
  [
    /\.(?:c|h|cc|cpp|cxx|hpp|hh|m|mm)$/,
    /^\s*(?:typedef\s+)?(?:struct|class|enum|union|namespace)\s+(\w+)|^#define\s+(\w+)|^[A-Za-z_][\w*&<>:, ]*\s[*&]*([\w:~]+)\s*\([^;]*$/,
  ],
  [/\.(?:sh|bash|zsh)$/, /^\s*(?:function\s+)?([\w-]+)\s*\(\)/],
  [
    /\.sql$/,
    /^\s*create\s+(?:\w+\s+)*?(?:table|view|function|procedure|trigger|index)\s+(?:if\s+not\s+exists\s+)?["`[]?(\w+)/i,
  ],
  [/\.(?:md|mdx|rst|adoc)$/, /^#{1,4}\s+(.{2,80})$/],
  [
    /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/,
    /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|interface|type|enum|namespace)\s+(\w+)|^\s*(?:export\s+)?(?:const|let|var)\s+(\w+)\s*[=:]/,
  ],
  [
    /\.(?:ex|exs|lua|jl|nim|zig|ml|hs|clj)$/,
    /^\s*(?:local\s+)?(?:pub\s+)?(?:def\w*|function|fn|proc|func|let|type|module|data)\s+([\w.!?]+)/,
  ],
];

/** A longer line is data. */
const LONGEST_LINE = 400;

function byLines(path: string, text: string): Declaration[] {
  const pattern = LINES.find(([endings]) => endings.test(path))?.[1];
  if (pattern === undefined) return [];
  return text.split('\n').flatMap((line, at) => {
    const [, ...groups] = (line.length <= LONGEST_LINE && pattern.exec(line)) || [];
    const name = groups.find((it) => it !== undefined)?.trim();
    return name === undefined || RESERVED.has(name) ? [] : [{ name, line: at + 1 }];
  });
}

/** A line that looks like a function in languages with braces. */
const RESERVED = new Set('if for while switch return catch else do new await throw'.split(' '));
