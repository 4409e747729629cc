/** Repositories that have the content of a project: those in it, and those that the same command fills from it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installGitHook, push } from '../support/pushing.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { type Shop, shop } from '../support/shop.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/lanehold.js');
const PAGES = 'https://git.example.org/pages.git';
const AS_NEW = `git init && git add -A && git commit -m pages && git push -f ${PAGES} HEAD:gh-pages`;
const AGAIN = 'git add -A && git commit -m pages && git push origin HEAD:gh-pages';

/** The script that documentation of site generators shows. */
const SCRIPT = `#!/usr/bin/env sh
set -e
npm run build
cd dist
echo > .nojekyll
git init
git checkout -B main
git add -A
git commit -m 'deploy'
git push -f ${PAGES} main:gh-pages
cd -
`;

/** Built into `dist`, which is ignored; `cart` has been changed since, and not pushed. */
function builtShop(box: Sandbox): Shop {
  const it = shop(box);
  it.write('.gitignore', 'dist*/\nsite.wiki/\nvendor/\nnode_modules/\n');
  it.write('package.json', '{"scripts":{"build":"node build.js"}}\n');
  it.write('scripts/deploy.sh', SCRIPT);
  it.write('docs/index.md', 'docs\n');
  box.commit(it.repo);
  it.git('push', '--quiet');
  it.change('src/cart/add.ts', 'two\n');
  it.write('dist/index.html', '<p>\n');
  return it;
}

/** A clone of something else, with a commit of its own. */
function clone(box: Sandbox, folder: string): void {
  const other = join(box.root, 'other.git');
  const made = box.repo(join(box.root, 'other'));
  box.write(join(made, 'lib.js'), 'lib\n');
  box.commit(made);
  box.git(box.root, 'clone', '--quiet', '--bare', made, other);
  box.git(box.root, 'clone', '--quiet', other, folder);
  box.write(join(folder, 'lib.js'), 'mended\n');
  box.commit(folder);
}

function repository(box: Sandbox, folder: string, remote: string | undefined = PAGES): string {
  box.repo(folder);
  box.commit(folder, 'first');
  if (remote !== undefined) box.git(folder, 'remote', 'add', 'origin', remote);
  return folder;
}

describe('a repository within a project has its content', () => {
  test('where the command makes it', async () => {
    const box = sandbox();
    const { judge, verify } = builtShop(box);
    const commands = [
      `cd dist && ${AS_NEW}`,
      `npm run build && cd dist && ${AS_NEW}`,
      `npm run build && cd out && ${AS_NEW}`,
      `cd dist && rm -rf .git && ${AS_NEW}`,
      `(cd dist && touch .nojekyll && ${AS_NEW})`,
      `git init dist && git -C dist add -A && git -C dist commit -m x && git -C dist push ${PAGES} main`,
      `git clone -b gh-pages ${box.root}/remote.git dist2 && cp -r dist/. dist2 && cd dist2 && ${AGAIN}`,
      `git clone ${PAGES} dist2 && cp -r dist/. dist2 && cd dist2 && ${AGAIN}`,
      `git worktree add pages gh-pages && cp -r dist/. pages && cd pages && ${AGAIN}`,
      'sh scripts/deploy.sh',
    ];
    for (const text of commands) {
      const said = await judge(text);
      expect(`${text}\n${said.decision} ${said.reason}`).toMatch(/^- cart: /m);
    }
    const { reason } = await judge(`cd dist && ${AS_NEW}`);
    expect(reason).toContain('which sends content of shop: 1 feature is not verified');
    await verify('cart');
    for (const text of commands) expect((await judge(text)).decision, text).toBe('pass');
  });
  test('where it is one already', async () => {
    const box = sandbox();
    const { judge, verify, repo, git } = builtShop(box);
    repository(box, join(repo, 'dist'));
    repository(box, join(repo, 'site.wiki'), undefined);
    git('branch', 'gh-pages', git('commit-tree', '-m', 'pages', 'HEAD:docs'));
    git('worktree', 'add', '--quiet', 'vendor/pages', 'gh-pages');
    box.git(join(repo, 'dist'), 'worktree', 'add', '--quiet', '--detach', '../dist2');
    const commands = [
      `cd dist && ${AGAIN}`,
      'git -C dist push',
      'git --git-dir=dist/.git push origin main',
      'cd dist && npx vercel deploy',
      'cd dist2 && git push origin HEAD:main',
      `cd site.wiki && git push ${PAGES} main`,
      `cd vendor/pages && ${AGAIN}`,
      'cd vendor/pages && git push origin gh-pages',
      'git push origin gh-pages',
      'git subtree push --prefix docs origin gh-pages',
    ];
    for (const text of commands) {
      const said = await judge(text);
      expect(`${text}\n${said.decision} ${said.reason}`).toMatch(/^- cart: /m);
    }
    expect((await judge('git push origin gh-pages:refs/notes/pages')).decision).toBe('pass');
    const there = await judge('git push origin main', join(repo, 'dist'));
    expect(there.reason).toContain('Verify, then run the command again: (cd .. && ');
    const first = `${process.execPath} ${PROGRAM} feature verify cart && cd dist && ${AGAIN}`;
    expect((await judge(first)).decision).toBe('pass');
    await verify('cart');
    for (const text of commands) expect((await judge(text)).decision, text).toBe('pass');
  });

  test('of tracked files only that of the features that they are in', async () => {
    const box = sandbox();
    const { judge, write, repo } = builtShop(box);
    write('src/cart/add.ts', 'three\n');
    expect((await judge(`cd docs && ${AS_NEW}`)).decision).toBe('pass');
    expect((await judge(`cd src/cart && ${AS_NEW}`)).held).toEqual(['cart']);
    repository(box, join(repo, 'docs'));
    expect((await judge(`cd docs && ${AGAIN}`)).decision).toBe('pass');
    // It may be built from anything.
    write('docs/api.md', 'generated\n');
    expect((await judge(`cd docs && ${AGAIN}`)).held).toEqual(['cart']);
  });

  test('where the same command changes the project first, it cannot be told', async () => {
    const { judge } = builtShop(sandbox());
    for (const first of [
      "sed -i 's/two/three/' src/cart/add.ts",
      'git stash',
      'npm version minor',
    ]) {
      const { decision, reason } = await judge(`${first} && cd dist && ${AS_NEW}`);
      expect({ first, decision }).toEqual({ first, decision: 'deny' });
      expect(reason).toContain('it cannot tell what would leave');
    }
  });
});

test('a repository elsewhere has it where the same command fills it', async () => {
  const box = sandbox();
  const { judge, verify, repo } = builtShop(box);
  clone(box, join(box.root, 'pages'));
  const commands = [
    `cp -r dist/. ../pages && cd ../pages && ${AGAIN}`,
    `cd ../pages && cp -r ${repo}/dist/* . && ${AGAIN}`,
    `rsync -a --delete dist/ ../pages/ && git -C ../pages commit -am x && git -C ../pages push`,
    `hugo -d ../pages && cd ../pages && ${AGAIN}`,
    `git --git-dir=../pages/.git --work-tree=dist add -A && git -C ../pages commit -m x && git -C ../pages push`,
    `cp src/cart/add.ts ../pages/ && cd ../pages && ${AGAIN}`,
    `git clone ${PAGES} ../fresh && cp -r dist/. ../fresh && cd ../fresh && ${AGAIN}`,
  ];
  for (const text of commands) {
    const said = await judge(text);
    expect(`${text}\n${said.decision} ${said.reason}`).toMatch(/^- cart: /m);
  }
  for (const text of [
    `cd ../pages && ${AGAIN}`,
    `cat src/cart/add.ts && mkdir -p ../pages/x && cd ../pages && ${AGAIN}`,
    `cp README.md ../pages/ && cd ../pages && ${AGAIN}`,
  ]) {
    expect((await judge(text)).decision, text).toMatch(/^(?:none|pass)$/);
  }
  await verify('cart');
  for (const text of commands) expect((await judge(text)).decision, text).toBe('pass');
});

test('a project of its own is not held for the one around it', async () => {
  const box = sandbox();
  const it = builtShop(box);
  const { judge, repo, git } = it;
  clone(box, join(repo, 'vendor/lib'));
  clone(sandbox(), join(repo, 'node_modules/lib'));
  repository(box, join(repo, 'app'));
  box.write(join(repo, 'app/lanehold.json'), '{"features":{}}\n');
  git(
    '-c',
    'protocol.file.allow=always',
    'submodule',
    '--quiet',
    'add',
    join(box.root, 'other.git'),
    'sub',
  );
  mkdirSync(join(box.root, 'shop/vendor/trees'));
  git('worktree', 'add', '--quiet', '-b', 'topic', 'vendor/trees/topic', 'origin/main');
  for (const text of [
    'cd vendor/lib && git push',
    'cd vendor/lib && git add -A && git commit -m mend && git push origin HEAD',
    'npm test && cd vendor/lib && git commit -am mend && git push',
    'git -C node_modules/lib push origin HEAD',
    'cd app && git push origin main',
    'cd sub && git push origin HEAD',
    'cd vendor/trees/topic && git push origin topic',
  ]) {
    const { decision, reason } = await judge(text);
    expect({ text, decision, reason }).toMatchObject({
      text,
      decision: expect.stringMatching(/none|pass/),
    });
  }
  // What the clone brings is not known yet: it may have a registry of its own.
  const { reason } = await judge(
    `git clone ${PAGES} vendor/new && cd vendor/new && sed -i s/a/b/ x && git commit -am x && git push`,
  );
  expect(reason).toContain(
    'To proceed: make it first, then run `git push` in a command of its own',
  );
});

test('git’s own hook judges a nested repository that has one by the project around it', async () => {
  const box = sandbox();
  const it = builtShop(box);
  const { repo, verify, git } = it;
  const remote = box.repo(join(box.root, 'pages.git'), '--bare');
  const dist = repository(box, join(repo, 'dist'), remote);
  clone(box, join(repo, 'vendor/lib'));
  for (const folder of [repo, dist, join(repo, 'vendor/lib')]) await installGitHook(box, folder);
  git('branch', 'gh-pages', git('commit-tree', '-m', 'pages', 'HEAD:docs'));
  git('worktree', 'add', '--quiet', 'vendor/pages', 'gh-pages');
  const beside = box.repo(join(repo, 'vendor/pages.git'), '--bare');
  expect((await push(box, it, [beside, 'HEAD:main'], { cwd: dist })).verdict).toBe('pushed');
  const held = await push(box, it, ['origin', 'HEAD:main'], { cwd: dist });
  expect(held).toMatchObject({ verdict: 'held', held: ['cart'] });
  expect(held.stderr).toContain('Verify, then push again: (cd .. && ');
  const pages = { cwd: join(repo, 'vendor/pages') };
  expect((await push(box, it, ['origin', 'gh-pages'], pages)).held).toEqual(['cart']);
  const split = git('subtree', 'split', '-q', '--prefix', 'docs');
  expect((await push(box, it, ['origin', `${split}:refs/heads/docs`])).held).toEqual(['cart']);
  const lib = { cwd: join(repo, 'vendor/lib') };
  expect((await push(box, it, ['origin', 'HEAD:topic'], lib)).verdict).toBe('pushed');
  await verify('cart');
  expect((await push(box, it, ['origin', 'HEAD:main'], { cwd: dist })).verdict).toBe('pushed');
  expect((await push(box, it, ['origin', 'gh-pages'], pages)).verdict).toBe('pushed');
});

test('a branch that was made of the project counts as its working tree in both hooks, wherever it is', async () => {
  const box = sandbox();
  const it = builtShop(box);
  const { repo, verify, git, judge } = it;
  await installGitHook(box, repo);
  // A page, with a name that is one of the feature's files, and nothing to test it by.
  it.write('site/src/cart/add.ts', '<p>');
  box.commit(repo);
  const page = git('commit-tree', '-m', 'page', 'HEAD:site');
  git('branch', 'gh-pages', page);
  const beside = join(box.root, 'pages-tree');
  git('worktree', 'add', '--quiet', beside, 'gh-pages');
  const own = { cwd: beside };
  const pushing = ['origin', 'gh-pages'];
  const said = await judge('git push origin gh-pages', beside);
  expect(said.held).toEqual(['cart']);
  expect((await push(box, it, pushing, own)).held).toEqual(['cart']);
  await verify('cart');
  expect((await judge('git push origin gh-pages', beside)).decision).toBe('pass');
  expect((await judge('git push origin gh-pages')).decision).toBe('pass');
  // What replaces a branch of the project is judged by itself, too.
  expect((await judge('git push origin +gh-pages:main')).decision).toBe('deny');
  expect((await push(box, it, pushing, own)).verdict).toBe('pushed');
});
