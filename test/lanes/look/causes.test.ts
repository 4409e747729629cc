/** Why a lane is as it is, whole wherever it is shown, and commands that answer exactly that. */
import { expect, test } from 'vitest';
import { renderBoard } from '../../../src/fronts/words/board.ts';
import { readBoard } from '../../../src/lanes/look/board.ts';
import { handoff } from '../../../src/lanes/look/handoff.ts';
import { nextCommands, noteOn } from '../../../src/lanes/look/note.ts';
import { editLane } from '../../../src/lanes/spec/edit.ts';
import { recordReport } from '../../../src/lanes/talk/say.ts';
import { attemptStore } from '../../../src/store/attempts.ts';
import { laneStore } from '../../../src/store/lanes.ts';
import { type BoardRows, boardRows } from '../../support/board-rows.ts';
import { sandbox } from '../../support/sandbox.ts';

const plain = (text: string): string => text;
const paint = { good: plain, bad: plain, warn: plain, hint: plain, faint: plain, strong: plain };
const LONG = `its log-in has ended: ${'the service said that nobody is known here, '.repeat(8)}and no more`;

function look({ context, run }: BoardRows) {
  const board = readBoard(context, run);
  const lanes = board.lanes.map((lane) => ({
    ...lane,
    note: noteOn(lane, board.at),
    help: nextCommands(board, lane),
    doing: null,
    diff: null,
  }));
  const data = { ...board, lanes, states: {}, untrue: [] };
  return {
    screen: renderBoard(data, { paint, width: 60 }),
    piped: renderBoard(data, { paint, width: Number.POSITIVE_INFINITY }),
    next: (key: string) => lanes.find((lane) => lane.key === key)?.help,
    note: (key: string) => lanes.find((lane) => lane.key === key)?.note,
    handoff: handoff(context, run, { agent: 'claude-code', session: '' }).lines,
  };
}

function ended(rows: BoardRows, key: string, endCause: 'login' | 'scope', endDetail: string) {
  const through = ['running', 'exited', 'ended'] as const;
  const endReason = endCause === 'scope' ? 'rejected' : 'parked';
  const lane = rows.lane(key);
  rows.attempt(lane, { through, note: { endReason, endCause, endDetail } });
  return rows.fresh(lane);
}

test('a cause that the table cuts has a line of its own, a short one is said once', async () => {
  const rows = await boardRows(sandbox());
  ended(rows, 'long', 'login', LONG);
  rows.lane('plain', { needs: [] });
  const shown = look(rows);
  const twice = (text: string) => text.split(LONG).length - 1;
  expect(shown.screen).toContain(`\n    login: ${LONG}; until it is resumed\n`);
  expect([twice(shown.screen), twice(shown.piped)]).toEqual([1, 1]);
  expect(shown.handoff.map(({ text }) => text).join('\n')).toContain(LONG);
});

test('each of two open questions is answered by its number, one alone needs none', async () => {
  const rows = await boardRows(sandbox());
  const ask = (key: string, text: string) => {
    const lane = rows.fresh(rows.lane(key));
    return (more: string) =>
      recordReport(rows.context, { lane, attempt: null }, { kind: 'ask', text: more, by: text });
  };
  const api = ask('api', 'lane api');
  const [first, second] = [api('Which port?'), api('Which host?\nSay its name.')];
  ask('web', 'lane web')('Which colour?');
  const shown = look(rows);
  const answer = (key: string) => `lanehold orchestrate answer ${key}`;
  expect(shown.next('api')).toEqual([
    `${answer('api')} --question ${first.seq} 'ANSWER'`,
    `${answer('api')} --question ${second.seq} 'ANSWER'`,
  ]);
  expect(shown.next('web')).toEqual([`${answer('web')} 'ANSWER'`]);
  expect(shown.screen).toContain(`hint: ${answer('api')} --question ${second.seq} 'ANSWER'`);
  expect(shown.screen).toContain('Which host?\n    Say its name.\n');
  const questions = shown.handoff.filter(({ section }) => section === 'questions');
  expect(questions.flatMap(({ commands = [] }) => commands)).toEqual([
    ...(shown.next('api') ?? []),
    ...(shown.next('web') ?? []),
  ]);
});

test('a question of several lines is said once, and why the work was refused beside it', async () => {
  const rows = await boardRows(sandbox());
  const lane = ended(rows, 'api', 'scope', 'README.md');
  const question = { kind: 'ask', text: 'Which host?\nSay its name.', by: 'lane api' } as const;
  recordReport(rows.context, { lane, attempt: null }, question);
  const shown = look(rows);
  for (const text of [shown.screen, shown.piped])
    expect(text.split('Say its name.')).toHaveLength(2);
  expect(shown.piped.split('Which host?')).toHaveLength(2);
  const why = 'changed what it may not touch: README.md';
  expect(shown.piped).toContain(`Say its name.\n    Its work is not accepted: ${why}\n`);
  expect(shown.note('api')).toContain(why);
  expect(shown.handoff.map(({ text }) => text).join('\n')).toContain(why);
});

test('a question without which a lane was proven needs nobody any more', async () => {
  const rows = await boardRows(sandbox());
  const lane = rows.verified('api');
  rows.ask(lane, 'Which?');
  expect(look(rows).screen).toContain("answer api 'ANSWER'");
  const attempt = rows.attempt(lane, { through: ['running', 'exited', 'validating'] });
  rows.validation(lane, attempt);
  const end = { state: 'ended', endReason: 'verified', endSha: lane.headSha } as const;
  rows.store.write(() => attemptStore(rows.store).note(attempt.id, 0, end));
  expect(look(rows).screen).not.toContain("'ANSWER'");
});

test('a run that does not continue by itself has a next step, one in which a lane moves has none', async () => {
  const rows = await boardRows(sandbox());
  const steps = () => look(rows).screen.match(/(?<=hint: lanehold orchestrate ).*/g);
  const lane = rows.lane('api');
  rows.store.write(() => laneStore(rows.store).setIntent(lane.id, 'hold'));
  expect(rows.fresh(lane).state).toBe('planned');
  expect(steps()).toEqual(['spawn --ready']);
  rows.verified('web');
  expect(steps()).toEqual(['spawn --ready', 'integrate']);
  rows.attempt(rows.lane('docs'), { through: ['running'] });
  expect(look(rows).screen).toContain('Nothing needs you');
});

test('a question of a lane that is at work is answered as any other', async () => {
  const rows = await boardRows(sandbox());
  const lane = rows.lane('api');
  rows.attempt(lane, { through: ['running'] });
  const question = { kind: 'ask', text: 'Which port?', by: 'lane api' } as const;
  recordReport(rows.context, { lane: rows.fresh(lane), attempt: null }, question);
  const shown = look(rows);
  const answer = "lanehold orchestrate answer api 'ANSWER'";
  expect(rows.fresh(lane).state).toBe('running');
  expect(shown.screen).toContain(`Which port?\n    hint: ${answer}`);
  expect(shown.handoff.find(({ section }) => section === 'questions')?.commands).toEqual([answer]);
});

test('what was changed in the main checkout is shown where it was saved', async () => {
  const rows = await boardRows(sandbox());
  const flags = ['main-checkout-changed: ["a.txt"]'];
  const lanes = ['saved', 'equal'].map((key) => {
    const lane = rows.lane(key);
    rows.attempt(lane, { through: ['running'], note: { flags } });
    return lane;
  });
  const [saved, equal] = lanes;
  rows.store.write(() => {
    rows.event('run.checkout-changed', saved, { ref: 'refs/lanehold/x' });
    rows.event('run.checkout-changed', equal, {});
  });
  const shown = look(rows);
  expect(shown.next('saved')).toContain('git show refs/lanehold/x');
  expect(shown.next('equal')?.join()).not.toContain('git show');
});

test('work outside of its files offers to accept them by name, or to have them taken back', async () => {
  const rows = await boardRows(sandbox());
  ended(rows, 'api', 'scope', 'docs/api.md, README.md');
  ended(rows, 'web', 'scope', "a b/it's.md");
  ended(rows, 'mail', 'scope', '[id].md');
  const { next } = look(rows);
  expect(next('api')).toEqual([
    "lanehold orchestrate lane widen api --touches 'docs/api.md' 'README.md'",
    'lanehold orchestrate retry api',
  ]);
  expect(next('web')?.[0]).toContain("--touches 'a b/it'\\''s.md'");
  expect(next('mail')?.[0]).toBe("lanehold orchestrate lane widen mail --touches 'GLOB'");
});

test('a lane with another validation shows no verdict of the old one, and is to be verified', async () => {
  const rows = await boardRows(sandbox());
  const api = rows.lane('api');
  const { sha } = rows.work(api);
  const note = { endReason: 'rejected', endCause: 'validation', endSha: sha } as const;
  const attempt = rows.attempt(api, { through: ['exited', 'validating', 'ended'], note });
  rows.validation(api, attempt, { result: 'fail', exitCode: 1, newFailures: ['pays twice'] });
  expect(look(rows).note('api')).toContain('pays twice');
  const spec = { ...api.spec, validate: 'npm run check' };
  editLane(rows.context, rows.run, 'api', { spec, by: 'person ada', type: 'lane.edited' });
  const shown = look(rows);
  expect(shown.note('api')).toBe('it has another validation since, which has not run');
  expect(shown.next('api')?.[0]).toBe('lanehold orchestrate verify api');
  expect(shown.piped).not.toContain('pays twice');
});

test('a lane that is starting says how far it is', async () => {
  const rows = await boardRows(sandbox());
  rows.attempt(rows.lane('api'));
  const set = rows.lane('set');
  rows.attempt(set, { through: ['starting'], note: { endDetail: 'its set-up runs' } });
  expect(look(rows).note('api')).toBe('its supervisor begins');
  expect(look(rows).note('set')).toBe('its set-up runs');
});

test('an attempt that changed nothing is said beside the verdict that is still true', async () => {
  const rows = await boardRows(sandbox());
  const lane = rows.verified('api');
  const through = ['running', 'exited', 'ended'] as const;
  const note = { endReason: 'rejected', endCause: 'no-change', endSha: lane.headSha } as const;
  expect(look(rows).note('api')).not.toContain('changed nothing');
  rows.attempt(lane, { through, note });
  expect(rows.fresh(lane).state).toBe('verified');
  expect(look(rows).note('api')).toContain('; attempt 2 changed nothing');
});
