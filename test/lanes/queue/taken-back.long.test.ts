import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readBoard } from '../../../src/lanes/look/board.ts';
import { noteOn } from '../../../src/lanes/look/note.ts';
import { integrate } from '../../../src/lanes/queue/integrate.ts';
import { land } from '../../../src/lanes/queue/land.ts';
import { noteTakenBack } from '../../../src/lanes/queue/taken-back.ts';
import { laneRows } from '../../support/lane-rows.ts';

const SLOW = 240_000;

async function project(more: Readonly<Record<string, string>> = {}) {
  const rows = await laneRows({
    files: { 'README.md': 'A project\n', 'secret.txt': 'token\n', ...more },
    validate: 'true',
  });
  const { git } = rows;
  // Nothing that git itself keeps of earlier tips is needed.
  git('config', 'core.logAllRefUpdates', 'false');
  rmSync(join(rows.repo, '.git/logs'), { recursive: true });
  return {
    ...rows,
    integrate: (more: { lanes?: string[]; rebase?: true } = {}) =>
      integrate(rows.context, rows.run, {
        signal: new AbortController().signal,
        progress: () => undefined,
        ...more,
      }),
    land: () => land(rows.context, rows.run),
    note: (key: string) => {
      const board = readBoard(rows.context, rows.run);
      const card = board.lanes.find((lane) => lane.key === key);
      return card && noteOn(card, board.at);
    },
    /** Takes the secret out of the first commit, as a person does who finds it there. */
    amendBase: () => {
      git('rm', '--quiet', 'secret.txt');
      git('commit', '--quiet', '--amend', '--message', 'first, without the secret');
      return git('rev-parse', 'main');
    },
    history: (ref: string) => git('rev-list', ref).split('\n'),
    files: (ref: string) => git('ls-tree', '-r', '--name-only', ref).split('\n'),
  };
}

test(
  'what a person has amended out of the base is not brought back by integrate or land',
  async () => {
    const it = await project();
    it.verified('a', { 'a.txt': 'a\n' });
    it.verified('b', { 'b.txt': 'b\n' }, { needs: ['a'], from: 'a' });
    await it.integrate();
    const amended = it.amendBase();
    const named = `1 commit that main has no more (${it.base.slice(0, 8)} first)`;

    const held = await it.land();
    expect(held).toMatchObject({ verdict: 'held', reason: 'rewritten' });
    expect(held).toMatchObject({ why: expect.stringContaining(it.base.slice(0, 8)) });
    expect(it.git('rev-parse', 'main')).toBe(amended);

    const report = await it.integrate();
    expect(report).toMatchObject({ tip: amended, integrated: [], gone: named });
    expect(report.withheld).toEqual([
      { lane: 'a', why: expect.stringContaining(`it would bring back ${named.slice(0, 8)}`) },
      { lane: 'b', why: expect.stringContaining('it would bring back') },
    ]);
    expect(it.state('a')).toBe('verified');
    expect(await it.land()).toMatchObject({ verdict: 'held', reason: 'nothing' });

    const rebased = await it.integrate({ rebase: true });
    expect(rebased.integrated.map(({ lane }) => lane)).toEqual(['a', 'b']);
    expect(await it.land()).toMatchObject({ verdict: 'landed', lanes: ['a', 'b'] });
    expect(it.history('main')).not.toContain(it.base);
    expect(it.history('main')).toContain(amended);
    expect(it.files('main')).toEqual(['README.md', 'a.txt', 'b.txt']);
    expect(it.git('log', '--format=%an', '-2', 'main').split('\n')).toEqual(['lane b', 'lane a']);
  },
  SLOW,
);

describe('a change that is put onto a target which begins anew', () => {
  const rewritten = async (lane: string, mine: string, path: string) => {
    const it = await project({ '.gitignore': 'logs/\n' });
    it.verified('a', { [path]: lane });
    await it.integrate();
    it.box.write(join(it.repo, path), mine);
    it.git('add', path);
    it.amendBase();
    return { it, report: await it.integrate({ rebase: true }) };
  };

  test(
    'is merged in the ways of conflicts, too',
    async () => {
      const { it, report } = await rewritten('logs/\na-out/\n', 'logs/\nmy-out/\n', '.gitignore');
      const resolution = { way: expect.stringContaining('add') };
      expect(report).toMatchObject({ integrated: [{ lane: 'a', resolution }] });
      await it.land();
      expect(it.git('show', 'main:.gitignore').split('\n').toSorted()).toEqual([
        'a-out/',
        'logs/',
        'my-out/',
      ]);
    },
    SLOW,
  );

  test(
    'is left to a person where both change one line, and the target is named',
    async () => {
      const { report } = await rewritten('A project of a\n', 'A project of mine\n', 'README.md');
      expect(report).toMatchObject({
        integrated: [],
        conflicts: [{ lane: 'a', paths: ['README.md'], with: ['main'] }],
      });
    },
    SLOW,
  );
});

test(
  'new commits on the target, also after a reset to an earlier landing, are no rewriting',
  async () => {
    const it = await project();
    it.verified('a', { 'a.txt': 'a\n' });
    await it.integrate();
    it.addLane('later');
    await it.land();
    const landed = it.git('rev-parse', 'main');
    it.box.write(join(it.repo, 'mine.txt'), 'mine\n');
    it.box.commit(it.repo, 'mine');
    it.git('reset', '--quiet', '--hard', landed);
    it.commitLane('later', { 'later.txt': 'later\n' });
    it.verify('later');
    expect(await it.integrate()).toMatchObject({ withheld: [], gone: undefined });
    expect(await it.land()).toMatchObject({ verdict: 'landed', lanes: ['later'] });
    expect(it.state('a')).toBe('landed');
  },
  SLOW,
);

test(
  'a lane that a person has taken back lands again only when it is asked for',
  async () => {
    const it = await project();
    it.verified('a', { 'a.txt': 'a\n' });
    await it.integrate();
    it.addLane('b');
    await it.land();
    const landed = it.git('rev-parse', 'main');
    it.git('reset', '--quiet', '--hard', it.base);
    await noteTakenBack(it.context, it.run);
    expect(it.state('a')).toBe('taken-back');
    expect(it.note('a')).toBe('landed, then taken back by whoever moved main');
    // It is moved there again.
    it.git('reset', '--quiet', '--hard', landed);
    await noteTakenBack(it.context, it.run);
    expect(it.state('a')).toBe('landed');
    it.git('config', 'core.logAllRefUpdates', 'true');
    it.git('reset', '--quiet', '--hard', it.base);

    it.commitLane('b', { 'b.txt': 'b\n' });
    it.verify('b');
    expect(await it.integrate()).toMatchObject({ integrated: [{ lane: 'b' }], withheld: [] });
    expect(it.note('a')).toContain('(reset: moving to ');
    expect(await it.land()).toMatchObject({ verdict: 'landed', lanes: ['b'], closed: false });
    expect(it.files('main')).toEqual(['README.md', 'b.txt', 'secret.txt']);

    expect(await it.integrate()).toMatchObject({ integrated: [] });
    expect(await it.integrate({ lanes: ['a'] })).toMatchObject({ integrated: [{ lane: 'a' }] });
    expect(await it.land()).toMatchObject({ verdict: 'landed', lanes: ['a'], closed: true });
    expect(it.files('main')).toContain('a.txt');
  },
  SLOW,
);

test(
  'the work of a lane that had landed as another commit does not come back with one that started from it',
  async () => {
    const it = await project();
    it.verified('a', { 'a.txt': 'a\n' });
    await it.integrate();
    it.verified('b', { 'b.txt': 'b\n' }, { from: it.tip() });
    await land(it.context, it.run, 'squash');
    it.git('reset', '--quiet', '--hard', it.base);
    expect(await it.integrate()).toMatchObject({ withheld: [{ lane: 'b' }] });
    expect(await it.integrate({ rebase: true })).toMatchObject({ integrated: [{ lane: 'b' }] });
    await it.land();
    expect(it.files('main')).toEqual(['README.md', 'b.txt', 'secret.txt']);
  },
  SLOW,
);

test(
  'a landed lane whose commits were squashed into one has not been taken back',
  async () => {
    const it = await project();
    it.verified('a', { 'a.txt': 'a\n' });
    await it.integrate();
    await it.land();
    it.git('reset', '--quiet', '--soft', it.base);
    it.git('commit', '--quiet', '--message', 'all of it in one commit');
    await noteTakenBack(it.context, it.run);
    expect(it.state('a')).toBe('landed');
  },
  SLOW,
);

test(
  'a landing whose last commit a person has reworded is no lane taken back',
  async () => {
    const it = await project();
    it.verified('a', { 'list.txt': 'a\n' });
    it.verified('b', { 'list.txt': 'a\nb\n' }, { needs: ['a'], from: 'a' });
    it.addLane('later');
    await it.integrate();
    expect(await land(it.context, it.run, 'squash')).toMatchObject({ lanes: ['a', 'b'] });
    it.git('commit', '--quiet', '--amend', '--message', 'in other words');
    await noteTakenBack(it.context, it.run);
    expect([it.state('a'), it.state('b')]).toEqual(['landed', 'landed']);

    it.git('reset', '--quiet', '--hard', it.base);
    await noteTakenBack(it.context, it.run);
    expect([it.state('a'), it.state('b')]).toEqual(['taken-back', 'taken-back']);
  },
  SLOW,
);
