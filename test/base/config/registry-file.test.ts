import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRegistryFile, RegistryFileError } from '../../../src/base/config/files.ts';

/** What is wrong first with a file; nothing if it is a registry. */
function problemsOf(text: string): string[] {
  try {
    parseRegistryFile(text);
  } catch (error) {
    if (!(error instanceof RegistryFileError)) throw error;
    const { line, column, message, hint } = error.problem;
    return [`${line}:${column}: ${message}${hint === undefined ? '' : ` (${hint})`}`];
  }
  return [];
}

const withFeature = (feature: unknown) => JSON.stringify({ features: { cart: feature } });
const withPattern = (pattern: string) => withFeature({ files: [pattern] });
const withSmoke = (smoke: unknown) => withFeature({ files: ['a'], smoke: [smoke] });

test('reads everything a file can say', () => {
  const text = `{
    "$schema": "https://example.com/schema.json",
    "features": {
      "cart": { "files": ["src/cart/**", "!**/*.md"] },
      "checkout": {
        "description": "Paying",
        "files": ["src/checkout/**"],
        "smoke": ["npm test", { "command": "make check", "timeout": "90s", "cwd": "./packages/a/" }],
        "dependsOn": ["cart"]
      }
    },
    "gate": { "uncovered": "hold", "opaque": "deny", "attest": "any" },
    "evidence": { "require": "ci", "ci": ["ci@example.org"] },
    "verify": { "setup": "npm ci", "setupCache": ["package-lock.json"] },
    "lanes": { "agent": "opposite", "timeout": "3h" },
    "recall": {}
  }`;
  expect(parseRegistryFile(text)).toEqual({
    features: [
      {
        name: 'cart',
        files: ['src/cart/**', '!**/*.md'],
        smoke: [],
        dependsOn: [],
        description: '',
      },
      {
        name: 'checkout',
        files: ['src/checkout/**'],
        smoke: [
          { command: 'npm test', timeoutMs: 600_000, cwd: '' },
          { command: 'make check', timeoutMs: 90_000, cwd: 'packages/a' },
        ],
        dependsOn: ['cart'],
        description: 'Paying',
      },
    ],
    gate: { uncovered: 'hold', opaque: 'deny', attest: 'any' },
    evidence: { require: 'ci', ci: ['ci@example.org'] },
    verify: { setup: ['npm ci'], setupCache: ['package-lock.json'] },
    lanes: { agent: 'opposite', timeout: '3h' },
  });
});

const NOTHING = { features: [], gate: {}, evidence: {}, lanes: {} };

test('an empty object is a registry, with a byte order mark too', () => {
  expect(parseRegistryFile('{}')).toEqual(NOTHING);
  expect(parseRegistryFile('\uFEFF{"gate":{}}')).toEqual(NOTHING);
});

test.each([
  ['5m', 300_000],
  ['90s', 90_000],
  ['2h', 7_200_000],
  [45, 45_000],
  [0.25, 250],
])('timeout %j is %i ms', (timeout, timeoutMs) => {
  const { features } = parseRegistryFile(withSmoke({ command: 'make', timeout }));
  expect(features[0]?.smoke).toEqual([{ command: 'make', timeoutMs, cwd: '' }]);
});

test('the first problem is the message, with its place and a hint', () => {
  const text =
    '{\n  "features": {\n    "checkout": {\n      "files": ["a"],\n      "smokes": []\n    }\n  }\n}';
  expect(() => parseRegistryFile(text, 'sub/lanehold.json')).toThrow(
    expect.objectContaining({
      code: 'REGISTRY_FILE',
      message: 'sub/lanehold.json:5:7: unknown key `smokes` in feature `checkout`',
      hint: 'did you mean `smoke`?',
    }),
  );
});

test('of several problems the first in the file counts', () => {
  const text = `{
  "gate": { "uncovered": "alow", "opaque": true },
  "features": { "Cart": { "files": ["a"] } },
  "feature": {}
}`;
  expect(problemsOf(text)).toEqual([
    '2:26: `gate.uncovered` is "alow", not one of `allow`, `ask`, `hold` (did you mean `allow`?)',
  ]);
});

test.each([
  [{ feature: {} }, '1:2: unknown key `feature` (did you mean `features`?)'],
  [
    { features: { Cart: { files: ['a'] } } },
    '1:14: `Cart` is no feature name (names begin with a-z or 0-9 and go on with these and `.`, `_`, `-`, `/`)',
  ],
  [{ gate: { opaque: true } }, '1:19: `gate.opaque` is true, not one of `allow`, `ask`, `deny`'],
  [
    { lanes: { parallell: 3 } },
    '1:11: unknown key `parallell` in `lanes` (did you mean `parallel`?)',
  ],
  [{ verify: { setups: [''] } }, '1:12: unknown key `setups` in `verify` (did you mean `setup`?)'],
])('a file that cannot be: %j', (file, problem) => {
  expect(problemsOf(JSON.stringify(file))).toEqual([problem]);
});

test.each([
  [{ smoke: ['x'] }, '1:14: feature `cart` has no `files` (add it: an array)'],
  [
    { files: ['a'], smoke: [{ comand: 'x' }] },
    '1:46: unknown key `comand` in `smoke[0]` of feature `cart` (did you mean `command`?)',
  ],
  [
    { files: ['a'], smoke: [{ command: 'x', cwd: '../b' }] },
    '1:66: `smoke[0].cwd` of feature `cart` is no folder inside the repository (write it relative to the repository root, such as `packages/a`)',
  ],
  [
    { files: ['a'], smoke: ['x', 7] },
    '1:49: `smoke[1]` of feature `cart` is a number, not a string or an object',
  ],
  [
    { files: ['a'], dependsOn: 'cart' },
    '1:48: `dependsOn` of feature `cart` is a string, not an array',
  ],
  [
    { files: ['/etc/**'] },
    '1:31: `files[0]` of feature `cart` is absolute (write the pattern relative to the repository root: `src/checkout/**`)',
  ],
  [
    { files: ['a', '!a/../b'] },
    '1:35: `files[1]` of feature `cart` leaves the repository with `..` (a feature can only have files of its own repository)',
  ],
  [
    { files: ['a'], smoke: [''] },
    '1:45: `smoke[0]` of feature `cart` is empty (write the command that proves the feature)',
  ],
])('a feature that cannot be: %j', (feature, problem) => {
  expect(problemsOf(withFeature(feature))).toEqual([problem]);
});

test.each([
  ['{"a": 1,}', '1:9: a key in double quotes is missing here (remove the comma before it)'],
  ['{\r\n  "features": {}\r\n  "gate": {}\r\n}', '3:3: a comma is missing here'],
  ['{"features": }', '1:14: a value is missing here'],
  ['{"features" {}}', '1:13: a colon is missing here'],
  ['{"features": {}', '1:16: a closing `}` is missing here'],
  ['{"features": [1', '1:16: a closing `]` is missing here'],
  ['{} {}', '1:4: something follows the end of the JSON'],
  ['{\n // no\n}', '2:2: a comment is not valid JSON (remove it, or use `description`)'],
  ['{"a": "b}', '1:7: this string does not end (close it with `"`)'],
  ['{"a": "\\q"}', '1:7: this string has an unknown escape (write a backslash as `\\\\`)'],
  ['{"a": "\t"}', '1:7: this string has a raw control character (write it as `\\n` or `\\t`)'],
  ['{"a": nope}', '1:7: `nope` is not valid JSON here'],
  ['{"a": 1.}', '1:7: `1.` is not valid JSON here'],
  ['{"a":\u00a01}', '1:6: `\u00a01` is not valid JSON here'],
  [' \n', '1:1: the file is empty (write `{}` into it)'],
  ['[]', '1:1: the file is an array, not an object'],
  ['null', '1:1: the file is null, not an object'],
])('says where %j is broken', (text, problem) => {
  expect(problemsOf(text)).toEqual([problem]);
});

test('a key that stands twice is an error, however it is written', () => {
  const text =
    '{\n"features": {\n"cart": {"files": ["a"]},\n"c\\u0061rt": {"files": ["b:\\"{"]}\n}}';
  expect(problemsOf(text)).toEqual(['4:1: key `cart` appears twice (it is also on line 3)']);
});

test.each(['__proto__', '', 'a b', '-x', 'Ünï', '../x', '/x'])('%j is no feature name', (name) => {
  const text = `{"features": {${JSON.stringify(name)}: {"files": ["a"]}}}`;
  expect(problemsOf(text)).toEqual([
    expect.stringContaining(`1:15: \`${name}\` is no feature name`),
  ]);
});

test.each(['constructor', 'tostring', '0', 'a/b', 'a.b-c_d'])('%j is a feature name', (name) => {
  const { features } = parseRegistryFile(`{"features": {"${name}": {"files": ["a"]}}}`);
  expect(features.map((feature) => feature.name)).toEqual([name]);
});

test('`__proto__` is an unknown key everywhere else', () => {
  expect(problemsOf('{"__proto__": 1}')[0]).toContain('unknown key `__proto__`');
  expect(problemsOf('{"gate": {"__proto__": 1}}')[0]).toContain(
    'unknown key `__proto__` in `gate`',
  );
});

test.each([
  '',
  '!',
  '!!a',
  '/a',
  '!/a',
  'C:/a',
  'c:\\a',
  '\\\\host\\share',
  '..',
  '../a',
  'a/..',
  'a/../b',
  '..\\a',
  'src\\checkout\\**',
  'src\\*.ts',
  'a\0b',
  'a'.repeat(4097),
])('refuses the pattern %j', (pattern) => {
  expect(problemsOf(withFeature({ files: ['ok', pattern] }))).toHaveLength(1);
});

test.each([
  'a',
  '**',
  './a',
  '.github/**',
  'app/[...slug]/page.tsx',
  'a..b/c',
  'app/\\[id\\]/**',
  'src/{a,b}/**',
  'ä ö/**',
  'it\'s "quoted"/*',
])('accepts the pattern %j', (pattern) => {
  expect(problemsOf(withPattern(pattern))).toEqual([]);
});

test('a feature has files or the rest, and one of them has the rest', () => {
  const written = { files: ['a'], smoke: ['true'] };
  const [smoke, rest] = [['true'], true];
  expect(parseRegistryFile(withFeature({ rest, smoke })).features).toMatchObject([
    { name: 'cart', files: [], rest: true },
  ]);
  const hint = 'take one of them out: `rest` has all files that no other feature has';
  expect(problemsOf(withFeature({ ...written, rest }))).toEqual([
    `1:60: \`rest\` of feature \`cart\` stands beside \`files\` (${hint})`,
  ]);
  expect(problemsOf(withFeature({ smoke, rest: false }))).toEqual([
    '1:46: `rest` of feature `cart` is false, not one of `true`',
  ]);
  const two = { pay: written, a: { rest, smoke }, b: { smoke, rest } };
  expect(problemsOf(JSON.stringify({ features: two }))).toEqual([
    '1:117: `rest` of feature `b` is the second one (one feature at most has all that the others leave)',
  ]);
});

test.each([[[]], [['!a']]])('files %j include nothing', (files) => {
  expect(problemsOf(withFeature({ files }))).toEqual([
    '1:30: `files` of feature `cart` has no pattern that includes files (add one without `!`, such as `src/checkout/**`)',
  ]);
});

test.each([0, -1, 86_401, '0s', '5', '5 m', '1d', '25h', '', '5M', null])(
  'refuses the timeout %j',
  (timeout) => {
    expect(problemsOf(withSmoke({ command: 'make', timeout }))).toHaveLength(1);
  },
);

test.each(['/tmp', '..', 'a/..', 'a\\b', 'C:/x', 'a\0'])('refuses the folder %j', (cwd) => {
  expect(problemsOf(withSmoke({ command: 'make', cwd }))).toHaveLength(1);
});

test.each(['', ' \n', 'a\0b'])('refuses the command %j', (command) => {
  expect(problemsOf(withSmoke(command))).toHaveLength(1);
  expect(problemsOf(withSmoke({ command }))).toHaveLength(1);
});

test('refuses a file over 5 MB and one that nests without end', () => {
  expect(problemsOf(`{"a":"${'ä'.repeat(2_700_000)}"}`)).toEqual(['1:1: the file is over 5 MB']);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  expect(problemsOf(deep)).toEqual(['1:1: it nests deeper than 100 levels']);
});

test('a large file full of mistakes is answered with the first', () => {
  const keys = Array.from({ length: 50_000 }, (_, index) => `"k${index}": 1`);
  expect(problemsOf(`{${keys.join(',\n')}}`)).toEqual([expect.stringContaining('`k0`')]);
  const features = Array.from({ length: 5_000 }, (_, index) => `"f${index}": {"fils": []}`);
  const [problem] = problemsOf(`{"features":{${features.join(',\n')}}}`);
  expect(problem).toContain('feature `f0`');
});

test('a pattern that is made to be slow is not', () => {
  const slow = '../'.repeat(100_000) + 'a\\'.repeat(100_000);
  expect(problemsOf(withPattern(slow)).length).toBeGreaterThan(0);
});

test('any text is a registry, or refused with places that lie in it', () => {
  const key = fc.constantFrom(
    'features',
    'gate',
    'files',
    'smoke',
    'cart',
    '__proto__',
    'x',
    '$schema',
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom('a', '!a', '5m', '', 7, null, true),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('value'), { maxLength: 3 }),
    map: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  }));
  const indented = value.map((it) => JSON.stringify(it, undefined, 1));
  const damaged = fc
    .tuple(
      indented,
      fc.nat(),
      fc.constantFrom('', ',', '"', '}', '\\', '\u0000', '//', '\uFEFF', '1'),
    )
    .map(
      ([text, at, slip]) =>
        text.slice(0, at % text.length) + slip + text.slice((at % text.length) + 1),
    );
  fc.assert(
    fc.property(fc.oneof(indented, damaged, fc.string()), (text) => {
      try {
        parseRegistryFile(text);
        return typeof JSON.parse(text.replace(/^\uFEFF/, '')) === 'object';
      } catch (error) {
        if (!(error instanceof RegistryFileError)) throw error;
        const lines = text.split(/\r\n|\n|\r/);
        const { line, column, message } = error.problem;
        return message !== '' && column >= 1 && column <= (lines[line - 1]?.length ?? -1) + 1;
      }
    }),
    { numRuns: 1000 },
  );
});

test('a misspelt key is one problem: the slip, not what it leaves missing', () => {
  expect(problemsOf('{"features":{"cart":{"file":["src/**"]}}}')).toEqual([
    '1:22: unknown key `file` in feature `cart` (did you mean `files`?)',
  ]);
});

test('reads the whole policy, normalised', () => {
  const gate = {
    kinds: { push: 'ask', 'image-push': 'off' },
    scope: 'all',
    waive: 'agent',
    maxAge: '7d',
    always: ['package-lock.json'],
    boundaries: [
      { name: 'ship', argv: ['make', 'ship', '**'], kind: 'deploy', leaves: 'head' },
      { remove: ' npm  publish ' },
    ],
  };
  expect(parseRegistryFile(JSON.stringify({ gate })).gate).toEqual({
    kinds: { push: 'ask', 'image-push': 'off' },
    scope: 'all',
    waive: 'agent',
    maxAgeMs: 604_800_000,
    always: ['package-lock.json'],
    added: [{ name: 'ship', argv: ['make', 'ship', '**'], kind: 'deploy', leaves: 'head' }],
    removed: ['npm publish'],
  });
});

test.each([
  [{ kind: { push: 'off' } }, '1:10: unknown key `kind` in `gate` (did you mean `kinds`?)'],
  [
    { kinds: { pull: 'off' } },
    '1:19: unknown key `pull` in `gate.kinds` (known keys: `push`, `pull-request`, `publish`, `image-push`, `deploy`, `release`)',
  ],
  [{ maxAge: '7 days' }, '1:19: `gate.maxAge` is no time (write `90m`, `24h`, `7d` or `4w`)'],
  [
    { always: ['!docs/**'] },
    '1:20: `gate.always[0]` excludes files (what always counts can only be added to)',
  ],
  [
    { boundaries: [{ name: 'x', argv: ['make', '**', 'x'], kind: 'push' }] },
    '1:43: `gate.boundaries[0].argv` is no pattern of words (begin with the program; `*` is one word, `**` may only stand last)',
  ],
  [
    { boundaries: [{ name: 'x', argv: ['make'] }] },
    '1:24: `gate.boundaries[0]` has no `kind` (add it: one of `push`, `pull-request`, `publish`, `image-push`, `deploy`, `release`)',
  ],
  [
    { boundaries: [{ remove: '*' }] },
    '1:34: `gate.boundaries[0].remove` is no pattern of words (begin with the program; `*` is one word, `**` may only stand last)',
  ],
  [{ boundaries: [{ remove: 5 }] }, '1:34: `gate.boundaries[0].remove` is a number, not a string'],
  [
    { removable: ['npm publish'] },
    '1:10: unknown key `removable` in `gate` (known keys: `kinds`, `uncovered`, `opaque`, `attest`, `scope`, `waive`, `maxAge`, `always`, `boundaries`)',
  ],
])('a policy that cannot be: %j', (gate, problem) => {
  expect(problemsOf(JSON.stringify({ gate }))).toEqual([problem]);
});
