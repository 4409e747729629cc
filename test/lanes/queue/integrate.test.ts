import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { integrationStore } from '../../../src/store/integrations.ts';
import type { LaneRows } from '../../support/lane-rows.ts';
import { checkoutPrint } from './checkout-print.ts';
import { SLOW, words } from './words.ts';

/** Proves nothing about the words. */
const NOTHING = { validate: 'true' };

const rowsOf = ({ context, run }: Pick<LaneRows, 'context' | 'run'>) =>
  integrationStore(context.store).ofRun(run.id);

describe('C6: integration queue that never touches the user’s checkout', () => {
  test(
    'six verified lanes, one culprit, one conflict: four are integrated',
    async () => {
      const it = await words();
      it.verified('a', { 'a.txt': 'a\n', 'shared.txt': 'ONE\ntwo\nthree\n' });
      it.verified('b', { 'b.txt': 'b\n' });
      it.verified('renames', { 'words.txt': 'surface\n', 'users/first': 'uses surface\n' });
      it.verified('uses', { 'users/second': 'uses area\n' });
      it.verified('conflicts', { 'shared.txt': 'uno\ntwo\nthree\n' });
      it.verified('c', { 'c.txt': 'c\n' });
      it.box.write(join(it.repo, 'shared.txt'), 'dirty\n');
      it.box.write(join(it.repo, 'staged.txt'), 'staged\n');
      it.git('add', 'staged.txt');
      it.box.write(join(it.repo, 'untracked.txt'), 'untracked\n');
      const before = checkoutPrint(it.box, it.repo);

      const report = await it.integrate();

      expect(report.integrated.map(({ lane }) => lane)).toEqual(['a', 'b', 'renames', 'c']);
      expect(report.culprits).toMatchObject([
        { lane: 'uses', command: 'sh check.sh', with: ['a', 'b', 'renames'] },
      ]);
      expect(report.conflicts).toEqual([
        { lane: 'conflicts', paths: ['shared.txt'], refused: [], with: ['a'], asks: false },
      ]);
      expect(checkoutPrint(it.box, it.repo)).toEqual(before);
      expect(it.tip()).toBe(report.tip);
      const proofs = it.validations().filter(({ subject }) => subject === 'integration');
      expect(proofs.length).toBeLessThanOrEqual(6);
      expect(proofs.some(({ sha, result }) => sha === report.tip && result === 'pass')).toBe(true);
      expect(['a', 'b', 'c', 'renames'].map(it.state)).toEqual(Array(4).fill('integrated'));
      expect([it.state('uses'), it.state('conflicts')]).toEqual(['culprit', 'conflict']);
      expect(it.show(report.tip, 'c.txt')).toBe('c');
    },
    SLOW,
  );

  test(
    'a tip that somebody has moved meanwhile is put aside, and a new round is planned',
    async () => {
      const it = await words();
      it.verified('a', { 'a.txt': 'a\n' });
      const other = it.git('commit-tree', `${it.base}^{tree}`, '-p', it.base, '-m', 'other');
      const moves = `if mkdir "$CHECKS.once" 2>/dev/null
then git update-ref ${it.run.integrationRef} ${other}; fi`;
      it.addLane('b', { validate: `${moves}; sh check.sh` });
      it.commitLane('b', { 'b.txt': 'b\n' });
      it.verify('b');

      const report = await it.integrate();

      expect(report.integrated.map(({ lane }) => lane)).toEqual(['a', 'b']);
      expect(it.git('rev-list', report.tip)).not.toContain(other);
      expect(it.tip()).toBe(report.tip);
      const aside = `refs/lanehold/${it.run.id}/aside/${other.slice(0, 12)}`;
      expect(it.git('rev-parse', aside)).toBe(other);
      const said = it.progress.join('\n');
      expect(said).toContain('the tip was moved from elsewhere: planning again');
      expect(said).toContain(`was moved to ${other.slice(0, 8)} (other, by `);
      expect(said).toContain(`git branch NAME ${aside}`);
    },
    SLOW,
  );

  test(
    'of two integrations at once, the second finds the work done',
    async () => {
      const it = await words();
      it.verified('a', { 'a.txt': 'a\n' });
      it.verified('b', { 'b.txt': 'b\n' });
      const reports = await Promise.all([it.integrate(), it.integrate()]);
      expect(reports.flatMap(({ integrated }) => integrated).map(({ lane }) => lane)).toEqual([
        'a',
        'b',
      ]);
      expect(new Set(reports.map(({ tip }) => tip))).toEqual(new Set([it.tip()]));
      expect(it.runs()).toBe(1);
    },
    SLOW,
  );
});

test(
  'a lane is not blamed for a tree that lacks the files of another lane’s validation',
  async () => {
    const it = await words();
    it.verified('innocent', { 'a.txt': 'a\n' }, NOTHING);
    it.verified('renames', { 'words.txt': 'surface\n', 'users/first': 'uses surface\n' });
    const own = { 'own.sh': 'grep -q area words.txt\n' };
    it.verified('brings', own, { validate: 'sh own.sh' });
    const report = await it.integrate();
    expect(report.culprits).toMatchObject([
      { lane: 'brings', command: 'sh own.sh', with: ['innocent', 'renames'] },
    ]);
    expect(report.integrated.map(({ lane }) => lane)).toEqual(['innocent', 'renames']);
  },
  SLOW,
);

test(
  'a lane is not blamed for what its validation finds in others and could find without it',
  async () => {
    const it = await words();
    it.verified('renames', { 'words.txt': 'surface\n', 'users/first': 'uses surface\n' }, NOTHING);
    it.verified('uses', { 'users/second': 'uses area\n' }, NOTHING);
    it.verified('innocent', { 'a.txt': 'a\n' });
    const report = await it.integrate();
    expect(report.culprits).toMatchObject([{ lane: 'uses', with: ['renames'] }]);
    expect(report.integrated.map(({ lane }) => lane)).toEqual(['renames', 'innocent']);
  },
  SLOW,
);

test(
  'all lanes of a batch have the final tip as result, and nothing is validated twice',
  async () => {
    const it = await words();
    it.verified('a', { 'a.txt': 'a\n' });
    it.verified('b', { 'b.txt': 'b\n' });
    const report = await it.integrate();
    expect(rowsOf(it).map(({ resultSha, state }) => [resultSha, state])).toEqual([
      [report.tip, 'integrated'],
      [report.tip, 'integrated'],
    ]);
    const again = await it.integrate();
    expect(again).toMatchObject({ integrated: [], tip: report.tip, from: report.tip });
    expect(it.runs()).toBe(1);
  },
  SLOW,
);

test(
  'a lane is integrated after those that it started from',
  async () => {
    const it = await words();
    it.verified('api', { 'api.txt': 'one\n' });
    it.verified('ui', { 'ui.txt': 'one\n' }, { needs: ['api'], from: 'api' });
    const report = await it.integrate({ lanes: ['ui'] });
    expect(report.integrated.map(({ lane }) => lane)).toEqual(['api', 'ui']);
  },
  SLOW,
);

test(
  "a lane that contains a culprit's work is withheld, with the reason",
  async () => {
    const it = await words();
    it.verified('renames', { 'words.txt': 'surface\n', 'users/first': 'uses surface\n' });
    it.verified('uses', { 'users/second': 'uses area\n' });
    it.verified('more', { 'more.txt': 'more\n' }, { needs: ['uses'], from: 'uses' });
    const report = await it.integrate();
    expect(report.integrated.map(({ lane }) => lane)).toEqual(['renames']);
    expect(report.culprits.map(({ lane }) => lane)).toEqual(['uses']);
    expect(report.withheld).toEqual([
      { lane: 'more', why: 'it contains the work of uses, which is not integrated' },
    ]);
    expect(it.state('more')).toBe('verified');
    expect(existsSync(join(it.repo, 'more.txt'))).toBe(false);
    expect(() => it.show(report.tip, 'more.txt')).toThrow();
  },
  SLOW,
);

test(
  'validations of lanes that are already integrated have to pass, too',
  async () => {
    const it = await words({ files: { 'own.sh': 'test ! -e forbidden.txt\n' } });
    it.verified('strict', { 'strict.txt': 'x\n' }, { validate: 'sh own.sh' });
    await it.integrate();
    it.verified('loose', { 'forbidden.txt': 'x\n' });
    const report = await it.integrate();
    expect(report.culprits).toMatchObject([{ lane: 'loose', command: 'sh own.sh' }]);
    expect(report.tip).toBe(report.from);
  },
  SLOW,
);

test(
  'merges new commits of the target branch first, and blames no lane for them',
  async () => {
    const it = await words();
    it.verified('a', { 'a.txt': 'a\n' });
    await it.integrate();
    it.box.write(join(it.repo, 'theirs.txt'), 'theirs\n');
    const theirs = it.box.commit(it.repo, 'theirs');
    const merged = await it.integrate();
    expect(merged.target).toEqual({ state: 'merged', ref: 'refs/heads/main', sha: theirs });
    expect(it.show(merged.tip, 'a.txt')).toBe('a');
    expect(it.show(merged.tip, 'theirs.txt')).toBe('theirs');

    it.box.write(join(it.repo, 'a.txt'), 'theirs\n');
    it.box.commit(it.repo, 'theirs, too');
    it.verified('b', { 'b.txt': 'b\n' });
    const conflict = await it.integrate();
    expect(conflict.target).toMatchObject({ state: 'conflict', paths: ['a.txt'] });
    expect(conflict.integrated.map(({ lane }) => lane)).toEqual(['b']);
  },
  SLOW,
);

test(
  'a conflict with new commits of the branch names the branch, not the lanes that have taken them in',
  async () => {
    const it = await words();
    it.addLane('late');
    it.addLane('own');
    it.box.write(join(it.repo, 'shared.txt'), 'eins\ntwo\nthree\n');
    const theirs = it.box.commit(it.repo, 'theirs');
    it.verified('b1', { 'b1.txt': 'b1\n' }, { from: theirs });
    it.verified('b2', { 'b2.txt': 'b2\n', 'third.txt': 'b2\n' }, { from: theirs });
    it.commitLane('late', { 'shared.txt': 'uno\ntwo\nthree\n' });
    it.verify('late');
    it.commitLane('own', { 'third.txt': 'own\n' });
    it.verify('own');
    const { conflicts } = await it.integrate();
    expect(conflicts.map((one) => [one.lane, one.with])).toEqual([
      ['late', ['main']],
      ['b2', ['own']],
    ]);
  },
  SLOW,
);

test(
  'a conflict is tried again when the tip has moved',
  async () => {
    const it = await words();
    it.verified('a', { 'shared.txt': 'ONE\ntwo\nthree\n' });
    it.verified('b', { 'shared.txt': 'uno\ntwo\nthree\n' });
    const first = await it.integrate();
    expect(first.conflicts.map(({ lane }) => lane)).toEqual(['b']);
    it.verified('back', { 'shared.txt': 'one\ntwo\nthree\n' }, { from: first.tip });
    await it.integrate({ lanes: ['back'] });
    const again = await it.integrate();
    expect(again.integrated.map(({ lane }) => lane)).toEqual(['b']);
  },
  SLOW,
);

test(
  'integrated work of a lane that is at work again stays integrated',
  async () => {
    const it = await words({ files: { 'own.sh': 'test ! -e forbidden.txt\n' } });
    it.verified('strict', { 'strict.txt': 'x\n' }, { validate: 'sh own.sh' });
    await it.integrate();
    it.commitLane('strict', { 'strict.txt': 'y\n' });
    it.verified('loose', { 'forbidden.txt': 'x\n' });
    const report = await it.integrate();
    expect(report.culprits).toMatchObject([{ lane: 'loose', command: 'sh own.sh' }]);
  },
  SLOW,
);

test(
  'a conflict is not tried again while the tip has not moved',
  async () => {
    const it = await words();
    it.verified('a', { 'shared.txt': 'ONE\ntwo\nthree\n' });
    it.verified('b', { 'shared.txt': 'uno\ntwo\nthree\n' });
    await it.integrate();
    const events = it.events().length;
    expect(await it.integrate()).toMatchObject({ conflicts: [], integrated: [] });
    expect(it.events()).toHaveLength(events);
  },
  SLOW,
);

test(
  'a culprit is tried again when it is named',
  async () => {
    const it = await words({ validate: 'test ! -e "$CHECKS.bad" || test ! -e b.txt' });
    it.verified('a', { 'a.txt': 'a\n' });
    it.verified('b', { 'b.txt': 'b\n' });
    const bad = it.box.write(`${it.context.env.CHECKS}.bad`, '');
    expect((await it.integrate()).culprits.map(({ lane }) => lane)).toEqual(['b']);
    rmSync(bad);
    expect(await it.integrate()).toMatchObject({
      integrated: [],
      unfinished: [{ lane: 'b', state: 'culprit' }],
    });
    const named = await it.integrate({ lanes: ['b'] });
    expect(named.integrated.map(({ lane }) => lane)).toEqual(['b']);
  },
  SLOW,
);
