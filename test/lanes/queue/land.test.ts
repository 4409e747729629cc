import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { integrate } from '../../../src/lanes/queue/integrate.ts';
import { land } from '../../../src/lanes/queue/land.ts';
import { runStore } from '../../../src/store/lanes.ts';
import { laneRows } from '../../support/lane-rows.ts';
import { checkoutPrint } from './checkout-print.ts';

const SLOW = 240_000;

type Rows = Awaited<ReturnType<typeof laneRows>>;

/** A run whose integrated lane `a` adds `a.txt` and changes `shared.txt`. */
async function integrated(first: (rows: Rows) => void = () => undefined) {
  const rows = await laneRows({
    files: { 'shared.txt': 'one\n', 'other.txt': 'other\n', '.gitignore': '*.log\n' },
    validate: 'true',
  });
  const again = () =>
    integrate(rows.context, rows.run, {
      signal: new AbortController().signal,
      progress: () => undefined,
    });
  rows.verified('a', { 'a.txt': 'a\n', 'shared.txt': 'two\n' });
  first(rows);
  await again();
  const path = (name: string) => join(rows.repo, name);
  return {
    ...rows,
    path,
    integrate: again,
    land: () => land(rows.context, rows.run),
    read: (name: string) => readFileSync(path(name), 'utf8'),
    head: () => rows.git('rev-parse', 'main'),
    intent: () => runStore(rows.context.store).byId(rows.run.id)?.intent,
  };
}

test(
  'moves the checked-out branch with its files, and keeps local files',
  async () => {
    const it = await integrated();
    it.box.write(it.path('other.txt'), 'dirty\n');
    it.box.write(it.path('staged.txt'), 'staged\n');
    it.git('add', 'staged.txt');
    it.box.write(it.path('untracked.txt'), 'untracked\n');
    const hooks = it.git('rev-parse', '--git-path', 'hooks/post-merge');
    it.box.write(join(it.repo, hooks), '#!/bin/sh\ntouch hook-ran\n');

    const report = await it.land();

    expect(report).toMatchObject({ verdict: 'landed', lanes: ['a'], left: [], closed: true });
    expect(it.head()).toBe(it.tip());
    expect([it.read('a.txt'), it.read('shared.txt')]).toEqual(['a\n', 'two\n']);
    expect(it.read('other.txt')).toBe('dirty\n');
    expect(it.git('status', '--porcelain')).toBe(
      [' M other.txt', 'A  staged.txt', '?? untracked.txt'].join('\n'),
    );
    expect(existsSync(it.path('hook-ran'))).toBe(false);
    expect([it.state('a'), it.intent()]).toEqual(['landed', 'closed']);
  },
  SLOW,
);

test.each([
  ['changed', 'shared.txt'],
  ['staged', 'shared.txt'],
  ['untracked', 'a.txt'],
])(
  'is held, and changes nothing, if a %s file would be overwritten',
  async (kind, file) => {
    const it = await integrated();
    it.box.write(it.path(file), 'mine\n');
    if (kind === 'staged') it.git('add', file);
    const before = checkoutPrint(it.box, it.repo);
    const report = await it.land();
    expect(report).toMatchObject({ verdict: 'held', reason: 'dirty', files: [file] });
    expect(checkoutPrint(it.box, it.repo)).toEqual(before);
    expect(it.state('a')).toBe('integrated');
  },
  SLOW,
);

test(
  'an ignored file is not overwritten either',
  async () => {
    const it = await integrated();
    it.addLane('b');
    it.box.git(it.treeOf('b'), 'rm', '-q', '.gitignore');
    it.commitLane('b', { 'debug.log': 'theirs\n' });
    it.verify('b');
    await it.integrate();
    it.box.write(it.path('debug.log'), 'mine\n');
    expect(await it.land()).toMatchObject({ verdict: 'held', files: ['debug.log'] });
    expect(it.read('debug.log')).toBe('mine\n');
  },
  SLOW,
);

test(
  'moves a branch that is not checked out, without touching files',
  async () => {
    const it = await integrated();
    it.git('switch', '--quiet', '-c', 'elsewhere');
    const before = checkoutPrint(it.box, it.repo).files;
    expect(await it.land()).toMatchObject({ verdict: 'landed', lanes: ['a'] });
    expect(it.head()).toBe(it.tip());
    expect(checkoutPrint(it.box, it.repo).files).toEqual(before);
  },
  SLOW,
);

test(
  'follows the branch into a linked worktree',
  async () => {
    const it = await integrated();
    it.git('switch', '--quiet', '-c', 'elsewhere');
    const linked = join(it.box.root, 'linked');
    it.git('worktree', 'add', '--quiet', linked, 'main');
    expect(await it.land()).toMatchObject({ verdict: 'landed' });
    expect(readFileSync(join(linked, 'a.txt'), 'utf8')).toBe('a\n');
    expect(it.box.git(linked, 'status', '--porcelain')).toBe('');
  },
  SLOW,
);

test(
  'is held if the branch has new commits, until they are merged and validated',
  async () => {
    const it = await integrated();
    it.box.write(it.path('theirs.txt'), 'theirs\n');
    it.box.commit(it.repo, 'theirs');
    const before = it.head();
    const report = await it.land();
    expect(report).toMatchObject({
      verdict: 'held',
      reason: 'moved',
      why: 'main has 1 commit that the integration has not',
    });
    expect(it.head()).toBe(before);
    await it.integrate();
    expect(await it.land()).toMatchObject({ verdict: 'landed', lanes: ['a'] });
    expect([it.read('a.txt'), it.read('theirs.txt')]).toEqual(['a\n', 'theirs\n']);
  },
  SLOW,
);

test(
  'a tip that somebody else has made or moved is never landed',
  async () => {
    const by = ({ git, base }: Rows, parent: string, message: string) =>
      git('commit-tree', `${base}^{tree}`, '-p', parent, '-m', message);
    let early = '';
    const it = await integrated((rows) => {
      early = by(rows, rows.base, 'before there is one');
      rows.git('update-ref', rows.run.integrationRef, early);
    });
    const tip = it.tip();
    expect(it.git('rev-list', tip)).not.toContain(early);
    const late = by(it, tip, 'without the lanes');
    it.git('update-ref', it.run.integrationRef, late);
    expect(await it.land()).toMatchObject({
      ...{ verdict: 'held', reason: 'unproved' },
      why: expect.stringContaining(`moved to ${late.slice(0, 8)} (without the lanes, by`),
    });
    await it.integrate();
    expect(await it.land()).toMatchObject({ verdict: 'landed', lanes: ['a'], to: tip });
    expect(it.read('a.txt')).toBe('a\n');
  },
  SLOW,
);

test(
  'recognises squashed work on the branch',
  async () => {
    const it = await integrated();
    it.box.write(it.path('a.txt'), 'a\n');
    it.box.write(it.path('shared.txt'), 'two\n');
    const squashed = it.box.commit(it.repo, 'all of it in one commit');
    expect(await it.land()).toMatchObject({ verdict: 'landed', lanes: ['a'], to: squashed });
    expect(it.head()).toBe(squashed);
  },
  SLOW,
);

test(
  'lands the integrated lanes, and names the others',
  async () => {
    const it = await integrated();
    it.addLane('later');
    expect(await it.land()).toMatchObject({
      verdict: 'landed',
      lanes: ['a'],
      left: [{ lane: 'later', state: 'planned' }],
      closed: false,
    });
    expect(it.intent()).toBe('active');
    expect(await it.land()).toMatchObject({ verdict: 'held', reason: 'nothing' });
  },
  SLOW,
);

test(
  'a run of which all has landed leads to a new one, and is closed again where it was opened',
  async () => {
    const it = await integrated();
    await it.land();
    const toNew = { reason: 'nothing', hint: expect.stringContaining("orchestrate init 'GOAL'") };
    expect(await it.land()).toMatchObject(toNew);
    const closed = { ...it.run, intent: 'closed' } as const;
    const again = integrate(it.context, closed, {
      signal: new AbortController().signal,
      progress: () => undefined,
    });
    await expect(again).rejects.toMatchObject({ hint: toNew.hint });
    it.context.store.write(() => runStore(it.context.store).setIntent(it.run.id, 'active', null));
    expect(await it.land()).toMatchObject(toNew);
    expect(it.intent()).toBe('closed');
  },
  SLOW,
);

test(
  'waits for a rebase of the branch to end',
  async () => {
    const it = await integrated();
    it.git('switch', '--quiet', '-c', 'side');
    it.box.write(it.path('other.txt'), 'side\n');
    it.box.commit(it.repo, 'side');
    it.git('switch', '--quiet', 'main');
    it.box.write(it.path('other.txt'), 'main\n');
    it.box.commit(it.repo, 'main');
    await it.integrate();
    expect(() => it.git('rebase', 'side')).toThrow();
    const report = await it.land();
    expect(report).toMatchObject({ verdict: 'held', reason: 'checked-out' });
    expect(it.git('status', '--porcelain')).toContain('AA other.txt'.slice(2));
  },
  SLOW,
);
