/** One checkout for many commands, and none of them sees what another one has left. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitIn } from '../../src/base/git/git-in.ts';
import { projectPlace } from '../../src/base/git/project.ts';
import { removeKeptTrees, withKeptTree } from '../../src/checkout/kept-tree.ts';
import { sandbox } from '../support/sandbox.ts';

function project() {
  const box = sandbox();
  const repo = box.repo();
  box.write(join(repo, '.gitignore'), 'node_modules/\n.venv/\n*.log\n');
  box.write(join(repo, 'a.txt'), 'a\n');
  box.write(join(repo, 'src/b.txt'), 'b\n');
  box.write(join(repo, 'lock'), '1\n');
  const first = box.commit(repo);
  box.write(join(repo, 'a.txt'), 'another\n');
  box.git(repo, 'rm', '--quiet', 'src/b.txt');
  const second = box.commit(repo);
  const git = gitIn(repo, box.env);
  const folder = join(box.root, 'trees');
  const setups: string[] = [];
  /** Runs a shell command in a tree of the commit, as a validation does. */
  const run = (oid: string, command: string, key = 'lock 1') =>
    withKeptTree(
      {
        ...{ git, oid, folder, name: 'shop' },
        plan: async () => ({ key: key === 'unknown' ? undefined : key }),
        setUp: async (root) => {
          setups.push(oid);
          mkdirSync(join(root, 'node_modules/lib'), { recursive: true });
          mkdirSync(join(root, '.venv/lib'), { recursive: true });
          writeFileSync(join(root, 'node_modules/lib/index.js'), 'lib\n');
          writeFileSync(join(root, '.venv/lib/lib.py'), 'lib\n');
        },
      },
      async ({ root }) => {
        const { stdout } = spawnSync('/bin/sh', ['-c', command], { cwd: root, env: box.env });
        return { root, said: `${stdout}` };
      },
    );
  return { box, repo, git, folder, first, second, setups, run };
}

/** All files with their content, and what git says of them. */
const LOOK = `git status --porcelain --ignored; find . -path ./.git -prune -o -type f -print | sort |
  while read -r f; do stat -c '%n %a' "$f"; cat "$f"; done; find . -type d -perm /u=w -o -type d -print | sort`;

describe('one checkout for many commands', () => {
  test('what a command does to files is taken back, and the setup runs once', async () => {
    const { first, second, setups, run } = project();
    const fresh = { one: await run(first, LOOK), two: await run(second, LOOK) };
    const leftovers = [
      'echo changed > a.txt; rm -f src/b.txt; echo new > new.txt',
      'mkdir -p deep/er; echo ignored > deep/er/x.log; echo 1 > x.log',
      'git init --quiet nested; echo 1 > nested/file',
      'mkdir -p node_modules/.cache/tool .venv/__pycache__; echo 1 > node_modules/.cache/tool/x',
      'git update-index --assume-unchanged a.txt; echo hidden > a.txt',
      'git update-index --skip-worktree lock; echo hidden > lock',
      'git add --all --force; rm a.txt; ln -s /etc/passwd a.txt',
      'chmod +x a.txt; mkdir empty',
    ];
    for (const command of leftovers) {
      await run(first, command);
      expect(await run(second, LOOK), command).toEqual(fresh.two);
      await run(second, command);
      expect(await run(first, LOOK), command).toEqual(fresh.one);
    }
    expect(setups).toEqual([first]);
    // Whether git writes these files anew depends on the clock.
    for (const command of ['chmod a-w lock', 'ln lock ../also']) {
      await run(first, command);
      expect((await run(first, LOOK)).said, command).toBe(fresh.one.said);
    }
  });

  test('a tree in which more than that differs is made anew', async () => {
    const { box, repo, first, setups, run } = project();
    const { identity: commonDir } = projectPlace(repo);
    const pid = join(box.root, 'pid');
    const fresh = await run(first, LOOK);
    const leftovers = [
      'echo bad > node_modules/lib/index.js',
      'touch -r a.txt before; echo bad > .venv/lib/lib.py; touch -r before .venv/lib/lib.py',
      'echo 1 > node_modules/lib/more.js',
      'rm -r node_modules/lib',
      'chmod a-w node_modules/lib/index.js',
      'chmod a-w src',
      'mkfifo pipe',
      'git init --quiet src',
      'git checkout --quiet -b other',
      'git commit --quiet --allow-empty --message more',
      'git config extensions.worktreeConfig true; git config --worktree core.autocrlf true',
      'mkdir -p "$(git rev-parse --git-dir)/info"; echo x > "$(git rev-parse --git-dir)/info/sparse-checkout"',
      'touch "$(git rev-parse --git-dir)/index.lock"',
      'mkdir -p ../node_modules/pad',
      'mkdir -p ../../node_modules/pad',
      'GIT_INDEX_FILE=../../index git update-index --skip-worktree a.txt; echo hidden > a.txt',
      'mv "$PWD" ../away; ln -s away "$PWD"',
      `env -i LANEHOLD_X=1 setsid sh -c 'echo $$ > ${pid}s; exec sleep 60' > /dev/null 2>&1 & until test -s ${pid}s; do :; done`,
      `env -i setsid sh -c 'echo $$ > ${pid}; exec sleep 60' > /dev/null 2>&1 & until test -s ${pid}; do :; done`,
      'rm .git',
    ];
    let made = setups.length;
    for (const command of leftovers) {
      await run(first, command);
      const { said } = await run(first, LOOK);
      expect(said, command).toBe(fresh.said);
      made += 1;
      expect(setups.length, command).toBe(made);
    }
    for (const file of [pid, `${pid}s`]) process.kill(Number(readFileSync(file, 'utf8')));
    // All working trees share these: they are as the command has left them, and the tree is made by them.
    for (const shared of ['config', 'info/exclude', 'info/attributes', 'hooks/post-checkout']) {
      await run(first, `echo '# more' >> ${commonDir}/${shared}`);
      await run(first, LOOK);
      made += 1;
      expect(setups.length, shared).toBe(made);
    }
    await run(first, LOOK);
    expect(setups).toHaveLength(made);
  });

  test('what a setup depends on, and how a command ended, decide as well', async () => {
    const { box, repo, git, folder, first, second, setups, run } = project();
    await run(first, 'true');
    await run(second, 'true', 'lock 2');
    // Each set-up has a tree.
    await run(first, 'true');
    await run(second, 'true', 'lock 2');
    expect(setups).toEqual([first, second]);
    // Two at once.
    await Promise.all([run(first, 'sleep 0.2'), run(first, 'sleep 0.2')]);
    expect(setups).toEqual([first, second, first]);
    for (const _ of [1, 2]) await run(first, 'true', 'unknown');
    expect(setups).toEqual([first, second, first, first, first]);
    expect(box.git(repo, 'worktree', 'list').trim().split('\n').length).toBeLessThan(5);
    expect(await removeKeptTrees(git, folder)).toBe(true);
    expect(box.git(repo, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  });
});
