import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitIn } from '../../src/base/git/git-in.ts';
import type { Setup } from '../../src/checkout/find-setups.ts';
import { runSetup, setupHash } from '../../src/checkout/setup.ts';
import { ensureWorktree } from '../../src/lanes/tree/create.ts';
import { laneRepository } from '../lanes/tree/lane-repository.ts';

const INSTALL = `
  echo run >> "$RUNS"
  mkdir -p ignored/bin && echo library > ignored/lib.js && echo '#!/bin/sh' > ignored/bin/tool
  chmod +x ignored/bin/tool && ln -s ../lib.js ignored/bin/lib`;

/** A project with a lock file; each lane is a worktree that is set up. */
function setUps() {
  const repository = laneRepository();
  const { box, repo } = repository;
  box.write('repo/lock.json', '{"v":1}');
  const sha = box.commit(repo);
  const runs = join(box.root, 'runs');
  const folder = join(box.laneholdHome, 'cache/setup');
  let minute = 0;
  mkdirSync(join(box.laneholdHome, 'logs'), { recursive: true });
  return {
    ...repository,
    sha,
    folder,
    entries: () => readdirSync(folder).flatMap((it) => readdirSync(join(folder, it))),
    runs: () => (existsSync(runs) ? readFileSync(runs, 'utf8').split('\n').length - 1 : 0),
    async lane(
      name: string,
      change: (tree: string) => unknown = () => undefined,
      options: {
        command?: string;
        keyFiles?: string[];
        manager?: Setup['manager'];
        signal?: AbortSignal;
        timeoutMs?: number;
      } = {},
    ) {
      const wish = repository.wish(name, { sha });
      await ensureWorktree(wish);
      change(wish.path);
      minute += 1;
      const at = new Date(Date.UTC(2026, 10, 22, 10, minute));
      const logFile = join(box.laneholdHome, 'logs', `${name}.log`);
      const { command = INSTALL, keyFiles = ['lock.json'], manager, ...more } = options;
      const run = () =>
        runSetup({
          setup: { command, keyFiles, cwd: '', ...(manager && { manager }) },
          setting: 'lanes.setup',
          worktree: wish.path,
          env: { ...box.env, RUNS: runs, LANEHOLD_STAGE: 'setup' },
          timeoutMs: 240_000,
          logFile,
          signal: new AbortController().signal,
          now: () => at,
          cache: { folder, locks: wish.locks, project: wish.repository.identity },
          ...more,
        });
      return { tree: wish.path, logFile, run };
    },
  };
}

const kept = { kind: 'ran', durationMs: expect.any(Number), kept: true };
const notKept = { ...kept, kept: false };

describe('runSetup', () => {
  test('runs once for all worktrees with the same lock file', async () => {
    const { box, lane, runs } = setUps();
    const [a, b] = [await lane('a'), await lane('b')];
    expect(await a.run()).toEqual(kept);
    expect(await b.run()).toEqual({ kind: 'restored' });
    expect(runs()).toBe(1);
    expect(readFileSync(join(b.tree, 'ignored/bin/lib'), 'utf8')).toBe('library\n');
    expect(box.git(b.tree, 'status', '--porcelain')).toBe('');
    box.write(`${b.tree}/ignored/lib.js`, 'changed');
    expect(readFileSync(join(a.tree, 'ignored/lib.js'), 'utf8')).toBe('library\n');
    const c = await lane('c');
    expect(await c.run()).toEqual({ kind: 'restored' });
    expect(readFileSync(join(c.tree, 'ignored/lib.js'), 'utf8')).toBe('library\n');
    expect(readdirSync(join(c.tree, '..')).sort()).toEqual(['a', 'b', 'c']);
  });

  test.each<[string, Parameters<ReturnType<typeof setUps>['lane']>[1], object]>([
    ['another lock file', (tree) => rmSync(join(tree, 'lock.json')), { keyFiles: ['*.txt'] }],
    ['another command', undefined, { command: `${INSTALL}\n:` }],
    ['something in its place', (tree) => mkdirSync(join(tree, 'ignored')), {}],
    ['no files to tell by', undefined, { keyFiles: [] }],
    ['files that are not there', undefined, { keyFiles: ['yarn.lock'] }],
  ])('runs again with %s', async (_, change, options) => {
    const { lane, runs } = setUps();
    await (await lane('a')).run();
    const b = await lane('b', change, options);
    expect(await b.run()).toMatchObject({ kind: 'ran' });
    expect(runs()).toBe(2);
  });

  test('packages that the commit does not ignore yet are no work', async () => {
    const { box, lane } = setUps();
    const manager = {
      ...({ name: 'npm', language: 'javascript', lock: 'lock.json' } as const),
      folders: ['node_modules'],
      command: undefined,
      isInstalled: () => false,
    };
    const command = 'mkdir -p node_modules/a part/node_modules/b; touch part/node_modules/b/c';
    const a = await lane('a', (tree) => box.write(`${tree}/part/a.txt`, 'a'), { command, manager });
    box.git(a.tree, 'add', '--all');
    await a.run();
    box.write(`${a.tree}/part/b.txt`, 'b');
    expect(box.git(a.tree, 'status', '--porcelain', '-uall').split('\n')).toEqual([
      'A  part/a.txt',
      '?? part/b.txt',
    ]);
  });

  test('does not write through a link in place of a folder', async () => {
    const { box, lane } = setUps();
    await (await lane('a')).run();
    const outside = join(box.root, 'outside');
    mkdirSync(outside);
    const b = await lane('b', (tree) => symlinkSync(outside, join(tree, 'ignored')), {
      command: INSTALL,
    });
    rmSync(outside, { recursive: true });
    await b.run().catch(() => undefined);
    expect(existsSync(outside)).toBe(false);
  });

  test.each<[string, string]>([
    ['changes a file that is in git', 'echo x >> a.txt; mkdir ignored'],
    ['makes a file that git does not ignore', 'touch new.txt; mkdir ignored; touch ignored/x'],
    ['makes nothing', ':'],
    ['writes a secret', 'echo SECRET=1 > .env'],
    ['makes an environment that knows its path', 'mkdir ignored; touch ignored/pyvenv.cfg'],
    ['makes a link to the worktree', 'mkdir ignored; ln -s "$PWD/a.txt" ignored/link'],
    ['writes its lock file anew', 'echo x >> lock.json; mkdir ignored; touch ignored/x'],
  ])('a command that %s is not cached', async (_, command) => {
    const { lane } = setUps();
    expect(await (await lane('a', undefined, { command })).run()).toEqual(notKept);
    expect(await (await lane('b', undefined, { command })).run()).toEqual(notKept);
  });

  test('an incomplete entry is not used, and is removed with the next one', async () => {
    const { box, folder, lane, entries } = setUps();
    const first = await lane('a');
    await first.run();
    const [project = ''] = readdirSync(folder);
    box.write(`${folder}/${project}/.half/files/0/x`, 'half');
    box.write('repo/lock.json', 'next');
    const b = await lane('b', (tree) => box.write(`${tree}/lock.json`, 'next'));
    box.git(b.tree, 'commit', '--quiet', '--all', '--message', 'next');
    expect(await b.run()).toEqual(kept);
    expect(entries().filter((it) => it.startsWith('.'))).toEqual([]);
    expect(entries()).toHaveLength(2);
  });

  test.each(['["../escaped"]', '["/escaped"]', '["a/../../escaped"]', '{', '[1]'])(
    'an entry that contains %s is not used, and is replaced',
    async (paths) => {
      const { box, folder, lane, entries, runs } = setUps();
      await (await lane('a')).run();
      const [project = ''] = readdirSync(folder);
      box.write(`${folder}/${project}/${entries()[0]}/paths.json`, paths);
      const b = await lane('b');
      expect(await b.run()).toEqual(kept);
      expect(runs()).toBe(2);
      expect(readdirSync(join(b.tree, '..')).sort()).toEqual(['a', 'b']);
      expect(await (await lane('c')).run()).toEqual({ kind: 'restored' });
    },
  );

  test('the five most recently used entries are kept', async () => {
    const { box, lane, entries, runs } = setUps();
    const setUp = async (name: string, version: number) => {
      const it = await lane(name, (tree) => {
        box.write(`${tree}/lock.json`, String(version));
        box.git(tree, 'commit', '--quiet', '--all', '--message', 'next');
      });
      return it.run();
    };
    for (const version of [1, 2, 3, 4, 5]) await setUp(`a${version}`, version);
    expect(await setUp('again', 1)).toEqual({ kind: 'restored' });
    await setUp('a6', 6);
    expect(entries()).toHaveLength(5);
    expect(await setUp('b1', 1)).toEqual({ kind: 'restored' });
    expect(runs()).toBe(6);
  });

  test('an entry of any project that was not used for thirty days goes', async () => {
    const { folder, lane, entries } = setUps();
    await (await lane('a')).run();
    const other = join(folder, '0123456789abcdef');
    const [old, recent] = ['old', 'recent'].map((name) => join(other, name));
    for (const path of [old, recent]) mkdirSync(path ?? '', { recursive: true });
    const at = (day: number) => new Date(Date.UTC(2026, 9, day));
    utimesSync(old ?? '', at(1), at(1));
    utimesSync(recent ?? '', at(30), at(30));
    await (await lane('b', undefined, { command: `${INSTALL}\n:` })).run();
    expect(readdirSync(other)).toEqual(['recent']);
    expect(entries()).toHaveLength(3);
  });

  test('a failure is reported with the end of its log, without secrets', async () => {
    const { lane } = setUps();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const command = `echo token ${secret}; echo no such package >&2; exit 7`;
    const it = await lane('a', undefined, { command });
    const failure = it.run();
    await expect(failure).rejects.toThrow('ended with exit code 7');
    await expect(failure).rejects.toMatchObject({
      code: 'SETUP_FAILED',
      hint: expect.stringContaining(it.logFile),
      tail: expect.stringContaining('no such package'),
    });
    expect(readFileSync(it.logFile, 'utf8')).not.toContain(secret);
  });

  test('one that takes too long is ended', async () => {
    const { lane } = setUps();
    const it = await lane('a', undefined, { command: 'sleep 60', timeoutMs: 100 });
    await expect(it.run()).rejects.toThrow(/was not done/);
  });

  test('an aborted one is no failure', async () => {
    const { lane } = setUps();
    const it = await lane('a', undefined, { command: 'sleep 60', signal: AbortSignal.abort() });
    expect(await it.run()).toEqual({ kind: 'interrupted' });
  });
});

describe('setupHash', () => {
  test('changes with the command and its key files only', async () => {
    const { box, repo, sha } = setUps();
    const git = gitIn(repo, box.env);
    const of = (commit: string, command: string | undefined = 'npm ci') =>
      setupHash(git, [{ command, keyFiles: ['lock.json'], cwd: '' }], commit);
    box.write('repo/a.txt', 'other');
    const other = box.commit(repo);
    box.write('repo/lock.json', '{"v":2}');
    const next = box.commit(repo);
    expect(await of(other)).toBe(await of(sha));
    expect(await of(next)).not.toBe(await of(sha));
    expect(await of(sha, 'npm install')).not.toBe(await of(sha));
    expect(await setupHash(git, [], sha)).toBe(await setupHash(git, [], next));
  });
});
