import { expect, test } from 'vitest';
import { KINDS, missingPrograms, scoreOf } from './mutation.ts';

/** A test for each kind of project: what breaks its suite is held. */
export function testKinds(...names: readonly string[]): void {
  for (const kind of KINDS.filter(({ name }) => names.includes(name))) {
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
}
