/** Secrets of every shape that a public rule set knows; `npm run bench:redact` makes more of them. */
import { expect, test } from 'vitest';
import { redact } from '../../../src/base/text/redact/redact.ts';
import { leakOf, madeSecrets, SECRET_SHAPES, SURROUNDINGS } from '../../support/secret-shapes.ts';

test.each(Object.keys(SECRET_SHAPES))(
  'nothing of a made-up %s is left, wherever it stands',
  (shape) => {
    const made = madeSecrets(shape, 3 * SURROUNDINGS.length, 7);
    const leaks = made.flatMap((secret, at) => {
      const text = SURROUNDINGS[at % SURROUNDINGS.length]?.(secret.text) ?? '';
      expect(leakOf(secret, text.replaceAll('\\\\n', '\n').replaceAll('\\n', '\n'))).toBeDefined();
      const leak = leakOf(secret, redact(text));
      return leak === undefined ? [] : [`${leak} of ${text}`];
    });
    expect(leaks).toEqual([]);
  },
);
