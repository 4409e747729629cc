/** `lanehold feature verify cart && git push`: the way out in one command. */
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { FEATURES, shop } from '../support/shop.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/lanehold.js');

/** `cart` is changed and committed; `lanehold` is on PATH and installed in the project. */
function changed({ first }: { readonly first?: string } = {}) {
  const box = sandbox();
  const bin = join(box.root, 'bin');
  mkdirSync(bin);
  symlinkSync(PROGRAM, join(bin, 'lanehold'));
  const other = box.write('other/lanehold', '#!/bin/sh\n');
  chmodSync(other, 0o755);
  const project = shop(box, {
    env: { PATH: [...(first ? [first] : []), bin, process.env.PATH].join(delimiter) },
  });
  const scripts = { verify: 'lanehold feature verify --pending' };
  project.write('package.json', JSON.stringify({ name: 'shop', scripts }));
  project.write('.gitignore', 'node_modules\n');
  project.write('src/cart/total.txt', 'changed\n');
  box.commit(project.repo);
  mkdirSync(join(project.repo, 'node_modules/.bin'), { recursive: true });
  symlinkSync(PROGRAM, join(project.repo, 'node_modules/.bin/lanehold'));
  return { box, project };
}

describe('a verification that comes first lets the push through', () => {
  test.each([
    'lanehold feature verify cart && git push',
    'lanehold feature verify --pending && git push',
    'lanehold feature verify checkout cart -q && git push origin HEAD',
    'lanehold feature verify checkout && lanehold feature verify cart && git push',
    'lanehold -q feature verify cart 2>&1 && git push 2>&1',
    'lanehold feature verify cart && echo verified && git status && git push',
    'npx lanehold feature verify cart && git push',
    'npx --no-install lanehold feature verify cart && git push',
    'pnpm exec lanehold feature verify cart && git push',
    `node ${PROGRAM} feature verify cart && git push`,
    `${process.execPath} ${PROGRAM} feature verify cart && git push`,
    'cd src && lanehold feature verify cart && git push',
    'lanehold feature verify cart && npm test && git push',
    'lanehold feature verify cart && git tag -a v2 -m two && git push --follow-tags',
    'lanehold feature verify cart && git push && git push --tags',
    'lanehold feature verify cart --at HEAD && git push',
  ])('%s', async (command) => {
    const { project } = changed();
    expect(await project.judge(command)).toMatchObject({ decision: 'pass' });
  });

  test('after a commit that takes all of the change', async () => {
    const { project } = changed();
    project.write('src/cart/total.txt', 'changed again\n');
    const message = `git commit -m "$(cat <<'EOF'\nNew totals\nEOF\n)"`;
    for (const commit of ["git add -A && git commit -m 'New totals'", `git add -A && ${message}`]) {
      const command = `${commit} && lanehold feature verify --pending && git push`;
      expect(await project.judge(command)).toMatchObject({ decision: 'pass' });
    }
  });
});

describe('a verification that is not enough does not', () => {
  test.each([
    ['lanehold feature verify cart; git push', '`&&` alone'],
    ['lanehold feature verify cart || git push', '`&&` alone'],
    ['lanehold feature verify cart | tail -3 && git push', '`&&` alone'],
    ['lanehold feature verify cart | git push', '`&&` alone'],
    ['git log | lanehold feature verify cart && git push', '`&&` alone'],
    ['cd src | cat && lanehold feature verify cart && git push', 'which program runs'],
    ['lanehold feature verify cart & git push', '`&&` alone'],
    ['lanehold feature verify cart\ngit push', '`&&` alone'],
    ['! lanehold feature verify cart && git push', '`&&` alone'],
    ['lanehold feature verify checkout && git push', 'it leaves out cart'],
    ['lanehold feature verify cart --attest --notes x && git push', 'options'],
    ['lanehold feature verify cart --help && git push', 'options'],
    ['npm exec lanehold feature verify cart --at HEAD && git push', 'does not start this lanehold'],
    ['lanehold feature verify --pending --at HEAD && git push', 'options'],
    ['lanehold --project ../other feature verify cart && git push', 'another project'],
    ['lanehold feature verify cart --at HEAD~1 && git push', 'is not what it verifies'],
    [
      'sed -i s/a/b/ src/cart/total.txt && lanehold feature verify cart && git push',
      '`sed -i s/a/b/`',
    ],
    ['npm test && lanehold feature verify cart && git push', '`npm test` may change the content'],
    [
      "echo '{}' > lanehold.json && lanehold feature verify cart && git push",
      'may change the content',
    ],
    ['PATH=../other lanehold feature verify cart && git push', 'out as a command of its own'],
    ['export PATH=../other && lanehold feature verify cart && git push', 'which program runs'],
    ['alias lanehold=true && lanehold feature verify cart && git push', 'which program runs'],
    ['../other/lanehold feature verify cart && git push', 'does not start this lanehold'],
    ['node ../other/lanehold feature verify cart && git push', 'does not start this lanehold'],
    ['cd / && lanehold feature verify cart && git -C {repo} push', 'another project'],
    ['npm run verify && git push', 'command of its own'],
  ])('%s', async (command, why) => {
    const { project } = changed();
    const answer = await project.judge(command.replace('{repo}', project.repo));
    expect(answer).toMatchObject({ decision: 'deny', held: ['cart'] });
    expect(answer.reason).toContain('The verification in this command does not count: ');
    expect(answer.reason).toContain(why);
  });

  test.each(['git commit --amend --no-edit', 'git reset HEAD~1', 'git merge other'])(
    'nor one before `%s`',
    async (moving) => {
      const { project } = changed();
      const command = `lanehold feature verify cart && ${moving} && git push`;
      expect(await project.judge(command)).toMatchObject({ decision: 'deny' });
    },
  );

  test('nor one by a definition that is weaker than what leaves says', async () => {
    const { box, project } = changed();
    const strict = { files: ['src/new/**'], smoke: ['false'] };
    project.register({ ...FEATURES, new: strict });
    project.write('src/new/a.ts', 'one\n');
    box.commit(project.repo);
    await project.verify('cart');
    project.register({ ...FEATURES, new: { ...strict, smoke: ['true'] } });
    for (const which of ['new', '--pending']) {
      const answer = await project.judge(`lanehold feature verify ${which} && git push`);
      expect(answer).toMatchObject({ decision: 'deny', held: ['new'] });
      expect(answer.reason).toContain('what leaves of new is not what it verifies');
    }
  });

  test('nor one by a program that a relative folder on PATH may hide', async () => {
    const { project } = changed({ first: '.' });
    const { decision, reason } = await project.judge('lanehold feature verify cart && git push');
    expect(decision).toBe('deny');
    expect(reason).toContain('does not start this lanehold');
  });

  test('nor one that comes after the push', async () => {
    const { project } = changed();
    const answer = await project.judge('git push && lanehold feature verify cart');
    expect(answer.decision).toBe('deny');
    expect(answer.reason).not.toContain('does not count');
  });

  test('nor of a working tree that differs from what leaves', async () => {
    const { project } = changed();
    project.write('src/cart/total.txt', 'not committed\n');
    const { decision, reason } = await project.judge('lanehold feature verify cart && git push');
    expect(decision).toBe('deny');
    expect(reason).toContain('what leaves of cart is not what it verifies');
  });
});

describe('the denial offers the whole line', () => {
  test.each([
    ['git push', 'lanehold feature verify cart && git push'],
    ['git push -u origin main', 'lanehold feature verify cart && git push -u origin main'],
    ['cd src && git push', 'cd src && lanehold feature verify cart && git push'],
    ['git push 2>&1 | tail -3', 'lanehold feature verify cart && git push 2>&1 | tail -3'],
    ['git log | cat && git push', 'git log | cat && lanehold feature verify cart && git push'],
    ['git status && git push', 'git status && lanehold feature verify cart && git push'],
    ['npm test && git push', 'lanehold feature verify cart && npm test && git push'],
  ])('%s', async (command, offered) => {
    const { project } = changed();
    const { reason } = await project.judge(command);
    expect(reason).toContain(`\nVerify: ${offered}\n`);
    expect(await project.judge(offered)).toMatchObject({ decision: 'pass' });
  });

  test('with the commit that comes first', async () => {
    const { project } = changed();
    project.write('src/cart/total.txt', 'changed again\n');
    const { reason } = await project.judge("git add -A && git commit -m 'x y' && git push");
    const offered = "git add -A && git commit -m 'x y' && lanehold feature verify cart && git push";
    expect(reason).toContain(`\nVerify: ${offered}\n`);
    expect(await project.judge(offered)).toMatchObject({ decision: 'pass' });
  });

  test('and verifies that commit, where a file lies there that it does not take', async () => {
    const { project } = changed();
    project.write('src/cart/total.txt', 'changed again\n');
    project.write('scratch.js', 'x\n');
    const { reason } = await project.judge('git commit -am x && git push');
    const offered = 'git commit -am x && lanehold feature verify cart --at HEAD && git push';
    expect(reason).toContain(`\nVerify without what is not committed (scratch.js): ${offered}\n`);
    expect(await project.judge(offered)).toMatchObject({ decision: 'pass' });
    const here = await project.judge(offered.replace(' --at HEAD', ''));
    expect(here).toMatchObject({ decision: 'deny' });
    expect(here.reason).toContain('it tests cart beside scratch.js');
  });

  test('without an option that a person would have to agree to', async () => {
    const { judge, change, verify } = shop(sandbox());
    change('src/cart/add.ts');
    const { reason } = await judge('git push --no-verify origin main');
    expect(reason).toContain(
      'Verify, then run the command again without --no-verify: lanehold feature verify cart\n',
    );
    expect((await judge('HUSKY=0 git push')).reason).toContain(
      'Verify, then run the command again without HUSKY=0: lanehold feature verify cart',
    );
    await verify('cart');
    expect((await judge('git push origin main')).decision).toBe('pass');
  });

  test('and each other line finds the project, too', async () => {
    const box = sandbox();
    const { judge, change } = shop(box);
    change('src/cart/add.ts');
    box.repo('other');
    const there = join(box.root, 'other');
    const { reason } = await judge('cd ../shop && git push', there);
    expect(reason).toContain('Verify: cd ../shop && lanehold feature verify cart && git push\n');
    expect(reason).toContain('agree to: cd ../shop && lanehold feature waive cart ');
    expect((await judge('(git -C ../shop push)', there)).reason).toContain(
      'run the command again: (cd ../shop && lanehold feature verify cart)\n',
    );
  });

  test('by `-C`, too, and leaves the shell where it is', async () => {
    const { box, project } = changed();
    const other = join(box.root, 'topic');
    box.git(project.repo, 'worktree', 'add', '--quiet', '-b', 'topic', other);
    box.write('topic/src/cart/total.txt', 'on a branch\n');
    box.commit(other);
    for (const [before, there] of [
      ['', '../topic'],
      ['cd src && ', other],
    ] as const) {
      const push = `git -C ${other} push origin topic`;
      const { reason } = await project.judge(`${before}${push}`);
      const offered = `${before}lanehold feature verify cart --project ${there} && ${push}`;
      expect(reason).toContain(`\nVerify: ${offered}\n`);
      expect(await project.judge(offered)).toMatchObject({ decision: 'pass' });
    }
    const here = `lanehold feature verify cart --project . && git -C ${other} push origin topic`;
    expect((await project.judge(here)).reason).toContain('it verifies another project');
  });

  test('beside one that is not enough it is named alone', async () => {
    const { box, project } = changed();
    project.write('scratch.js', 'x\n');
    const oid = box.git(project.repo, 'rev-parse', 'HEAD').trim().slice(0, 12);
    const { reason } = await project.judge('lanehold feature verify cart && git push');
    expect(reason).toContain(
      `\nVerify without what is not committed (scratch.js), then run the command again without its verification: lanehold feature verify cart --at ${oid}\n`,
    );
  });

  test('with the commit, where that is not checked out', async () => {
    const { box, project } = changed();
    box.git(project.repo, 'switch', '--quiet', '-c', 'topic');
    project.write('src/cart/total.txt', 'on a branch\n');
    box.commit(project.repo);
    const oid = box.git(project.repo, 'rev-parse', 'HEAD').trim().slice(0, 12);
    box.git(project.repo, 'switch', '--quiet', 'main');
    const { reason } = await project.judge('git push origin topic');
    const offered = `lanehold feature verify cart --at ${oid} && git push origin topic`;
    expect(reason).toContain(`\nVerify: ${offered}\n`);
    expect(await project.judge(offered)).toMatchObject({ decision: 'pass' });
  });

  test.each(['git push; echo done', '(git push)', 'git push || git push -f', 'sh -c "git push"'])(
    'not for %s',
    async (command) => {
      const { project } = changed();
      const { reason } = await project.judge(command);
      expect(reason).toContain(
        '\nVerify, then run the command again: lanehold feature verify cart\n',
      );
    },
  );
});
