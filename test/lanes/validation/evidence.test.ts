/** Real runs of a real test tool in a real repository. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { gitIn } from '../../../src/git/git.ts';
import { judge, needsRerun } from '../../../src/lanes/validation/judge.ts';
import { verifyLog } from '../../../src/lanes/validation/log.ts';
import { removedTests } from '../../../src/lanes/validation/removed-tests.ts';
import { asBaseline, validationScene } from './scene.ts';

const HEAD = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n";
const PASSES = "test('adds', () => {});\n";
const FAILS = "test('subtracts', () => assert.equal(1, 2));\n";
const FAILS_TOO = "test('rounds', () => assert.equal(1, 3));\n";
const COMMAND = 'node --test';

describe('C10: validation evidence you can argue with', () => {
  /** The base has one failing test, and its validation has run, in a worktree of its own. */
  async function failingBase() {
    const scene = validationScene();
    scene.write('test/cart.test.mjs', `${HEAD}${PASSES}${FAILS}`);
    const baseSha = scene.commit();
    const worktree = `${scene.root}/elsewhere/base`;
    scene.git(scene.repo, 'worktree', 'add', '--quiet', '--detach', worktree);
    const git = gitIn(worktree, scene.env);
    const run = await scene.validate(COMMAND, { cwd: worktree, git });
    return { scene, baseSha, baseline: asBaseline(run) };
  }

  test('the failure of the base does not count', async () => {
    const { scene, baseline } = await failingBase();
    expect(baseline).toEqual({ result: 'fail', failures: ['test/cart.test.mjs > subtracts'] });
    scene.write('cart.mjs', 'export const cart = [];\n');
    const run = await scene.validate(COMMAND);
    expect(needsRerun(run, [], baseline)).toBe(false);
    expect(judge({ runs: [run], baseline, testsRemoved: [] })).toMatchObject({
      verdict: 'pass',
      oldFailures: ['test/cart.test.mjs > subtracts'],
      flags: ['base-was-failing'],
    });
  });

  test('a second failure is rejected, and is the only one that is named', async () => {
    const { scene, baseSha, baseline } = await failingBase();
    // On other lines than before.
    scene.write('test/cart.test.mjs', `${HEAD}${FAILS_TOO}\n\n${PASSES}${FAILS}`);
    const testsRemoved = await removedTests(scene.repoGit, baseSha, scene.commit());
    const first = await scene.validate(COMMAND);
    expect(needsRerun(first, [], baseline)).toBe(true);
    const runs = [first, await scene.validate(COMMAND)];
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
    const { scene, baseSha, baseline } = await failingBase();
    scene.write('test/cart.test.mjs', text);
    const testsRemoved = await removedTests(scene.repoGit, baseSha, scene.commit());
    const run = await scene.validate(COMMAND);
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
    const scene = validationScene();
    scene.write('test/cart.test.mjs', `${HEAD}${PASSES}`);
    scene.write('cart.mjs', '');
    const baseSha = scene.commit();
    scene.git(scene.repo, 'rm', '--quiet', 'test/cart.test.mjs');
    const testsRemoved = await removedTests(scene.repoGit, baseSha, scene.commit());
    const run = await scene.validate('node --test || true');
    const baseline = { result: 'pass', failures: [] } as const;
    expect(judge({ runs: [run], baseline, testsRemoved })).toMatchObject({
      verdict: 'fail',
      rejection: 'tests_removed',
    });
  });

  test('a coin flip is flaky, with both logs', async () => {
    const scene = validationScene();
    scene.write('.gitignore', 'count\n');
    scene.write(
      'test/coin.test.mjs',
      `${HEAD}import { appendFileSync, readFileSync } from 'node:fs';
test('flips', () => {
  appendFileSync('count', 'x');
  assert.equal(readFileSync('count', 'utf8').length % 2, 0);
});
`,
    );
    scene.commit();
    const first = await scene.validate(COMMAND);
    expect(first.result).toBe('fail');
    expect(needsRerun(first, [])).toBe(true);
    const second = await scene.validate(COMMAND);
    expect(needsRerun(second, [first])).toBe(false);
    const judged = judge({ runs: [first, second], baseline: undefined, testsRemoved: [] });
    expect(judged).toMatchObject({ verdict: 'flaky', newFailures: ['test/coin.test.mjs > flips'] });
    for (const { logPath, logSha256 } of [first, second]) {
      expect(judged.why).toContain(logPath);
      expect(readFileSync(logPath, 'utf8')).toContain('flips');
      expect(await verifyLog(logPath, logSha256)).toBe('intact');
    }
  });

  test('a validation that leaves the tree dirty is flagged', async () => {
    const scene = validationScene();
    scene.write('test/cart.test.mjs', `${HEAD}${PASSES}`);
    scene.commit();
    const run = await scene.validate('node --test && echo x > snapshot.txt');
    expect(run.dirtied).toEqual(['snapshot.txt']);
    const judged = judge({ runs: [run], baseline: undefined, testsRemoved: [] });
    expect(judged).toMatchObject({ verdict: 'pass', flags: ['dirtied'] });
  });

  test('a validation that is killed, or takes too long, is no verdict on the lane', async () => {
    const { scene, baseline } = await failingBase();
    const command = 'node --test; kill -KILL $$';
    const killed = await scene.validate(command);
    expect(judge({ runs: [killed], baseline, testsRemoved: [] })).toMatchObject({
      verdict: 'error',
      rejection: null,
      why: 'was killed by SIGKILL',
    });
    const late = await scene.validate('node --test; sleep 60', { timeoutMs: 3_000 });
    expect(judge({ runs: [late], baseline, testsRemoved: [] })).toMatchObject({
      verdict: 'timeout',
      rejection: null,
    });
  });
});
