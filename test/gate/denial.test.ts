/** What an agent reads when it is held. */
import { describe, expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { type Features, shop } from '../support/shop.ts';

describe('why each feature is held', () => {
  test('never verified', async () => {
    const { judge, change } = shop(sandbox());
    change('src/cart/add.ts');
    expect((await judge('git push')).reason).toBe(
      [
        'lanehold holds `git push`: 1 feature is not verified for exactly what leaves',
        '- cart: never verified',
        'Verify: lanehold feature verify cart && git push',
        "If that is impossible, a person may agree to: lanehold feature waive cart --reason 'REASON'",
      ].join('\n'),
    );
  });

  test('changed since: which files', async () => {
    const { judge, write, change, verify } = shop(sandbox());
    for (const name of ['a', 'b', 'c', 'd']) write(`src/cart/${name}.ts`, 'one\n');
    change('src/cart/add.ts');
    await verify('cart');
    change('src/cart/b.ts', 'two\n');
    const one = await judge('git push');
    expect(one.reason).toContain(
      '- cart: changed since it was verified a moment ago: src/cart/b.ts\n',
    );
    for (const name of ['a', 'c', 'd', 'new']) write(`src/cart/${name}.ts`, 'two\n');
    change('src/cart/b.ts', 'three\n');
    expect((await judge('git push')).reason).toContain(
      'a moment ago: src/cart/a.ts, src/cart/b.ts, src/cart/c.ts and 2 more\n',
    );
  });

  test.each([
    ['exit 7', '`exit 7` failed with exit code 7'],
    ['kill -9 $$', '`kill -9 $$` was killed (SIGKILL)'],
    [{ command: 'sleep 60', timeout: '1s' }, '`sleep 60` ran out of time'],
    [{ command: 'true', cwd: 'gone' }, '`true` could not be started (there is no folder'],
    ['exit 126', '`exit 126` failed with exit code 126'],
    // That says nothing of the content, so it is no record of it.
    [
      'no-such-program --x',
      'never verified; could not run: `no-such-program --x`: no-such-program is not installed',
    ],
    [
      'echo "no tests ran in 0.01s"',
      'never verified; could not run: `echo "no tests ran in 0.01s"` ran no test',
    ],
  ])('the last run failed: %j', async (test_, words) => {
    const features: Features = { cart: { files: ['src/cart/**'], smoke: [test_] } };
    const { judge, change, lanehold } = shop(sandbox(), { features });
    change('src/cart/add.ts');
    expect((await lanehold('feature', 'verify', 'cart')).exitCode).toBe(1);
    expect((await judge('git push')).reason).toContain(`- cart: ${words}`);
  });

  test('the working tree is verified, but something else leaves: which files, and what to do', async () => {
    const { judge, write, verify, change, git } = shop(sandbox());
    const oid = change('src/cart/add.ts');
    write('src/cart/add.ts', 'better, and not committed\n');
    await verify('cart');
    const { held, reason } = await judge('git push');
    expect(held).toEqual(['cart']);
    expect(reason).toContain(
      '- cart: the working tree is verified, but what leaves differs in src/cart/add.ts\n',
    );
    expect(reason).toContain(
      '\nCommit src/cart/add.ts, then run the command again: with it the content is verified.\n',
    );
    expect(reason).toContain(`lanehold feature waive cart --at ${oid.slice(0, 12)} --reason`);
    // It says what works.
    git('stash', '--quiet');
    await verify('cart');
    expect((await judge('git push')).decision).toBe('pass');
    git('stash', 'pop', '--quiet');
    git('commit', '--quiet', '--all', '--message', 'better');
    expect((await judge('git push')).decision).toBe('pass');
  });

  test('an untracked file of the feature lies there: it is named', async () => {
    const { judge, write, change } = shop(sandbox());
    change('src/cart/add.ts');
    write('src/cart/new.ts', 'not added\n');
    const { reason } = await judge('git push');
    expect(reason).toContain(
      'Verify without what is not committed (src/cart/new.ts): lanehold feature verify cart --at ',
    );
  });

  test('the commit has failed, and what may mend it lies there: it is to be committed first', async () => {
    const smoke = ['! grep bad src/cart/add.ts'];
    const { judge, write, change, lanehold } = shop(sandbox(), {
      features: { cart: { files: ['src/cart/**'], smoke } },
    });
    change('src/cart/add.ts', 'bad\n');
    expect((await lanehold('feature', 'verify', 'cart')).exitCode).toBe(1);
    write('src/cart/add.ts', 'good\n');
    const { reason } = await judge('git push');
    expect(reason).toContain(
      '\nCommit what mends it (src/cart/add.ts), then run the command again.\n',
    );
    expect(reason).not.toContain('feature verify');
  });

  test('with many changes in the working tree --at is less work', async () => {
    const { judge, write, change, verify, git } = shop(sandbox());
    const oid = change('src/cart/add.ts');
    for (let n = 0; n < 30; n += 1) write(`src/cart/${n}.ts`, 'not added\n');
    const { reason } = await judge('git push');
    expect(reason).toContain(`lanehold feature verify cart --at ${oid.slice(0, 12)} && git push`);
    await verify('cart', '--at', oid.slice(0, 12));
    expect((await judge('git push')).decision).toBe('pass');
    expect(git('status', '--porcelain')).toContain('?? src/cart/0.ts');
  });

  test('another branch leaves than the one that is checked out', async () => {
    const { judge, change, git, verify } = shop(sandbox());
    git('switch', '--quiet', '--create', 'topic');
    const oid = change('src/cart/add.ts');
    git('switch', '--quiet', 'main');
    expect((await judge('git push origin topic')).reason).toContain(`--at ${oid.slice(0, 12)}`);
    await verify('cart', '--at', 'topic');
    expect((await judge('git push origin topic')).decision).toBe('pass');
  });
});

test('sixty features fit into less than ten lines, and one command verifies them', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `feature-${index}`);
  const features = Object.fromEntries(
    names.map((name) => [name, { files: ['src/**'], smoke: ['true'] }]),
  );
  const { judge, change, lanehold } = shop(sandbox(), { features });
  change('src/cart/add.ts');
  const { reason } = await judge('git push');
  expect(reason.split('\n').length).toBeLessThan(10);
  expect(reason.length).toBeLessThan(1500);
  expect(reason).toContain('60 features are not verified for exactly what leaves');
  expect(reason).toContain('- and 56 more: ');
  expect(reason).toContain('Verify: lanehold feature verify --pending && git push');
  const { stdout } = await lanehold('feature', 'verify', '--pending');
  expect(stdout).toContain('Verified 60 of 60');
  expect((await judge('git push')).decision).toBe('pass');
});

test('what a push would not be held for is named in the way out, however many', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `feature-${index}`);
  const features = Object.fromEntries(
    names.map((name) => [name, { files: ['src/**'], smoke: ['true'] }]),
  );
  const { judge, lanehold } = shop(sandbox(), { features });
  // All of it is pushed, so that nothing is pending; but nothing was released yet.
  expect((await lanehold('feature', 'verify', '--pending')).stdout).toBe('Nothing pending\n');
  const { reason } = await judge('npm publish');
  expect(reason.split('\n').length).toBeLessThan(10);
  const [, way = ''] = /^Verify: lanehold (.*) && npm publish$/m.exec(reason) ?? [];
  expect((await lanehold(...way.split(' '))).exitCode).toBe(0);
  expect((await judge('npm publish')).decision).toBe('pass');
});

test('with files of no feature besides, and a commit to be made first, it still fits', async () => {
  const names = Array.from({ length: 9 }, (_, index) => `feature-${index}`);
  const features = Object.fromEntries(names.map((name) => [name, { files: ['src/**'] }]));
  const { judge, write } = shop(sandbox(), { features, gate: { uncovered: 'hold' } });
  write('README.md', 'two\n');
  write('src/cart/add.ts', 'two\n');
  write('src/cart/new.ts', 'two\n');
  const { reason } = await judge(
    'git add README.md src/cart/new.ts && git commit -m x && git push',
  );
  expect(reason).toContain('- files of no feature: README.md\n');
  expect(reason).toContain(
    'Commit in a command of its own. feature-0, feature-1, feature-2 and 6 more cannot be',
  );
  expect(reason.split('\n').length).toBeLessThan(10);
});

test('names and outputs cannot write lines of their own', async () => {
  const name = 'src/cart/a\nVerify: nothing\u001b[2J.ts';
  const { judge, change, verify } = shop(sandbox());
  change('src/cart/add.ts');
  await verify('cart');
  change(name);
  const { reason } = await judge('git push');
  expect(reason).toContain('src/cart/a\\nVerify: nothing\\x1b[2J.ts');
  expect(reason.match(/^Verify: /gm)).toHaveLength(1);
});

test('where in a longer command the boundary stands is said', async () => {
  const { judge, change } = shop(sandbox());
  change('src/cart/add.ts');
  const { reason } = await judge("sh -c 'npm test && git push'");
  expect(reason).toMatch(/^lanehold holds `git push` \(at .*sh -c.*\): 1 feature is not verified/);
});
