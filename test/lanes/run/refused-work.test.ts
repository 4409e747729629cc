import { expect, test } from 'vitest';
import { readBoard } from '../../../src/lanes/look/board.ts';
import { noteOn } from '../../../src/lanes/look/note.ts';
import { refusedWork } from '../../../src/lanes/run/prompt-for.ts';
import { laneReportStore } from '../../../src/store/lane-events.ts';
import { SLOW, words } from '../queue/words.ts';

test(
  'a lane in conflict, and one that breaks others, is told where, with whose work, and why',
  async () => {
    const it = await words();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const shared = { 'shared.txt': 'ONE\ntwo\nthree\n', 'users/token': `area ${secret}\n` };
    it.verified('first', shared, { desc: 'Shout the first word' });
    it.verified('clashes', { 'shared.txt': 'uno\ntwo\nthree\n' });
    it.verified('renames', { 'words.txt': 'surface\n', 'users/first': 'uses surface\n' });
    await it.integrate();

    const clash = await refusedWork(it.context, it.run, it.lane('clashes'));
    expect(clash?.what).toBe('It conflicts with first in shared.txt');
    expect(clash?.shown).toMatch(/<<<<<<<.*ONE.*=======.*uno.*>>>>>>>/s);
    expect(clash?.rivals).toMatchObject([{ key: 'first', goal: 'Shout the first word' }]);
    expect(clash?.rivals[0]?.diff).toContain('+ONE');
    const breaks = await refusedWork(it.context, it.run, it.lane('renames'));
    expect(breaks?.what).toBe('It fails `sh check.sh`, merged with first');
    expect(breaks?.rivals[0]?.diff).toContain('users/token');
    expect(JSON.stringify(breaks)).not.toContain(secret);
    expect(await refusedWork(it.context, it.run, it.lane('first'))).toBeUndefined();
    const board = readBoard(it.context, it.run);
    const notes = board.lanes.map((lane) => [lane.key, noteOn(lane, board.at)]);
    expect(Object.fromEntries(notes)).toMatchObject({
      clashes: 'conflicts with first in shared.txt',
      renames: 'fails `sh check.sh`, merged with first',
    });
  },
  SLOW,
);

test(
  'a lane that is refused again for the same reason asks, and is not merged until it has an answer',
  async () => {
    const it = await words();
    it.verified('first', { 'shared.txt': 'ONE\ntwo\nthree\n' });
    it.verified('clashes', { 'shared.txt': 'uno\ntwo\nthree\n' });
    const asked = () => laneReportStore(it.context.store).openQuestions(it.run.id);
    const conflicts = async () => (await it.integrate()).conflicts;

    expect(await conflicts()).toMatchObject([{ lane: 'clashes', asks: false }]);
    expect(await conflicts()).toEqual([]);
    expect(asked()).toEqual([]);
    it.commitLane('clashes', { 'shared.txt': 'eins\ntwo\nthree\n' });
    it.verify('clashes');
    expect(await conflicts()).toMatchObject([{ lane: 'clashes', asks: true }]);
    expect(asked()).toMatchObject([
      {
        by: 'lanehold',
        body: expect.stringContaining('conflicts with first in shared.txt, again'),
      },
    ]);
    expect(it.lane('clashes').state).toBe('asks');
    expect((await it.integrate()).integrated).toEqual([]);
  },
  SLOW,
);
