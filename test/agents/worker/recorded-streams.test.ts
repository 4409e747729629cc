import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codexReader } from '../../../src/agents/codex/worker.ts';
import { geminiReader } from '../../../src/agents/gemini-cli/worker.ts';
import { opencodeReader } from '../../../src/agents/opencode/worker.ts';
import { streamJsonReader } from '../../../src/agents/worker/stream-json.ts';
import { allTokens } from '../../../src/agents/worker/transcript.ts';
import type { OutcomeKind, WorkerReader } from '../../../src/agents/worker/worker.ts';

const STREAMS = join(import.meta.dirname, '../../fixtures/streams');
const READERS = {
  'claude-code': streamJsonReader,
  codex: codexReader,
  'gemini-cli': geminiReader,
  opencode: opencodeReader,
};

const OUTCOMES: Readonly<Record<string, OutcomeKind>> = {
  'before-resume': 'ok',
  budget: 'budget',
  'context-overflow': 'context-overflow',
  'denied-tool': 'refused',
  done: 'ok',
  'max-turns': 'budget',
  'no-credit': 'quota',
  'no-session': 'crashed',
  overloaded: 'transient',
  plan: 'ok',
  'rate-limit': 'quota',
  resumed: 'ok',
  'server-error': 'transient',
  'usage-limit': 'quota',
  'wrong-key': 'auth',
};

const recordings = Object.entries(READERS).flatMap(([agent, reader]) =>
  readdirSync(join(STREAMS, agent)).map((file) => ({ agent, file, reader })),
);

const WENT_WELL = ['before-resume', 'denied-tool', 'done', 'plan', 'resumed'];

function replay(reader: WorkerReader, agent: string, name: string): WorkerReader {
  const text = readFileSync(join(STREAMS, agent, `${name}.jsonl`), 'utf8');
  for (const line of text.split('\n')) reader.line(line);
  return reader;
}

test.each(recordings)('reads what $agent printed: $file', ({ agent, file, reader }) => {
  const name = file.replace('.jsonl', '');
  const worker = replay(reader(), agent, name);
  const code = WENT_WELL.includes(name) ? 0 : 1;
  const end = { code, stderr: '', acted: false, now: new Date('2026-11-22T01:40:00Z') };
  expect(worker.outcome(end).kind).toBe(OUTCOMES[name]);
  const { tokens, session, answers } = worker.progress();
  const isAnswered = [...WENT_WELL, 'max-turns', 'budget'].includes(name);
  expect((session.tokens ?? tokens).input > 0).toBe(isAnswered);
  expect(answers > 0).toBe(isAnswered);
});

test.each([
  ['claude-code', streamJsonReader, { own: 2_140, usd: [0.0092, 0.0184], tokens: [2_140, 4_280] }],
  ['codex', codexReader, { own: 0, usd: [undefined, undefined], tokens: [4_680, 10_980] }],
] as const)('%s goes on counting when it resumes a session', (agent, reader, told) => {
  const runs = ['before-resume', 'resumed'].map((it) => replay(reader(), agent, it).progress());
  const [first, second] = runs;
  expect(second?.sessionId).toBe(first?.sessionId);
  expect(runs.map(({ session }) => session.tokens && allTokens(session.tokens))).toEqual(
    told.tokens,
  );
  expect(runs.map(({ session }) => session.usd)).toEqual(told.usd);
  expect(runs.map(({ tokens }) => allTokens(tokens))).toEqual([told.own, told.own]);
});

const WRITE_THE_TEST = [
  { title: 'Read the code', status: 'completed' },
  { title: 'Write the test', status: 'in_progress' },
  { title: 'Old idea', status: 'dropped' },
];

test.each([
  [
    'codex',
    'before-resume',
    codexReader,
    [
      { title: 'Read the code', status: 'completed' },
      { title: 'Write the test', status: 'pending' },
    ],
  ],
  ['codex', 'resumed', codexReader, [{ title: 'Write the test', status: 'completed' }]],
  // The client has refused a second list, in which two tasks were at work.
  ['gemini-cli', 'plan', geminiReader, WRITE_THE_TEST],
  ['opencode', 'plan', opencodeReader, WRITE_THE_TEST],
  ['codex', 'done', codexReader, undefined],
] as const)('knows the task list that %s wrote last: %s', (agent, name, reader, tasks) => {
  expect(replay(reader(), agent, name).progress().tasks).toEqual(tasks);
});
