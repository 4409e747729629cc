/** What runs before a push in the same command may change what is pushed. */
import { describe, expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { type Shop, shop } from '../support/shop.ts';

const OWN_COMMAND = 'in a command of its own';

/** Changed, not committed: `add.ts` of the cart, and a new file beside it. */
function editedShop(): Shop {
  const project = shop(sandbox());
  project.write('src/cart/add.ts', 'two\n');
  project.write('src/cart/new.ts', 'new\n');
  return project;
}

test('a commit is judged by what a hook of git pushes after it', async () => {
  const { judge, verify, write, git } = editedShop();
  write('.git/hooks/post-commit', '#!/bin/sh\ngit push origin HEAD\n');
  const held = await judge('git commit -am two');
  expect(held).toMatchObject({ decision: 'deny', held: ['cart'] });
  expect(held.reason).toContain('`git push` (at .git/hooks/post-commit > line 2)');
  expect((await judge('git commit --allow-empty -m two')).decision).toBe('pass');
  git('add', '-A');
  await verify('cart');
  expect((await judge('git commit -m two')).decision).toBe('pass');
  write('.git/hooks/post-commit', '#!/bin/sh\nnpm test\n');
  write('src/cart/add.ts', 'three\n');
  expect((await judge('git commit -am two')).decision).toBe('none');
});

describe('a commit on the way', () => {
  test.each([
    "git add -A && git commit -m 'two' && git push",
    'git add . && git commit -q -m two && git push origin main',
    'git add --all; git commit --message=two; git push',
    'git add src/cart && git commit -m two && git push',
    'git add src/cart/add.ts src/cart/new.ts && git commit -m two && git push',
    'git add -- src/cart/add.ts src/cart/new.ts && git commit -m two && git push',
    'git add -v src && git commit -am two --no-verify && git push origin HEAD',
    'cd src && git add cart && cd .. && git add -A && git commit -m two && git push',
    '(cd src && git add .) && git commit -m two && git push',
    'git -C src add cart && git commit -m two && git push',
    'git add -A && git commit -m "$(cat <<EOF\ntwo\nEOF\n)" && git push',
    'git add -A && git commit -qm two && git push --force-with-lease && echo done',
    'git add src/checkout && git add src/cart && git commit -m two && git push',
  ])('%s is judged by the working tree', async (text) => {
    const { judge, verify } = editedShop();
    expect(await judge(text)).toMatchObject({ decision: 'deny', held: ['cart'], exitCode: 3 });
    await verify('cart');
    expect(await judge(text)).toMatchObject({ decision: 'pass' });
  });

  test.each([
    ['git commit -am two && git push', ['src/cart/add.ts']],
    ['git add -u && git commit -m two && git push', ['src/cart/add.ts']],
    ['git add src/cart/add.ts && git commit -m two && git push', ['src/cart/add.ts']],
    ['git add src/cart/new.ts && git commit -m two && git push', ['src/cart/new.ts']],
  ])('%s does not pass on evidence for what it leaves behind', async (text, taken) => {
    const { judge, verify, git } = editedShop();
    await verify('cart');
    const { decision, held, reason } = await judge(text);
    expect({ decision, held }).toEqual({ decision: 'deny', held: ['cart'] });
    const [left] = ['src/cart/add.ts', 'src/cart/new.ts'].filter((it) => !taken.includes(it));
    expect(reason).toContain(`the working tree is verified, but what leaves differs in ${left}`);
    const verified = text.replace('git push', 'lanehold feature verify cart --at HEAD && git push');
    expect(reason).toContain(`Verify without what is not committed (${left}): ${verified}\n`);

    // The same, one after the other: commit, verify that commit, push.
    git('add', ...taken);
    git('commit', '--quiet', '--message', 'two');
    await verify('cart', '--at', 'HEAD');
    expect((await judge('git push')).decision).toBe('pass');
  });

  test('takes what is staged, as it is staged', async () => {
    const { judge, verify, git, write } = editedShop();
    git('add', '--all');
    write('src/cart/add.ts', 'three\n');
    await verify('cart');
    expect((await judge('git commit -m x && git push')).held).toEqual(['cart']);
    expect((await judge('git commit -am x && git push')).decision).toBe('pass');
    git('reset', '--quiet', '--hard');
    expect((await judge('git commit --allow-empty -m x && git push')).decision).toBe('pass');
  });

  test('that leaves the edits behind sends none of them', async () => {
    const { judge } = editedShop();
    expect((await judge('git commit --allow-empty -m x && git push')).decision).toBe('pass');
    expect((await judge('git commit --amend --no-edit && git push --force')).decision).toBe('pass');
  });

  test.each([
    'git commit -m two src/cart/add.ts && git push',
    'git commit --only -m two -- src/cart/add.ts && git push',
    'git commit --patch -m two && git push',
    'git add -p && git commit -m two && git push',
    "git add 'src/*.ts' && git commit -m two && git push",
    'git add ":(glob)src/**" && git commit -m two && git push',
    'git add $(git diff --name-only) && git commit -m two && git push',
    'git --work-tree=/tmp commit -am two && git push',
    'git --git-dir=.git commit -am two && git --git-dir=.git push',
  ])('%s cannot be foreseen', async (text) => {
    const { judge } = editedShop();
    const { decision, exitCode, reason } = await judge(text);
    expect({ decision, exitCode }).toEqual({ decision: 'deny', exitCode: 1 });
    expect(reason).toContain(OWN_COMMAND);
  });

  test('brings the registry that it commits', async () => {
    const { judge, register, verify } = editedShop();
    register({ everything: { files: ['**'], smoke: ['true'] } });
    const text = 'git add -A && git commit -m two && git push';
    expect((await judge(text)).held).toEqual(['everything', 'cart']);
    await verify('--pending');
    expect((await judge(text)).decision).toBe('pass');
    expect((await judge('git add src && git commit -m two && git push')).decision).toBe('pass');
  });

  test('also counts before a pull request', async () => {
    const { judge, git } = editedShop();
    git('switch', '--quiet', '--create', 'topic');
    expect((await judge('gh pr create --fill')).decision).toBe('pass');
    expect((await judge('git add -A && git commit -m x && gh pr create --fill')).held).toEqual([
      'cart',
    ]);
  });
});

describe('what changes the content or the history on the way', () => {
  test.each([
    "sed -i 's/two/three/' src/cart/add.ts && git commit -am x && git push",
    'echo three > src/cart/add.ts && git commit -am x && git push',
    'npm run format && git commit -am x && git push',
    'node fix.js && git add -A && git commit -m x && git push',
    'git checkout topic && git push',
    'git reset --hard HEAD~1 && git push --force',
    'git rebase main && git push',
    'git merge topic && git push',
    'git pull --rebase && git push',
    'git cherry-pick topic && git push origin main',
    'git stash pop && git commit -am x && git push',
    'npm version patch && git push --follow-tags',
    'gt modify -a && git push',
    'for f in a b; do git push; git commit --allow-empty -m x && git pull; done',
    'git push & git commit -am x && git pull',
    'git update-ref refs/remotes/origin/main HEAD && git push',
    'git fetch . main:refs/remotes/origin/main && git push',
    'git config push.default matching && git push',
    'git config remote.origin.push topic && git push',
    'git remote set-url origin /elsewhere && git push',
    'git branch -f main topic && git push origin main',
  ])('%s is denied', async (text) => {
    const { judge, change, git } = editedShop();
    git('branch', 'topic');
    change('README.md');
    const { decision, exitCode, reason } = await judge(text);
    expect({ decision, exitCode }).toEqual({ decision: 'deny', exitCode: 1 });
    expect(reason.split('\n').length).toBeLessThan(10);
    expect(reason).toContain(OWN_COMMAND);
  });

  test.each([
    'git status && git diff && git log -1 && git push',
    'git fetch && git push',
    'git fetch origin main && git push',
    'git config user.email me@example.org && git push',
    'git config --get remote.origin.url; git push',
    'git remote -v && git push',
    'npm test && git push',
    'npm run build && git push origin main',
    'git add -A && git push',
    'git tag v1 && git push origin v1',
    'git branch backup && git push',
    'git switch -c topic && git push -u origin topic',
    'echo done > ../log.txt; git push',
  ])('%s is not', async (text) => {
    const { judge, write } = shop(sandbox());
    write('src/cart/add.ts', 'not committed, does not leave\n');
    expect(await judge(text)).toMatchObject({ decision: 'pass' });
  });

  test('a branch or tag made on the way stands for HEAD', async () => {
    const { judge, change, git } = shop(sandbox());
    change('src/cart/add.ts');
    expect((await judge('git switch -c topic && git push -u origin topic')).held).toEqual(['cart']);
    expect((await judge('git tag v1 && git push origin v1')).held).toEqual(['cart']);
    expect((await judge('git tag v1 && git push --tags')).held).toEqual(['cart']);
    git('reset', '--quiet', '--hard', 'origin/main');
    const text =
      'git checkout -b topic && git add -A && git commit -m x && git push -u origin topic';
    expect((await judge(text)).decision).toBe('pass');
  });

  test('is nobody’s business in a project that holds nothing', async () => {
    const box = sandbox();
    const { judge } = shop(box);
    const plain = box.repo('plain');
    box.commit(plain);
    box.git(plain, 'remote', 'add', 'origin', box.repo('plain.git', '--bare'));
    for (const text of [
      'git pull --rebase && git push',
      'git commit -m x README.md && git push',
      'git push origin nowhere',
      'git push',
      'npm publish',
    ]) {
      expect({ text, ...(await judge(text, plain)) }).toMatchObject({ text, exitCode: 0 });
    }
  });
});
