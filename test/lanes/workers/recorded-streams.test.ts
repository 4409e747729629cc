import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeReader } from '../../../src/lanes/workers/claude-stream.ts';
import { codexReader } from '../../../src/lanes/workers/codex-stream.ts';
import type { OutcomeKind } from '../../../src/lanes/workers/worker.ts';

const STREAMS = join(import.meta.dirname, '../../fixtures/streams');
const READERS = { 'claude-code': claudeReader, codex: codexReader };

const OUTCOMES: Readonly<Record<string, OutcomeKind>> = {
  budget: 'budget',
  'context-overflow': 'context-overflow',
  'denied-tool': 'refused',
  done: 'ok',
  'max-turns': 'budget',
  'no-credit': 'quota',
  'no-session': 'crashed',
  overloaded: 'transient',
  'rate-limit': 'quota',
  'server-error': 'transient',
  'usage-limit': 'quota',
  'wrong-key': 'auth',
};

const recordings = Object.entries(READERS).flatMap(([agent, reader]) =>
  readdirSync(join(STREAMS, agent)).map((file) => ({ agent, file, reader })),
);

test.each(recordings)('reads what $agent printed: $file', ({ agent, file, reader }) => {
  const worker = reader();
  for (const line of readFileSync(join(STREAMS, agent, file), 'utf8').split('\n'))
    worker.line(line);
  const name = file.replace('.jsonl', '');
  const code = ['done', 'denied-tool'].includes(name) ? 0 : 1;
  const end = { code, stderr: '', changed: false, now: new Date('2026-11-22T01:40:00Z') };
  expect(worker.outcome(end).kind).toBe(OUTCOMES[name]);
  const { tokens, answers } = worker.progress();
  const isAnswered = ['done', 'denied-tool', 'max-turns', 'budget'].includes(name);
  expect(tokens.input > 0).toBe(isAnswered);
  expect(answers > 0).toBe(isAnswered);
});
