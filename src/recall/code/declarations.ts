/** Finds the declarations of a source file, and their lines, by the form of the lines. */

export interface Declaration {
  readonly name: string;
  /** The line, counted from 1. */
  readonly line: number;
}

/** Shorter names are not significant. */
const SHORTEST = 2;
const MOST = 2_000;

const MODIFIERS =
  '(?:(?:public|private|protected|internal|static|final|abstract|async|override|virtual|sealed|open|synchronized|partial|readonly|inline|suspend|data)\\s+)';
const TYPES = 'class|interface|enum|record|struct|trait|object|protocol|extension|namespace';

const JAVASCRIPT = new RegExp(
  [
    /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|interface|enum|namespace)\s+(\w+)/,
    /^\s*(?:export\s+)?(?:declare\s+)?type\s+(\w+).*=/,
    /^(?:export\s+)?(?:const|let|var)\s+(\w+)\s*[=:]/,
    // A method, and a member of an interface.
    /^\s+(?:(?:public|private|protected|static|override|async|get|set)\s+)*\*?#?(\w+)(?:<[^>]*>)?\([^()]*\)(?:\s*:[^={]+)?\s*\{$/,
    /^ {2}(?:readonly\s+)?(\w+)\??(?:\(.*\))?:\s.*;$/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** The first group that matches is the name. */
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
  [/\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/, JAVASCRIPT],
  [
    /\.(?:ex|exs|lua|jl|nim|zig|ml|hs|clj)$/,
    /^\s*(?:local\s+)?(?:pub\s+)?(?:def\w*|function|fn|proc|func|let|type|module|data)\s+([\w.!?]+)/,
  ],
];

/** A longer line is data. */
const LONGEST_LINE = 400;

export function declarationsIn(path: string, text: string): readonly Declaration[] {
  const pattern = LINES.find(([endings]) => endings.test(path))?.[1];
  if (pattern === undefined) return [];
  const found = text.split('\n').flatMap((line, at) => {
    const [, ...groups] = (line.length <= LONGEST_LINE && pattern.exec(line)) || [];
    const name = groups.find((it) => it !== undefined)?.trim() ?? '';
    return name.length < SHORTEST || RESERVED.has(name) ? [] : [{ name, line: at + 1 }];
  });
  return found.slice(0, MOST);
}

/** Words in front of a bracket that are no function in languages with braces. */
const RESERVED = new Set(
  'if for while switch return catch else do new await throw function'.split(' '),
);
