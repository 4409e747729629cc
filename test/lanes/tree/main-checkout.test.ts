import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, readFileSync, symlinkSync, unlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkoutPrint, saveDiff, watchedChange } from '../../../src/lanes/tree/main-checkout.ts';
import { laneEventStore } from '../../../src/store/lane-events.ts';
import { runStore } from '../../../src/store/lanes.ts';
import { ODD_NAMES } from '../../base/git/situations.ts';
import { laneRows } from '../../support/lane-rows.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';

/** A user's checkout with changes of all kinds. */
function busy() {
  const box = sandbox();
  const repo = box.repo();
  for (const name of ['a', 'b', 'c']) box.write(`repo/${name}.txt`, `${name}\n`);
  box.write('repo/.gitignore', 'ignored/\n');
  box.commit(repo);
  box.write('repo/b.txt', 'staged\n');
  box.git(repo, 'add', 'b.txt');
  box.write('repo/c.txt', 'dirty\n');
  box.write('repo/new.txt', 'untracked\n');
  for (const name of ODD_NAMES) box.write(`repo/odd/${name}`, name);
  return { box, repo, print: () => checkoutPrint(repo, box.env) };
}

/** All files with their times, so that every write is seen. */
const everything = (folder: string) =>
  execFileSync('find', [folder, '-printf', '%p %T@ %C@ %s\n'], { encoding: 'utf8' });

describe('checkoutPrint', () => {
  test('changes nothing, not even a cache', async () => {
    const { box, repo, print } = busy();
    const later = new Date('2027-01-01T00:00:00Z');
    utimesSync(join(repo, 'a.txt'), later, later);
    const before = everything(repo);
    const first = await print();
    expect(first.split('\n')[0]).toBe(box.git(repo, 'rev-parse', 'HEAD'));
    expect(await print()).toBe(first);
    expect(everything(repo)).toBe(before);
  });

  test.each<[string, (box: Sandbox, repo: string) => unknown]>([
    ['a clean file', (box) => box.write('repo/a.txt', 'A\n')],
    ['a file that was changed before', (box) => box.write('repo/c.txt', 'DIRTY\n')],
    ['an untracked file', (box) => box.write('repo/new.txt', 'Untracked\n')],
    ['an untracked file with an odd name', (box) => box.write('repo/odd/new\nline', 'NEW\nline')],
    ['a new file', (box) => box.write('repo/deep/er.txt', '')],
    ['a file that is gone', (_, repo) => unlinkSync(join(repo, 'a.txt'))],
    ['a mode', (_, repo) => chmodSync(join(repo, 'a.txt'), 0o755)],
    ['a mode of an untracked file', (_, repo) => chmodSync(join(repo, 'new.txt'), 0o755)],
    ['a new link', (_, repo) => symlinkSync('a.txt', join(repo, 'link'))],
    ['what is staged', (box, repo) => box.git(repo, 'add', 'c.txt')],
    ['what is no longer staged', (box, repo) => box.git(repo, 'reset', '--quiet')],
    ['a commit', (box, repo) => box.git(repo, 'commit', '--quiet', '--message', 'x')],
    ['another branch', (box, repo) => box.git(repo, 'checkout', '--quiet', '-b', 'other')],
    ['a large file', (box) => box.write('repo/large', Buffer.alloc(5_000_000))],
  ])('%s changes it', async (_, change) => {
    const { box, repo, print } = busy();
    const before = await print();
    change(box, repo);
    expect(await print()).not.toBe(before);
  });

  test.each<[string, (box: Sandbox, repo: string) => unknown]>([
    ['a refreshed index', (box, repo) => box.git(repo, 'update-index', '--really-refresh', '-q')],
    ['a file that was only touched', (_, repo) => utimesSync(join(repo, 'c.txt'), 1, 1)],
    ['an ignored file', (box) => box.write('repo/ignored/x', 'x')],
    ['a branch of another lane', (box, repo) => box.git(repo, 'branch', 'lanehold/run/api')],
    [
      'another worktree',
      (box, repo) => box.git(repo, 'worktree', 'add', '--quiet', '--detach', join(box.root, 'x')),
    ],
  ])('%s does not change it', async (_, change) => {
    const { box, repo, print } = busy();
    const before = await print();
    try {
      change(box, repo);
    } catch {
      // The exit code of `update-index` only says that there are changes.
    }
    expect(await print()).toBe(before);
  });
});

describe('saveDiff', () => {
  const REF = 'refs/lanehold/run-id/main';
  const options = ({ root, env }: Sandbox) => ({
    env,
    ref: REF,
    indexFile: join(root, 'private/index'),
    now: new Date('2026-11-22T10:00:00Z'),
  });

  test('saves the difference under the ref, and leaves the checkout unchanged to the byte', async () => {
    const { box, repo } = busy();
    const before = await saveDiff(repo, options(box));
    box.write('repo/c.txt', 'by a worker\n');
    box.write('repo/stray.txt', 'by a worker\n');
    const index = readFileSync(join(repo, '.git/index'));
    const status = box.git(repo, 'status', '--porcelain', '--branch');
    const sha = await saveDiff(repo, options(box));
    expect(box.git(repo, 'rev-parse', REF)).toBe(sha);
    expect(box.git(repo, 'show', '--no-patch', '--format=%an', REF)).toBe('lanehold');
    expect(box.git(repo, 'diff', '--name-only', before ?? '', REF)).toBe('c.txt\nstray.txt');
    expect(readFileSync(join(repo, '.git/index'))).toEqual(index);
    expect(box.git(repo, 'status', '--porcelain', '--branch')).toBe(status);
  });

  test('saves nothing without a difference', async () => {
    const box = sandbox();
    const repo = box.repo();
    box.write('repo/a.txt', 'a');
    box.commit(repo);
    expect(await saveDiff(repo, options(box))).toBeUndefined();
    expect(box.git(repo, 'for-each-ref', 'refs/lanehold')).toBe('');
  });
});

describe('watchedChange', () => {
  async function watched() {
    const rows = await laneRows({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
    const { box, context, run, repo } = rows;
    const laneId = rows.addLane('api').id;
    const runs = runStore(context.store);
    /** What is told of a change since now; told again, to a second one that began then, it is no news. */
    const begin = async () => {
      const before = await checkoutPrint(repo, context.env);
      const since = laneEventStore(context.store).newest(run.id);
      const of = { ...{ before, since, laneId, key: 'api' }, when: 'lane api worked' };
      return (again?: () => Promise<unknown>, said = '') =>
        watchedChange(context, run, {
          ...of,
          dir: box.root,
          ...(again ? { again } : {}),
          said: () => said,
        });
    };
    const write = (name: string, text: string) => box.write(join(repo, name), text);
    const pauseReason = () => runs.byId(run.id)?.pauseReason;
    const resume = () => context.store.write(() => runs.setIntent(run.id, 'active', null));
    return { ...rows, begin, write, pauseReason, resume };
  }

  test('a change is told once, and anew where it is made once more', async () => {
    const { begin, write, pauseReason, resume, git } = await watched();
    const [one, other] = [await begin(), await begin()];
    write('a.txt', 'A\n');
    expect([await one(), await other()]).toEqual([['a.txt'], undefined]);
    git('checkout', '--quiet', '.');
    resume();
    const later = await begin();
    write('a.txt', 'A\n');
    expect(await later()).toEqual(['a.txt']);
    expect(pauseReason()).toMatch(/\(a\.txt\): see `git show refs\/\S+`$/);
  });

  test('no ref is named where the files are those of the commit', async () => {
    const { begin, write, pauseReason, git } = await watched();
    write('a.txt', 'A\n');
    const look = await begin();
    git('checkout', '--quiet', '.');
    expect(await look()).toEqual(['a.txt']);
    expect(pauseReason()).toMatch(/ \(a\.txt\)$/);
  });

  test('beside what a person saves, what is written again is the lane’s', async () => {
    const { begin, write, pauseReason, repo } = await watched();
    const person = spawn('sleep', ['600'], { cwd: repo });
    onTestFinished(() => void person.kill('SIGKILL'));
    const look = await begin();
    for (const name of ['a.txt', 'b.txt']) write(name, 'new\n');
    expect(await look(async () => write('b.txt', 'new\n'))).toEqual(['a.txt', 'b.txt']);
    expect(pauseReason()).toMatch(/worked \(b\.txt\): see/);
  });

  test.each<[said: (repo: string) => string, isPaused: boolean]>([
    [(repo) => `{"file_path":"${repo}/b.txt"}`, true],
    [(repo) => `{"command":"cd ${repo} && echo x > b.txt"}`, true],
    [() => '{"command":"echo x > b.txt"}', false],
    [(repo) => `{"cwd":"${repo}-lanes/api"} b.txt`, false],
  ])('beside a person, what the worker has named there is the lane’s', async (said, isPaused) => {
    const { begin, write, pauseReason, repo } = await watched();
    const person = spawn('sleep', ['600'], { cwd: repo });
    onTestFinished(() => void person.kill('SIGKILL'));
    const look = await begin();
    for (const name of ['a.txt', 'b.txt']) write(name, 'new\n');
    expect(await look(undefined, said(repo))).toEqual(['a.txt', 'b.txt']);
    if (isPaused) expect(pauseReason()).toMatch(/worked \(b\.txt\): see/);
    else expect(pauseReason()).toBeNull();
  });
});
