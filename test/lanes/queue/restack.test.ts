import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { integrate } from '../../../src/lanes/queue/integrate.ts';
import { dependencyBase, restack } from '../../../src/lanes/stand/dependencies.ts';
import { type LaneRows, laneRows } from '../../support/lane-rows.ts';

const SLOW = 240_000;
const FILES = { 'README.md': 'A project\n', 'api.txt': 'one\ntwo\nthree\nfour\nfive\n' };
const rowsWith = () => laneRows({ files: FILES, validate: 'true' });

const baseOf = ({ context, run, lane }: LaneRows, key: string) =>
  dependencyBase(context, run, lane(key));
const restacked = ({ context, run, lane }: LaneRows, key: string) =>
  restack(context, run, lane(key));
const used = ({ lanes, lane }: LaneRows, key: string) =>
  lanes.depsOf(lane(key).id).map(({ usedSha }) => usedSha);

describe('C7: dependants start from verified work, and notice when it changes', () => {
  test(
    'a diamond: the last lane starts from the merge of both in the middle',
    async () => {
      const it = await rowsWith();
      it.verified('a', { 'a.txt': 'a\n' });
      it.addLane('b', { needs: ['a'] });
      expect(await baseOf(it, 'b')).toEqual({
        sha: it.lane('a').headSha,
        used: [{ needsLaneId: it.lane('a').id, sha: it.lane('a').headSha }],
      });
      it.box.git(it.treeOf('b'), 'reset', '--quiet', '--hard', it.lane('a').headSha ?? '');
      it.commitLane('b', { 'b.txt': 'b\n' });
      it.verify('b');
      it.verified('c', { 'c.txt': 'c\n' }, { needs: ['a'], from: 'a' });
      it.addLane('d', { needs: ['b', 'c'] });

      const { sha } = await baseOf(it, 'd');

      const names = it.git('ls-tree', '--name-only', sha).split('\n');
      expect(names).toEqual(expect.arrayContaining(['a.txt', 'b.txt', 'c.txt']));
      expect(it.git('rev-parse', `refs/lanehold/${it.run.id}/d/base`)).toBe(sha);
      expect((await baseOf(it, 'd')).sha).toBe(sha);
    },
    SLOW,
  );

  test(
    'a changed dependency makes the dependant stale; it is restacked without a worker',
    async () => {
      const it = await rowsWith();
      it.verified('a', { 'api.txt': 'ONE\ntwo\nthree\nfour\nfive\n' });
      it.verified('b', { 'b.txt': 'b\n' }, { needs: ['a'], from: 'a' });
      expect(it.state('b')).toBe('verified');
      const now = it.commitLane('a', { 'api.txt': 'ONE\ntwo\nthree\nfour\nFIVE\n' });
      it.verify('a');
      expect(it.state('b')).toBe('stale');

      const outcome = await restacked(it, 'b');

      const sha = it.lane('b').headSha ?? '';
      expect(outcome).toEqual({ kind: 'restacked' });
      expect(it.git('rev-parse', it.lane('b').branch)).toBe(sha);
      expect(it.show(sha, 'api.txt')).toContain('FIVE');
      expect(it.box.git(it.treeOf('b'), 'status', '--porcelain')).toBe('');
      expect(readFileSync(join(it.treeOf('b'), 'api.txt'), 'utf8')).toContain('FIVE');
      expect(used(it, 'b')).toEqual([now]);
      expect(it.events().at(-1)?.type).toBe('lane.restacked');
      it.verify('b');
      expect(it.state('b')).toBe('verified');
      expect(await restacked(it, 'b')).toEqual({ kind: 'current' });
    },
    SLOW,
  );

  test(
    'a change at the bottom of a diamond is restacked step by step',
    async () => {
      const it = await rowsWith();
      it.verified('a', { 'api.txt': 'ONE\ntwo\nthree\nfour\nfive\n' });
      it.verified('b', { 'b.txt': 'b\n' }, { needs: ['a'], from: 'a' });
      it.verified('c', { 'c.txt': 'c\n' }, { needs: ['a'], from: 'a' });
      it.addLane('d', { needs: ['b', 'c'] });
      const { sha } = await baseOf(it, 'd');
      it.box.git(it.treeOf('d'), 'reset', '--quiet', '--hard', sha);
      it.commitLane('d', { 'd.txt': 'd\n' });
      it.verify('d');
      it.commitLane('a', { 'api.txt': 'ONE\ntwo\nthree\nfour\nagain\n' });
      it.verify('a');
      expect(await restacked(it, 'd')).toEqual({ kind: 'current' });
      for (const key of ['b', 'c', 'd']) {
        expect(it.state(key)).toBe('stale');
        expect(await restacked(it, key)).toMatchObject({ kind: 'restacked' });
        it.verify(key);
        expect(it.state(key)).toBe('verified');
      }
      const head = it.lane('d').headSha ?? '';
      expect(it.show(head, 'api.txt')).toContain('again');
      for (const key of ['a', 'b', 'c']) {
        it.git('merge-base', '--is-ancestor', it.lane(key).headSha ?? '', head);
      }
    },
    SLOW,
  );

  test(
    'of a rewritten dependency only the new work stays',
    async () => {
      const it = await rowsWith();
      it.verified('a', { 'first-try.txt': 'a\n', 'api.txt': 'ONE\ntwo\nthree\nfour\nfive\n' });
      it.verified('b', { 'b.txt': 'b\n' }, { needs: ['a'], from: 'a' });
      it.box.git(it.treeOf('a'), 'reset', '--quiet', '--hard', it.base);
      it.commitLane('a', { 'second-try.txt': 'a\n' });
      it.verify('a');
      await restacked(it, 'b');
      const names = it.git('ls-tree', '--name-only', it.lane('b').headSha ?? '').split('\n');
      expect(names).toEqual(expect.arrayContaining(['b.txt', 'second-try.txt']));
      expect(names).not.toContain('first-try.txt');
      expect(it.show(it.lane('b').headSha ?? '', 'api.txt')).toContain('one');
    },
    SLOW,
  );

  test(
    'a conflict is reported, and nothing is changed',
    async () => {
      const it = await rowsWith();
      it.verified('a', { 'api.txt': 'ONE\ntwo\nthree\nfour\nfive\n' });
      it.verified('b', { 'api.txt': 'uno\ntwo\nthree\nfour\nfive\n' }, { needs: ['a'], from: 'a' });
      const before = it.lane('b').headSha;
      it.commitLane('a', { 'api.txt': 'eins\ntwo\nthree\nfour\nfive\n' });
      it.verify('a');
      expect(await restacked(it, 'b')).toEqual({
        kind: 'conflict',
        needs: 'a',
        paths: ['api.txt'],
      });
      expect(it.lane('b').headSha).toBe(before);
      expect(it.state('b')).toBe('stale');
    },
    SLOW,
  );

  test(
    'a failed lane meets no need, and stale lanes are not integrated',
    async () => {
      const it = await rowsWith();
      it.verified('a', { 'a.txt': 'a\n' });
      it.verified('b', { 'b.txt': 'b\n' }, { needs: ['a'], from: 'a' });
      it.addLane('c', { needs: ['b'] });
      it.commitLane('a', { 'a.txt': 'more\n' });
      await expect(baseOf(it, 'c')).rejects.toThrow('lane c waits for b');
      expect(await restacked(it, 'b')).toEqual({ kind: 'waiting' });
      const report = await integrate(it.context, it.run, {
        signal: new AbortController().signal,
        progress: () => undefined,
      });
      expect(report.integrated).toEqual([]);
      expect(report.unfinished).toContainEqual({ lane: 'b', state: 'stale' });
    },
    SLOW,
  );
});

test(
  'without needs a lane starts from the tip if it has moved, else from the base',
  async () => {
    const it = await rowsWith();
    it.addLane('early');
    expect(await baseOf(it, 'early')).toEqual({ sha: it.base, used: [] });
    it.verified('a', { 'a.txt': 'a\n' });
    it.addLane('after', { needs: ['a'] });
    await integrate(it.context, it.run, {
      signal: new AbortController().signal,
      progress: () => undefined,
    });
    expect(await baseOf(it, 'early')).toMatchObject({ sha: it.tip() });
    expect(await baseOf(it, 'after')).toMatchObject({
      sha: it.tip(),
      used: [{ sha: it.lane('a').headSha }],
    });
  },
  SLOW,
);

test(
  'two needs that conflict are both named',
  async () => {
    const it = await rowsWith();
    it.verified('a', { 'api.txt': 'ONE\n' });
    it.verified('b', { 'api.txt': 'uno\n' });
    it.addLane('c', { needs: ['a', 'b'] });
    await expect(baseOf(it, 'c')).rejects.toThrow(
      'lane c needs b and a, which conflict in api.txt',
    );
  },
  SLOW,
);

test(
  'does not disturb a live worker or uncommitted work',
  async () => {
    const it = await rowsWith();
    it.verified('a', { 'a.txt': 'a\n' });
    it.verified('b', { 'b.txt': 'b\n' }, { needs: ['a'], from: 'a' });
    it.commitLane('a', { 'a.txt': 'more\n' });
    it.verify('a');
    it.box.write(join(it.treeOf('b'), 'notes.txt'), 'mine\n');
    expect(await restacked(it, 'b')).toEqual({ kind: 'dirty' });
    expect(existsSync(join(it.treeOf('b'), 'notes.txt'))).toBe(true);
  },
  SLOW,
);
