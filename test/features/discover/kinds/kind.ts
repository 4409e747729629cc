import { resolve } from 'node:path';

/** A small project of one kind, true to how such projects are laid out, with a suite that runs here. */
export interface Kind {
  readonly name: string;
  /** Text of every tracked file, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Links that git ignores, such as those of packages in `node_modules`: path and target. */
  readonly links?: Readonly<Record<string, string>>;
  /** The command with which people run all tests of the project. */
  readonly suite: string;
  /** Files that are not there yet, each of which makes the suite fail. */
  readonly added?: Readonly<Record<string, string>>;
  /** Programs that the suite needs. */
  readonly needs: readonly string[];
  /** Programs that few machines have, as shell scripts that do the same for this project. */
  readonly standIns?: Readonly<Record<string, string>>;
}

export const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** `count` entries of a record that are made alike. */
export const each = (
  count: number,
  entries: (at: number) => Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.assign({}, ...Array.from({ length: count }, (_, at) => entries(at)));

const letter = (at: number): string => String.fromCharCode(97 + at);

/** A test file of Node's own runner: `check` is what has to be true. */
export const nodeTest = (imports: string, ...checks: readonly string[]): string =>
  [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    imports,
    '',
    ...checks.map(
      (check, at) => `test('promise ${letter(at)}', async () => assert.equal(${check}));`,
    ),
    '',
  ].join('\n');

/** The same for Vitest. */
export const viteTest = (imports: string, ...checks: readonly string[]): string =>
  [
    "import { expect, test } from 'vitest';",
    imports,
    '',
    ...checks.map((check, at) => {
      const [actual, wanted] = check.split(' === ');
      return `test('promise ${letter(at)}', async () => expect(${actual}).toEqual(${wanted}));`;
    }),
    '',
  ].join('\n');

const OWN_MODULES = resolve(import.meta.dirname, '../../../../node_modules');

/** Vitest as a project would have it installed. */
export const VITEST: Readonly<Record<string, string>> = {
  'node_modules/vitest': `${OWN_MODULES}/vitest`,
  'node_modules/.bin/vitest': `${OWN_MODULES}/.bin/vitest`,
};
