/** Boundaries other than a push: what leaves there, and what it is compared with. */
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { type Shop, shop } from '../support/shop.ts';

/** Released as v1, with a commit since that concerns no feature. */
function releasedShop(): Shop {
  const project = shop(sandbox());
  project.git('tag', 'v1');
  project.change('README.md');
  return project;
}

describe('a pull request', () => {
  test('is compared with the default branch, whatever was pushed already', async () => {
    const { judge, git, change, verify } = shop(sandbox());
    git('switch', '--quiet', '--create', 'topic');
    expect((await judge('gh pr create --fill')).decision).toBe('pass');
    change('src/cart/add.ts');
    git('push', '--quiet', '-u', 'origin', 'topic');
    for (const text of ['gh pr create --fill', 'gh pr create -t x -b y', 'glab mr create --fill']) {
      expect(await judge(text)).toMatchObject({ decision: 'deny', held: ['cart'], exitCode: 3 });
    }
    await verify('cart');
    expect((await judge('gh pr create --fill')).decision).toBe('pass');
  });

  test('offers the commit, not what lies in the working tree', async () => {
    const { judge, git, write } = shop(sandbox());
    git('switch', '--quiet', '--create', 'topic');
    write('src/cart/add.ts', 'not committed\n');
    expect((await judge('gh pr create --fill')).decision).toBe('pass');
  });
});

describe('a publish, an image, a deployment', () => {
  const commands = ['npm publish', 'docker push example/shop:1', 'cargo publish', 'fly deploy'];

  test.each(commands)('%s sends the working tree', async (text) => {
    const { judge, write, verify } = releasedShop();
    expect((await judge(text)).decision).toBe('pass');
    write('src/cart/add.ts', 'not committed\n');
    expect(await judge(text)).toMatchObject({ decision: 'deny', held: ['cart'], exitCode: 3 });
    await verify('cart');
    expect((await judge(text)).decision).toBe('pass');
  });

  test('the publish of a package is judged by the features with files in it', async () => {
    const box = sandbox();
    const { judge, write, change, git, register, repo, verify } = shop(box);
    const part = (name: string) => ({ files: [`packages/${name}/**`], smoke: ['true'] });
    register({
      core: part('core'),
      app: { ...part('app'), dependsOn: ['core'] },
      docs: part('docs'),
    });
    for (const name of ['core', 'app', 'docs']) write(`packages/${name}/package.json`, '{}\n');
    mkdirSync(join(repo, 'packages/docs/src'));
    box.commit(repo);
    git('push', '--quiet');
    git('tag', 'v1');
    change('README.md');
    write('packages/core/add.js', 'not committed\n');
    expect(await judge('cd packages/docs && npm publish --access public')).toMatchObject({
      decision: 'pass',
    });
    expect((await judge('cd packages/core && npm publish')).held).toEqual(['core']);
    expect((await judge('cd packages/app && npm publish')).held).toEqual(['app']);
    // It may send more, or something else, than the package of its folder.
    for (const text of [
      'npm publish',
      'cd packages/docs && npm publish ../core',
      'cd packages/docs && npm publish --prefix ../core',
      'cd packages/docs/src && npm publish',
      'cd packages/docs && npm publish -ws',
    ]) {
      expect((await judge(text)).held, text).toContain('core');
    }
    await verify('core');
    expect((await judge('cd packages/core && npm publish')).decision).toBe('pass');
  });

  test('a copy or deployment of named files is judged by the features that they are in', async () => {
    const box = sandbox();
    const { judge, write, repo } = shop(box);
    write('.gitignore', 'dist/\n');
    box.commit(repo);
    write('src/cart/add.ts', 'not committed\n');
    write('docs/notes.md', 'notes\n');
    write('dist/shop.js', 'built\n');
    for (const text of [
      'scp docs/notes.md ada@host:/tmp',
      'rsync -avz docs/ ada@host:/srv/docs',
      'cd docs && aws s3 cp notes.md s3://notes/notes.md',
      'kubectl apply -n web --filename=docs',
      'docker buildx build --push -t ghcr.io/acme/docs docs',
      'gcloud run deploy docs --source docs',
    ]) {
      expect((await judge(text)).decision, text).toBe('pass');
    }
    for (const text of [
      'scp src/cart/add.ts ada@host:/tmp',
      'scp -r docs src ada@host:/tmp',
      'scp -r . ada@host:/tmp',
      'scp -r dist ada@host:/tmp',
      'scp docs/missing.md ada@host:/tmp',
      'scp ../shop/docs/../src/cart/add.ts ada@host:/tmp',
      'rsync -a --files-from=list docs ada@host:/tmp',
      'kubectl apply -f docs -f src',
      'kubectl apply -f docs -k src',
      'kubectl apply -f -',
      'docker buildx build --push -t ghcr.io/acme/docs .',
      'docker buildx build --push --build-context src=src -t ghcr.io/acme/docs docs',
      'docker push ghcr.io/acme/docs',
      'gcloud run deploy docs --source src',
    ]) {
      expect((await judge(text)).held, text).toContain('cart');
    }
  });

  test('a tool that no rule lists is asked about, and only while something is pending', async () => {
    const { judge, write, verify } = releasedShop();
    expect((await judge('acme deploy')).decision).toBe('pass');
    write('src/cart/add.ts', 'not committed\n');
    const asked = await judge('acme deploy');
    expect(asked).toMatchObject({ decision: 'ask', held: ['cart'] });
    expect(asked.reason).toContain('`acme deploy` is taken for a release by its name.');
    expect((await judge('sed -i s/a/b/ src/cart/add.ts && acme deploy')).decision).toBe('ask');
    await verify('cart');
    expect((await judge('acme deploy')).decision).toBe('pass');
    // What it would send cannot be told, and nothing is pending.
    expect((await judge('sed -i s/a/b/ README.md && acme deploy')).decision).toBe('none');
  });

  test.each([
    ['deny', 'deny'],
    ['allow', 'pass'],
  ])('a tool that no rule lists, with gate.opaque=%s: %s', async (opaque, decision) => {
    const { judge, write } = shop(sandbox(), { gate: { opaque } });
    write('src/cart/add.ts', 'not committed\n');
    expect((await judge('acme deploy')).decision).toBe(decision);
    const untold = await judge('sed -i s/a/b/ README.md && acme deploy');
    expect(untold.decision).toBe(decision === 'pass' ? 'none' : 'deny');
  });

  test('what comes out of the repository goes as it is committed, and files of the machine go', async () => {
    const { judge, write, change, verify } = releasedShop();
    const archive = 'git archive HEAD | ssh host "tar xz -C /srv"';
    write('src/cart/add.ts', 'not committed\n');
    expect((await judge(archive)).decision).toBe('pass');
    expect((await judge('scp src/cart/add.ts host:/srv')).decision).toBe('deny');
    expect((await judge('scp /etc/hosts host:/tmp && quilt push -a')).decision).toBe('none');
    change('src/cart/add.ts');
    const held = await judge(archive);
    expect(held).toMatchObject({ decision: 'deny', held: ['cart'] });
    expect(held.reason).toContain(`Verify: lanehold feature verify cart && ${archive}`);
    await verify('cart');
    expect((await judge(archive)).decision).toBe('pass');
    expect(
      (await judge('git fast-export --all | ssh host "cd r && git fast-import"')).decision,
    ).toBe('pass');
  });

  test('a new file counts, an ignored one does not', async () => {
    const { judge, write } = releasedShop();
    write('.gitignore', '*.log\n');
    write('src/cart/debug.log', 'ignored\n');
    expect((await judge('npm publish')).decision).toBe('pass');
    write('src/cart/new.ts', 'new\n');
    expect((await judge('npm publish')).held).toEqual(['cart']);
  });

  test('without a tag everything counts', async () => {
    const { judge } = shop(sandbox());
    expect((await judge('npm publish')).held).toEqual(['cart', 'checkout']);
  });

  test('is compared with the last tag that does not stand at HEAD', async () => {
    const { judge, git, change, verify } = shop(sandbox());
    git('tag', 'v1');
    change('src/cart/add.ts');
    git('tag', '--annotate', '--message', 'two', 'v2');
    git('tag', 'latest');
    // `npm version` has just made v2: what it is made of is still to be published.
    expect((await judge('npm publish')).held).toEqual(['cart']);
    change('src/checkout/pay.ts');
    // Others have a tag only if they have its commit.
    expect((await judge('npm publish')).held).toEqual(['cart', 'checkout']);
    git('push', '--quiet', 'origin', 'HEAD~1:main');
    expect((await judge('npm publish')).held).toEqual(['checkout']);
    await verify('checkout');
    expect((await judge('npm publish')).decision).toBe('pass');
  });

  test('what was changed and changed back since the tag is no change', async () => {
    const { judge, git, change } = shop(sandbox());
    git('tag', 'v1');
    change('src/cart/add.ts', 'two\n');
    change('src/cart/add.ts', 'one\n');
    expect((await judge('npm publish')).decision).toBe('pass');
  });

  test('from a package inside of the repository', async () => {
    const box = sandbox();
    const { judge, repo, git, write, change } = shop(box);
    git('tag', 'v1');
    change('README.md');
    write('src/cart/add.ts', 'two\n');
    expect((await judge('npm publish', join(repo, 'src/checkout'))).held).toEqual(['cart']);
    expect((await judge(`npm publish --prefix ${repo}/src`, box.home)).held).toEqual(['cart']);
  });

  test('from a folder without git everything in it counts', async () => {
    const box = sandbox();
    const { judge, lanehold } = shop(box);
    const features = { page: { files: ['*.html'], smoke: ['true'] } };
    box.write('site/lanehold.json', JSON.stringify({ features }));
    box.write('site/index.html', '<p>');
    const site = join(box.root, 'site');
    expect((await judge('npm publish', site)).held).toEqual(['page']);
    await lanehold('feature', 'verify', 'page', '--project', site);
    expect((await judge('npm publish', site)).decision).toBe('pass');
    box.write('site/index.html', '<p>new');
    expect((await judge('npm publish', site)).held).toEqual(['page']);
    expect((await judge('git push', site)).decision).toBe('none');
    for (const push of ['hg push', 'svn commit -m x', 'p4 submit', 'jj git push', 'fossil push']) {
      expect((await judge(push, site)).held).toEqual(['page']);
    }
  });

  test.each([
    "sed -i 's/one/two/' src/cart/add.ts && npm publish",
    'echo two > src/cart/add.ts && npm publish',
    'cp README.md src/cart/add.ts; npm publish',
    'rm -rf dist src/cart && npm publish',
    'git checkout topic -- src && docker push x/y',
    'git stash && npm publish',
  ])('%s cannot be foreseen', async (text) => {
    const { judge, git } = releasedShop();
    git('branch', 'topic');
    const { decision, exitCode, reason } = await judge(text);
    expect({ decision, exitCode }).toEqual({ decision: 'deny', exitCode: 1 });
    expect(reason).toContain('in a command of its own');
  });

  test.each([
    'rm -rf dist/* ./build && npm run build && npm publish',
    'npm ci && npm test && npm publish',
    'make && cargo publish',
  ])('%s can: what a build makes is not what features are made of', async (text) => {
    const { judge } = releasedShop();
    expect((await judge(text)).decision).toBe('pass');
  });
});

describe('where nothing can be told', () => {
  test('a broken repository holds, and says how to proceed', async () => {
    const { judge, repo, change, lanehold } = shop(sandbox());
    change('src/cart/add.ts');
    await lanehold('feature', 'list');
    rmSync(join(repo, '.git/objects'), { recursive: true });
    mkdirSync(join(repo, '.git/objects'));
    for (const text of ['git push', 'npm publish', 'gh pr create --fill']) {
      const { decision, exitCode, reason } = await judge(text);
      expect({ text, decision, exitCode }).toEqual({ text, decision: 'deny', exitCode: 1 });
      expect(reason).toMatch(/^lanehold holds `[a-z ]+`: it cannot tell what would leave\n/);
      expect(reason).toContain('To proceed: run the same command by hand to see what git needs');
      expect(reason.split('\n').length).toBeLessThan(10);
    }
  });

  test('an object that is missing', async () => {
    const { judge, repo, git, change } = shop(sandbox());
    const oid = change('src/cart/add.ts');
    const object = join(repo, '.git/objects', oid.slice(0, 2), oid.slice(2));
    chmodSync(object, 0o600);
    rmSync(object);
    expect(git('rev-parse', 'main')).toBe(oid);
    expect(await judge('git push')).toMatchObject({ decision: 'deny', exitCode: 1 });
  });

  test('a folder that only running the command would tell', async () => {
    const { judge, lanehold } = shop(sandbox());
    await lanehold('feature', 'list');
    const { decision, exitCode, reason } = await judge('cd "$(mktemp -d)" && git push');
    expect({ decision, exitCode }).toEqual({ decision: 'deny', exitCode: 1 });
    expect(reason).toContain('To proceed: write the folder out');
  });
});
