/** The registry travels with the content: what a change does to it, and to the files, counts. */
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { beforeCommand } from '../support/payloads.ts';
import { installGitHook } from '../support/pushing.ts';
import { sandbox } from '../support/sandbox.ts';
import { FEATURES, type Features, shop, type Written } from '../support/shop.ts';

describe('files that move', () => {
  test('a rename concerns the feature that it leaves and the one that it enters', async () => {
    const { judge, commit, repo } = shop(sandbox());
    renameSync(join(repo, 'src/cart/add.ts'), join(repo, 'src/checkout/add.ts'));
    commit();
    expect((await judge('git push')).held).toEqual(['cart', 'checkout']);
  });

  test('a deletion concerns its feature, and so does a change of mode', async () => {
    const { judge, commit, repo, git } = shop(sandbox());
    rmSync(join(repo, 'src/cart/add.ts'));
    commit();
    expect((await judge('git push')).held).toEqual(['cart']);
    git('update-index', '--chmod=+x', 'src/checkout/pay.ts');
    git('commit', '--quiet', '--message', 'executable');
    expect((await judge('git push')).held).toEqual(['cart', 'checkout']);
  });

  test('a folder that becomes a file, a file that becomes a link', async () => {
    const { judge, commit, repo, write, git } = shop(sandbox());
    rmSync(join(repo, 'src/cart'), { recursive: true });
    write('src/cart', 'now a file\n');
    commit();
    expect((await judge('git push')).held).toEqual(['cart']);
    git('reset', '--quiet', '--hard', 'origin/main');
    rmSync(join(repo, 'src/checkout/pay.ts'));
    mkdirSync(join(repo, 'src/checkout'), { recursive: true });
    git('-c', 'core.symlinks=true', 'status');
    const blob = git('hash-object', '-w', '../shop/README.md');
    git('update-index', '--add', '--cacheinfo', `120000,${blob},src/checkout/pay.ts`);
    git('commit', '--quiet', '--message', 'link');
    expect((await judge('git push')).held).toEqual(['checkout']);
  });
});

test('a registry that nobody has committed yet holds what is pushed without it', async () => {
  const box = sandbox();
  const { judge, git, verify, write, lanehold, repo } = shop(box);
  git('rm', '--quiet', 'lanehold.json');
  git('commit', '--quiet', '--message', 'none');
  git('push', '--quiet', 'origin', 'HEAD:main');
  write('lanehold.json', JSON.stringify({ features: FEATURES }));
  write('src/cart/add.ts', 'two\n');
  expect((await judge('git push')).decision).toBe('pass');
  git('commit', '--quiet', '--all', '--message', 'cart alone');
  expect(git('status', '--short')).toBe('?? lanehold.json');
  expect((await judge('git push')).held).toEqual(['cart']);
  expect((await lanehold('status')).stdout).toContain('1 held: a push would be denied\n  cart: ');
  // git's own hook would find no registry behind these.
  await installGitHook(box, repo);
  for (const text of ['git stash -u && git pull && git push', 'git clean -fd && git push']) {
    expect({ text, ...(await judge(text)) }).toMatchObject({ text, held: ['cart'] });
  }
  await verify('cart');
  expect((await judge('git push')).decision).toBe('pass');
});

describe('features that depend on each other', () => {
  const chain: Features = {
    cart: { files: ['src/cart/**'], smoke: ['true'] },
    checkout: { files: ['src/checkout/**'], smoke: ['true'], dependsOn: ['cart'] },
    shop: { files: ['src/shop/**'], smoke: ['true'], dependsOn: ['checkout'] },
  };

  test('a change concerns all that depend on it, and nothing below it', async () => {
    const { judge, change, git, verify } = shop(sandbox(), { features: chain });
    change('src/cart/add.ts');
    expect((await judge('git push')).held).toEqual(['cart', 'checkout', 'shop']);
    await verify('cart', 'checkout');
    expect((await judge('git push')).held).toEqual(['shop']);
    git('reset', '--quiet', '--hard', 'origin/main');
    change('src/checkout/pay.ts');
    expect((await judge('git push')).held).toEqual(['checkout', 'shop']);
  });

  test.each([
    ['a loop', { ...chain, cart: { files: ['src/cart/**'], dependsOn: ['shop'] } }, 'in a loop'],
    [
      'a name that does not exist',
      { cart: { files: ['src/cart/**'], dependsOn: ['crat'] } },
      'which `cart` depends on',
    ],
  ])('%s is no registry to judge by', async (_, features: Features, fact) => {
    const { judge, change, register } = shop(sandbox());
    register(features);
    change('src/cart/add.ts');
    const { decision, exitCode, reason } = await judge('git push');
    expect({ decision, exitCode }).toEqual({ decision: 'deny', exitCode: 1 });
    expect(reason).toContain(fact);
  });
});

describe('a change that takes something away from a feature whose files it touches', () => {
  const before: Features = {
    cart: { files: ['src/cart/**', 'lib/**'], smoke: ['test -d src', 'true'] },
    checkout: { files: ['src/checkout/**'], smoke: ['true'], dependsOn: ['cart'] },
  };
  const { cart, checkout } = before as Record<'cart' | 'checkout', Written>;

  const weakened: readonly [string, Features][] = [
    ['the feature', { checkout: { ...checkout, dependsOn: [] } }],
    ['the registry', {}],
    ['a pattern', { ...before, cart: { ...cart, files: ['lib/**'] } }],
    ['files, by an exclusion', { ...before, cart: { ...cart, files: [...cart.files, '!src/**'] } }],
    ['a smoke test', { ...before, cart: { ...cart, smoke: ['test -d src'] } }],
    ['the command of a smoke test', { ...before, cart: { ...cart, smoke: ['true'] } }],
    [
      'the folder of a smoke test',
      { ...before, cart: { ...cart, smoke: ['test -d src', { command: 'true', cwd: 'src' }] } },
    ],
  ];

  test.each(weakened)('%s: the definition before it holds all the same', async (_, after) => {
    const { judge, register, change } = shop(sandbox(), { features: before });
    register(after);
    change('src/cart/add.ts');
    const { held, reason } = await judge('git push');
    expect(held).toContain('cart');
    expect(reason).toContain('- cart (as defined before this change): never verified');
  });

  test('what is kept of a base counts for exactly its text: looked at again, and once the base has moved', async () => {
    const { judge, register, change, commit, git } = shop(sandbox(), { features: before });
    register({ ...before, cart: { ...cart, files: ['lib/**'] } });
    change('src/cart/add.ts');
    for (let look = 0; look < 2; look += 1) {
      expect((await judge('git push')).reason).toContain('- cart (as defined before this change)');
    }
    git('push', '--quiet', '--no-verify');
    // The same length, and another feature of that name.
    register({ ...before, cart: { ...cart, files: ['src/**'] } });
    commit();
    git('push', '--quiet', '--no-verify');
    register({});
    change('src/other.ts');
    const { held, reason } = await judge('git push');
    expect(held).toEqual(['cart', 'checkout']);
    expect(reason).toContain('- cart (as defined before this change)');
  });

  test.each(weakened)('%s: verifying what it was lets it go', async (_, after) => {
    const { judge, register, change, verify } = shop(sandbox(), { features: before });
    // Verified while it still was what it was.
    change('src/cart/add.ts');
    await verify('cart', 'checkout');
    register(after);
    change('README.md');
    if (Object.keys(after).length > 0) {
      // The weaker definition is a definition of its own.
      await verify('--pending').catch(() => undefined);
    }
    expect((await judge('git push')).held).not.toContain('cart');
  });

  test('a dependency: the feature that had it is still concerned', async () => {
    const { judge, register, change } = shop(sandbox(), { features: before });
    register({ ...before, checkout: { ...checkout, dependsOn: [] } });
    change('src/cart/add.ts');
    const { held, reason } = await judge('git push');
    expect(held).toEqual(['cart', 'checkout']);
    expect(reason).toContain('- checkout (as defined before this change): never verified');
  });

  test('can be verified while the weaker definition stands in the file', async () => {
    const { judge, register, change, verify } = shop(sandbox(), { features: before });
    register({ ...before, cart: { ...cart, smoke: ['true'] } });
    change('src/cart/add.ts');
    await verify('--pending');
    expect((await judge('git push')).decision).toBe('pass');
  });

  test('does not hold what the change leaves alone', async () => {
    const { judge, register, change } = shop(sandbox(), { features: before });
    register({});
    change('README.md');
    expect((await judge('git push')).decision).toBe('pass');
  });

  test('more of everything needs no second look at less', async () => {
    const { judge, register, change, verify } = shop(sandbox(), { features: FEATURES });
    register({
      ...FEATURES,
      cart: { files: ['src/cart/**', 'src/basket/**'], smoke: ['true', 'test -d src'] },
    });
    change('src/cart/add.ts');
    const { reason } = await judge('git push');
    expect(reason).not.toContain('as defined before this change');
    await verify('cart');
    expect((await judge('git push')).decision).toBe('pass');
  });

  test('a private feature does not vanish behind a shared one of its name', async () => {
    const box = sandbox();
    const { judge, change, register, lanehold } = shop(box, { features: {} });
    await lanehold('feature', 'add', 'cart', '--files', 'src/cart/**', '--smoke', 'false');
    change('src/cart/add.ts');
    expect((await judge('git push')).held).toEqual(['cart']);
    register({ cart: { files: ['nothing/**'], smoke: ['true'] } });
    change('README.md');
    expect((await judge('git push')).held).toEqual(['cart']);
  });

  test('nor where the project had no lanehold.json before', async () => {
    const box = sandbox();
    const { judge, change, register, lanehold, repo, commit, git } = shop(box);
    rmSync(join(repo, 'lanehold.json'));
    commit('no registry');
    git('push', '--quiet');
    await lanehold('feature', 'add', 'cart', '--files', 'src/cart/**', '--smoke', 'false');
    register({ cart: { files: ['nothing/**'], smoke: ['true'] } });
    change('src/cart/add.ts');
    expect((await judge('git push')).held).toEqual(['cart']);
  });
});

describe('a registry that the default branch has and what is compared with has not', () => {
  /** The registry is taken away in a push of its own, which nothing holds. */
  function withoutRegistry() {
    const project = shop(sandbox());
    project.git('switch', '--quiet', '-c', 'topic');
    rmSync(join(project.repo, 'lanehold.json'));
    project.change('README.md');
    return project;
  }

  test('removed in an earlier push of the branch: it counts', async () => {
    const { judge, change, git, register } = withoutRegistry();
    git('push', '--quiet', '--set-upstream', 'origin', 'topic');
    change('src/cart/add.ts');
    const { held, reason } = await judge('git push');
    expect(held).toEqual(['cart']);
    expect(reason).toContain('- cart (as defined before this change): never verified');
    // A definition that asks for less is not enough either.
    register({ cart: { files: ['nothing/**'], smoke: ['true'] } });
    change('src/cart/more.ts');
    expect((await judge('git push')).held).toEqual(['cart']);
  });

  test('an orphan branch, an unknown address, a remote without the default branch: it counts', async () => {
    const { judge, change, git, repo } = withoutRegistry();
    change('src/cart/add.ts');
    const elsewhere = await judge('git push https://elsewhere.example/x.git HEAD:main');
    // Nothing is known of what is there, so all of it is new.
    expect(elsewhere.held).toEqual(['cart', 'checkout']);
    git('remote', 'add', 'fork', 'https://elsewhere.example/x.git');
    git('update-ref', 'refs/remotes/fork/topic', 'HEAD~1');
    expect((await judge('git push fork topic')).held).toEqual(['cart']);
    git('switch', '--quiet', '--orphan', 'new');
    mkdirSync(join(repo, 'src'), { recursive: true });
    change('src/cart/add.ts', 'all new\n');
    expect((await judge('git push origin new')).held).toEqual(['cart']);
  });

  test('what the default branch got since the branch left it does not', async () => {
    const { judge, change, register, git, verify } = shop(sandbox());
    git('switch', '--quiet', '-c', 'topic');
    change('src/cart/add.ts');
    git('push', '--quiet', '--set-upstream', 'origin', 'topic');
    git('switch', '--quiet', 'main');
    register({ ...FEATURES, all: { files: ['src/**'], smoke: ['false'] } });
    change('README.md');
    git('push', '--quiet');
    git('switch', '--quiet', 'topic');
    change('src/cart/more.ts');
    await verify('cart');
    expect((await judge('git push')).decision).toBe('pass');
  });
});

describe('a lanehold.json that cannot be read', () => {
  test('in what leaves: denied, with the place and the nearest key', async () => {
    const { judge, write, change } = shop(sandbox());
    write('lanehold.json', '{\n  "features": {},\n  "gaet": {}\n}');
    change('src/cart/add.ts');
    const { decision, exitCode, reason } = await judge('git push');
    expect({ decision, exitCode }).toEqual({ decision: 'deny', exitCode: 1 });
    expect(reason).toMatch(/^lanehold holds `git push`: it cannot tell what would leave\n/);
    expect(reason).toMatch(/lanehold\.json in [0-9a-f]{12}:3:3: .*`gaet`/);
    expect(reason).toContain('To proceed: did you mean `gate`?');
  });

  test('in the working tree, where nothing else can be told either: denied', async () => {
    const { judge, write } = shop(sandbox());
    write('lanehold.json', '{ broken');
    const { decision, exitCode, reason } = await judge('git pull --rebase && git push');
    expect({ decision, exitCode }).toEqual({ decision: 'deny', exitCode: 1 });
    expect(reason).toContain('in a command of its own');
  });

  test('in the working tree only: a push of commits does not mind', async () => {
    const { judge, write, change, git } = shop(sandbox());
    change('src/cart/add.ts');
    write('lanehold.json', '{ broken');
    expect((await judge('git push')).held).toEqual(['cart']);
    git('reset', '--quiet', '--hard', 'HEAD~1');
    write('lanehold.json', '{ broken');
    expect((await judge('git push')).decision).toBe('pass');
  });

  test('in what others have: the change may be the one that mends it', async () => {
    const { judge, write, change, register, git } = shop(sandbox());
    write('lanehold.json', '{ broken');
    change('README.md');
    git('push', '--quiet');
    register(FEATURES);
    change('src/cart/add.ts');
    expect((await judge('git push')).held).toEqual(['cart']);
  });
});

describe('files of no feature', () => {
  test.each([
    ['allow', 'pass', 0],
    ['ask', 'ask', 3],
    ['hold', 'deny', 3],
  ])('gate.uncovered=%s: %s', async (uncovered, decision, exitCode) => {
    const { judge, change } = shop(sandbox(), { gate: { uncovered } });
    change('prices.csv');
    const said = await judge('git push');
    expect(said).toMatchObject({ decision, exitCode, held: [] });
    if (decision === 'pass') return;
    expect(said.reason).toMatch(
      decision === 'ask'
        ? /^lanehold asks before `git push`: 1 changed file belongs to no feature\n/
        : /^lanehold holds `git push`: 1 changed file belongs to no feature\n/,
    );
    expect(said.reason).toMatch(/^- files of no feature/m);
    expect(said.reason).toContain("feature add NAME --files 'GLOB' --smoke 'COMMAND'");
  });

  test('with `ask` nobody is asked about documents and settings', async () => {
    const { judge, change } = shop(sandbox(), { gate: { uncovered: 'ask' } });
    change('README.md');
    change('.vscode/settings.json');
    expect((await judge('git push')).decision).toBe('pass');
  });

  test.each(['ask', 'hold'])('with `%s` the registry itself is none of them', async (uncovered) => {
    const { judge, register, commit } = shop(sandbox(), { gate: { uncovered } });
    register({ ...FEATURES, tax: { files: ['src/tax/**'], smoke: ['true'] } });
    commit();
    expect((await judge('git push')).decision).toBe('pass');
  });

  test('are told wherever it is told what is held', async () => {
    const box = sandbox();
    const { repo, change, lanehold } = shop(box, { gate: { uncovered: 'ask' } });
    change('prices.csv');
    expect((await lanehold('status')).stdout).toContain(
      '1 held: an agent’s push would ask you\n  files of no feature: prices.csv\n',
    );
    expect(await lanehold('feature', 'pending')).toMatchObject({
      exitCode: 3,
      stdout: '1 pending\n  files of no feature: prices.csv\n',
    });
    const push = () => box.hook('before-tool', beforeCommand(repo, 'git push'));
    await push();
    expect((await lanehold('statusline')).stdout).toBe(
      'lanehold: held last: files of no feature: prices.csv\n',
    );
    expect((await lanehold('status', '--quick')).stdout).toBe(
      'Held last: files of no feature: prices.csv\n',
    );
    change('src/cart/add.ts');
    await push();
    const [first, , then, ...why] = (await lanehold('log')).stdout.split('\n');
    expect([first, then]).toEqual([
      expect.stringMatching(/^\S+ {2}ask {3}git push {2}agent \S+ +git push$/),
      expect.stringMatching(/^\S+ {2}deny {2}git push {2}agent \S+ +git push$/),
    ]);
    expect(why).toEqual(['  cart: never verified', '  files of no feature: prices.csv', '']);
  });

  test('that nothing tests leave once a person has vouched for them', async () => {
    const { judge, change, lanehold } = shop(sandbox(), { gate: { uncovered: 'ask' } });
    change('prices.csv');
    const { reason } = await judge('git push');
    const [, add, verify] =
      /vouch for them: (lanehold .*) && (lanehold .*) --notes/.exec(reason) ?? [];
    expect((await lanehold(...(add ?? '').split(' ').slice(1))).exitCode).toBe(0);
    const vouch = [...(verify ?? '').split(' ').slice(1), '--notes', 'read through'];
    expect((await lanehold(...vouch)).stdout).toBe('Attested rest\n');
    expect((await judge('git push')).decision).toBe('pass');
  });

  test('a change that relaxes the policy is held by the stricter one', async () => {
    const { judge, change, register } = shop(sandbox(), { gate: { uncovered: 'hold' } });
    register(FEATURES, { uncovered: 'allow' });
    change('README.md');
    expect((await judge('git push')).decision).toBe('deny');
  });

  test('once a feature has them, they are held like others', async () => {
    const { judge, change, register, verify } = shop(sandbox(), { gate: { uncovered: 'hold' } });
    register({ ...FEATURES, docs: { files: ['*.md', 'lanehold.json'], smoke: ['true'] } });
    change('README.md');
    expect((await judge('git push')).held).toEqual(['docs']);
    await verify('docs');
    expect((await judge('git push')).decision).toBe('pass');
  });
});

describe('a feature with the rest', () => {
  const { cart } = FEATURES;
  const rest = { rest: true, smoke: ['true'] } as const;
  const before: Features = { ...FEATURES, rest };

  test.each(['data/prices.json', 'src/new.ts', 'test/support/fake.ts', 'package.json'])(
    'holds %s, which is in no other',
    async (path) => {
      const { judge, change, verify } = shop(sandbox(), { features: before });
      change(path);
      expect((await judge('git push')).held).toEqual(['rest']);
      await verify('rest');
      expect((await judge('git push')).decision).toBe('pass');
    },
  );

  test('holds nothing else: not what others have, nor documents, nor the registry', async () => {
    const { judge, change, register, commit, verify } = shop(sandbox(), { features: before });
    change('README.md');
    change('.github/workflows/test.yml');
    register({ ...before, checkout: { ...FEATURES.checkout, description: 'Paying' } });
    commit();
    expect((await judge('git push')).decision).toBe('pass');
    change('src/cart/add.ts');
    expect((await judge('git push')).held).toEqual(['cart']);
    await verify('cart');
    expect((await judge('git push')).decision).toBe('pass');
  });

  test.each([
    ['../docs/prompt.md', 'docs/prompt.md'],
    ['../docs', 'docs/prompt.md'],
    ['../CLAUDE.md', 'docs/prompt.md'],
  ])('holds what a link to %s leads to', async (target, path) => {
    const { judge, change, write, verify, commit, git, repo } = shop(sandbox(), {
      features: before,
    });
    write(path, 'one');
    write('docs/other.txt', 'one');
    symlinkSync('docs/prompt.md', join(repo, 'CLAUDE.md'));
    symlinkSync(target, join(repo, 'src/prompt.txt'));
    commit();
    await verify('rest');
    git('push', '--quiet');
    change(path);
    expect((await judge('git push')).held).toEqual(['rest']);
    await verify('rest');
    expect((await judge('git push')).decision).toBe('pass');
    write(path, 'unverified');
    expect((await judge('git commit -am x && git push')).held).toEqual(['rest']);
    await verify('rest');
    expect((await judge('git commit -am x && git push')).decision).toBe('pass');
    git('checkout', '--quiet', '.');
    change('README.md');
    expect((await judge('git push')).decision).toBe('pass');
  });

  test('is held by what it depends on', async () => {
    const features = { ...FEATURES, rest: { ...rest, dependsOn: ['cart'] } };
    const { judge, change } = shop(sandbox(), { features });
    change('src/cart/add.ts');
    expect((await judge('git push')).held).toEqual(['cart', 'rest']);
    change('src/checkout/pay.ts');
    expect((await judge('git push')).held).toEqual(['cart', 'checkout', 'rest']);
  });

  const narrowed: readonly [string, Features][] = [
    ['is removed', FEATURES],
    ['gets globs instead', { ...FEATURES, rest: { files: ['data/**'], smoke: ['true'] } }],
    ['loses its smoke test', { ...FEATURES, rest: { rest: true } }],
    ['has another name', { ...FEATURES, others: rest }],
    [
      'leaves a folder to a new feature',
      { ...before, data: { files: ['data/**'], smoke: ['true'] } },
    ],
    [
      'leaves a folder to one that grows',
      { ...before, cart: { ...cart, files: [...cart.files, 'data/**'] } },
    ],
    [
      'leaves what another does not exclude any more',
      {
        ...before,
        data: { files: ['data/**', '!data/prices.json'], smoke: ['true'] },
        all: { files: ['data/**'], smoke: ['true'] },
      },
    ],
  ];
  test.each(narrowed)('that %s in the change holds as it was before', async (_, after) => {
    const { judge, register, change } = shop(sandbox(), { features: before });
    register(after);
    change('data/prices.json');
    const { held, reason } = await judge('git push');
    expect(held).toContain('rest');
    expect(reason).toContain('- rest (as defined before this change): never verified');
  });

  test('that leaves less than before does not hold twice', async () => {
    const split = { a: { files: ['src/cart/**'], smoke: ['true'] }, checkout: FEATURES.checkout };
    const { judge, register, change } = shop(sandbox(), { features: before });
    register({ ...split, rest });
    change('data/prices.json');
    expect((await judge('git push')).held).toEqual(['rest']);
  });

  test('is not narrowed by a feature that only this machine knows', async () => {
    const box = sandbox();
    const { judge, change, repo } = shop(box, { features: before });
    await command(box, repo, ['feature', 'add', 'data', '--files', 'data/**', '--smoke', 'true']);
    change('data/prices.json');
    expect((await judge('git push')).held).toEqual(['data', 'rest']);
  });

  test('of this machine is narrowed by its person, and not by an agent while it is held', async () => {
    const box = sandbox();
    const { judge, change, repo } = shop(box);
    await command(box, repo, ['feature', 'add', 'rest', '--rest', '--smoke', 'true']);
    change('data/prices.json');
    const add = ['feature', 'add', 'data', '--files', 'data/**', '--smoke', 'true'];
    const byAgent = await command(box, repo, add, { env: { CLAUDECODE: '1' } });
    expect(byAgent.exitCode).toBe(3);
    expect(byAgent.stderr).toContain('giving files of it to `data` would lift its hold');
    expect((await judge('git push')).held).toEqual(['rest']);
    expect((await command(box, repo, add)).exitCode).toBe(0);
    expect((await judge('git push')).held).toEqual(['data']);
  });

  test.each([
    ['hold', 'deny', /^- files of no feature: README\.md$/m],
    ['ask', 'pass', /^$/],
  ])('leaves what it does not have to `uncovered`: %s', async (uncovered, decision, reason) => {
    const { judge, change, register } = shop(sandbox(), { features: before, gate: { uncovered } });
    register({ ...before, cart: { ...cart, description: 'The cart' } } as Features);
    change('README.md');
    expect(await judge('git push')).toMatchObject({
      decision,
      reason: expect.stringMatching(reason),
    });
  });
});
