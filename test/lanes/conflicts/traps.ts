// biome-ignore-all lint/suspicious/noTemplateCurlyInString: The code of the cases has templates.
/**
 * Pairs of changes that look as if both could be kept: where the order counts although nothing at the place says so,
 * where one hides what the other one uses, where both take the next number; and as many that can be kept indeed.
 */
import { type Case, casesOf, type Edit } from './cases.ts';

const js = casesOf('js');
const ts = casesOf('ts');
const py = casesOf('py');
const go = casesOf('go');
const rs = casesOf('rs');
const text = casesOf('text');

const RULES = `const rules = [
  { name: 'plain', applies: () => true, fee: 5 },
];
export const feeFor = (order) => rules.findLast((it) => it.applies(order)).fee;
`;
const PIPE = `const changes = new Map();
changes.set('tax', (sum) => sum * 1.2);
export const price = (sum, off = []) => [...changes].reduce((all, [name, f]) => off.includes(name) ? all : f(all), sum);
`;
const CHECKOUT = `const sum = (order) => order.items.reduce((all, it) => all + it, 0);
function roundPrices(order) {
  order.items = order.items.map(Math.round);
}
export function checkout(order) {
  const result = { id: order.id };
  return result;
}
`;
const PYCFG = `def with_defaults(options):
    options.setdefault("retries", 3)


def start(options):
    state = {"name": options["name"]}
    return state
`;
const GOSIZE = `package main

func kind(n int) string {
	switch {
	case n == 0:
		return "none"
	default:
		return "other"
	}
}
`;
const GOLEVEL = `package main

type Level int

const (
	Debug Level = iota
	Info
)

func enabled(at, level Level) bool { return level >= at }
`;
const RSLEVEL = `#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub enum Level {
    Debug,
    Info,
}

pub fn enabled(at: Level, level: Level) -> bool {
    level >= at
}
`;
const RSPOINT = `pub struct Point {
    pub x: i32,
    pub y: i32,
}

pub fn name(p: &Point) -> &'static str {
    match p {
        Point { x: 0, y: 0 } => "origin",
        _ => "plane",
    }
}
`;
const SHOPTS = `export interface Item { name: string; price: number }

export class Shop {
  items: Item[] = [];

  add(item: Item): this {
    this.items.push(item);
    return this;
  }
}
`;

const STEPS = 'export const steps = {\n  trim: (a) => a.trim(),\n};\n';
const O_STEP: Edit = ['a.trim(),\n', 'a.trim(),\n  quote: (a) => `"${a}"`,\n', 'steps.mjs'];
const T_STEP: Edit = ['a.trim(),\n', 'a.trim(),\n  shout: (a) => `${a}!`,\n', 'steps.mjs'];
export const TRAPS: readonly Case[] = [
  js(
    'rules',
    'a list of records of which the last that applies counts',
    RULES,
    [
      [['fee: 5 },\n', "fee: 5 },\n  { name: 'heavy', applies: ({ kg }) => kg > 20, fee: 15 },\n"]],
      'm.feeFor({ kg: 30 }) === 15',
      'm.feeFor({ kg: 1 }) === 5',
    ],
    [
      [
        [
          'fee: 5 },\n',
          "fee: 5 },\n  { name: 'member', applies: ({ member }) => member === true, fee: 0 },\n",
        ],
      ],
      'm.feeFor({ kg: 1, member: true }) === 0',
      'm.feeFor({ kg: 1 }) === 5',
    ],
    'none',
  ),
  js(
    'pipeline',
    'changes of a price that are applied one after the other',
    PIPE,
    [
      [['1.2);\n', "1.2);\nchanges.set('coupon', (sum) => sum - 10);\n"]],
      "m.price(100, ['tax', 'member']) === 90",
    ],
    [
      [['1.2);\n', "1.2);\nchanges.set('member', (sum) => sum * 0.9);\n"]],
      "m.price(100, ['tax', 'coupon']) === 90",
    ],
    'none',
  ),
  js(
    'pipeline',
    'an object of steps that run in its order',
    `const stepsByName = {
  trim: (text) => text.trim(),
};
export const clean = (text, only) => Object.entries(stepsByName).reduce((all, [name, f]) => !only || only.includes(name) ? f(all) : all, text);
`,
    [
      [['text.trim(),\n', 'text.trim(),\n  quote: (text) => `"${text}"`,\n']],
      "m.clean('a', ['quote']) === '\"a\"'",
    ],
    [
      [['text.trim(),\n', 'text.trim(),\n  shout: (text) => `${text}!`,\n']],
      "m.clean('a', ['shout']) === 'a!'",
    ],
    'none',
  ),
  js(
    'order',
    'a total that is read before what changes it',
    CHECKOUT,
    [
      [['order.id };\n', 'order.id };\n  result.total = sum(order);\n']],
      'm.checkout({ id: 1, items: [1, 2] }).total === 3',
    ],
    [
      [['order.id };\n', 'order.id };\n  roundPrices(order);\n']],
      '(() => { const o = { id: 1, items: [1.4, 2.4] }; m.checkout(o); return `${o.items}` === "1,2"; })()',
    ],
    ['(() => { const o = { id: 1, items: [1.4, 2.4] }; return m.checkout(o).total === 3; })()'],
  ),
  py(
    'order',
    'a value that is read before its default is set',
    PYCFG,
    [
      [
        [
          'options["name"]}\n',
          'options["name"]}\n    state["retries"] = options.get("retries", 0)\n',
        ],
      ],
      'start({"name": "a", "retries": 2})["retries"] == 2',
      'start({"name": "a"})["retries"] in (0, 3)',
    ],
    [
      [['options["name"]}\n', 'options["name"]}\n    with_defaults(options)\n']],
      '(lambda o: (start(o), o["retries"])[1])({"name": "a"}) == 3',
    ],
    ['start({"name": "a"})["retries"] == 3'],
  ),
  js(
    'fallback',
    'two more sources where the first that has it counts',
    `export const sources = { env: {}, file: {}, remote: {} };
const fromEnv = (key) => sources.env[key];
const fromFile = (key) => sources.file[key];
const fromRemote = (key) => sources.remote[key];
export const setting = (key) => fromEnv(key);
`,
    [
      [['=> fromEnv(key);', '=> fromEnv(key) || fromFile(key);']],
      "(m.sources.env = {}, m.sources.file = { a: 1 }, m.sources.remote = {}, m.setting('a') === 1)",
    ],
    [
      [['=> fromEnv(key);', '=> fromEnv(key) || fromRemote(key);']],
      "(m.sources.env = {}, m.sources.file = {}, m.sources.remote = { a: 2 }, m.setting('a') === 2)",
    ],
    'none',
  ),
  go(
    'cases',
    'conditions of a switch that overlap',
    GOSIZE,
    [
      [['return "none"\n', 'return "none"\n\tcase n%2 == 0:\n\t\treturn "even"\n']],
      'kind(4) == "even"',
      'kind(0) == "none"',
    ],
    [
      [['return "none"\n', 'return "none"\n\tcase n > 100:\n\t\treturn "many"\n']],
      'kind(101) == "many"',
    ],
    'none',
  ),
  js(
    'cases',
    'conditions of a switch that overlap',
    `export function kind(n) {
  switch (true) {
    case n === 0:
      return 'none';
    default:
      return 'other';
  }
}
`,
    [
      [["return 'none';\n", "return 'none';\n    case n % 2 === 0:\n      return 'even';\n"]],
      "m.kind(4) === 'even'",
    ],
    [
      [["return 'none';\n", "return 'none';\n    case n > 100:\n      return 'many';\n"]],
      "m.kind(101) === 'many'",
    ],
    'none',
  ),
  go(
    'types',
    'two interfaces in a switch of types, of which a value has both',
    `package main

import "fmt"

var _ = fmt.Sprint

func describe(v any) string {
	switch v.(type) {
	case nil:
		return "nothing"
	}
	return "unknown"
}

type named struct{}

func (named) String() string { return "n" }
func (named) Error() string  { return "e" }

type onlyString struct{}

func (onlyString) String() string { return "n" }
`,
    [
      [['return "nothing"\n', 'return "nothing"\n\tcase error:\n\t\treturn "error"\n']],
      'describe(fmt.Errorf("x")) == "error"',
    ],
    [
      [['return "nothing"\n', 'return "nothing"\n\tcase fmt.Stringer:\n\t\treturn "text"\n']],
      'describe(onlyString{}) == "text"',
    ],
    'none',
  ),
  go(
    'ranks',
    'levels by iota',
    GOLEVEL,
    [[['\tInfo\n', '\tInfo\n\tFatal\n']], 'enabled(Info, Fatal)', '!enabled(Fatal, Info)'],
    [[['\tInfo\n', '\tInfo\n\tWarn\n']], 'enabled(Info, Warn)', '!enabled(Warn, Info)'],
    ['enabled(Warn, Fatal)', '!enabled(Fatal, Warn)'],
  ),
  rs(
    'ranks',
    'variants that are compared',
    RSLEVEL,
    [[['    Info,\n', '    Info,\n    Fatal,\n']], 'enabled(Level::Info, Level::Fatal)'],
    [[['    Info,\n', '    Info,\n    Warn,\n']], 'enabled(Level::Info, Level::Warn)'],
    ['enabled(Level::Warn, Level::Fatal)', '!enabled(Level::Fatal, Level::Warn)'],
  ),
  rs(
    'patterns',
    'patterns of which a value has both',
    RSPOINT,
    [
      [['"origin",\n', '"origin",\n        Point { x: 0, .. } => "vertical",\n']],
      'name(&Point { x: 0, y: 5 }) == "vertical"',
    ],
    [
      [['"origin",\n', '"origin",\n        Point { y: ..=0, .. } => "below",\n']],
      'name(&Point { x: 3, y: -5 }) == "below"',
    ],
    'none',
  ),
  js(
    'names',
    'a name is followed into a text',
    `export const total = (items) => items.reduce((all, it) => all + it, 0);
export const count = (items) => items.length;
`,
    [[['export const total =', 'export const addUp =']], 'm.addUp([1, 2]) === 3'],
    [
      [
        [
          'items.length;\n',
          "items.length;\nexport const line = (items) => 'total: ' + total(items);\n",
        ],
      ],
      "m.line([1, 2]).endsWith(': 3')",
    ],
    ["m.line([1, 2]) === 'total: 3'", 'm.addUp([1, 2]) === 3'],
  ),
  js(
    'names',
    'a name is followed into a key of what is stored',
    `export const total = (items) => items.reduce((all, it) => all + it, 0);
export const count = (items) => items.length;
`,
    [[['export const total =', 'export const addUp =']], 'm.addUp([1, 2]) === 3'],
    [
      [
        [
          'items.length;\n',
          'items.length;\nexport const saved = (items) => JSON.stringify({ total: total(items) });\n',
        ],
      ],
      "m.saved([1, 2]).includes('3')",
    ],
    [`m.saved([1, 2]) === '{"total":3}'`],
  ),
  text(
    'settings',
    'a section and a key of the one before it (TOML)',
    { 'app.toml': '[server]\nport = 80\n' },
    [
      [['port = 80\n', 'port = 80\n\n[cache]\nsize = 3\n', 'app.toml']],
      "read('app.toml').includes('[cache]\\nsize = 3')",
    ],
    [
      [['port = 80\n', 'port = 80\ntimeout = 5\n', 'app.toml']],
      "read('app.toml').includes('timeout = 5')",
    ],
    ["/\\[server\\][^[]*timeout = 5/.test(read('app.toml'))"],
  ),
  text(
    'settings',
    'a section and a key of the one before it (YAML)',
    { 'app.yml': 'server:\n  port: 80\n' },
    [
      [['port: 80\n', 'port: 80\ncache:\n  size: 3\n', 'app.yml']],
      "read('app.yml').includes('cache:\\n  size: 3')",
    ],
    [
      [['port: 80\n', 'port: 80\n  timeout: 5\n', 'app.yml']],
      "read('app.yml').includes('  timeout: 5')",
    ],
    ["/server:\\n( +.*\\n)* +timeout: 5/.test(read('app.yml'))"],
  ),
  text(
    'prose',
    'a section, and an entry of the list before it',
    { 'docs.md': '# Use\n\n## Options\n\n- `a`: first\n' },
    [
      [['first\n', 'first\n\n## Exit codes\n\n- 0: all is well\n', 'docs.md']],
      "read('docs.md').includes('## Exit codes')",
    ],
    [
      [['first\n', 'first\n- `b`: second\n', 'docs.md']],
      "read('docs.md').includes('- `b`: second')",
    ],
    ["/## Options\\n(?:(?!##).*\\n)*- `b`/.test(read('docs.md'))"],
  ),
  text(
    'owners',
    'owners of which the last pattern counts',
    { '.github/CODEOWNERS': '* @all\n' },
    [
      [['* @all\n', '* @all\n/docs/ @writers\n', '.github/CODEOWNERS']],
      "read('.github/CODEOWNERS').includes('/docs/ @writers')",
    ],
    [
      [['* @all\n', '* @all\n*.sql @data\n', '.github/CODEOWNERS']],
      "read('.github/CODEOWNERS').includes('*.sql @data')",
    ],
    'none',
  ),
  text(
    'steps',
    'steps of a pipeline in YAML',
    { 'ci.yml': 'steps:\n  - uses: checkout\n' },
    [
      [['checkout\n', 'checkout\n  - run: npm publish\n', 'ci.yml']],
      "read('ci.yml').includes('- run: npm publish')",
    ],
    [
      [['checkout\n', 'checkout\n  - name: test\n    run: npm test\n', 'ci.yml']],
      "read('ci.yml').includes('run: npm test')",
    ],
    'none',
  ),
  text(
    'rules',
    'overrides in JSON of which the last counts',
    { 'lint.json': '{\n  "overrides": [\n    { "files": "*.js", "semi": true }\n  ]\n}\n' },
    [
      [
        [
          '"semi": true }\n',
          '"semi": true },\n    { "files": "test/*", "semi": false }\n',
          'lint.json',
        ],
      ],
      "JSON.parse(read('lint.json')).overrides.some((it) => it.files === 'test/*')",
    ],
    [
      [
        [
          '"semi": true }\n',
          '"semi": true },\n    { "files": "*.mjs", "semi": true }\n',
          'lint.json',
        ],
      ],
      "JSON.parse(read('lint.json')).overrides.some((it) => it.files === '*.mjs')",
    ],
    'none',
  ),
  js(
    'limits',
    'two ends of one range are moved past each other',
    `export const range = {
  min: 1,
  max: 10,
};
export const within = (n) => Math.min(Math.max(n, range.min), range.max);
`,
    [[['min: 1,', 'min: 6,']], 'm.range.min === 6', 'm.within(9) <= 9'],
    [[['max: 10,', 'max: 4,']], 'm.range.max === 4', 'm.within(20) === 4'],
    'none',
  ),
  js(
    'guards',
    'a check that uses up what it checks, and one more check',
    `export const left = { tokens: 2 };
const take = () => left.tokens-- > 0;
export function send(mail) {
  const to = mail.to;
  return to;
}
`,
    [
      [['mail.to;\n', "mail.to;\n  if (!take()) throw new Error('limit');\n"]],
      "(m.left.tokens = 1, m.send({ to: 'a@b' }) === 'a@b' && throws(() => m.send({ to: 'a@b' })))",
    ],
    [
      [['mail.to;\n', "mail.to;\n  if (!to.includes('@')) throw new Error('address');\n"]],
      "(m.left.tokens = 5, throws(() => m.send({ to: 'x' })))",
    ],
    ["(m.left.tokens = 1, throws(() => m.send({ to: 'x' })) && m.left.tokens === 1)"],
  ),
  py(
    'dispatch',
    'converters of which the first that fits counts',
    `CONVERTERS = {
    int: lambda v: "number",
}


def convert(v):
    return next((f(v) for t, f in CONVERTERS.items() if isinstance(v, t)), None)
`,
    [
      [['"number",\n', '"number",\n    object: lambda v: "thing",\n']],
      'convert([]) in ("thing", "list")',
      'convert("x") == "thing"',
    ],
    [[['"number",\n', '"number",\n    list: lambda v: "list",\n']], 'convert(1) == "number"'],
    ['convert([]) == "list"'],
  ),
  ts(
    'columns',
    'columns of a table that is built by calls',
    `export class Table {
  names: string[] = [];
  addColumn(name: string): this { this.names.push(name); return this; }
}
export const users = new Table()
  .addColumn('id');
`,
    [
      [[".addColumn('id')", ".addColumn('id')\n  .addColumn('email')"]],
      "m.users.names.includes('email')",
    ],
    [
      [[".addColumn('id')", ".addColumn('id')\n  .addColumn('phone')"]],
      "m.users.names.includes('phone')",
    ],
    'none',
  ),
  py(
    'hooks',
    'hooks that are registered by name and run in that order',
    `hooks = []


def register(name, f):
    hooks.append((name, f))


register("strip", str.strip)


def run(text, only=None):
    for name, f in hooks:
        if only is None or name in only:
            text = f(text)
    return text
`,
    [
      [['str.strip)\n', 'str.strip)\nregister("upper", lambda it: it.upper() + "x")\n']],
      'run("a", ["upper"]) == "Ax"',
    ],
    [
      [['str.strip)\n', 'str.strip)\nregister("title", lambda it: it.title() + "y")\n']],
      'run("ab", ["title"]) == "Aby"',
    ],
    'none',
  ),
  go(
    'rules',
    'rules in a slice of which the first counts',
    `package main

import "strings"

type rule struct{ prefix, to string }

var redirects = []rule{
	{"/old", "/new"},
}

func target(path string) string {
	for _, it := range redirects {
		if strings.HasPrefix(path, it.prefix) || strings.HasSuffix(path, it.prefix) {
			return it.to
		}
	}
	return path
}
`,
    [[['"/new"},\n', '"/new"},\n\t{"/api", "/v2"},\n']], 'target("/api/x") == "/v2"'],
    [[['"/new"},\n', '"/new"},\n\t{".php", "/gone"},\n']], 'target("/x.php") == "/gone"'],
    'none',
  ),

  js(
    'both add',
    'two functions',
    `export const one = () => 1;\n`,
    [[['=> 1;\n', '=> 1;\n\nexport function two() {\n  return 2;\n}\n']], 'm.two() === 2'],
    [[['=> 1;\n', '=> 1;\n\nexport function three() {\n  return 3;\n}\n']], 'm.three() === 3'],
    ['m.one() + m.two() + m.three() === 6'],
  ),
  js(
    'both add',
    'two imports and their uses',
    `import { basename } from 'node:path';\n\nexport const name = (it) => basename(it);\n`,
    [
      [
        ['import { basename }', 'import { basename, dirname }'],
        ['basename(it);\n', 'basename(it);\nexport const folder = (it) => dirname(it);\n'],
      ],
      "m.folder('a/b') === 'a'",
    ],
    [
      [
        ['import { basename }', 'import { basename, extname }'],
        ['basename(it);\n', 'basename(it);\nexport const ending = (it) => extname(it);\n'],
      ],
      "m.ending('a/b.c') === '.c'",
    ],
    ["m.folder('a/b') === 'a' && m.ending('b.c') === '.c' && m.name('a/b') === 'b'"],
  ),
  js(
    'both change',
    'two arguments of an object',
    `export const options = {\n  retries: 1,\n  wait: 10,\n};\n`,
    [[['retries: 1', 'retries: 5']], 'm.options.retries === 5'],
    [[['wait: 10', 'wait: 20']], 'm.options.wait === 20'],
    ['m.options.retries === 5 && m.options.wait === 20'],
  ),
  js(
    'cases',
    'cases of a switch by value',
    `export function area(kind, n) {\n  switch (kind) {\n    case 'square':\n      return n * n;\n    default:\n      return 0;\n  }\n}\n`,
    [
      [['n * n;\n', "n * n;\n    case 'circle':\n      return 3 * n * n;\n"]],
      "m.area('circle', 1) === 3",
    ],
    [[['n * n;\n', "n * n;\n    case 'line':\n      return n;\n"]], "m.area('line', 4) === 4"],
    ["m.area('circle', 1) === 3 && m.area('line', 4) === 4 && m.area('square', 2) === 4"],
  ),
  ts(
    'both add',
    'two methods of a class',
    SHOPTS,
    [
      [
        [
          '    return this;\n  }\n',
          '    return this;\n  }\n\n  total(): number {\n    return this.items.reduce((all, it) => all + it.price, 0);\n  }\n',
        ],
      ],
      "new m.Shop().add({ name: 'a', price: 2 }).total() === 2",
    ],
    [
      [
        [
          '    return this;\n  }\n',
          '    return this;\n  }\n\n  names(): string[] {\n    return this.items.map((it) => it.name);\n  }\n',
        ],
      ],
      "`${new m.Shop().add({ name: 'a', price: 2 }).names()}` === 'a'",
    ],
    [
      "(() => { const s = new m.Shop().add({ name: 'a', price: 2 }); return s.total() === 2 && s.names().length === 1; })()",
    ],
  ),
  ts(
    'both add',
    'two members of a type, and their defaults',
    `export interface Options { a: number }\nexport const defaults: Options = { a: 1 };\n`,
    [
      [
        ['{ a: number }', '{ a: number; b: number }'],
        ['{ a: 1 }', '{ a: 1, b: 2 }'],
      ],
      'm.defaults.b === 2',
    ],
    [
      [
        ['{ a: number }', '{ a: number; c: string }'],
        ['{ a: 1 }', "{ a: 1, c: 'x' }"],
      ],
      "m.defaults.c === 'x'",
    ],
    ["m.defaults.a === 1 && m.defaults.b === 2 && m.defaults.c === 'x'"],
  ),
  js(
    'names',
    'a function gets a new name while another one calls it',
    `export function fetchAll(n) {\n  return Array(n).fill(1);\n}\n`,
    [[['function fetchAll', 'function loadAll']], 'm.loadAll(2).length === 2'],
    [
      [['.fill(1);\n}\n', '.fill(1);\n}\nexport const sizeOf = (n) => fetchAll(n).length;\n']],
      'm.sizeOf(3) === 3',
    ],
    ['m.sizeOf(3) === 3 && m.loadAll(1).length === 1'],
  ),
  js(
    'moved',
    'a function moves to a file while its body changes',
    {
      'lib.mjs': `export function half(n) {\n  return n / 2;\n}\n\nexport function twice(n) {\n  return n * 2;\n}\n`,
    },
    [
      [
        [`export function half(n) {\n  return n / 2;\n}\n`, `export { half } from './half.mjs';\n`],
        ['', `export function half(n) {\n  return n / 2;\n}\n`, 'half.mjs'],
      ],
      'm.half(4) === 2',
    ],
    [[['return n / 2;', 'return Math.floor(n / 2);']], 'm.half(5) === 2'],
    ['m.half(5) === 2 && m.twice(2) === 4'],
  ),
  py(
    'both add',
    'two functions and imports',
    `import json\n\n\ndef load(text):\n    return json.loads(text)\n`,
    [
      [
        ['import json\n', 'import json\nimport math\n'],
        ['json.loads(text)\n', 'json.loads(text)\n\n\ndef root(n):\n    return math.sqrt(n)\n'],
      ],
      'root(4) == 2',
    ],
    [
      [
        ['import json\n', 'import json\nimport re\n'],
        [
          'json.loads(text)\n',
          'json.loads(text)\n\n\ndef words(text):\n    return re.findall(r"\\w+", text)\n',
        ],
      ],
      'words("a b") == ["a", "b"]',
    ],
    ['root(9) == 3 and words("a") == ["a"] and load("1") == 1'],
  ),
  py(
    'both add',
    'two arguments by name',
    `def greet(name, mark="!"):\n    return f"hi {name}{mark}"\n`,
    [
      [['mark="!"):\n    return f"hi', 'mark="!", word="hi"):\n    return f"{word}']],
      'greet("a", word="yo") == "yo a!"',
    ],
    [
      [['mark="!"):\n', 'mark="!", loud=False):\n    name = name.upper() if loud else name\n']],
      'greet("a", loud=True) == "hi A!"',
    ],
    ['greet("a", word="yo", loud=True) == "yo A!" and greet("a") == "hi a!"'],
  ),
  py(
    'both add',
    'two methods and two fields',
    `class Cart:\n    def __init__(self):\n        self.items = []\n\n    def add(self, it):\n        self.items.append(it)\n        return self\n`,
    [
      [
        ['self.items = []\n', 'self.items = []\n        self.owner = "me"\n'],
        ['return self\n', 'return self\n\n    def total(self):\n        return sum(self.items)\n'],
      ],
      'Cart().add(2).total() == 2 and Cart().owner == "me"',
    ],
    [
      [
        ['self.items = []\n', 'self.items = []\n        self.open = True\n'],
        ['return self\n', 'return self\n\n    def count(self):\n        return len(self.items)\n'],
      ],
      'Cart().add(2).count() == 1 and Cart().open',
    ],
    [
      'Cart().add(2).count() == 1 and Cart().add(3).total() == 3 and Cart().owner == "me" and Cart().open',
    ],
  ),
  py(
    'cases',
    'branches by value',
    `def area(kind, n):\n    if kind == "square":\n        return n * n\n    return 0\n`,
    [
      [['return n * n\n', 'return n * n\n    elif kind == "line":\n        return n\n']],
      'area("line", 3) == 3',
    ],
    [
      [['return n * n\n', 'return n * n\n    elif kind == "dot":\n        return 1\n']],
      'area("dot", 3) == 1',
    ],
    [
      'area("line", 3) == 3 and area("dot", 3) == 1 and area("square", 2) == 4 and area("x", 1) == 0',
    ],
  ),
  go(
    'both add',
    'two fields and their use',
    `package main\n\ntype Conf struct {\n\tPort int\n}\n\nfunc defaults() Conf {\n\treturn Conf{\n\t\tPort: 80,\n\t}\n}\n`,
    [
      [
        ['\tPort int\n', '\tPort int\n\tHost string\n'],
        ['Port: 80,\n', 'Port: 80,\n\t\tHost: "h",\n'],
      ],
      'defaults().Host == "h"',
    ],
    [
      [
        ['\tPort int\n', '\tPort int\n\tTLS bool\n'],
        ['Port: 80,\n', 'Port: 80,\n\t\tTLS: true,\n'],
      ],
      'defaults().TLS',
    ],
    ['defaults().TLS && defaults().Host == "h" && defaults().Port == 80'],
  ),
  go(
    'both add',
    'two functions and imports',
    `package main\n\nimport (\n\t"strings"\n)\n\nfunc up(s string) string { return strings.ToUpper(s) }\n`,
    [
      [
        ['\t"strings"\n', '\t"strconv"\n\t"strings"\n'],
        ['ToUpper(s) }\n', 'ToUpper(s) }\n\nfunc num(n int) string { return strconv.Itoa(n) }\n'],
      ],
      'num(3) == "3"',
    ],
    [
      [
        ['\t"strings"\n', '\t"math"\n\t"strings"\n'],
        [
          'ToUpper(s) }\n',
          'ToUpper(s) }\n\nfunc root(n float64) float64 { return math.Sqrt(n) }\n',
        ],
      ],
      'root(4) == 2',
    ],
    ['num(3) == "3" && root(9) == 3 && up("a") == "A"'],
  ),
  rs(
    'both add',
    'two variants and their arms',
    `pub enum Shape {\n    Square(i32),\n}\n\npub fn area(s: &Shape) -> i32 {\n    match s {\n        Shape::Square(n) => n * n,\n    }\n}\n`,
    [
      [
        ['Square(i32),\n', 'Square(i32),\n    Line(i32),\n'],
        ['n * n,\n', 'n * n,\n        Shape::Line(n) => *n,\n'],
      ],
      'area(&Shape::Line(3)) == 3',
    ],
    [
      [
        ['Square(i32),\n', 'Square(i32),\n    Dot,\n'],
        ['n * n,\n', 'n * n,\n        Shape::Dot => 1,\n'],
      ],
      'area(&Shape::Dot) == 1',
    ],
    ['area(&Shape::Line(3)) == 3 && area(&Shape::Dot) == 1 && area(&Shape::Square(2)) == 4'],
  ),
  rs(
    'both add',
    'two functions and uses',
    `use std::fmt::Write;\n\npub fn hex(n: u8) -> String {\n    let mut out = String::new();\n    write!(out, "{n:x}").unwrap();\n    out\n}\n`,
    [
      [
        ['use std::fmt::Write;\n', 'use std::collections::HashMap;\nuse std::fmt::Write;\n'],
        [
          '    out\n}\n',
          '    out\n}\n\npub fn counts(s: &str) -> HashMap<char, u8> {\n    let mut all = HashMap::new();\n    for c in s.chars() {\n        *all.entry(c).or_insert(0) += 1;\n    }\n    all\n}\n',
        ],
      ],
      'counts("aa")[&\'a\'] == 2',
    ],
    [
      [
        ['use std::fmt::Write;\n', 'use std::cmp::max;\nuse std::fmt::Write;\n'],
        ['    out\n}\n', '    out\n}\n\npub fn most(a: u8, b: u8) -> u8 {\n    max(a, b)\n}\n'],
      ],
      'most(1, 2) == 2',
    ],
    ['counts("aa")[&\'a\'] == 2 && most(1, 2) == 2 && hex(255) == "ff"'],
  ),
  text(
    'both add',
    'two scripts',
    { 'package.json': '{\n  "scripts": {\n    "test": "node --test"\n  }\n}\n' },
    [
      [['"node --test"\n', '"node --test",\n    "lint": "biome ci"\n', 'package.json']],
      "JSON.parse(read('package.json')).scripts.lint === 'biome ci'",
    ],
    [
      [['"node --test"\n', '"node --test",\n    "build": "tsc"\n', 'package.json']],
      "JSON.parse(read('package.json')).scripts.build === 'tsc'",
    ],
    ["Object.keys(JSON.parse(read('package.json')).scripts).length === 3"],
  ),
  text(
    'both add',
    'two entries of a changelog',
    { 'CHANGELOG.md': '# Changes\n\n- first\n' },
    [
      [['- first\n', '- first\n- adds a\n', 'CHANGELOG.md']],
      "read('CHANGELOG.md').includes('- adds a')",
    ],
    [
      [['- first\n', '- first\n- adds b\n', 'CHANGELOG.md']],
      "read('CHANGELOG.md').includes('- adds b')",
    ],
    ["['- first', '- adds a', '- adds b'].every((it) => read('CHANGELOG.md').includes(it))"],
  ),
  js(
    'both change',
    'a guard is added while the body is wrapped',
    `export function parse(text) {\n  return JSON.parse(text);\n}\n`,
    [
      [
        [
          '  return JSON.parse(text);\n',
          "  if (text === '') return {};\n  return JSON.parse(text);\n",
        ],
      ],
      "Object.keys(m.parse('')).length === 0",
    ],
    [
      [
        [
          '  return JSON.parse(text);\n',
          '  try {\n    return JSON.parse(text);\n  } catch {\n    return undefined;\n  }\n',
        ],
      ],
      "m.parse('{') === undefined",
    ],
    ["Object.keys(m.parse('')).length === 0 && m.parse('{') === undefined && m.parse('1') === 1"],
  ),
  go(
    'order',
    'a port that is read before defaults are set',
    `package main

type Conf struct{ Port int }

func fill(c *Conf) {
	if c.Port == 0 {
		c.Port = 80
	}
}

type server struct {
	conf *Conf
	port int
}

func start(c *Conf) server {
	s := server{conf: c}
	return s
}
`,
    [
      [['s := server{conf: c}\n', 's := server{conf: c}\n\ts.port = c.Port\n']],
      'start(&Conf{Port: 8}).port == 8',
    ],
    [
      [['s := server{conf: c}\n', 's := server{conf: c}\n\tfill(c)\n']],
      'start(&Conf{}).conf.Port == 80',
    ],
    ['start(&Conf{}).port == 80'],
  ),
  rs(
    'order',
    'a port that is read before defaults are set',
    `pub struct Conf {
    pub port: u16,
}

fn fill(c: &mut Conf) {
    if c.port == 0 {
        c.port = 80;
    }
}

pub struct Server {
    pub name: String,
    pub port: u16,
}

pub fn start(c: &mut Conf) -> Server {
    let mut s = Server { name: "a".to_string(), port: 0 };
    s
}
`,
    [
      [['port: 0 };\n', 'port: 0 };\n    s.port = c.port;\n']],
      'start(&mut Conf { port: 8 }).port == 8',
    ],
    [
      [['port: 0 };\n', 'port: 0 };\n    fill(c);\n']],
      '{ let mut c = Conf { port: 0 }; start(&mut c); c.port == 80 }',
    ],
    ['start(&mut Conf { port: 0 }).port == 80'],
  ),
  ts(
    'order',
    'a setting that is read before the environment is applied',
    `export interface Options { port: number; env: Record<string, string> }
function applyEnv(options: Options): void {
  if (options.env.PORT) options.port = Number(options.env.PORT);
}
export function start(options: Options) {
  const started: Record<string, unknown> = {};
  return started;
}
`,
    [
      [['= {};\n', '= {};\n  started.url = `http://localhost:${options.port}`;\n']],
      "m.start({ port: 1, env: {} }).url === 'http://localhost:1'",
    ],
    [
      [['= {};\n', '= {};\n  applyEnv(options);\n']],
      "(() => { const o = { port: 1, env: { PORT: '2' } }; m.start(o); return o.port === 2; })()",
    ],
    ["m.start({ port: 1, env: { PORT: '2' } }).url === 'http://localhost:2'"],
  ),
  py(
    'order',
    'a list that is counted before it is cleaned',
    `def clean(rows):
    rows[:] = [it for it in rows if it]


def load(rows):
    out = {"rows": rows}
    return out
`,
    [
      [['{"rows": rows}\n', '{"rows": rows}\n    out["count"] = len(rows)\n']],
      'load([1, 2])["count"] == 2',
    ],
    [[['{"rows": rows}\n', '{"rows": rows}\n    clean(rows)\n']], 'load([1, None])["rows"] == [1]'],
    ['load([1, None])["count"] == 1'],
  ),
  text(
    'versions',
    'one package with and without an extra',
    { 'requirements.txt': 'flask==3.0\n' },
    [
      [['flask==3.0\n', 'flask==3.0\nrequests[socks]==2.31\n', 'requirements.txt']],
      "read('requirements.txt').includes('requests[socks]==2.31')",
    ],
    [
      [['flask==3.0\n', 'flask==3.0\nRequests==2.32\n', 'requirements.txt']],
      "read('requirements.txt').includes('Requests==2.32')",
    ],
    'none',
  ),
  text(
    'prose',
    'a new heading of a changelog, and an entry of the one before',
    { 'CHANGELOG.md': '# 1.1\n\n### Added\n\n- a\n' },
    [
      [['- a\n', '- a\n\n### Fixed\n\n- b\n', 'CHANGELOG.md']],
      "read('CHANGELOG.md').includes('### Fixed\\n\\n- b')",
    ],
    [[['- a\n', '- a\n- c\n', 'CHANGELOG.md']], "read('CHANGELOG.md').includes('- c')"],
    ["/### Added\\n(?:(?!#).*\\n)*- c/.test(read('CHANGELOG.md'))"],
  ),
  text(
    'rules',
    'conditions of exports in package.json',
    { 'package.json': '{\n  "exports": {\n    ".": {\n      "default": "./i.js"\n    }\n  }\n}\n' },
    [
      [['    ".": {\n', '    ".": {\n      "node": "./n.js",\n', 'package.json']],
      "JSON.parse(read('package.json')).exports['.'].node === './n.js'",
    ],
    [
      [['    ".": {\n', '    ".": {\n      "import": "./m.js",\n', 'package.json']],
      "JSON.parse(read('package.json')).exports['.'].import === './m.js'",
    ],
    'none',
  ),
  js(
    'names',
    'a name is followed into a message of an error',
    `export function parse(text) {
  return JSON.parse(text);
}
export const version = 1;
`,
    [[['export function parse(', 'export function readText(']], "m.readText('1') === 1"],
    [
      [
        [
          'version = 1;\n',
          "version = 1;\nexport function safe(text) {\n  try {\n    return parse(text);\n  } catch {\n    throw new Error('cannot parse this');\n  }\n}\n",
        ],
      ],
      "m.safe('2') === 2",
      "throws(() => m.safe('{'))",
    ],
    ["(() => { try { m.safe('{'); } catch (e) { return e.message === 'cannot parse this'; } })()"],
  ),
  js(
    'order seen elsewhere',
    'an object that is gone through under another name',
    {
      'steps.mjs': STEPS,
      'lib.mjs':
        "import { steps as all } from './steps.mjs';\nexport const run = (a) => Object.values(all).reduce((b, f) => f(b), a);\n",
    },
    [[O_STEP], "m.run('a').includes('\"')"],
    [[T_STEP], "m.run('a').includes('!')"],
    'none',
  ),
  js(
    'order seen elsewhere',
    'an object that is gone through by way of its module',
    {
      'steps.mjs': STEPS,
      'lib.mjs':
        "import * as it from './steps.mjs';\nexport const run = (a) => Object.values(it.steps).reduce((b, f) => f(b), a);\n",
    },
    [[O_STEP], "m.run('a').includes('\"')"],
    [[T_STEP], "m.run('a').includes('!')"],
    'none',
  ),
  js(
    'order seen elsewhere',
    'an object that is handed to a function',
    {
      'steps.mjs': STEPS,
      'lib.mjs':
        "import { steps } from './steps.mjs';\nconst all = (o) => Object.values(o);\nexport const run = (a) => all(steps).reduce((b, f) => f(b), a);\n",
    },
    [[O_STEP], "m.run('a').includes('\"')"],
    [[T_STEP], "m.run('a').includes('!')"],
    'none',
  ),
  js(
    'order seen elsewhere',
    'an object that goes through itself',
    "export const steps = {\n  run(a) {\n    return Object.entries(this).reduce((b, [name, f]) => (name === 'run' ? b : f(b)), a);\n  },\n};\n",
    [[['  },\n};', '  },\n  quote: (a) => `"${a}"`,\n};']], "m.steps.run('a').includes('\"')"],
    [[['  },\n};', '  },\n  shout: (a) => `${a}!`,\n};']], "m.steps.run('a').includes('!')"],
    'none',
  ),
  js(
    'order seen elsewhere',
    'a map whose first match counts',
    "const routes = new Map([\n  ['/', 'home'],\n]);\nexport const find = (url) => [...routes].findLast(([start]) => url.startsWith(start))?.[1];\n",
    [[["'home'],\n", "'home'],\n  ['/a', 'all'],\n"]], "m.find('/a') === 'all'"],
    [[["'home'],\n", "'home'],\n  ['/ab', 'one'],\n"]], "m.find('/abc') === 'one'"],
    'none',
  ),
  py(
    'order seen elsewhere',
    'functions that are found by their prefix',
    "def step_strip(a):\n    return a.strip()\n\n\ndef run(a):\n    for name, f in list(globals().items()):\n        if name.startswith('step_'):\n            a = f(a)\n    return a\n",
    [
      [['.strip()\n', '.strip()\n\n\ndef step_quote(a):\n    return f"\'{a}\'"\n']],
      '"\'" in run("a")',
    ],
    [[['.strip()\n', '.strip()\n\n\ndef step_mark(a):\n    return f"{a}!"\n']], '"!" in run("a")'],
    'none',
  ),
  py(
    'order seen elsewhere',
    'classes of which their base class is told',
    {
      'plugins.py':
        'class Plugin:\n    all = []\n\n    def __init_subclass__(cls):\n        Plugin.all.append(cls)\n',
      'lib.py':
        'from plugins import Plugin\n\n\nclass Strip(Plugin):\n    def do(self, a):\n        return a.strip()\n\n\ndef run(a):\n    for it in Plugin.all:\n        a = it().do(a)\n    return a\n',
    },
    [
      [
        [
          '.strip()\n',
          '.strip()\n\n\nclass Quote(Plugin):\n    def do(self, a):\n        return f"\'{a}\'"\n',
        ],
      ],
      '"\'" in run("a")',
    ],
    [
      [
        [
          '.strip()\n',
          '.strip()\n\n\nclass Mark(Plugin):\n    def do(self, a):\n        return f"{a}!"\n',
        ],
      ],
      '"!" in run("a")',
    ],
    'none',
  ),
  py(
    'order seen elsewhere',
    'modules that are imported for what they do',
    {
      'hooks.py': 'ALL = []\n',
      'one.py': 'import hooks\n\nhooks.ALL.append(lambda a: a.strip())\n',
      'two.py': 'import hooks\n\nhooks.ALL.append(lambda a: a + "!")\n',
      'three.py': 'import hooks\n\nhooks.ALL.append(lambda a: a * 2)\n',
      'lib.py':
        'import hooks\nimport one\n\n\ndef run(a):\n    for f in hooks.ALL:\n        a = f(a)\n    return a\n',
    },
    [[['import one\n', 'import one\nimport two\n']], '"!" in run("a")'],
    [[['import one\n', 'import one\nimport three\n']], 'run("a").count("a") == 2'],
    'none',
  ),
  py(
    'order seen elsewhere',
    'an enumeration whose members are compared by their place',
    'from enum import Enum\n\n\nclass Level(Enum):\n    LOW = "low"\n\n\ndef rank(level):\n    return list(Level).index(level)\n',
    [[['"low"\n', '"low"\n    TOP = "top"\n']], 'rank(Level.TOP) > 0'],
    [[['"low"\n', '"low"\n    MID = "mid"\n']], 'rank(Level.MID) > 0'],
    ['rank(Level.TOP) > rank(Level.MID)'],
  ),
  js(
    'names',
    'a constant that hides what the other side uses',
    'const limit = 10;\nexport function size(a) {\n  const b = a;\n  return b;\n}\nexport const most = () => limit;\n',
    [
      [
        ['const b = a;\n', 'const b = a;\n  const limit = 5;\n'],
        ['return b;', 'return b > 99 ? limit : b;'],
      ],
      'm.size(100) === 5',
    ],
    [
      [
        ['const b = a;\n', 'const b = a;\n  const twice = limit * 2;\n'],
        ['return b;', 'return b < 0 ? twice : b;'],
      ],
      'm.size(-1) >= 10',
    ],
    'none',
  ),
  js(
    'names',
    'a function that hides a global one',
    'export const one = () => 1;\n',
    [
      [['=> 1;\n', '=> 1;\n\nexport function encodeURIComponent(a) {\n  return `<${a}>`;\n}\n']],
      "m.encodeURIComponent('a') === '<a>'",
    ],
    [
      [['=> 1;\n', '=> 1;\n\nexport function link(a) {\n  return encodeURIComponent(a);\n}\n']],
      "m.link('a').includes('a')",
    ],
    ["m.link('a b') === 'a%20b'"],
  ),
  js(
    'names',
    'a property that has the name of what was renamed',
    'export const total = (list) => list.length;\nexport const one = 1;\n',
    [[['const total', 'const sizeOf']], 'm.sizeOf([1]) === 1'],
    [
      [['one = 1;\n', 'one = 1;\nexport const owed = (bill) => (bill.total ?? 0) + total([]);\n']],
      'm.owed({ total: 0 }) === 0',
    ],
    ['m.owed({ total: 5 }) === 5'],
  ),
  js(
    'names',
    'a new name because it does something else now',
    'export const limit = (a) => a.length;\nexport const one = 1;\n',
    [
      [['const limit = (a) => a.length', 'const limitInKilobytes = (a) => a.length / 1000']],
      "m.limitInKilobytes('a') < 1",
    ],
    [
      [['one = 1;\n', 'one = 1;\nexport const isLong = (a) => limit(a) > 3;\n']],
      "m.isLong('a') === false",
    ],
    ["m.isLong('abcd') === true"],
  ),
  js(
    'setters',
    'fields of which one is cut to the other',
    "export class Box {\n  set value(a) {\n    this.kept = Math.min(a, this.most ?? Infinity);\n  }\n  constructor() {\n    this.name = 'a';\n  }\n}\n",
    [[["this.name = 'a';\n", "this.name = 'a';\n    this.most = 5;\n"]], 'new m.Box().most === 5'],
    [[["this.name = 'a';\n", "this.name = 'a';\n    this.value = 9;\n"]], 'new m.Box().kept > 0'],
    'none',
  ),
  js(
    'numbers',
    'both take the next bit',
    'export const flags = {\n  A: 1 << 0,\n};\n',
    [[['1 << 0,\n', '1 << 0,\n  B: 1 << 1,\n']], 'm.flags.B === 2'],
    [[['1 << 0,\n', '1 << 0,\n  C: 1 << 1,\n']], 'm.flags.C === 2'],
    'none',
  ),
  js(
    'numbers',
    'both take the next code',
    'export const OK = 0;\n',
    [[['OK = 0;\n', 'OK = 0;\nexport const GONE = 1;\n']], 'm.GONE === 1'],
    [[['OK = 0;\n', 'OK = 0;\nexport const BUSY = 1;\n']], 'm.BUSY === 1'],
    'none',
  ),
  js(
    'numbers',
    'both answer with the next code',
    "export function code(a) {\n  switch (a) {\n    case 'ok':\n      return 0;\n    default:\n      return -1;\n  }\n}\n",
    [[['    default:', "    case 'gone':\n      return 1;\n    default:"]], "m.code('gone') === 1"],
    [[['    default:', "    case 'busy':\n      return 1;\n    default:"]], "m.code('busy') === 1"],
    'none',
  ),
  js(
    'conditions',
    'values that are loosely equal',
    "export function word(a) {\n  if (a == 'x') return 'x';\n  return '';\n}\n",
    [[["return 'x';\n", "return 'x';\n  if (a == 0) return 'zero';\n"]], "m.word(0) === 'zero'"],
    [[["return 'x';\n", "return 'x';\n  if (a == '') return 'empty';\n"]], "m.word('').length > 0"],
    ["m.word('') === 'empty' || m.word('') === 'zero'", "m.word('') !== m.word(0)"],
  ),
  js(
    'conditions',
    'a case that the one before falls into',
    "export function say(a) {\n  let out = '';\n  switch (a) {\n    case 1:\n      out += 'one ';\n    default:\n      out += 'end';\n  }\n  return out;\n}\n",
    [
      [['    default:', "    case 2:\n      out += 'two';\n      break;\n    default:"]],
      "m.say(2) === 'two'",
    ],
    [
      [['    default:', "    case 3:\n      out += 'three';\n      break;\n    default:"]],
      "m.say(3) === 'three'",
    ],
    'none',
  ),
  rs(
    'order',
    'fields that are dropped one after the other',
    "pub struct Loud(pub &'static str, pub *mut String);\nimpl Drop for Loud {\n    fn drop(&mut self) {\n        unsafe { (*self.1).push_str(self.0) }\n    }\n}\n\npub struct Both {\n    pub a: u8,\n}\n\npub fn both(_log: *mut String) -> Both {\n    Both {\n        a: 1,\n    }\n}\n",
    [
      [
        ['pub a: u8,\n', 'pub a: u8,\n    pub file: Option<Loud>,\n'],
        ['a: 1,\n', 'a: 1,\n        file: None,\n'],
      ],
      'both(std::ptr::null_mut()).file.is_none()',
    ],
    [
      [
        ['pub a: u8,\n', 'pub a: u8,\n    pub lock: Option<Loud>,\n'],
        ['a: 1,\n', 'a: 1,\n        lock: None,\n'],
      ],
      'both(std::ptr::null_mut()).lock.is_none()',
    ],
    'none',
  ),
  rs(
    'names',
    'a variable that is hidden by another one of its name',
    'pub fn price(a: u32) -> u32 {\n    let rate = a;\n    let out = a;\n    out + rate - rate\n}\n',
    [
      [
        ['let rate = a;\n', 'let rate = a;\n    let rate = rate + 1;\n'],
        ['out + rate', 'out * 1 + rate'],
      ],
      'price(1) == 1',
    ],
    [
      [
        ['let rate = a;\n', 'let rate = a;\n    let more = rate * 2;\n'],
        ['- rate\n', '- rate + more - more + 0 * more\n'],
      ],
      'price(2) == 2',
    ],
    'none',
  ),
  go(
    'order',
    'a record that is written as bytes',
    'package main\n\nimport (\n\t"bytes"\n\t"encoding/binary"\n)\n\ntype Head struct {\n\tKind uint8\n}\n\nfunc size(h Head) int {\n\tvar out bytes.Buffer\n\tbinary.Write(&out, binary.BigEndian, h)\n\treturn out.Len()\n}\n',
    [[['Kind uint8\n', 'Kind uint8\n\tSize uint16\n']], 'size(Head{Size: 1}) >= 3'],
    [[['Kind uint8\n', 'Kind uint8\n\tFlag uint8\n']], 'size(Head{Flag: 1}) >= 2'],
    'none',
  ),
  text(
    'data',
    'a script that another one sets off',
    { 'package.json': '{\n  "scripts": {\n    "test": "node --test"\n  }\n}\n' },
    [
      [['"node --test"\n', '"node --test",\n    "prebuild": "rm -rf dist"\n', 'package.json']],
      "read('package.json').includes('prebuild')",
    ],
    [
      [['"node --test"\n', '"node --test",\n    "build": "tsc"\n', 'package.json']],
      "read('package.json').includes('tsc')",
    ],
    'none',
  ),
  text(
    'data',
    'a pattern and its exception',
    { '.gitignore': 'dist\n' },
    [[['dist\n', 'dist\n*.log\n', '.gitignore']], "read('.gitignore').includes('*.log')"],
    [[['dist\n', 'dist\n!keep.log\n', '.gitignore']], "read('.gitignore').includes('!keep')"],
    ["read('.gitignore').indexOf('*.log') < read('.gitignore').indexOf('!keep')"],
  ),
  js(
    'twins',
    'a step that both add, and what one reads before it',
    'let count = 0;\nexport function next() {\n  const start = 0;\n  return start;\n}\nexport const all = () => count;\n',
    [[['start = 0;\n', 'start = 0;\n  count++;\n']], '(m.next(), m.all() === 1)'],
    [
      [
        [
          'start = 0;\n  return start',
          'start = 0;\n  const before = count;\n  count++;\n  return before',
        ],
      ],
      '(m.next(), m.next() === m.all() - 1)',
    ],
    ['(m.next(), m.next() === m.all() - 1)'],
  ),
  js(
    'order seen elsewhere',
    'functions that are handed over in a list',
    'class Pipe {\n  constructor(all) {\n    this.all = all;\n  }\n  run(a) {\n    return this.all.reduce((b, f) => f(b), a);\n  }\n}\nconst trim = (a) => a.trim();\nconst twice = (a) => a + a;\nconst mark = (a) => `${a}!`;\nconst pipe = new Pipe([trim]);\nexport const run = (a) => pipe.run(a);\n',
    [[['[trim]', '[trim, twice]']], "m.run('a').startsWith('aa')"],
    [[['[trim]', '[trim, mark]']], "m.run('a').includes('!')"],
    'none',
  ),
  go(
    'order seen elsewhere',
    'words whose place is a rank',
    'package main\n\nvar ranks = []string{\n\t"low",\n}\n\nfunc rank(a string) int {\n\tfor at, it := range ranks {\n\t\tif it == a {\n\t\t\treturn at\n\t\t}\n\t}\n\treturn -1\n}\n',
    [[['"low",\n', '"low",\n\t"top",\n']], 'rank("top") > 0'],
    [[['"low",\n', '"low",\n\t"mid",\n']], 'rank("mid") > 0'],
    'none',
  ),
  go(
    'order seen elsewhere',
    'names of variables in a slice',
    'package main\n\nvar a, b, c = 1, 2, 3\n\nvar all = []int{\n\ta,\n}\n\nfunc last() int { return all[len(all)-1] }\n',
    [[['\ta,\n', '\ta,\n\tb,\n']], 'last() > 1'],
    [[['\ta,\n', '\ta,\n\tc,\n']], 'last() > 1'],
    'none',
  ),
  js(
    'order seen elsewhere',
    'a number that is counted up',
    'let next = 10;\nexport const ONE = 0;\n',
    [[['ONE = 0;\n', 'ONE = 0;\nexport const TWO = next++;\n']], 'm.TWO > 0'],
    [[['ONE = 0;\n', 'ONE = 0;\nexport const SIX = next++;\n']], 'm.SIX > 0'],
    'none',
  ),
  js(
    'order seen elsewhere',
    'a number that is counted down',
    'let next = 10;\nexport const ONE = 0;\n',
    [[['ONE = 0;\n', 'ONE = 0;\nexport const TWO = --next;\n']], 'm.TWO > 0'],
    [[['ONE = 0;\n', 'ONE = 0;\nexport const SIX = --next;\n']], 'm.SIX > 0'],
    'none',
  ),
];
