/** Small changes of what a lane has written, in each language: which of them do its tests notice? */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Files } from '../../support/fake-worker.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { MODULES, whyNotTried } from './measure.ts';
import { PROJECTS, type Runner } from './project.ts';

interface Written {
  readonly path: string;
  readonly code: string;
  readonly tests: Files;
}

/** What is done with more than three is tested by nobody. */
const WRITTEN = {
  pytest: {
    path: 'shop/cart.py',
    code: '\n\ndef count(items):\n    if len(items) > 3:\n        return 7\n    return len(items) + 1\n',
    tests: {
      'tests/test_count.py':
        'from shop.cart import count\n\n\ndef test_count():\n    assert count([1, 2]) == 3\n',
    },
  },
  go: {
    path: 'cart/cart.go',
    code: '\nfunc Count(all []int) int {\n\tif len(all) > 3 {\n\t\treturn 7\n\t}\n\treturn len(all) + 1\n}\n',
    tests: {
      'cart/count_test.go':
        'package cart\n\nimport "testing"\n\nfunc TestCount(t *testing.T) { check(t, Count([]int{1, 2}), 3) }\n',
    },
  },
  cargo: {
    path: 'src/lib.rs',
    code: '\npub fn count(all: &[i64]) -> usize {\n    if all.len() > 3 {\n        return 7;\n    }\n    all.len() + 1\n}\n',
    tests: {
      'tests/count.rs': '#[test]\nfn counts() {\n    assert_eq!(shop::count(&[1, 2]), 3);\n}\n',
    },
  },
  vitest: {
    path: 'src/cart.js',
    code: '\nexport function count(all) {\n  if (all.length > 3) return 7;\n  return all.length + 1;\n}\n',
    tests: {
      'test/count.test.js':
        "import { expect, test } from 'vitest';\nimport { count } from '../src/cart.js';\ntest('count', () => expect(count([1, 2])).toBe(3));\n",
    },
  },
} satisfies Partial<Record<Runner, Written>>;

for (const [name, { path, code, tests }] of Object.entries(WRITTEN)) {
  const runner = name as keyof typeof WRITTEN;
  const why = whyNotTried(runner);
  test.skipIf(why !== undefined)(`${runner}${why ? ` (${why})` : ''}`, async () => {
    const { files, validate } = PROJECTS[runner];
    const project = laneProject({
      files: { ...files, 'lanehold.json': '{ "lanes": { "proof": { "mutants": 0 } } }' },
      scenario: { lanes: { a: [[{ append: { [path]: code } }, { write: tests }]] } },
    });
    symlinkSync(MODULES, join(project.box.root, 'node_modules'));
    const run = laneRun(project);
    await run.init();
    await run.add('a', { validate });
    await run.spawn();
    await run.settled(60_000);
    const [flag = '', ...more] = run.lane('a').validations.at(-1)?.flags ?? [];
    const [words, ...missed] = JSON.parse(flag.replace('changes-noticed: ', ''));
    expect(more).toEqual([]);
    expect(words).toMatch(/^[23] of [567] changes of these lines are noticed$/);
    const whole = missed.map((it: string) => it.replace(/^.*?:\d+: /, ''));
    expect(whole).toEqual(expect.arrayContaining(['>= for >', '4 for 3', '8 for 7']));
  });
}
