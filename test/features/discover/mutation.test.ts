/** Proposed features hold what breaks the tests of a project. `npm run test:discovery` tries all kinds. */
import { expect, test } from 'vitest';
import { KINDS, missingPrograms, scoreOf } from './mutation.ts';

const QUICK = ['Python, tests inside', 'dynamic imports, barrels', 'C, include and make'];

for (const kind of KINDS.filter(({ name }) => QUICK.includes(name))) {
  const missing = missingPrograms(kind);
  test.skipIf(missing.length > 0)(
    `${kind.name}${missing.length > 0 ? ` (skipped: no ${missing.join(', ')} here)` : ''}`,
    async () => {
      const { missed, broken, mutants } = await scoreOf(kind, 6);
      expect({ missed, broken }).toEqual({ missed: [], broken: [] });
      expect(mutants).toBeGreaterThan(0);
    },
    120_000,
  );
}
