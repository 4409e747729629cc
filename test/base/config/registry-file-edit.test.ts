import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Feature } from '../../../src/base/config/feature.ts';
import {
  parseRegistryFile,
  RegistryFileError,
  removeFeature,
  setFeature,
} from '../../../src/base/config/files.ts';
import { anyText } from '../../support/any-text.ts';

const cart: Feature = {
  name: 'cart',
  files: ['src/cart/**'],
  smoke: [{ command: 'npm test -- cart', timeoutMs: 600_000, cwd: '' }],
  dependsOn: [],
  description: '',
};

test('a new file is pretty and names its schema', () => {
  const checkout: Feature = {
    name: 'checkout',
    files: ['src/checkout/**', '!**/*.md'],
    smoke: [
      { command: 'npm test', timeoutMs: 600_000, cwd: '' },
      { command: 'make check', timeoutMs: 90_000, cwd: 'packages/a' },
      { command: 'make slow', timeoutMs: 1500, cwd: '' },
    ],
    dependsOn: ['cart'],
    description: 'Paying',
  };
  const text = setFeature(undefined, checkout);
  expect(text).toMatchInlineSnapshot(`
    "{
      "$schema": "https://unpkg.com/lanehold/schema/lanehold.schema.json",
      "features": {
        "checkout": {
          "description": "Paying",
          "files": ["src/checkout/**", "!**/*.md"],
          "smoke": [
            "npm test",
            {
              "command": "make check",
              "timeout": "90s",
              "cwd": "packages/a"
            },
            {
              "command": "make slow",
              "timeout": 1.5
            }
          ],
          "dependsOn": ["cart"]
        }
      }
    }
    "
  `);
  expect(parseRegistryFile(text).features).toEqual([checkout]);
  expect(setFeature('', checkout)).toBe(text);
});

const HAND_MADE = `{
    "features" : {
        "pay": { "files": ["src/pay/**"],   "smoke": ["make"] },
        "cart": {
            "files": [ "old/**" ], "smoke": [{"command": "npm test -- cart", "timeout": "600s"}],
            "description": "All that is put aside"
        }
    },

    "gate": {"uncovered":"ask"}
}
`;

test('replaces only what differs and keeps the formatting of the rest', () => {
  const text = setFeature(HAND_MADE, { ...cart, description: 'All that is put aside' });
  expect(text).toBe(HAND_MADE.replace('[ "old/**" ]', '["src/cart/**"]'));
  const paying = { ...cart, name: 'pay', files: ['src/pay/**'], description: 'Paying' };
  expect(setFeature(HAND_MADE, { ...paying, smoke: [] })).toBe(
    HAND_MADE.replace('"smoke": ["make"]', '"description": "Paying"'),
  );
});

test('takes a key away when it is back at its default', () => {
  const text = setFeature(HAND_MADE, { ...cart, files: ['old/**'], smoke: [] });
  expect(text).toBe(
    HAND_MADE.replace(/, "smoke": \[\{.*/, '').replace(/,?\n *"description": .*/, ''),
  );
});

test('adds a feature in the indentation and line ends of the file', () => {
  const windows = '\uFEFF{\r\n\t"gate": {}\r\n}\r\n';
  expect(setFeature(windows, { ...cart, smoke: [] })).toBe(
    '\uFEFF{\r\n\t"gate": {},\r\n\t"features": {\r\n\t\t"cart": {\r\n\t\t\t"files": ["src/cart/**"]\r\n\t\t}\r\n\t}\r\n}\r\n',
  );
  expect(setFeature('{"features": {"a": {"files": ["x"]}}}', { ...cart, smoke: [] })).toBe(
    '{"features": {"a": {"files": ["x"]}, "cart": { "files": ["src/cart/**"] }}}',
  );
});

test('setting what is there already changes nothing', () => {
  const once = setFeature(HAND_MADE, cart);
  expect(setFeature(once, cart)).toBe(once);
});

test('removes a feature and only that', () => {
  const without = (name: string) => removeFeature(HAND_MADE, name);
  const pay = '"pay": { "files": ["src/pay/**"],   "smoke": ["make"] }';
  expect(without('pay')).toBe(HAND_MADE.replace(/"pay": .*\n\s*/, ''));
  expect(without('cart')).toBe(HAND_MADE.replace(/,\n\s*"cart": [\s\S]*?\n {8}\}/, ''));
  expect(without('cart')).toContain(pay);
  expect(removeFeature(without('pay'), 'cart')).toBe(
    '{\n    "features" : {},\n\n    "gate": {"uncovered":"ask"}\n}\n',
  );
  expect(without('nobody')).toBe(HAND_MADE);
});

test('neither edits a file that is broken nor writes a feature that would break it', () => {
  expect(() => setFeature('{"features": []}', cart)).toThrow(RegistryFileError);
  expect(() => removeFeature('{', 'cart')).toThrow(RegistryFileError);
  expect(() => setFeature(undefined, { ...cart, files: ['!a'] })).toThrow(RegistryFileError);
  expect(() => setFeature(undefined, { ...cart, name: 'Not a name' })).toThrow(RegistryFileError);
});

test('the rest is set in the place of globs, and globs in the place of it', () => {
  const rest = { ...cart, files: [], rest: true } as const;
  const text = setFeature(undefined, rest);
  expect(text).toContain('"rest": true');
  expect(text).not.toContain('"files"');
  expect(parseRegistryFile(text).features).toEqual([rest]);
  expect(parseRegistryFile(setFeature(text, cart)).features).toEqual([cart]);
  expect(parseRegistryFile(setFeature(setFeature(undefined, cart), rest)).features).toEqual([rest]);
  expect(() => setFeature(text, { ...rest, name: 'second' })).toThrow('is the second one');
});

describe('whatever the feature', () => {
  const character = fc.constantFrom('a', 'z', '0', '9', '.', '_', '/', '-');
  const name = fc.oneof(
    fc.constantFrom('constructor', 'tostring', '0', 'features', 'a/../b', 'valueof'),
    fc
      .tuple(fc.constantFrom('a', '7'), fc.string({ unit: character }))
      .map((parts) => parts.join('')),
  );
  const said = fc.oneof(
    anyText(),
    fc.constantFrom(
      '"',
      '\\',
      '\\"',
      '},{',
      '*/',
      '// x',
      '$(rm -rf x)',
      "'\n\r\t",
      '\u2028',
      '🔑',
      '\uFEFF',
    ),
  );
  const words = fc
    .array(said, { minLength: 1 })
    .map((parts) => parts.join('').replaceAll('\0', ''));
  const command = words.filter((it) => it.trim() !== '');
  const folder = fc.array(fc.constantFrom('packages', 'a b', '[id]', '...', '-x'));
  const smoke = fc.record({
    command,
    timeoutMs: fc.oneof(fc.integer({ min: 1, max: 86_400_000 }), fc.constantFrom(600_000, 1000)),
    cwd: folder.map((steps) => steps.join('/')),
  });
  const feature = fc.record({
    name,
    files: fc.tuple(
      fc.constantFrom('**', 'src/[id]/*', 'a\\*b/"c"'),
      fc.constantFrom('!x', 'ü/**'),
    ),
    smoke: fc.array(smoke, { maxLength: 3 }),
    dependsOn: fc.array(name, { maxLength: 3 }),
    description: said,
  });
  const find = (text: string, wanted: string) =>
    parseRegistryFile(text).features.find((it) => it.name === wanted);

  test('what is set is read back, and nothing else changes', () => {
    fc.assert(
      fc.property(feature, feature, feature, (one, other, changed) => {
        fc.pre(one.name !== other.name);
        const both = setFeature(setFeature(HAND_MADE, one), other);
        expect(find(both, one.name)).toEqual(one);
        expect(find(both, other.name)).toEqual(other);
        const edited = setFeature(both, { ...changed, name: one.name });
        expect(find(edited, one.name)).toEqual({ ...changed, name: one.name });
        expect(find(edited, other.name)).toEqual(other);
        const removed = removeFeature(edited, one.name);
        expect(find(removed, one.name)).toBeUndefined();
        expect(find(removed, other.name)).toEqual(other);
        expect(removeFeature(setFeature(HAND_MADE, one), one.name)).toBe(HAND_MADE);
        return true;
      }),
    );
  });
});
