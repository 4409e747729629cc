import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codexReader } from '../../../src/agents/codex/worker.ts';
import { copilotReader } from '../../../src/agents/copilot-cli/worker.ts';
import { cursorReader } from '../../../src/agents/cursor/worker.ts';
import { geminiReader } from '../../../src/agents/gemini-cli/worker.ts';
import { opencodeReader } from '../../../src/agents/opencode/worker.ts';
import { commandWorker } from '../../../src/agents/worker/command.ts';
import { streamJsonReader } from '../../../src/agents/worker/stream-json.ts';
import { NO_TOKENS } from '../../../src/agents/worker/transcript.ts';
import type { WorkerProgress, WorkerReader } from '../../../src/agents/worker/worker.ts';
import { lineFeed } from '../../../src/base/text/line-feed.ts';
import {
  claude,
  codex,
  copilot,
  cursor,
  ended,
  gemini,
  opencode,
  read,
  SESSION,
} from './streams.ts';

interface Run {
  readonly agent: string;
  readonly reader: () => WorkerReader;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  readonly progress: Omit<WorkerProgress, 'sessionId' | 'session' | 'tasks'> &
    Partial<WorkerProgress>;
}

const RUNS: readonly Run[] = [
  {
    agent: 'claude-code',
    reader: streamJsonReader,
    lines: [
      claude.init(),
      claude.says('Reading.'),
      claude.calls('toolu_1', 'Read', { file_path: 'a.ts' }),
      claude.calls('toolu_2', 'Edit', { file_path: 'a.ts' }),
      claude.result(),
    ],
    progress: {
      turns: 3,
      toolCalls: 2,
      answers: 3,
      tokens: { input: 500, output: 100, cacheRead: 40, cacheWrite: 7 },
      usd: undefined,
      session: { usd: 0.25 },
      lastText: 'Done.',
    },
  },
  {
    agent: 'codex',
    reader: codexReader,
    lines: [
      codex.thread(),
      codex.turn(),
      codex.item(
        { id: 'item_1', type: 'command_execution', status: 'in_progress' },
        'item.started',
      ),
      codex.runs('item_1', 'ls'),
      codex.edits('item_2'),
      codex.item({ id: 'item_3', type: 'reasoning', text: 'Hm.' }),
      codex.says('Done.'),
      codex.done(),
    ],
    progress: {
      turns: 3,
      toolCalls: 2,
      answers: 4,
      tokens: NO_TOKENS,
      usd: undefined,
      session: { tokens: { input: 300, output: 50, cacheRead: 600, cacheWrite: 0 } },
      lastText: 'Done.',
    },
  },
  {
    agent: 'gemini-cli',
    reader: geminiReader,
    lines: [
      gemini.init(),
      { type: 'message', role: 'user', content: 'Do it' },
      gemini.says('I '),
      gemini.says('will.'),
      gemini.calls('1'),
      gemini.answers('1'),
      gemini.says('Do'),
      gemini.says('ne.'),
      gemini.result(),
    ],
    progress: {
      turns: 2,
      toolCalls: 1,
      answers: 5,
      tokens: { input: 700, output: 100, cacheRead: 300, cacheWrite: 0 },
      usd: undefined,
      lastText: 'Done.',
    },
  },
  {
    agent: 'cursor',
    reader: cursorReader,
    lines: [
      cursor.init(),
      cursor.says('I will.'),
      cursor.call('1', 'started'),
      cursor.call('1', 'completed', { success: { exitCode: 0 } }),
      cursor.says('Done.'),
      cursor.result(),
    ],
    progress: {
      turns: 2,
      toolCalls: 1,
      answers: 3,
      tokens: { input: 500, output: 90, cacheRead: 70, cacheWrite: 5 },
      usd: undefined,
      lastText: 'Done.',
    },
  },
  {
    agent: 'opencode',
    reader: opencodeReader,
    lines: [
      opencode.start(),
      opencode.tool({ status: 'completed' }),
      opencode.finish('tool-calls'),
      opencode.start(),
      opencode.says('Done.'),
      opencode.finish('stop'),
    ],
    progress: {
      turns: 2,
      toolCalls: 1,
      answers: 2,
      tokens: { input: 200, output: 30, cacheRead: 24, cacheWrite: 6 },
      usd: 0.25,
      lastText: 'Done.',
    },
  },
  {
    agent: 'copilot-cli',
    reader: copilotReader,
    lines: [
      copilot.start(),
      copilot.usage(),
      copilot.says(''),
      copilot.call('1'),
      copilot.end('1'),
      copilot.usage(),
      copilot.says('Done.'),
      copilot.result(0),
    ],
    progress: {
      turns: 2,
      toolCalls: 1,
      answers: 3,
      tokens: { input: 120, output: 20, cacheRead: 80, cacheWrite: 4 },
      usd: undefined,
      lastText: 'Done.',
    },
  },
];

const NOISE = [
  '',
  'Warning: something',
  '{',
  '{"type":',
  '[]',
  'null',
  '"text"',
  '12',
  '\u001b[31mred\u001b[0m',
  '{"type":"assistant"',
  '{}',
  '{"type":null,"message":5,"item":[],"part":"x","data":7}',
  '{"type":"assistant","message":{"content":"text","usage":[1]}}',
  '{"type":"tool_call","subtype":"completed","tool_call":{"a":null}}x',
  'x{"type":"result","is_error":true}',
];

describe.each(RUNS)('$agent', ({ reader, lines, progress }) => {
  const found = (all: readonly (Readonly<Record<string, unknown>> | string)[]) => {
    const it = read(reader(), all);
    return { progress: it.progress(), outcome: it.outcome(ended()) };
  };

  test('says how far it is', () => {
    expect(found(lines).progress).toEqual({ session: {}, ...progress, sessionId: SESSION });
  });

  test('knows its session as soon as the stream has named it', () => {
    expect(found(lines.slice(0, 1)).progress.sessionId).toBe(SESSION);
  });

  test('only ever counts up', () => {
    const it = reader();
    const used = lines.map((line) => {
      const { turns, toolCalls, answers } = read(it, [line]).progress();
      return turns + toolCalls + answers;
    });
    expect(used).toEqual(used.toSorted((a, b) => a - b));
  });

  test('is not confused by what others print into its output', () => {
    const noise = fc.array(fc.constantFrom(...NOISE.slice(0, 11)), { maxLength: 3 });
    const whole = found(lines);
    fc.assert(
      fc.property(fc.array(noise, { minLength: lines.length, maxLength: lines.length }), (all) => {
        const mixed = lines.flatMap((line, index) => [...(all[index] ?? []), line]);
        return isDeepStrictEqual(found(mixed), whole);
      }),
      { numRuns: 30 },
    );
  });

  test('takes any lines, and any piece of them, without throwing', () => {
    const text = lines.map((line) => JSON.stringify(line)).join('\n');
    const piece = fc
      .tuple(fc.nat(text.length), fc.nat(text.length))
      .map(([a, b]) => text.slice(a, b));
    const line = fc.oneof(fc.constantFrom(...NOISE), fc.string(), fc.json(), piece);
    fc.assert(
      fc.property(fc.array(line), (all) => {
        const { outcome } = found(all.flatMap((it) => it.split('\n')));
        return outcome.evidence.length <= 500;
      }),
      { numRuns: 60 },
    );
  });

  test('gives the same answer to whoever reads it again, in whatever pieces', () => {
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('é🚀\r\n'));
    const inPieces = (sizes: readonly number[]) => {
      const it = reader();
      const feed = lineFeed((line) => it.line(line));
      let start = 0;
      for (const size of [...sizes, bytes.length]) {
        feed.push(bytes.subarray(start, start + size));
        start += size;
      }
      feed.end();
      return { progress: it.progress(), outcome: it.outcome(ended()) };
    };
    const whole = inPieces([]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 })), (sizes) => {
        return isDeepStrictEqual(inPieces(sizes), whole);
      }),
      { numRuns: 30 },
    );
  });
});

test('what a sub-agent says and uses is counted, but not taken for the lane', () => {
  const own = claude.says('Mine.');
  const other = claude.says('A long text of a sub-agent', { parent_tool_use_id: 'toolu_1' });
  expect(read(streamJsonReader(), [own, other]).progress()).toMatchObject({
    turns: 1,
    lastText: 'Mine.',
    tokens: { input: 200 },
  });
});

test('the use of a message is counted once, however many parts it comes in', () => {
  const usage = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 5 };
  const parts = [claude.says('a', {}, { id: 'm' }), claude.says('b', {}, { id: 'm', usage })];
  expect(read(streamJsonReader(), parts).progress()).toMatchObject({
    turns: 1,
    tokens: { input: 10, output: 20, cacheRead: 5, cacheWrite: 0 },
  });
});

test('what models used in all counts, where the result tells it by model', () => {
  const modelUsage = {
    a: { inputTokens: 1_000, outputTokens: 200, cacheReadInputTokens: 3 },
    b: { inputTokens: 1, cacheCreationInputTokens: 9 },
  };
  expect(
    read(streamJsonReader(), [claude.result({ modelUsage })]).progress().session.tokens,
  ).toEqual({
    input: 1_001,
    output: 200,
    cacheRead: 3,
    cacheWrite: 9,
  });
});

test('what a second turn of the same run tells is the sum of both', () => {
  const turn = (input_tokens: number) => [
    codex.turn(),
    codex.says(`Done ${input_tokens}.`),
    { type: 'turn.completed', usage: { input_tokens, output_tokens: 1 } },
  ];
  const { session } = read(codexReader(), [...turn(100), ...turn(250)]).progress();
  expect(session.tokens).toMatchObject({ input: 250, output: 1 });
});

test('the last text of a command is what it printed last', () => {
  const reader = commandWorker([]).reader();
  expect(read(reader, ['one', 'two']).progress().lastText).toBe('one\ntwo');
});

describe('lines', () => {
  const cut = (...pieces: readonly (string | Buffer)[]) => {
    const found: string[] = [];
    const feed = lineFeed((line) => found.push(line));
    for (const piece of pieces) feed.push(Buffer.from(piece));
    const before = [...found];
    feed.end();
    return { before, after: found.slice(before.length) };
  };

  test('are given as soon as they have ended, and the last one at the end', () => {
    expect(cut('a\nb', 'c\r\n\nd')).toEqual({ before: ['a', 'bc'], after: ['d'] });
  });

  test('keep characters that two pieces share', () => {
    const bytes = Buffer.from('🚀\n');
    expect(cut(bytes.subarray(0, 2), bytes.subarray(2)).before).toEqual(['🚀']);
  });

  test('that are far too long are left out, and the next one is not', () => {
    const piece = Buffer.alloc(8 * 1024 * 1024, 'x');
    expect(cut(piece, piece, piece, piece, piece, '\nnext\n').before).toEqual(['next']);
  });

  test('may begin with what a crash leaves in a file', () => {
    const result = JSON.stringify(claude.result());
    const it = read(streamJsonReader(), [`\0\0\0${result}`]);
    expect(it.outcome(ended()).kind).toBe('ok');
  });

  test('of some megabytes are read', () => {
    const result = claude.result({ result: 'x'.repeat(5_000_000) });
    const { outcome, progress } = read(streamJsonReader(), [result]);
    expect(outcome(ended()).kind).toBe('ok');
    expect(progress().lastText.length).toBeLessThan(5_000);
  });
});
