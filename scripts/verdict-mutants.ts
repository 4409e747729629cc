#!/usr/bin/env node
/**
 * `npm run test:mutants [-- <part of a rule's name>]`: takes the rules of the verdict on a lane out of the
 * code, one at a time, and runs the tests that should notice. Ends with 1 if one is not missed.
 *
 * Works on a clone of the commit that is checked out.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

interface Mutant {
  readonly rule: string;
  readonly file: string;
  /** Stands in the file once. */
  readonly from: string;
  readonly to: string;
  readonly tests: string;
}

const mutants = (
  file: string,
  tests: string,
  ...changes: readonly (readonly [rule: string, from: string, to: string])[]
): Mutant[] =>
  changes.map(([rule, from, to]) => ({
    ...{ rule, from, to, tests: `test/lanes/${tests}` },
    file: `src/lanes/${file}`,
  }));

const RULES: readonly Mutant[] = [
  ...mutants(
    'validation/judge.ts',
    'validation/judge',
    [
      'different results of one commit are flaky',
      'if (it.runs.some(({ result }) => result !== first.result)) return flaky(it, facts);',
      '',
    ],
    ['what proves nothing is no verdict', 'if (unproved !== undefined) {', 'if (false) {'],
    ['a runner without tests proves nothing', 'return tests.executed === 0\n', 'return false\n'],
    [
      'no test passed, and only old ones failed',
      'if (first.failures.length > 0)\n',
      'if (false)\n',
    ],
    [
      'a runner that ended before its first test',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
      'return `${who} ended before the first test`;',
      'return undefined;',
    ],
    [
      'removed tests reject what passes',
      'return removed.length > 0 ? rejectedRemoval(facts, removed) : passed(it, facts);',
      'return passed(it, facts);',
    ],
    [
      'removed tests reject what fails as the base does',
      'if (removed.length > 0) return rejectedRemoval(facts, removed);',
      '',
    ],
    ['a removal may be declared', "if (removal === 'declared') return [];", ''],
    [
      'a failure counts that the base does not have',
      'newFailures: failed.filter((name) => !excusable.has(name)),',
      'newFailures: [],',
    ],
    [
      'a failure does not count that the base has',
      'new Set(isFailing(it.baseline) ? it.baseline.failures : [])',
      'new Set<string>()',
    ],
    [
      'a failure without names counts',
      'if (runs.some(({ failures }) => failures.length === 0)) {',
      'if (false) {',
    ],
    [
      'a base that fails without names excuses nothing',
      'if (isFailing(baseline) && baseline.failures.length === 0) {',
      'if (false) {',
    ],
    [
      'what is flaky here only is flaky',
      'newFailures.every((name) => flakyOnBase.includes(name))',
      'true',
    ],
    [
      'no second run where the base explains the first',
      "if (run.result !== 'fail' || history.length > 0) return false;",
      "return run.result === 'fail' && history.length === 0;",
    ],
  ),
  ...mutants(
    'validation/run-validation.ts',
    'validation/run-validation',
    ['a missing program is no failure', 'if (missing !== undefined) {', 'if (false) {'],
    ['a log that is cut is no result', 'if (tooLong) return', 'if (false) return'],
  ),
  ...mutants('validation/reports/in-log.ts', 'validation/in-log', [
    'TAP that ends before its plan is no report',
    'if (planned === 0 || planned !== reported) return undefined;',
    '',
  ]),
  ...mutants(
    'validation/validate-commit.ts',
    'acceptance/evidence acceptance/proof',
    [
      'a failure runs again',
      'if (!needsRerun(first, [], baseline)) return found;',
      'return found;',
    ],
    [
      'a lane that changes its proof is validated by the old one',
      'if (proof.ran.length === 0) return flagged;',
      'return flagged;',
    ],
    ['what was killed runs again', 'if (runs.at(-1)?.broken !== true) break;', 'break;'],
    [
      'a kill is no result',
      "if (second.result !== 'pass' && second.result !== 'fail') return both;",
      '',
    ],
    [
      'a lane that changes its proof is flagged',
      'if (proof.changed.length === 0) return found;',
      'return found;',
    ],
  ),
  ...mutants(
    'supervisor/commit-work.ts',
    'acceptance/touches acceptance/refused',
    [
      'files outside of the scope reject',
      "if (outside.length === 0) return it.move('validating', { endSha });",
      "return it.move('validating', { endSha });",
    ],
    ['markers of a merge reject', 'if (marked.length > 0) {', 'if (false) {'],
  ),
  ...mutants('supervisor/settle.ts', 'acceptance/again acceptance/trouble', [
    'nothing changed is nothing verified',
    "case 'empty':\n    case 'ok':\n      return changed\n",
    "case 'empty':\n    case 'ok':\n      return true\n",
  ]),
  ...mutants('model/flags.ts', 'acceptance/evidence acceptance/proof merge-queue', [
    'flags stop an integration',
    'const stops = STOPPING.has(kind) && acceptedBy === null;',
    'const stops = false;',
  ]),
];

const root = resolve(import.meta.dirname, '..');
const clone = mkdtempSync(join(tmpdir(), 'lanehold-mutants-'));

function testsFail(tests: string): boolean {
  const args = ['scripts/test.mjs', '--bail=1', ...tests.split(' ')];
  return spawnSync(process.execPath, args, { cwd: clone, stdio: 'ignore' }).status !== 0;
}

try {
  execFileSync('git', ['clone', '--quiet', root, clone]);
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  const wanted = RULES.filter(({ rule }) => rule.includes(process.argv[2] ?? ''));
  for (const tests of new Set(wanted.map((it) => it.tests))) {
    if (testsFail(tests)) throw new Error(`${tests} fails without any change`);
  }
  let missed = 0;
  for (const { rule, file, from, to, tests } of wanted) {
    const path = join(clone, file);
    const text = readFileSync(path, 'utf8');
    if (text.split(from).length !== 2) throw new Error(`${file} has not once: ${from}`);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
    const noticed = testsFail(tests);
    writeFileSync(path, text);
    if (!noticed) missed += 1;
    process.stdout.write(`${noticed ? 'noticed' : 'MISSED '}  ${rule}\n`);
  }
  process.stdout.write(
    `${wanted.length - missed} of ${wanted.length} rules cannot be taken out unnoticed\n`,
  );
  process.exitCode = missed === 0 ? 0 : 1;
} finally {
  rmSync(clone, { recursive: true, force: true });
}
