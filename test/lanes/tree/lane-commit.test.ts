import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isDeniedPath } from '../../../src/base/files/denied-paths.ts';
import { checkpointTree, privateTree } from '../../../src/base/git/checkpoint.ts';
import { gitIn } from '../../../src/base/git/git-in.ts';
import { commitLane } from '../../../src/lanes/tree/lane-commit.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';

const BRANCH = 'lanehold/run/api';

/** A repository with a worktree for a lane; the changes of `work` are committed. */
async function laneWhere(work: (box: Sandbox, tree: string) => unknown) {
  const box = sandbox();
  const repo = box.repo();
  box.write('repo/a.txt', 'a\n');
  const start = box.commit(repo, 'start');
  const tree = join(box.root, 'tree');
  box.git(repo, 'worktree', 'add', '--quiet', '-b', BRANCH, tree, start);
  const commit = async (headBefore = start) => {
    const taken = await checkpointTree(
      privateTree(tree, join(box.root, 'private/index'), box.env),
      {
        denied: isDeniedPath,
        base: start,
      },
    );
    return commitLane({
      git: gitIn(tree, box.env),
      branch: BRANCH,
      startSha: start,
      headBefore,
      tree: taken.tree,
      message: 'lane api: attempt 1',
      author: { name: 'lane api', email: 'api@lanehold.invalid' },
      now: new Date('2026-11-22T10:00:00Z'),
    });
  };
  work(box, tree);
  return { box, repo, tree, start, commit, status: () => box.git(tree, 'status', '--porcelain') };
}

test('without changes there is no commit', async () => {
  const { start, commit } = await laneWhere(() => undefined);
  expect(await commit()).toEqual({ sha: start, flags: [] });
});

test('changes are committed to the lane, and the tree is clean', async () => {
  const lane = await laneWhere((box, tree) => {
    box.write(`${tree}/a.txt`, 'staged\n');
    box.git(tree, 'add', 'a.txt');
    box.write(`${tree}/a.txt`, 'unstaged\n');
    box.write(`${tree}/new "file"\n`, 'new\n');
  });
  const { sha, flags } = await lane.commit();
  expect(flags).toEqual([]);
  expect(lane.box.git(lane.tree, 'log', '-1', '--format=%P %an', BRANCH)).toBe(
    `${lane.start} lane api`,
  );
  expect(lane.box.git(lane.tree, 'rev-parse', 'HEAD', BRANCH)).toBe(`${sha}\n${sha}`);
  expect(lane.box.git(lane.tree, 'show', 'HEAD:a.txt')).toBe('unstaged');
  expect(lane.status()).toBe('');
  expect(await lane.commit()).toEqual({ sha, flags: [] });
});

test("the worker's commits stay, and other changes are committed on top", async () => {
  const lane = await laneWhere((box, tree) => {
    box.write(`${tree}/b.txt`, 'b\n');
    box.commit(tree, 'by the worker');
    box.write(`${tree}/c.txt`, 'c\n');
  });
  const { flags } = await lane.commit();
  expect(flags).toEqual([]);
  expect(lane.box.git(lane.tree, 'log', '--format=%s')).toBe(
    'lane api: attempt 1\nby the worker\nstart',
  );
});

test("without other changes the worker's commits are the lane's", async () => {
  const lane = await laneWhere((box, tree) => {
    box.write(`${tree}/b.txt`, 'b\n');
    box.commit(tree, 'by the worker');
  });
  const head = lane.box.git(lane.tree, 'rev-parse', 'HEAD');
  expect(await lane.commit()).toEqual({ sha: head, flags: [] });
});

describe('a worker that uses git freely', () => {
  test.each<[string, readonly string[], (box: Sandbox, tree: string) => unknown]>([
    [
      'another branch',
      ['branch-switched'],
      (box, tree) => box.git(tree, 'checkout', '--quiet', '-b', 'other'),
    ],
    [
      'no branch',
      ['branch-switched'],
      (box, tree) => box.git(tree, 'checkout', '--quiet', '--detach'),
    ],
    [
      'its branch renamed',
      ['branch-switched'],
      (box, tree) => box.git(tree, 'branch', '--move', 'mine'),
    ],
    [
      'a new history',
      ['branch-switched', 'history-rewritten'],
      (box, tree) => {
        box.git(tree, 'checkout', '--quiet', '--orphan', 'fresh');
        box.git(tree, 'commit', '--quiet', '--message', 'fresh');
      },
    ],
    [
      'no commit at all',
      ['branch-switched', 'history-rewritten'],
      (box, tree) => box.git(tree, 'checkout', '--quiet', '--orphan', 'fresh'),
    ],
    [
      'a merge that is not finished',
      [],
      (box, tree) => {
        box.git(tree, 'checkout', '--quiet', '-b', 'side');
        box.write(`${tree}/a.txt`, 'side\n');
        box.commit(tree);
        box.git(tree, 'checkout', '--quiet', BRANCH);
        box.write(`${tree}/a.txt`, 'here\n');
        box.commit(tree);
        expect(() => box.git(tree, 'merge', '--quiet', 'side')).toThrow();
      },
    ],
    [
      'a rebase that is not finished',
      ['branch-switched'],
      (box, tree) => {
        box.git(tree, 'checkout', '--quiet', '-b', 'side');
        box.write(`${tree}/a.txt`, 'side\n');
        box.commit(tree);
        box.git(tree, 'checkout', '--quiet', BRANCH);
        box.write(`${tree}/a.txt`, 'here\n');
        box.commit(tree);
        expect(() => box.git(tree, 'rebase', '--quiet', 'side')).toThrow();
      },
    ],
    [
      'a git that was killed',
      [],
      (box) => {
        box.write('repo/.git/worktrees/tree/index.lock', '');
        box.write('repo/.git/worktrees/tree/HEAD.lock', '');
        box.write(`repo/.git/refs/heads/${BRANCH}.lock`, '');
      },
    ],
    [
      'a stash',
      ['stashed'],
      (box, tree) => {
        box.write(`${tree}/a.txt`, 'hidden\n');
        box.git(tree, 'stash');
      },
    ],
  ])('%s: the work is committed to the lane all the same', async (_, flags, work) => {
    const lane = await laneWhere((box, tree) => {
      work(box, tree);
      box.write(`${tree}/work.txt`, 'work\n');
    });
    const committed = await lane.commit();
    expect(committed.flags).toEqual(flags);
    expect(lane.box.git(lane.repo, 'show', `${BRANCH}:work.txt`)).toBe('work');
    expect(lane.box.git(lane.repo, 'merge-base', lane.start, BRANCH)).toBe(lane.start);
    expect(lane.box.git(lane.tree, 'symbolic-ref', 'HEAD')).toBe(`refs/heads/${BRANCH}`);
    expect(lane.box.git(lane.tree, 'rev-parse', 'HEAD')).toBe(committed.sha);
    expect(lane.box.git(lane.tree, 'status')).toMatch(/nothing to commit, working tree clean$/);
    expect(lane.box.git(lane.repo, 'status', '--porcelain', '--branch')).toBe('## main');
  });

  test('an amended commit of an earlier attempt is flagged', async () => {
    const lane = await laneWhere((box, tree) => {
      box.write(`${tree}/b.txt`, 'b\n');
      box.commit(tree, 'earlier');
    });
    const { sha } = await lane.commit();
    lane.box.git(lane.tree, 'commit', '--quiet', '--amend', '--message', 'other');
    expect((await lane.commit(sha)).flags).toEqual(['history-rewritten']);
  });

  test('a stash of another branch is not the lane’s', async () => {
    const lane = await laneWhere((box) => {
      box.write('repo/a.txt', 'by the user\n');
      box.git('repo', 'stash', 'push', '--message', `not ${BRANCH}: at all`);
    });
    expect((await lane.commit()).flags).toEqual([]);
  });

  test('a secret that was committed and removed does not enter the lane’s history', async () => {
    const lane = await laneWhere((box, tree) => {
      box.write(`${tree}/.env`, 'SECRET=1\n');
      box.write(`${tree}/b.txt`, 'b\n');
      box.commit(tree, 'too much');
      box.git(tree, 'rm', '--quiet', '--cached', '.env');
      box.git(tree, 'commit', '--quiet', '--message', 'oops');
    });
    const { flags } = await lane.commit();
    expect(flags).toEqual(['denied-committed']);
    expect(lane.box.git(lane.repo, 'log', '--format=%s', BRANCH)).toBe(
      'lane api: attempt 1\nstart',
    );
    expect(lane.box.git(lane.repo, 'show', `${BRANCH}:b.txt`)).toBe('b');
    expect(readFileSync(join(lane.tree, '.env'), 'utf8')).toBe('SECRET=1\n');
  });
});

test('no hook of the repository runs', async () => {
  const lane = await laneWhere((box, tree) => {
    const marker = join(box.root, 'marker');
    for (const hook of ['pre-commit', 'post-commit', 'reference-transaction', 'post-checkout']) {
      box.write(`repo/.git/hooks/${hook}`, `#!/bin/sh\ntouch ${marker}\nexit 1\n`);
    }
    box.write(`${tree}/a.txt`, 'other\n');
  });
  lane.box.git(lane.repo, 'config', 'core.hooksPath', '.git/hooks');
  await lane.commit();
  expect(existsSync(join(lane.box.root, 'marker'))).toBe(false);
});
