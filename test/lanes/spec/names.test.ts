import { expect, test } from 'vitest';
import { assertName } from '../../../src/lanes/spec/names.ts';

test("no lane can have the name of the run's integration ref", () => {
  expect(() => assertName('lane', 'integration')).toThrow('no lane can be named integration');
  expect(() => assertName('lane', 'integration-tests')).not.toThrow();
  expect(() => assertName('run', 'integration')).not.toThrow();
});

test.each(['', '../x', 'a..b', 'A', 'a b', 'x.lock', 'x.', '-x', 'a/b', 'a\nb', '💥'])(
  'refuses %j',
  (name) => {
    for (const what of ['lane', 'run'] as const) {
      expect(() => assertName(what, name)).toThrow(`cannot name a ${what}`);
    }
  },
);
