#!/usr/bin/env node
/**
 * `npm run test:mutants [-- <part of a rule's name>]`: takes the rules of the verdict on a lane, and what kept ids
 * of files depend on, out of the code, one at a time, and runs the tests that should notice. Ends with 1 if one is
 * not missed.
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
    'judge/judge.ts',
    'judge/judge',
    [
      'different results of one commit are flaky',
      'if (it.runs.some(({ result }) => result !== first.result)) return flaky(it, verdictOf);',
      '',
    ],
    ['what proves nothing is no verdict', 'if (unproved !== undefined)', 'if (false)'],
    [
      'a runner without tests proves nothing',
      "if (result === 'pass' && tests.ran === 0) {",
      'if (false) {',
    ],
    [
      'no test passed, and only old ones failed',
      'if (failures.length > 0) {\n    return `no test',
      'if (false) {\n    return `no test',
    ],
    [
      'a runner that ended before its first test',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
      'return `${who} ended before the first test`;',
      'return undefined;',
    ],
    [
      'removed tests reject what passes',
      'if (removed.length > 0) return {',
      "if (removed.length > 0 && first.result === 'fail') return {",
    ],
    [
      'removed tests reject what fails as the base does',
      'if (removed.length > 0) return {',
      "if (removed.length > 0 && first.result === 'pass') return {",
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
      'else if (isFailing(baseline) && baseline.failures.length === 0) {',
      'else if (false) {',
    ],
    [
      'what is flaky here only is flaky',
      'newFailures.every((name) => flakyOnBase.includes(name))',
      'true',
    ],
    [
      'no second run where the base explains the first',
      "run.result === 'fail' && judge(",
      "run.result === 'fail' || judge(",
    ],
  ),
  ...mutants(
    'judge/run-validation.ts',
    'judge/run-validation',
    ['a missing program is no failure', 'if (log.missing !== undefined)', 'if (false)'],
    ['a log that is cut is no result', 'if (log.tooLong) return', 'if (false) return'],
  ),
  ...mutants('judge/reports/in-log.ts', 'judge/in-log', [
    'TAP that ends before its plan is no report',
    'if (planned === 0 || planned !== reported) return undefined;',
    '',
  ]),
  ...mutants(
    'judge/validate-commit.ts',
    'acceptance/evidence acceptance/proof',
    ['a failure runs again', 'if (needsRerun(first, baseline)) {', 'if (false) {'],
    [
      'a kill is no result',
      "if (second.result === 'pass' || second.result === 'fail') conclusive.push(second);",
      'conclusive.push(second);',
    ],
    [
      'tests that are hidden are removed',
      'old && own ? lostTests(reportedTestFiles(old, own, files)) : []',
      '[]',
    ],
  ),
  ...mutants('judge/base-run.ts', 'acceptance/evidence acceptance/proof', [
    'what was killed runs again',
    'if (runs.at(-1)?.broken !== true) break;',
    'break;',
  ]),
  ...mutants(
    'judge/base-proof.ts',
    'acceptance/evidence acceptance/proof',
    [
      'a lane that changes its proof is validated by the old one',
      'if (paths.length === 0) return {',
      'if (true) return {',
    ],
    [
      'a lane that changes its proof is flagged',
      "changed.length === 0 ? [] : [flagText('proof-changed', changed)]",
      '[]',
    ],
  ),
  ...mutants(
    'run/settle.ts',
    'acceptance/touches acceptance/refused',
    [
      'files outside of the scope reject',
      "if (outside.length === 0) return it.move('validating', { endSha });",
      "return it.move('validating', { endSha });",
    ],
    ['markers of a merge reject', 'if (marked.length > 0) {', 'if (false) {'],
  ),
  ...mutants('run/settle.ts', 'acceptance/again acceptance/trouble', [
    'nothing changed is nothing verified',
    "case 'empty':\n    case 'ok':\n      return changed\n",
    "case 'empty':\n    case 'ok':\n      return true\n",
  ]),
  ...mutants('spec/flags.ts', 'acceptance/evidence acceptance/proof queue', [
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
