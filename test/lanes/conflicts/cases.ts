// biome-ignore-all lint/suspicious/noTemplateCurlyInString: The code of the cases has templates.
/**
 * Pairs of changes that git's merge leaves in conflict, or merges into what fails: two features of one library, each
 * with what it promises. What is promised of both together is hidden from whatever resolves the conflict.
 */
export type Language = 'js' | 'ts' | 'py' | 'go' | 'rs' | 'text';

/** The first text, which occurs once, becomes the second; in the library, or in another file. */
export type Edit = readonly [from: string, to: string, path?: string];

export interface Side {
  readonly edits: readonly Edit[];
  /** Expressions of the language that are true with this change. */
  readonly checks: readonly string[];
}

export interface Case {
  readonly language: Language;
  /** Cases of one kind are counted together. */
  readonly kind: string;
  readonly name: string;
  /** Path to content; the library is `lib`, with the ending of the language. */
  readonly base: Readonly<Record<string, string>>;
  readonly ours: Side;
  readonly theirs: Side;
  /** True of the right result. `none`: a person has to decide, and whatever is accepted is wrong. */
  readonly hidden: readonly string[] | 'none';
}

const ENDINGS = { js: 'mjs', ts: 'ts', py: 'py', go: 'go', rs: 'rs', text: 'md' };
export const libraryOf = (language: Language): string => `lib.${ENDINGS[language]}`;

type Short = readonly [edits: readonly Edit[], ...checks: string[]];

export function casesOf(language: Language) {
  return (
    kind: string,
    name: string,
    base: string | Readonly<Record<string, string>>,
    ours: Short,
    theirs: Short,
    hidden: readonly string[] | 'none',
  ): Case => {
    const files = typeof base === 'string' ? { [libraryOf(language)]: base } : base;
    const side = ([edits, ...checks]: Short): Side => ({ edits, checks });
    return { language, kind, name, base: files, ours: side(ours), theirs: side(theirs), hidden };
  };
}

const js = casesOf('js');
const ts = casesOf('ts');
const py = casesOf('py');
const go = casesOf('go');
const rs = casesOf('rs');
const text = casesOf('text');

const SHAPES = `export function area(kind, size) {
  switch (kind) {
    case 'square':
      return size * size;
    default:
      throw new Error(kind);
  }
}
`;
const SLUG = `export function slug(text) {
  let out = text.trim();
  out = out.toLowerCase();
  return out.replaceAll(' ', '-');
}
`;
const LABEL = `export function label(text, { upper = false } = {}) {
  let out = text;
  if (upper) out = out.toUpperCase();
  return out;
}
`;
const QUEUE = `export class Queue {
  #items = [];

  push(item) {
    this.#items.push(item);
  }

  size() {
    return this.#items.length;
  }
}
`;
const SUMS = `export function add(a, b) {
  return a + b;
}
`;

const JAVASCRIPT: readonly Case[] = [
  js(
    'list',
    'a word on one line',
    "export const colours = ['red', 'green'];\n",
    [[["'green'", "'green', 'blue'"]], "m.colours.includes('blue')"],
    [[["'green'", "'green', 'cyan'"]], "m.colours.includes('cyan')"],
    ["m.colours.join() === 'red,green,blue,cyan' || m.colours.join() === 'red,green,cyan,blue'"],
  ),
  js(
    'list',
    'a line at the end',
    "export const suffixes = [\n  '.js',\n  '.ts',\n];\n",
    [[["'.ts',", "'.ts',\n  '.mjs',"]], "m.suffixes.includes('.mjs')"],
    [[["'.ts',", "'.ts',\n  '.jsx', // React"]], "m.suffixes.includes('.jsx')"],
    ['m.suffixes.length === 4', "read('lib.mjs').includes(\"'.jsx', // React\")"],
  ),
  js(
    'list',
    'a sorted list stays sorted',
    "export const names = ['ada', 'grace'];\n",
    [[["'grace'", "'grace', 'zoe'"]], "m.names.includes('zoe')"],
    [[["'grace'", "'grace', 'linus'"]], "m.names.includes('linus')"],
    ["m.names.join() === 'ada,grace,linus,zoe'"],
  ),
  js(
    'list',
    'pairs of a map',
    "export const codes = new Map([\n  ['ok', 200],\n  ['gone', 410],\n]);\n",
    [[["['gone', 410],", "['gone', 410],\n  ['teapot', 418],"]], "m.codes.get('teapot') === 418"],
    [[["['gone', 410],", "['gone', 410],\n  ['busy', 503],"]], "m.codes.get('busy') === 503"],
    ['m.codes.size === 4'],
  ),
  js(
    'list',
    'records with an id',
    "export const users = [{ id: 1, name: 'a' }];\n",
    [[["name: 'a' }", "name: 'a' }, { id: 2, name: 'b' }"]], "m.users.some((u) => u.name === 'b')"],
    [[["name: 'a' }", "name: 'a' }, { id: 3, name: 'c' }"]], "m.users.some((u) => u.name === 'c')"],
    ['new Set(m.users.map((u) => u.id)).size === 3'],
  ),
  js(
    'switch',
    'two cases before the default',
    SHAPES,
    [
      [['    default:', "    case 'circle':\n      return 3 * size * size;\n    default:"]],
      "m.area('circle', 2) === 12",
    ],
    [
      [['    default:', "    case 'line':\n      return 0;\n    default:"]],
      "m.area('line', 2) === 0",
    ],
    ["m.area('square', 2) === 4", "throws(() => m.area('dot'))"],
  ),
  js(
    'switch',
    'ifs for two values',
    "export function sign(op) {\n  if (op === 'add') return '+';\n  return '?';\n}\n",
    [[["return '+';", "return '+';\n  if (op === 'mul') return '*';"]], "m.sign('mul') === '*'"],
    [[["return '+';", "return '+';\n  if (op === 'div') return '/';"]], "m.sign('div') === '/'"],
    ["m.sign('add') === '+'", "m.sign('x') === '?'"],
  ),
  js(
    'switch',
    'links of a chain of else',
    `export function unit(kind) {
  if (kind === 'length') {
    return 'm';
  } else {
    return '';
  }
}
`,
    [
      [['} else {', "} else if (kind === 'mass') {\n    return 'kg';\n  } else {"]],
      "m.unit('mass') === 'kg'",
    ],
    [
      [['} else {', "} else if (kind === 'time') {\n    return 's';\n  } else {"]],
      "m.unit('time') === 's'",
    ],
    ["m.unit('length') === 'm'", "m.unit('x') === ''"],
  ),
  js(
    'imports',
    'two names of one module',
    "import { join } from 'node:path';\n\nexport const at = (a) => join('/', a);\n",
    [
      [
        ['{ join }', '{ basename, join }'],
        ["join('/', a);\n", "join('/', a);\nexport const last = (a) => basename(a);\n"],
      ],
      "m.last('/a/b') === 'b'",
    ],
    [
      [
        ['{ join }', '{ dirname, join }'],
        ["join('/', a);\n", "join('/', a);\nexport const up = (a) => dirname(a);\n"],
      ],
      "m.up('/a/b') === '/a'",
    ],
    ["m.last('/a/b') === 'b' && m.up('/a/b') === '/a' && m.at('c') === '/c'"],
  ),
  js(
    'imports',
    'two modules at one place',
    "import { join } from 'node:path';\n\nexport const at = (a) => join('/', a);\n",
    [
      [
        ["'node:path';", "'node:path';\nimport { inspect } from 'node:util';"],
        ["join('/', a);\n", "join('/', a);\n\nexport const show = (a) => inspect(a);\n"],
      ],
      'm.show(1) === "1"',
    ],
    [
      [
        ["'node:path';", "'node:path';\nimport { EOL } from 'node:os';"],
        ["join('/', a);\n", "join('/', a);\n\nexport const line = (a) => a + EOL;\n"],
      ],
      "m.line('a').length > 1",
    ],
    ["m.show(1) === '1' && m.line('a').startsWith('a')"],
  ),
  js(
    'imports',
    'both need the same new module',
    "import { join } from 'node:path';\n\nexport const at = (a) => join('/', a);\n",
    [
      [
        ["'node:path';", "'node:path';\nimport { inspect } from 'node:util';"],
        ["join('/', a);\n", "join('/', a);\nexport const show = (a) => inspect(a);\n"],
      ],
      'm.show(1) === "1"',
    ],
    [
      [
        ["'node:path';", "'node:path';\nimport { format } from 'node:util';"],
        ["join('/', a);\n", "join('/', a);\nexport const fill = (a, b) => format(a, b);\n"],
      ],
      "m.fill('%s', 1) === '1'",
    ],
    ["m.show(1) === '1' && m.fill('%s!', 2) === '2!'"],
  ),
  js(
    'imports',
    'names in an export',
    'const a = 1;\nconst b = 2;\nconst c = 3;\nexport { a };\n',
    [[['{ a }', '{ a, b }']], 'm.b === 2'],
    [[['{ a }', '{ a, c }']], 'm.c === 3'],
    ['m.a + m.b + m.c === 6'],
  ),
  js(
    'arguments',
    'options of a call',
    "const make = (o) => o;\nexport const made = make({ name: 'x' });\n",
    [[["name: 'x'", "name: 'x', depth: 2"]], 'm.made.depth === 2'],
    [[["name: 'x'", "name: 'x', width: 3"]], 'm.made.width === 3'],
    ['JSON.stringify(Object.keys(m.made).sort()) === \'["depth","name","width"]\''],
  ),
  js(
    'arguments',
    'words of a call that takes any number',
    "const all = (...words) => words;\nexport const made = all('one', 'two');\n",
    [[["'two'", "'two', 'three'"]], "m.made.includes('three')"],
    [[["'two'", "'two', 'four'"]], "m.made.includes('four')"],
    ['m.made.length === 4'],
  ),
  js(
    'arguments',
    'links of a chain of calls',
    `class Options {
  names = [];
  option(name) {
    this.names.push(name);
    return this;
  }
}
export const options = new Options()
  .option('help');
`,
    [
      [[".option('help');", ".option('help')\n  .option('quiet');"]],
      "m.options.names.includes('quiet')",
    ],
    [
      [[".option('help');", ".option('help')\n  .option('watch');"]],
      "m.options.names.includes('watch')",
    ],
    ['m.options.names.length === 3'],
  ),
  js(
    'adjacent',
    'constants one below the other',
    'export const limit = 10;\nexport const depth = 3;\n',
    [[['limit = 10', 'limit = 20']], 'm.limit === 20'],
    [[['depth = 3', 'depth = 5']], 'm.depth === 5'],
    ['m.limit === 20 && m.depth === 5'],
  ),
  js(
    'adjacent',
    'statements one below the other',
    SLUG,
    [[['text.trim()', "text.trim().normalize('NFC')"]], "m.slug(' A b') === 'a-b'"],
    [[['out.toLowerCase()', "out.toLowerCase().replaceAll('_', ' ')"]], "m.slug('a_b') === 'a-b'"],
    ["m.slug(' E\\u0301_B ') === '\\u00e9-b'"],
  ),
  js(
    'adjacent',
    'a function and the one after it',
    'export const one = () => 1;\nexport const two = () => 2;\nexport const sum = () => one() + two();\n',
    [[['() => 2', '(by = 1) => 2 * by']], 'm.two(3) === 6'],
    [[['one() + two()', 'one() + two() + 0.5']], 'm.sum() === 3.5'],
    ['m.two(2) === 4 && m.sum() === 3.5'],
  ),
  js(
    'adjacent',
    'a parameter and the first line below',
    'export function times(a, b) {\n  const by = b;\n  return a * by;\n}\n',
    [[['(a, b)', '(a, b = 2)']], 'm.times(2) === 4'],
    [[['const by = b;', 'const by = Number(b);']], "m.times(2, '4') === 8"],
    ["m.times(3) === 6 && m.times(3, '3') === 9"],
  ),
  js(
    'options',
    'two options that do not meet',
    LABEL,
    [
      [
        ['upper = false', 'upper = false, max = 99'],
        ['upper) ', 'max < 0) throw new RangeError(`${max}`);\n  if (upper) '],
      ],
      "throws(() => m.label('a', { max: -1 }))",
    ],
    [
      [
        ['upper = false', "upper = false, locale = 'en'"],
        ['upper) ', "locale === '') throw new TypeError(locale);\n  if (upper) "],
      ],
      "throws(() => m.label('a', { locale: '' }))",
    ],
    ["m.label('a', { upper: true, max: 1, locale: 'de' }) === 'A'"],
  ),
  js(
    'options',
    'two fields of what is returned',
    'export function stats(list) {\n  return { count: list.length };\n}\n',
    [[['list.length }', 'list.length, first: list[0] }']], 'm.stats([4]).first === 4'],
    [[['list.length }', 'list.length, last: list.at(-1) }']], 'm.stats([4, 5]).last === 5'],
    ['Object.keys(m.stats([1, 2])).length === 3'],
  ),
  js(
    'options',
    'guards at the start of a function',
    'export function part(list, at) {\n  return list[at];\n}\n',
    [
      [['  return', "  if (!Array.isArray(list)) throw new TypeError('list');\n  return"]],
      'throws(() => m.part(null, 0))',
    ],
    [
      [['  return', "  if (at < 0) throw new RangeError('at');\n  return"]],
      'throws(() => m.part([1], -1))',
    ],
    ['m.part([1, 2], 1) === 2', 'throws(() => m.part(1, 0)) && throws(() => m.part([], -2))'],
  ),
  js(
    'options',
    'a condition with two more alternatives',
    "export const isCode = (name) => name.endsWith('.js') || name.endsWith('.ts');\n",
    [[["'.ts')", "'.ts') || name.endsWith('.py')"]], "m.isCode('a.py')"],
    [[["'.ts')", "'.ts') || name.endsWith('.go')"]], "m.isCode('a.go')"],
    ["m.isCode('a.js') && m.isCode('a.py') && m.isCode('a.go') && !m.isCode('a.md')"],
  ),
  js(
    'members',
    'methods at the end of a class',
    QUEUE,
    [
      [['items.length;\n  }', 'items.length;\n  }\n\n  clear() {\n    this.#items = [];\n  }']],
      '(() => { const q = new m.Queue(); q.push(1); q.clear(); return q.size() === 0; })()',
    ],
    [
      [
        [
          'items.length;\n  }',
          'items.length;\n  }\n\n  pop() {\n    return this.#items.pop();\n  }',
        ],
      ],
      '(() => { const q = new m.Queue(); q.push(1); return q.pop() === 1; })()',
    ],
    [
      '(() => { const q = new m.Queue(); q.push(1); q.push(2); q.pop(); q.clear(); return q.size() === 0; })()',
    ],
  ),
  js(
    'members',
    'entries of a table of functions',
    'export const ops = {\n  add: (a, b) => a + b,\n};\n',
    [[['a + b,', 'a + b,\n  sub: (a, b) => a - b,']], 'm.ops.sub(3, 1) === 2'],
    [[['a + b,', 'a + b,\n  mul: (a, b) => a * b,']], 'm.ops.mul(3, 2) === 6'],
    ['Object.keys(m.ops).length === 3'],
  ),
  js(
    'members',
    'methods in another order, and one of them changed',
    QUEUE,
    [
      [
        ['  push(item) {\n    this.#items.push(item);\n  }\n\n', ''],
        [
          'items.length;\n  }',
          'items.length;\n  }\n\n  push(item) {\n    this.#items.push(item);\n  }',
        ],
      ],
      'new m.Queue().size() === 0',
    ],
    [
      [['this.#items.push(item);', 'if (item !== undefined) this.#items.push(item);']],
      '(() => { const q = new m.Queue(); q.push(); return q.size() === 0; })()',
    ],
    ['(() => { const q = new m.Queue(); q.push(); q.push(1); return q.size() === 1; })()'],
  ),
  js(
    'declarations',
    'functions at the end of a module',
    SUMS,
    [
      [
        [
          '  return a + b;\n}\n',
          '  return a + b;\n}\n\nexport function sub(a, b) {\n  return a - b;\n}\n',
        ],
      ],
      'm.sub(3, 1) === 2',
    ],
    [
      [
        [
          '  return a + b;\n}\n',
          '  return a + b;\n}\n\n/** With care. */\nexport function mul(a, b) {\n  return a * b;\n}\n',
        ],
      ],
      'm.mul(3, 2) === 6',
    ],
    ['m.add(1, 1) === 2 && m.sub(1, 1) === 0 && m.mul(2, 2) === 4'],
  ),
  js(
    'declarations',
    'tests at the end of a file of tests',
    {
      'lib.mjs': SUMS,
      'test/lib.test.mjs':
        "import test from 'node:test';\nimport { add } from '../lib.mjs';\n\ntest('adds', () => {\n  add(1, 1);\n});\n",
    },
    [
      [
        [
          '  add(1, 1);\n});\n',
          "  add(1, 1);\n});\n\ntest('zero', () => {\n  add(0, 0);\n});\n",
          'test/lib.test.mjs',
        ],
      ],
      'm.add(0, 0) === 0',
    ],
    [
      [
        [
          '  add(1, 1);\n});\n',
          "  add(1, 1);\n});\n\ntest('minus', () => {\n  add(-1, 1);\n});\n",
          'test/lib.test.mjs',
        ],
      ],
      'm.add(-1, 1) === 0',
    ],
    [
      "['adds', 'zero', 'minus'].every((it) => read('test/lib.test.mjs').includes(`test('${it}', () => {\\n`))",
    ],
  ),
  js(
    'declarations',
    'a feature in four places, and its entry in the list of changes',
    {
      'lib.mjs': `import { join } from 'node:path';\n\nexport const commands = {\n  up: () => join('..'),\n};\n\nexport const HELP = ['up'];\n`,
      'CHANGELOG.md': '# Changes\n\n## Next\n\n- up\n',
    },
    [
      [
        ['{ join }', '{ basename, join }'],
        ["join('..'),", "join('..'),\n  base: (a) => basename(a),"],
        ["['up']", "['up', 'base']"],
        ['- up\n', '- up\n- base\n', 'CHANGELOG.md'],
      ],
      "m.commands.base('a/b') === 'b'",
    ],
    [
      [
        ['{ join }', '{ dirname, join }'],
        ["join('..'),", "join('..'),\n  folder: (a) => dirname(a),"],
        ["['up']", "['up', 'folder']"],
        ['- up\n', '- up\n- folder\n', 'CHANGELOG.md'],
      ],
      "m.commands.folder('a/b') === 'a'",
    ],
    [
      'm.HELP.length === 3 && Object.keys(m.commands).length === 3',
      "/- up\\n- (base\\n- folder|folder\\n- base)\\n/.test(read('CHANGELOG.md'))",
    ],
  ),
  js(
    'renames',
    'a new user of a function that was renamed',
    {
      'lib.mjs': "export * from './sums.mjs';\nexport * from './more.mjs';\n",
      'sums.mjs': 'export function total(a) {\n  return a.length;\n}\n',
      'more.mjs':
        "import { total } from './sums.mjs';\n\nexport const twice = (a) => 2 * total(a);\n",
    },
    [
      [
        ['total', 'countOf', 'sums.mjs'],
        ['{ total }', '{ countOf }', 'more.mjs'],
        ['* total(', '* countOf(', 'more.mjs'],
      ],
      'm.countOf([1]) === 1',
    ],
    [
      [
        [
          '* total(a);\n',
          '* total(a);\n\n\nexport const thrice = (a) => 3 * total(a);\n',
          'more.mjs',
        ],
      ],
      'm.thrice([1]) === 3',
    ],
    ['m.twice([1]) === 2 && m.thrice([1, 1]) === 6'],
  ),
  js(
    'renames',
    'a new file that uses a function that was renamed',
    { 'lib.mjs': 'export const isEmpty = (a) => a.length === 0;\n', 'list.md': 'one\n' },
    [[['isEmpty', 'hasNothing']], 'm.hasNothing([])'],
    [
      [
        [
          '',
          "import { isEmpty } from './lib.mjs';\n\nexport const full = (a) => !isEmpty(a);\n",
          'full.mjs',
        ],
        ['one\n', 'one\ntwo\n', 'list.md'],
      ],
      "(await load('full.mjs')).full([1])",
    ],
    ["(await load('full.mjs')).full([]) === false"],
  ),
  js(
    'moves',
    'a function that was moved to another file, and changed',
    {
      'lib.mjs':
        "export const name = 'lib';\n\nexport function clamp(a) {\n  return a < 0 ? 0 : a;\n}\n\nexport const end = 1;\n",
    },
    [
      [
        [
          '\nexport function clamp(a) {\n  return a < 0 ? 0 : a;\n}\n',
          "\nexport { clamp } from './clamp.mjs';\n",
        ],
        ['', 'export function clamp(a) {\n  return a < 0 ? 0 : a;\n}\n', 'clamp.mjs'],
      ],
      'm.clamp(-1) === 0',
    ],
    [
      [['(a) {\n  return a < 0 ? 0 : a;', '(a, least = 0) {\n  return a < least ? least : a;']],
      'm.clamp(-1, 2) === 2',
    ],
    ["m.clamp(-1, 3) === 3 && read('lib.mjs').includes('./clamp.mjs')"],
  ),
  js(
    'moves',
    'other indentation on one side',
    "export function pick(a) {\nif (a) {\nreturn 'yes';\n}\nreturn 'no';\n}\n",
    [
      [
        [
          "\nif (a) {\nreturn 'yes';\n}\nreturn 'no';",
          "\n  if (a) {\n    return 'yes';\n  }\n  return 'no';",
        ],
      ],
      "m.pick(0) === 'no'",
    ],
    [[["return 'yes';", 'return `yes, ${a}`;']], "m.pick(1) === 'yes, 1'"],
    ["m.pick(2) === 'yes, 2' && m.pick(0) === 'no'"],
  ),
];

const TYPESCRIPT: readonly Case[] = [
  ts(
    'members',
    'values of a union',
    "export type Kind = 'a' | 'b';\nexport const first: Kind = 'a';\n",
    [[["| 'b'", "| 'b' | 'c'"]], "m.first === 'a'"],
    [[["| 'b'", "| 'b' | 'd'"]], "m.first === 'a'"],
    [
      "/'c'/.test(read('lib.ts')) && /'d'/.test(read('lib.ts')) && /'a' \\| 'b' \\| '[cd]' \\| '[cd]';/.test(read('lib.ts'))",
    ],
  ),
  ts(
    'members',
    'fields of an interface, with their defaults',
    'export interface Options {\n  depth?: number;\n}\n\nexport const DEFAULTS: Options = {\n  depth: 1,\n};\n',
    [
      [
        ['depth?: number;', 'depth?: number;\n  width?: number;'],
        ['depth: 1,', 'depth: 1,\n  width: 2,'],
      ],
      'm.DEFAULTS.width === 2',
    ],
    [
      [
        ['depth?: number;', 'depth?: number;\n  quiet?: boolean;'],
        ['depth: 1,', 'depth: 1,\n  quiet: true,'],
      ],
      'm.DEFAULTS.quiet === true',
    ],
    [
      "Object.keys(m.DEFAULTS).length === 3 && /width\\?: number;/.test(read('lib.ts')) && /quiet\\?: boolean;/.test(read('lib.ts'))",
    ],
  ),
  ts(
    'members',
    'typed parameters in one pattern',
    'export function size({ a = 1 }: { a?: number } = {}): number {\n  return a;\n}\n',
    [
      [
        ['a = 1', 'a = 1, b = 0'],
        ['a?: number', 'a?: number; b?: number'],
        ['return a;', 'if (b < 0) throw new Error();\n  return a;'],
      ],
      'throws(() => m.size({ b: -1 }))',
    ],
    [
      [
        ['a = 1', 'a = 1, c = 0'],
        ['a?: number', 'a?: number; c?: number'],
        ['return a;', 'if (c < 0) throw new Error();\n  return a;'],
      ],
      'throws(() => m.size({ c: -1 }))',
    ],
    ['m.size({ a: 3, b: 1, c: 1 }) === 3 && throws(() => m.size({ c: -1 }))'],
  ),
];

const SHOUT = `import os


def shout(word, mark="!"):
    """Says it aloud."""
    return word.upper() + mark


NAMES = {
    "a": 1,
}
`;

const PYTHON: readonly Case[] = [
  py(
    'list',
    'lines of a list',
    'NAMES = [\n    "x",\n    "m",\n]\n',
    [[['"m",', '"m",\n    "b",']], '"b" in NAMES'],
    [[['"m",', '"m",\n    "c",']], '"c" in NAMES'],
    ['sorted(NAMES) == ["b", "c", "m", "x"]'],
  ),
  py(
    'members',
    'entries of a dictionary',
    SHOUT,
    [[['"a": 1,', '"a": 1,\n    "b": 2,']], 'NAMES["b"] == 2'],
    [[['"a": 1,', '"a": 1,\n    "c": 3,']], 'NAMES["c"] == 3'],
    ['len(NAMES) == 3'],
  ),
  py(
    'imports',
    'two modules, used by two functions',
    SHOUT,
    [
      [
        ['import os\n', 'import os\nimport re\n'],
        ['NAMES =', 'def squeeze(a):\n    return re.sub(" +", " ", a)\n\n\nNAMES ='],
      ],
      'squeeze("a  b") == "a b"',
    ],
    [
      [
        ['import os\n', 'import os\nimport json\n'],
        ['NAMES =', 'def dumped(a):\n    return json.dumps(a)\n\n\nNAMES ='],
      ],
      'dumped([]) == "[]"',
    ],
    ['squeeze("a   b") == "a b" and dumped({}) == "{}" and shout("a") == "A!"'],
  ),
  py(
    'imports',
    'names of one module',
    'from os.path import join\n\nat = join("/", "a")\n',
    [
      [
        ['import join', 'import basename, join'],
        ['"a")\n', '"a")\nlast = basename(at)\n'],
      ],
      'last == "a"',
    ],
    [
      [
        ['import join', 'import dirname, join'],
        ['"a")\n', '"a")\nfolder = dirname(at)\n'],
      ],
      'folder == "/"',
    ],
    ['last == "a" and folder == "/"'],
  ),
  py(
    'options',
    'two keyword parameters',
    SHOUT,
    [
      [
        ['mark="!"', 'mark="!", times=1'],
        ['+ mark', '+ mark * 1', 'lib.py'],
        [
          '"""Says it aloud."""',
          '"""Says it aloud."""\n    if times < 1:\n        raise ValueError(times)',
        ],
      ],
      'throws(lambda: shout("a", times=0))',
    ],
    [
      [
        ['mark="!"', 'mark="!", strict=False'],
        [
          '"""Says it aloud."""',
          '"""Says it aloud."""\n    if strict and not word:\n        raise ValueError(word)',
        ],
      ],
      'throws(lambda: shout("", strict=True))',
    ],
    ['shout("a", times=1, strict=True) == "A!" and throws(lambda: shout("a", times=0))'],
  ),
  py(
    'switch',
    'links of elif',
    'def unit(kind):\n    if kind == "length":\n        return "m"\n    else:\n        return ""\n',
    [
      [['    else:', '    elif kind == "mass":\n        return "kg"\n    else:']],
      'unit("mass") == "kg"',
    ],
    [
      [['    else:', '    elif kind == "time":\n        return "s"\n    else:']],
      'unit("time") == "s"',
    ],
    ['unit("length") == "m" and unit("x") == ""'],
  ),
  py(
    'members',
    'methods of a class',
    'class Box:\n    def __init__(self):\n        self.items = []\n\n    def size(self):\n        return len(self.items)\n',
    [
      [['(self.items)\n', '(self.items)\n\n    def clear(self):\n        self.items = []\n']],
      'Box().clear() is None',
    ],
    [
      [
        [
          '(self.items)\n',
          '(self.items)\n\n    def put(self, a):\n        self.items.append(a)\n        return self\n',
        ],
      ],
      'Box().put(1).size() == 1',
    ],
    ['Box().clear() is None and Box().put(1).put(2).size() == 2'],
  ),
  py(
    'members',
    'members of an enumeration, without numbers',
    'from enum import Enum\n\n\nclass Kind(Enum):\n    A = "a"\n',
    [[['A = "a"\n', 'A = "a"\n    B = "b"\n']], 'Kind("b") is Kind.B'],
    [[['A = "a"\n', 'A = "a"\n    C = "c"\n']], 'Kind("c") is Kind.C'],
    ['len(Kind) == 3'],
  ),
  py(
    'arguments',
    'options of a command line',
    'import argparse\n\n\ndef parser():\n    p = argparse.ArgumentParser()\n    p.add_argument("--name")\n    return p\n',
    [
      [['"--name")', '"--name")\n    p.add_argument("--depth", type=int)']],
      'parser().parse_args(["--depth", "1"]).depth == 1',
    ],
    [
      [['"--name")', '"--name")\n    p.add_argument("--quiet", action="store_true")']],
      'parser().parse_args(["--quiet"]).quiet',
    ],
    ['parser().parse_args(["--quiet", "--depth", "2", "--name", "a"]).depth == 2'],
  ),
  py(
    'declarations',
    'tests at the end of a file of tests',
    {
      'lib.py': SHOUT,
      'tests/test_lib.py':
        'from lib import shout\n\n\ndef test_a():\n    assert shout("a") == "A!"\n',
    },
    [
      [['"A!"\n', '"A!"\n\n\ndef test_b():\n    assert shout("b") == "B!"\n', 'tests/test_lib.py']],
      'shout("b") == "B!"',
    ],
    [
      [
        [
          '"A!"\n',
          '"A!"\n\n\ndef test_c():\n    assert shout("c", "") == "C"\n',
          'tests/test_lib.py',
        ],
      ],
      'shout("c", "") == "C"',
    ],
    [
      'all(it in open("tests/test_lib.py").read() for it in ["def test_a", "def test_b", "def test_c"])',
    ],
  ),
  py(
    'adjacent',
    'fields one below the other',
    'class Config:\n    depth = 1\n    width = 2\n    name = "x"\n',
    [[['depth = 1', 'depth = 4']], 'Config.depth == 4'],
    [[['width = 2', 'width = 8']], 'Config.width == 8'],
    ['(Config.depth, Config.width) == (4, 8)'],
  ),
];

const GO_TYPES = `package main

import (
	"fmt"
	"strings"
)

type Options struct {
	Depth int
}

func Show(o Options) string {
	return strings.TrimSpace(fmt.Sprint(o.Depth))
}

func Code(kind string) int {
	switch kind {
	case "ok":
		return 200
	default:
		return 500
	}
}

var Known = map[string]int{
	"a": 1,
}
`;

const GO: readonly Case[] = [
  go(
    'members',
    'fields of a struct',
    GO_TYPES,
    [[['Depth int\n', 'Depth int\n\tWidth int\n']], 'Options{Width: 2}.Width == 2'],
    [[['Depth int\n', 'Depth int\n\tQuiet bool\n']], 'Options{Quiet: true}.Quiet'],
    ['Options{Depth: 1, Width: 2, Quiet: true}.Depth == 1'],
  ),
  go(
    'switch',
    'cases of a switch',
    GO_TYPES,
    [[['\tdefault:', '\tcase "gone":\n\t\treturn 410\n\tdefault:']], 'Code("gone") == 410'],
    [[['\tdefault:', '\tcase "busy":\n\t\treturn 503\n\tdefault:']], 'Code("busy") == 503'],
    ['Code("ok") == 200 && Code("gone") == 410 && Code("busy") == 503 && Code("x") == 500'],
  ),
  go(
    'imports',
    'imports and what uses them',
    GO_TYPES,
    [
      [
        ['"fmt"\n', '"fmt"\n\t"os"\n'],
        ['var Known', 'func Env() string {\n\treturn os.Getenv("NONE_SUCH")\n}\n\nvar Known'],
      ],
      'Env() == ""',
    ],
    [
      [
        ['"fmt"\n', '"fmt"\n\t"path"\n'],
        ['var Known', 'func Base(a string) string {\n\treturn path.Base(a)\n}\n\nvar Known'],
      ],
      'Base("a/b") == "b"',
    ],
    ['Env() == "" && Base("a/c") == "c"'],
  ),
  go(
    'members',
    'entries of a map',
    GO_TYPES,
    [[['"a": 1,', '"a": 1,\n\t"b": 2,']], 'Known["b"] == 2'],
    [[['"a": 1,', '"a": 1,\n\t"c": 3,']], 'Known["c"] == 3'],
    ['len(Known) == 3'],
  ),
  go(
    'declarations',
    'methods at the end',
    'package main\n\ntype Box struct{ items []int }\n\nfunc (b *Box) Size() int {\n\treturn len(b.items)\n}\n',
    [
      [['items)\n}\n', 'items)\n}\n\nfunc (b *Box) Clear() {\n\tb.items = nil\n}\n']],
      'func() bool { b := &Box{}; b.Clear(); return b.Size() == 0 }()',
    ],
    [
      [
        [
          'items)\n}\n',
          'items)\n}\n\nfunc (b *Box) Put(a int) {\n\tb.items = append(b.items, a)\n}\n',
        ],
      ],
      'func() bool { b := &Box{}; b.Put(1); return b.Size() == 1 }()',
    ],
    ['func() bool { b := &Box{}; b.Put(1); b.Clear(); return b.Size() == 0 }()'],
  ),
];

const RUST_SHAPES = `use std::collections::HashMap;

#[derive(Debug, PartialEq)]
pub enum Shape {
    Dot,
    Line(u32),
}

pub fn size(shape: &Shape) -> u32 {
    match shape {
        Shape::Dot => 0,
        Shape::Line(a) => *a,
    }
}

pub fn table() -> HashMap<&'static str, u32> {
    HashMap::from([
        ("a", 1),
    ])
}

pub struct Limits {
    pub depth: u32,
}

impl Limits {
    pub fn new() -> Self {
        Limits {
            depth: 1,
        }
    }
}
`;

const RUST: readonly Case[] = [
  rs(
    'switch',
    'variants, each with its arm',
    RUST_SHAPES,
    [
      [
        ['Line(u32),', 'Line(u32),\n    Square(u32),'],
        ['*a,', '*a,\n        Shape::Square(a) => a * a,'],
      ],
      'size(&Shape::Square(2)) == 4',
    ],
    [
      [
        ['Line(u32),', 'Line(u32),\n    Pair(u32, u32),'],
        ['*a,', '*a,\n        Shape::Pair(a, b) => a + b,'],
      ],
      'size(&Shape::Pair(2, 3)) == 5',
    ],
    ['size(&Shape::Square(3)) == 9 && size(&Shape::Pair(1, 1)) == 2 && size(&Shape::Dot) == 0'],
  ),
  rs(
    'members',
    'fields, with their first values',
    RUST_SHAPES,
    [
      [
        ['pub depth: u32,', 'pub depth: u32,\n    pub width: u32,'],
        ['depth: 1,', 'depth: 1,\n            width: 2,'],
      ],
      'Limits::new().width == 2',
    ],
    [
      [
        ['pub depth: u32,', 'pub depth: u32,\n    pub height: u32,'],
        ['depth: 1,', 'depth: 1,\n            height: 3,'],
      ],
      'Limits::new().height == 3',
    ],
    ['Limits::new().depth + Limits::new().width + Limits::new().height == 6'],
  ),
  rs(
    'list',
    'pairs of a map',
    RUST_SHAPES,
    [[['("a", 1),', '("a", 1),\n        ("b", 2),']], 'table()["b"] == 2'],
    [[['("a", 1),', '("a", 1),\n        ("c", 3),']], 'table()["c"] == 3'],
    ['table().len() == 3'],
  ),
  rs(
    'members',
    'methods of a type',
    RUST_SHAPES,
    [
      [
        [
          '        }\n    }\n}\n',
          '        }\n    }\n\n    pub fn twice(&self) -> u32 {\n        2 * self.depth\n    }\n}\n',
        ],
      ],
      'Limits::new().twice() == 2',
    ],
    [
      [
        [
          '        }\n    }\n}\n',
          '        }\n    }\n\n    pub fn deeper(&self, by: u32) -> u32 {\n        self.depth + by\n    }\n}\n',
        ],
      ],
      'Limits::new().deeper(2) == 3',
    ],
    ['Limits::new().deeper(1) == Limits::new().twice()'],
  ),
  rs(
    'imports',
    'names of one crate',
    'use std::collections::{HashMap};\n\npub fn one() -> usize {\n    HashMap::<u8, u8>::new().len()\n}\n',
    [
      [
        ['{HashMap}', '{BTreeMap, HashMap}'],
        [
          '.len()\n}\n',
          '.len()\n}\n\npub fn two() -> usize {\n    BTreeMap::<u8, u8>::new().len()\n}\n',
        ],
      ],
      'two() == 0',
    ],
    [
      [
        ['{HashMap}', '{HashMap, HashSet}'],
        [
          '.len()\n}\n',
          '.len()\n}\n\npub fn three() -> usize {\n    HashSet::<u8>::new().len()\n}\n',
        ],
      ],
      'three() == 0',
    ],
    ['one() + two() + three() == 0'],
  ),
];

const PACKAGE =
  '{\n  "name": "x",\n  "version": "1.0.0",\n  "dependencies": {\n    "b": "^1.0.0"\n  }\n}\n';

const TEXT: readonly Case[] = [
  text(
    'prose',
    'lines of a list of changes',
    { 'CHANGELOG.md': '# Changes\n\n## Next\n\n- one\n\n## 1.0.0\n\n- first\n' },
    [[['- one\n', '- one\n- two\n', 'CHANGELOG.md']], "/- two\\n/.test(read('CHANGELOG.md'))"],
    [[['- one\n', '- one\n- three\n', 'CHANGELOG.md']], "/- three\\n/.test(read('CHANGELOG.md'))"],
    [
      "/## Next\\n\\n- one\\n(- two\\n- three|- three\\n- two)\\n\\n## 1/.test(read('CHANGELOG.md'))",
    ],
  ),
  text(
    'prose',
    'the same new heading, with two lines',
    { 'CHANGELOG.md': '# Changes\n\n## 1.0.0\n\n- first\n' },
    [
      [['## 1.0.0', '## Next\n\n- two\n\n## 1.0.0', 'CHANGELOG.md']],
      "/- two\\n/.test(read('CHANGELOG.md'))",
    ],
    [
      [['## 1.0.0', '## Next\n\n- three\n\n## 1.0.0', 'CHANGELOG.md']],
      "/- three\\n/.test(read('CHANGELOG.md'))",
    ],
    ["read('CHANGELOG.md').split('## Next').length === 2"],
  ),
  text(
    'prose',
    'sections of a guide',
    { 'docs/guide.md': '# Guide\n\n## Start\n\nRun it.\n' },
    [
      [['Run it.\n', 'Run it.\n\n## Options\n\nThere is one.\n', 'docs/guide.md']],
      "/## Options/.test(read('docs/guide.md'))",
    ],
    [
      [['Run it.\n', 'Run it.\n\n## Limits\n\nThere are none.\n', 'docs/guide.md']],
      "/## Limits/.test(read('docs/guide.md'))",
    ],
    [
      "/## Options\\n\\nThere is one.\\n/.test(read('docs/guide.md')) && /## Limits\\n\\nThere are none.\\n/.test(read('docs/guide.md'))",
    ],
  ),
  text(
    'data',
    'dependencies of a package',
    { 'package.json': PACKAGE },
    [
      [['"b": "^1.0.0"', '"b": "^1.0.0",\n    "c": "^2.0.0"', 'package.json']],
      "JSON.parse(read('package.json')).dependencies.c === '^2.0.0'",
    ],
    [
      [['"b": "^1.0.0"', '"b": "^1.0.0",\n    "d": "^3.0.0"', 'package.json']],
      "JSON.parse(read('package.json')).dependencies.d === '^3.0.0'",
    ],
    ["Object.keys(JSON.parse(read('package.json')).dependencies).join() === 'b,c,d'"],
  ),
  text(
    'data',
    'a first dependency each',
    { 'package.json': '{\n  "name": "x",\n  "version": "1.0.0"\n}\n' },
    [
      [['"1.0.0"', '"1.0.0",\n  "scripts": {\n    "a": "a"\n  }', 'package.json']],
      "JSON.parse(read('package.json')).scripts.a === 'a'",
    ],
    [
      [['"1.0.0"', '"1.0.0",\n  "scripts": {\n    "b": "b"\n  }', 'package.json']],
      "JSON.parse(read('package.json')).scripts.b === 'b'",
    ],
    ["Object.keys(JSON.parse(read('package.json')).scripts).length === 2"],
  ),
  text(
    'data',
    'lines of requirements and of what is ignored',
    { 'requirements.txt': 'flask==3.0\n', '.gitignore': 'dist\n' },
    [
      [
        ['3.0\n', '3.0\nrequests==2.0\n', 'requirements.txt'],
        ['dist\n', 'dist\n*.log\n', '.gitignore'],
      ],
      "/requests/.test(read('requirements.txt'))",
    ],
    [
      [
        ['3.0\n', '3.0\nnumpy==2.1\n', 'requirements.txt'],
        ['dist\n', 'dist\n.cache\n', '.gitignore'],
      ],
      "/numpy/.test(read('requirements.txt'))",
    ],
    [
      "read('requirements.txt').split('\\n').length === 4 && read('.gitignore').split('\\n').length === 4",
    ],
  ),
  text(
    'data',
    'services of a file of settings',
    { 'compose.yml': 'services:\n  api:\n    port: 80\n' },
    [
      [['port: 80\n', 'port: 80\n  db:\n    port: 81\n', 'compose.yml']],
      "/ db:/.test(read('compose.yml'))",
    ],
    [
      [['port: 80\n', 'port: 80\n  web:\n    port: 82\n', 'compose.yml']],
      "/ web:/.test(read('compose.yml'))",
    ],
    [
      "/  db:\\n    port: 81\\n/.test(read('compose.yml')) && /  web:\\n    port: 82\\n/.test(read('compose.yml'))",
    ],
  ),
];

/** No right answer without a person, or one that keeping both lines is not. */
const UNDECIDED: readonly Case[] = [
  js(
    'undecided',
    'both change one default',
    'export const wait = (ms = 10) => ms;\n',
    [[['ms = 10', 'ms = 20']], 'm.wait(1) === 1'],
    [[['ms = 10', 'ms = 50']], 'm.wait(2) === 2'],
    'none',
  ),
  js(
    'undecided',
    'one deletes what the other changes',
    `${SUMS}\nexport const end = 1;\n`,
    [[[`${SUMS}\n`, '']], 'm.end === 1'],
    [[['return a + b;', 'return Number(a) + Number(b);']], 'm.end === 1'],
    'none',
  ),
  js(
    'undecided',
    'steps of a calculation',
    'export function price(a) {\n  let sum = a;\n  return sum;\n}\n',
    [[['let sum = a;', 'let sum = a;\n  sum = sum - 10;']], 'm.price(10) === 0'],
    [[['let sum = a;', 'let sum = a;\n  sum = sum * 2;']], 'm.price(0) <= 0'],
    'none',
  ),
  js(
    'undecided',
    'two functions of one name',
    SUMS,
    [
      [
        [
          '  return a + b;\n}\n',
          '  return a + b;\n}\n\nexport function mean(a) {\n  return a[0];\n}\n',
        ],
      ],
      'm.add(1, 1) === 2',
    ],
    [
      [
        [
          '  return a + b;\n}\n',
          '  return a + b;\n}\n\nexport function mean(a) {\n  return a[1];\n}\n',
        ],
      ],
      'm.add(1, 2) === 3',
    ],
    'none',
  ),
  js(
    'undecided',
    'returns that overlap',
    "export function word(n) {\n  if (n === 0) return 'zero';\n  return `${n}`;\n}\n",
    [[["'zero';", "'zero';\n  if (n % 3 === 0) return 'fizz';"]], "m.word(3) === 'fizz'"],
    [[["'zero';", "'zero';\n  if (n % 5 === 0) return 'buzz';"]], "m.word(5) === 'buzz'"],
    'none',
  ),
  js(
    'undecided',
    'two values of one key',
    'export const codes = {\n  ok: 200,\n};\n',
    [[['ok: 200,', 'ok: 200,\n  gone: 404,']], 'm.codes.gone > 0'],
    [[['ok: 200,', 'ok: 200,\n  gone: 410,']], 'm.codes.gone > 0'],
    'none',
  ),
  js(
    'undecided',
    'two records with one number',
    "export const steps = [\n  { id: 1, name: 'a' },\n];\n",
    [[["'a' },", "'a' },\n  { id: 2, name: 'b' },"]], "m.steps.some((s) => s.name === 'b')"],
    [[["'a' },", "'a' },\n  { id: 2, name: 'c' },"]], "m.steps.some((s) => s.name === 'c')"],
    'none',
  ),
  js(
    'undecided',
    'handlers that run in their order',
    'const chain = [];\nconst use = (f) => chain.push(f);\nuse((a) => a);\nexport const run = (a) => chain.reduce((b, f) => f(b), a);\n',
    [[['use((a) => a);', 'use((a) => a);\nuse((a) => `${a}!`);']], "m.run('a').includes('!')"],
    [
      [['use((a) => a);', 'use((a) => a);\nuse((a) => a.toUpperCase());']],
      "m.run('a').startsWith('A')",
    ],
    'none',
  ),
  js(
    'undecided',
    'patterns of addresses, the first of which wins',
    "const routes = [];\nconst get = (path, name) => routes.push([new RegExp(`^${path.replace(/:\\w+/, '\\\\w+')}$`), name]);\nget('/', 'home');\nexport const find = (url) => routes.find(([path]) => path.test(url))?.[1];\n",
    [[["'home');", "'home');\nget('/users/:id', 'one');"]], "m.find('/users/7') === 'one'"],
    [[["'home');", "'home');\nget('/users/new', 'new');"]], "m.find('/users/new') === 'new'"],
    'none',
  ),
  js(
    'undecided',
    'a list whose order is a rank',
    "export const LEVELS = ['low', 'high'];\n",
    [[["'high'", "'high', 'urgent'"]], "m.LEVELS.includes('urgent')"],
    [[["'high'", "'high', 'severe'"]], "m.LEVELS.includes('severe')"],
    'none',
  ),
  js(
    'undecided',
    'functions that are applied one after the other',
    'const trim = (a) => a.trim();\nconst up = (a) => a.toUpperCase();\nconst mark = (a) => `${a}b`;\nconst all = [trim];\nexport const run = (a) => all.reduce((b, f) => f(b), a);\n',
    [[['[trim]', '[trim, up]']], "m.run(' a').startsWith('A')"],
    [[['[trim]', '[trim, mark]']], "m.run('a').length === 2"],
    'none',
  ),
  js(
    'undecided',
    'parameters by position',
    'export function pad(a) {\n  return a;\n}\n',
    [
      [
        ['(a)', "(a, left = '')"],
        ['return a;', 'return left + a;'],
      ],
      "m.pad('a').endsWith('a')",
    ],
    [
      [
        ['(a)', "(a, right = '')"],
        ['return a;', 'return a + right;'],
      ],
      "m.pad('a').startsWith('a')",
    ],
    'none',
  ),
  js(
    'undecided',
    'a case that falls through',
    "export function kind(a) {\n  switch (a) {\n    case 1:\n      return 'one';\n    case 3:\n      return 'three';\n  }\n}\n",
    [[['    case 3:', '    case 2:\n    case 3:']], "m.kind(2) === 'three'"],
    [[['    case 3:', "    case 4:\n      return 'four';\n    case 3:"]], "m.kind(4) === 'four'"],
    ["m.kind(2) === 'three' && m.kind(4) === 'four'"],
  ),
  js(
    'undecided',
    'two new names for one function',
    {
      'lib.mjs': "export { total } from './sums.mjs';\nexport const one = 1;\n",
      'sums.mjs': 'export function total(a) {\n  return a;\n}\n',
    },
    [
      [
        ['total', 'sum', 'sums.mjs'],
        ['{ total }', '{ sum }'],
      ],
      'm.one === 1',
    ],
    [
      [
        ['total', 'whole', 'sums.mjs'],
        ['{ total }', '{ whole }'],
      ],
      'm.one === 1',
    ],
    'none',
  ),
  js(
    'undecided',
    'both change one condition',
    'export const isSmall = (a) => a < 10;\n',
    [[['a < 10', 'a < 5']], 'm.isSmall(1)'],
    [[['a < 10', 'a <= 10']], 'm.isSmall(2)'],
    'none',
  ),
  js(
    'undecided',
    'callee and arguments of one call',
    'const low = (a) => -a;\nconst high = (a, b = 0) => a + b;\nexport const value = high(1);\n',
    [[['= high(1)', '= low(1)']], 'm.value < 2'],
    [[['= high(1)', '= high(1, 5)']], 'm.value !== 0'],
    'none',
  ),
  ts(
    'undecided',
    'members with one number',
    'export const Kind = { A: 1 } as const;\n',
    [[['A: 1', 'A: 1, B: 2']], 'm.Kind.B === 2'],
    [[['A: 1', 'A: 1, C: 2']], 'm.Kind.C === 2'],
    'none',
  ),
  py(
    'undecided',
    'members of an enumeration with one number',
    'from enum import IntEnum\n\n\nclass Kind(IntEnum):\n    A = 1\n',
    [[['A = 1\n', 'A = 1\n    B = 2\n']], 'Kind.B == 2'],
    [[['A = 1\n', 'A = 1\n    C = 2\n']], 'Kind.C == 2'],
    'none',
  ),
  py(
    'undecided',
    'two classes to inherit from',
    'class Left:\n    def name(self):\n        return "left"\n\n\nclass Right:\n    def name(self):\n        return "right"\n\n\nclass Both:\n    pass\n\n\nclass Box(Both):\n    pass\n',
    [[['Box(Both)', 'Box(Both, Left)']], 'Box().name() in ("left", "right")'],
    [[['Box(Both)', 'Box(Both, Right)']], 'Box().name() in ("left", "right")'],
    'none',
  ),
  py(
    'undecided',
    'steps of a calculation',
    'def total(a):\n    result = a\n    return result\n',
    [[['result = a\n', 'result = a\n    result += 5\n']], 'total(0) >= 5'],
    [[['result = a\n', 'result = a\n    result *= 2\n']], 'total(1) >= 2'],
    'none',
  ),
  py(
    'undecided',
    'decorators, from the outside in',
    'def plain(f):\n    return f\n\n\ndef twice(f):\n    return lambda a: f(a) * 2\n\n\ndef plus(f):\n    return lambda a: f(a) + 1\n\n\n@plain\ndef value(a):\n    return a\n',
    [[['@plain\n', '@plain\n@twice\n']], 'value(1) >= 2'],
    [[['@plain\n', '@plain\n@plus\n']], 'value(0) >= 1'],
    'none',
  ),
  go(
    'undecided',
    'defers run from the last',
    'package main\n\nfunc Run() (out string) {\n\tout = "a"\n\tdefer func() { out += "." }()\n\treturn\n}\n',
    [[['\treturn', '\tdefer func() { out += "b" }()\n\treturn']], 'len(Run()) >= 2'],
    [[['\treturn', '\tdefer func() { out += "c" }()\n\treturn']], 'len(Run()) > 1'],
    'none',
  ),
  rs(
    'undecided',
    'arms that overlap',
    'pub fn word(n: u32) -> &\'static str {\n    match n {\n        0 => "zero",\n        _ => "many",\n    }\n}\n',
    [[['"zero",', '"zero",\n        n if n % 2 == 0 => "even",']], 'word(2) == "even"'],
    [[['"zero",', '"zero",\n        n if n % 3 == 0 => "third",']], 'word(3) == "third"'],
    'none',
  ),
  text(
    'undecided',
    'two ranges of one dependency',
    { 'package.json': PACKAGE },
    [[['^1.0.0', '^1.2.0', 'package.json']], "JSON.parse(read('package.json')).name === 'x'"],
    [[['^1.0.0', '^2.0.0', 'package.json']], "JSON.parse(read('package.json')).name === 'x'"],
    'none',
  ),
  text(
    'undecided',
    'two versions of a new dependency',
    { 'requirements.txt': 'flask==3.0\n' },
    [
      [['3.0\n', '3.0\nrequests==2.0\n', 'requirements.txt']],
      "/requests/.test(read('requirements.txt'))",
    ],
    [
      [['3.0\n', '3.0\nrequests==2.5\n', 'requirements.txt']],
      "/requests/.test(read('requirements.txt'))",
    ],
    'none',
  ),
  text(
    'undecided',
    'two versions of what comes next',
    { 'CHANGELOG.md': '# Changes\n\n## 1.0.0\n\n- first\n' },
    [
      [['## 1.0.0', '## 1.1.0\n\n- two\n\n## 1.0.0', 'CHANGELOG.md']],
      "/- two/.test(read('CHANGELOG.md'))",
    ],
    [
      [['## 1.0.0', '## 1.0.1\n\n- three\n\n## 1.0.0', 'CHANGELOG.md']],
      "/- three/.test(read('CHANGELOG.md'))",
    ],
    'none',
  ),
  text(
    'undecided',
    'two wordings of one sentence',
    { 'README.md': '# X\n\nIt is fast.\n' },
    [[['It is fast.', 'It is quick.', 'README.md']], "/It is/.test(read('README.md'))"],
    [[['It is fast.', 'It is safe.', 'README.md']], "/It is/.test(read('README.md'))"],
    'none',
  ),
  text(
    'undecided',
    'numbered lines',
    { 'docs/steps.md': '1. one\n2. two\n' },
    [[['2. two\n', '2. two\n3. three\n', 'docs/steps.md']], "/three/.test(read('docs/steps.md'))"],
    [[['2. two\n', '2. two\n3. drei\n', 'docs/steps.md']], "/drei/.test(read('docs/steps.md'))"],
    'none',
  ),
  text(
    'undecided',
    'one key of a file of settings',
    { 'app.yml': 'a: 1\n' },
    [[['a: 1\n', 'a: 1\nb: 2\n', 'app.yml']], "/b: /.test(read('app.yml'))"],
    [[['a: 1\n', 'a: 1\nb: 3\n', 'app.yml']], "/b: /.test(read('app.yml'))"],
    'none',
  ),
];

const MORE: readonly Case[] = [
  js(
    'members',
    'fields that a constructor sets',
    'export class Box {\n  constructor() {\n    this.depth = 1;\n  }\n}\n',
    [[['this.depth = 1;', 'this.depth = 1;\n    this.width = 2;']], 'new m.Box().width === 2'],
    [[['this.depth = 1;', 'this.depth = 1;\n    this.name = "x";']], 'new m.Box().name === "x"'],
    ['Object.keys(new m.Box()).length === 3'],
  ),
  js(
    'undecided',
    'replacements one after the other',
    "export const clean = (a) => a.replace('a', 'b');\n",
    [[["'b')", "'b').replace('c', 'd')"]], "m.clean('c') === 'd'"],
    [[["'b')", "'b').replace('d', 'e')"]], "m.clean('d') === 'e'"],
    'none',
  ),
  js(
    'undecided',
    'two last values to fall back on',
    'export const pick = (a, b) => a || b;\n',
    [[['a || b', "a || b || 'one'"]], 'm.pick() !== undefined'],
    [[['a || b', "a || b || 'two'"]], 'm.pick() !== undefined'],
    'none',
  ),
  js(
    'undecided',
    'one takes away what the other begins to use',
    'const a = 1;\nconst b = 2;\nexport const c = () => a;\n',
    [[['const b = 2;\n', '']], 'm.c() === 1'],
    [
      [['const b = 2;\n', 'const b = 2;\nexport const d = () => b;\n']],
      "typeof m.d === 'function'",
    ],
    'none',
  ),
  js(
    'undecided',
    'calls one after the other',
    'const seen = [];\nconst first = () => seen.push(1);\nconst second = () => seen.push(2);\nexport function run() {\n  return seen;\n}\n',
    [[['  return seen', '  first();\n  return seen']], 'm.run().includes(1)'],
    [[['  return seen', '  second();\n  return seen']], 'm.run().includes(2)'],
    'none',
  ),
  py(
    'undecided',
    'parts of a version',
    'VERSION = (1, 2)\n',
    [[['2)', '2, 3)']], 'len(VERSION) > 2'],
    [[['2)', '2, 4)']], 'VERSION[-1] == 4'],
    'none',
  ),
  text(
    'undecided',
    'arguments in their order',
    { 'run.json': '{ "args": ["-x"] }\n' },
    [[['"-x"', '"-x", "one"', 'run.json']], "read('run.json').includes('one')"],
    [[['"-x"', '"-x", "two"', 'run.json']], "read('run.json').includes('two')"],
    'none',
  ),
];

export const CASES: readonly Case[] = [
  ...JAVASCRIPT,
  ...TYPESCRIPT,
  ...PYTHON,
  ...GO,
  ...RUST,
  ...TEXT,
  ...UNDECIDED,
  ...MORE,
];
