/** What landing makes of the lanes' commits: the content is always what was validated. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { integrate } from '../../../src/lanes/queue/integrate.ts';
import { land } from '../../../src/lanes/queue/land.ts';
import { type LaneRows, laneRows } from '../../support/lane-rows.ts';

const SLOW = 240_000;

const integrated = async ({ context, run }: LaneRows, rebase = false) => {
  const signal = new AbortController().signal;
  return integrate(context, run, { signal, progress: () => undefined, rebase });
};
const subjects = ({ git, base }: LaneRows) =>
  git('log', '--reverse', '--format=%s', `${base}..main`).split('\n');

/** Lane `b` builds on the two commits of `a`; a person has committed to the branch meanwhile. */
async function stacked() {
  const it = await laneRows({ files: { 'list.txt': 'one\n' }, validate: 'true' });
  it.addLane('a', { desc: 'Count to two\n\nAnd say why.' });
  it.commitLane('a', { 'list.txt': 'one\ntwo?\n' });
  it.commitLane('a', { 'list.txt': 'one\ntwo\n' });
  it.verify('a');
  it.verified('b', { 'list.txt': 'one\nTWO\n' }, { needs: ['a'], from: 'a', desc: 'Count loudly' });
  await integrated(it);
  it.box.write(join(it.repo, 'theirs.txt'), 'theirs\n');
  it.box.commit(it.repo, 'theirs');
  await integrated(it);
  return it;
}

test.each([
  ['squash', ['theirs', 'Count to two', 'Count loudly'], ['Count more']],
  ['rebase', ['theirs', 'work of a', 'work of a', 'work of b'], ['work of c']],
] as const)(
  '%s: a history without merges, with exactly the validated content, on which later lanes build',
  async (way, before, after) => {
    const it = await stacked();
    it.addLane('c', { needs: ['b'], from: 'b', desc: 'Count more' });
    const validated = it.git('rev-parse', `${it.tip()}^{tree}`);

    const landed = await land(it.context, it.run, way);

    expect(landed).toMatchObject({ verdict: 'landed', way, lanes: ['a', 'b'], closed: false });
    expect(it.git('rev-parse', 'main^{tree}')).toBe(validated);
    expect(it.git('status', '--porcelain')).toBe('');
    expect(it.git('rev-list', '--merges', `${it.base}..main`)).toBe('');
    expect(subjects(it)).toEqual(before);
    expect(it.show('main~1', 'list.txt')).toBe('one\ntwo');
    expect(it.git('log', '-1', '--format=%an', 'main')).not.toMatch(/lanehold/);
    expect([it.state('a'), it.state('b')]).toEqual(['landed', 'landed']);
    expect(await land(it.context, it.run, way)).toMatchObject({ reason: 'nothing' });
    // Nothing waits to land, so nothing is proven once more.
    const steps: string[] = [];
    const { signal } = new AbortController();
    await integrate(it.context, it.run, { signal, progress: (line) => steps.push(line) });
    expect(steps).toEqual([]);
    if (way === 'squash') {
      const trailers = `Lane: a\nRun: ${it.run.name}\n`;
      const text = ['Count to two', 'And say why.', 'Validated by: true', trailers].join('\n\n');
      expect(it.git('log', '-1', '--format=%B', 'main~1')).toBe(text);
    }

    // The old commits of `b` are in this lane, and a person changes the same line of the branch.
    it.commitLane('c', { 'list.txt': 'one\nTWO\nthree\n' });
    it.verify('c');
    it.box.write(join(it.repo, 'list.txt'), 'One\nTWO\n');
    it.box.commit(it.repo, 'One');
    expect(await integrated(it)).toMatchObject({ integrated: [{ lane: 'c' }], conflicts: [] });
    expect(await land(it.context, it.run, way)).toMatchObject({ lanes: ['c'], closed: true });
    expect(subjects(it)).toEqual([...before, 'One', ...after]);
    expect(it.show('main', 'list.txt')).toBe('One\nTWO\nthree');
  },
  SLOW,
);

test(
  'a commit that conflicts in its new place comes with the next one of its lane',
  async () => {
    const it = await laneRows({ files: { 'list.txt': 'one\n' }, validate: 'true' });
    it.verified('a', { 'list.txt': 'ONE\n' });
    it.addLane('b');
    it.commitLane('b', { 'list.txt': 'uno\n' });
    it.commitLane('b', { 'list.txt': 'one\n', 'b.txt': 'b\n' });
    it.verify('b');
    await integrated(it);
    expect(await land(it.context, it.run, 'rebase')).toMatchObject({ lanes: ['a', 'b'] });
    expect(it.git('rev-parse', 'main^{tree}')).toBe(it.git('rev-parse', `${it.tip()}^{tree}`));
    expect(it.git('log', '--format=%B', `${it.base}..main`).trim()).toBe(
      'work of b\n\nwork of b\n\nwork of a',
    );
  },
  SLOW,
);

test.each(['squash', 'rebase'] as const)(
  '%s: what a person has taken out of the branch does not come back with the commits of a lane',
  async (way) => {
    const it = await laneRows({ files: { 'list.txt': 'one\n' }, validate: 'true' });
    it.box.write(join(it.repo, 'secret.txt'), 'secret\n');
    const secret = it.box.commit(it.repo, 'secret');
    await integrated(it);
    for (const key of ['a', 'b']) {
      it.verified(key, { [`${key}.txt`]: `${key}\n` }, { from: secret, desc: `Add ${key}` });
    }
    it.git('reset', '--quiet', '--hard', it.base);
    expect(await integrated(it, true)).toMatchObject({
      integrated: [{ lane: 'a' }, { lane: 'b' }],
    });
    expect(await land(it.context, it.run, way)).toMatchObject({ verdict: 'landed', way });
    expect(subjects(it)).toEqual(['Add a', 'Add b']);
    expect(it.git('log', '--format=%s', 'main', '--', 'secret.txt')).toBe('');
    expect(it.show('main', 'a.txt')).toBe('a');
  },
  SLOW,
);

test.each([
  ['squash', 'behind'],
  ['rebase', 'behind'],
  ['squash', 'apart'],
] as const)(
  '%s: commits of the base that the branch has not stay those of their authors (%s)',
  async (way, place) => {
    const it = await laneRows({ files: { 'list.txt': 'one\n' }, validate: 'true' });
    it.box.write(join(it.repo, 'theirs.txt'), 'theirs\n');
    const remote = it.box.commit(it.repo, 'theirs');
    it.git('reset', '--quiet', '--hard', it.base);
    if (place === 'apart') {
      it.box.write(join(it.repo, 'mine.txt'), 'mine\n');
      it.box.commit(it.repo, 'mine');
    }
    const run = { ...it.run, baseSha: remote };
    it.verified('a', { 'a.txt': 'a\n' }, { from: remote, desc: 'Add a' });
    await integrated({ ...it, run });

    expect(await land(it.context, run, way)).toMatchObject({ verdict: 'landed', lanes: ['a'] });
    expect(it.git('show', '--format=', '--name-only', 'main')).toBe('a.txt');
    const mine = place === 'apart' ? ['mine', `Merge ${remote.slice(0, 12)} into main`] : [];
    expect(subjects(it).toSorted()).toEqual(
      ['theirs', ...mine, way === 'squash' ? 'Add a' : 'work of a'].toSorted(),
    );
    expect(it.git('merge-base', 'main', remote)).toBe(remote);
  },
  SLOW,
);

test(
  'ended in the middle, it has moved the branch or not, and the next landing goes on from there',
  async () => {
    const it = await stacked();
    const [main, tip] = [it.git('rev-parse', 'main'), it.tip()];
    const endsAt = (calls: number) => {
      let left = calls;
      const now = () => {
        if (left-- === 0) throw new Error('ended');
        return new Date();
      };
      return land({ ...it.context, now }, it.run, 'squash');
    };
    await expect(endsAt(1)).rejects.toThrow('ended');
    expect([it.git('rev-parse', 'main'), it.tip(), it.state('a')]).toEqual([
      ...[main, tip, 'integrated'],
    ]);

    await expect(endsAt(2)).rejects.toThrow('ended');
    const moved = it.git('rev-parse', 'main');
    expect([it.git('rev-parse', `${moved}~2`), it.state('a')]).toEqual([main, 'integrated']);

    expect(await land(it.context, it.run, 'squash')).toMatchObject({
      ...{ verdict: 'landed', way: null, lanes: ['a', 'b'], to: moved, closed: true },
    });
    expect(it.git('rev-parse', 'main')).toBe(moved);
  },
  SLOW,
);
