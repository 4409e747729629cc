/** Real runs of a real test tool in a real repository. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { gitIn } from '../../../src/base/git/git-in.ts';
import { judge, needsRerun } from '../../../src/lanes/judge/judge.ts';
import { verifyLog } from '../../../src/lanes/judge/log.ts';
import { changedTestFiles, lostTests } from '../../../src/lanes/judge/removed-tests.ts';
import { asBaseline, validationProject } from './validation-project.ts';

const HEAD = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n";
const PASSES = "test('adds', () => {});\n";
const FAILS = "test('subtracts', () => assert.equal(1, 2));\n";
const FAILS_TOO = "test('rounds', () => assert.equal(1, 3));\n";
const COMMAND = 'node --test';

describe('C10: validation evidence you can argue with', () => {
  /** The base has one failing test, and was validated in a worktree of its own. */
  async function failingBase() {
    const project = validationProject();
    project.write('test/cart.test.mjs', `${HEAD}${PASSES}${FAILS}`);
    const baseSha = project.commit();
    const worktree = `${project.root}/elsewhere/base`;
    project.git(project.repo, 'worktree', 'add', '--quiet', '--detach', worktree);
    const git = gitIn(worktree, project.env);
    const run = await project.validate(COMMAND, { cwd: worktree, git });
    return { project, baseSha, baseline: asBaseline(run) };
  }

  test('a failure of the base does not count', async () => {
    const { project, baseline } = await failingBase();
    expect(baseline).toEqual({ result: 'fail', failures: ['test/cart.test.mjs > subtracts'] });
    project.write('cart.mjs', 'export const cart = [];\n');
    const run = await project.validate(COMMAND);
    expect(needsRerun(run, baseline)).toBe(false);
    expect(judge({ runs: [run], baseline, testsRemoved: [] })).toMatchObject({
      verdict: 'pass',
      oldFailures: ['test/cart.test.mjs > subtracts'],
      flags: ['base-was-failing'],
    });
  });

  test('a second failure is rejected, and only that one is named', async () => {
    const { project, baseSha, baseline } = await failingBase();
    // On other lines than on the base.
    project.write('test/cart.test.mjs', `${HEAD}${FAILS_TOO}\n\n${PASSES}${FAILS}`);
    const testsRemoved = lostTests(
      await changedTestFiles(project.repoGit, baseSha, project.commit()),
    );
    const first = await project.validate(COMMAND);
    expect(needsRerun(first, baseline)).toBe(true);
    const runs = [first, await project.validate(COMMAND)];
    expect(judge({ runs, baseline, testsRemoved })).toMatchObject({
      verdict: 'fail',
      rejection: 'validation',
      newFailures: ['test/cart.test.mjs > rounds'],
      oldFailures: ['test/cart.test.mjs > subtracts'],
      flags: [],
      why: '1 new failure: test/cart.test.mjs > rounds (1 failed on the base, too)',
    });
  });

  test.each([
    ['deletes', `${HEAD}${PASSES}`],
    ['skips', `${HEAD}${PASSES}${FAILS.replace('test(', 'test.skip(')}`],
    ['comments out', `${HEAD}${PASSES}// ${FAILS}`],
  ])('a lane that %s the failing test is flagged tests_removed', async (_, text) => {
    const { project, baseSha, baseline } = await failingBase();
    project.write('test/cart.test.mjs', text);
    const testsRemoved = lostTests(
      await changedTestFiles(project.repoGit, baseSha, project.commit()),
    );
    const run = await project.validate(COMMAND);
    expect(run.result).toBe('pass');
    expect(judge({ runs: [run], baseline, testsRemoved })).toMatchObject({
      verdict: 'fail',
      rejection: 'tests_removed',
      flags: ['tests_removed'],
      why: 'tests were removed: test/cart.test.mjs > subtracts',
    });
    const declared = judge({ runs: [run], baseline, testsRemoved, removal: 'declared' });
    expect(declared).toMatchObject({ verdict: 'pass', flags: ['tests_removed'] });
  });

  test('a lane that deletes the file of its tests is not verified', async () => {
    const project = validationProject();
    project.write('test/cart.test.mjs', `${HEAD}${PASSES}`);
    project.write('test/other.test.mjs', `${HEAD}${FAILS}`.replace('1, 2', '1, 1'));
    const baseSha = project.commit();
    project.git(project.repo, 'rm', '--quiet', 'test/cart.test.mjs');
    const testsRemoved = lostTests(
      await changedTestFiles(project.repoGit, baseSha, project.commit()),
    );
    const run = await project.validate('node --test || true');
    const baseline = { result: 'pass', failures: [] } as const;
    expect(judge({ runs: [run], baseline, testsRemoved })).toMatchObject({
      verdict: 'fail',
      rejection: 'tests_removed',
    });
  });

  test('a test with random results is flaky, with both logs', async () => {
    const project = validationProject();
    project.write('.gitignore', 'count\n');
    project.write(
      'test/coin.test.mjs',
      `${HEAD}import { appendFileSync, readFileSync } from 'node:fs';
test('flips', () => {
  appendFileSync('count', 'x');
  assert.equal(readFileSync('count', 'utf8').length % 2, 0);
});
`,
    );
    project.commit();
    const first = await project.validate(COMMAND);
    expect(first.result).toBe('fail');
    expect(needsRerun(first, undefined)).toBe(true);
    const second = await project.validate(COMMAND);
    const judged = judge({ runs: [first, second], baseline: undefined, testsRemoved: [] });
    expect(judged).toMatchObject({ verdict: 'flaky', newFailures: ['test/coin.test.mjs > flips'] });
    for (const { logPath, logSha256 } of [first, second]) {
      expect(judged.why).toContain(logPath);
      expect(readFileSync(logPath, 'utf8')).toContain('flips');
      expect(await verifyLog(logPath, logSha256)).toBe('intact');
    }
  });

  test('a validation that changes the tree is flagged', async () => {
    const project = validationProject();
    project.write('test/cart.test.mjs', `${HEAD}${PASSES}`);
    project.commit();
    const run = await project.validate('node --test && echo x > snapshot.txt');
    expect(run.dirtied).toEqual(['snapshot.txt']);
    const judged = judge({ runs: [run], baseline: undefined, testsRemoved: [] });
    expect(judged).toMatchObject({ verdict: 'pass', flags: ['dirtied'] });
  });

  test('a validation that is killed, or takes too long, is no verdict on the lane', async () => {
    const { project, baseline } = await failingBase();
    const command = 'node --test; kill -KILL $$';
    const killed = await project.validate(command);
    expect(judge({ runs: [killed], baseline, testsRemoved: [] })).toMatchObject({
      verdict: 'error',
      rejection: null,
      why: 'was killed by SIGKILL',
    });
    const late = await project.validate('node --test; sleep 60', { timeoutMs: 3_000 });
    expect(judge({ runs: [late], baseline, testsRemoved: [] })).toMatchObject({
      verdict: 'timeout',
      rejection: null,
    });
  });
});
