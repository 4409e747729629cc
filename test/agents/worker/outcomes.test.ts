import { expect, test } from 'vitest';
import { codexReader } from '../../../src/agents/codex/worker.ts';
import { copilotReader } from '../../../src/agents/copilot-cli/worker.ts';
import { cursorReader } from '../../../src/agents/cursor/worker.ts';
import { geminiReader } from '../../../src/agents/gemini-cli/worker.ts';
import { opencodeReader } from '../../../src/agents/opencode/worker.ts';
import { commandWorker } from '../../../src/agents/worker/command.ts';
import { streamJsonReader } from '../../../src/agents/worker/stream-json.ts';
import type { OutcomeKind, WorkerEnd, WorkerReader } from '../../../src/agents/worker/worker.ts';
import { claude, codex, copilot, cursor, ended, gemini, opencode, read } from './streams.ts';

type Lines = readonly (Readonly<Record<string, unknown>> | string)[];
type Case = readonly [what: string, kind: OutcomeKind, lines: Lines, end?: Partial<WorkerEnd>];

const untouched = { acted: false };
const edit = claude.calls('toolu_1', 'Edit', { file_path: 'a.ts' });
const denial = { tool_name: 'Bash', tool_use_id: 'toolu_2', tool_input: { command: 'git push' } };

const CLAUDE: readonly Case[] = [
  ['work that was done', 'ok', [claude.init(), edit, claude.result()]],
  ['changes without a call that the stream shows', 'ok', [claude.result()]],
  ['reading only', 'ok', [edit, claude.result()], untouched],
  ['words only', 'empty', [claude.says('Hello'), claude.result()], untouched],
  [
    'denied and nothing changed',
    'refused',
    [edit, claude.denied('toolu_2'), claude.result({ permission_denials: [denial] })],
    untouched,
  ],
  ['denied once, and work was done', 'ok', [claude.result({ permission_denials: [denial] })]],
  ['the model refuses', 'refused', [claude.result({ stop_reason: 'refusal', result: 'I cannot' })]],
  [
    'exit 0 and is_error',
    'quota',
    [claude.apiError(null, "You've hit your limit · resets 6:30pm")],
  ],
  [
    '429',
    'quota',
    [claude.apiError(429, 'API Error: Request rejected (429) · slow down')],
    { code: 1 },
  ],
  [
    'an old usage limit',
    'quota',
    [claude.apiError(null, 'Claude AI usage limit reached|1795357800')],
  ],
  ['no credits', 'quota', [claude.apiError(400, 'Credit balance is too low')]],
  ['401', 'auth', [claude.apiError(401, 'Failed to authenticate. API Error: 401')], { code: 1 }],
  ['403', 'auth', [claude.apiError(403, 'API Error: 403 no')], { code: 1 }],
  ['no login', 'auth', [claude.apiError(null, 'Not logged in · Please run /login')], { code: 1 }],
  ['529', 'transient', [claude.apiError(529, 'API Error: 529 Overloaded.')], { code: 1 }],
  ['500 that mentions limits', 'transient', [claude.apiError(500, 'rate limit service is down')]],
  ['a network', 'transient', [claude.apiError(null, 'API Error: Connection error.')], { code: 1 }],
  ['a full context', 'context-overflow', [claude.apiError(400, 'Prompt is too long')], { code: 1 }],
  ['another 400', 'crashed', [claude.apiError(400, 'API Error: 400 bad tool')], { code: 1 }],
  [
    'max turns',
    'budget',
    [claude.result({ subtype: 'error_max_turns', is_error: true })],
    { code: 1 },
  ],
  [
    'max budget',
    'budget',
    [claude.result({ subtype: 'error_max_budget_usd', is_error: true, result: undefined })],
    { code: 1 },
  ],
  [
    'the reason of the last message',
    'auth',
    [claude.says('no', { error: 'authentication_failed' }), claude.apiError(null, 'API Error')],
  ],
  [
    'an earlier reason that was overcome',
    'ok',
    [claude.says('no', { error: 'server_error' }), claude.says('yes'), claude.result()],
  ],
  ['the result beats the exit code', 'ok', [claude.result()], { code: 1 }],
  ['the result beats what was said', 'ok', [claude.says('usage limit reached'), claude.result()]],
  ['the result beats stderr', 'ok', [claude.result()], { stderr: 'usage limit reached' }],
  ['no result, exit 0', 'crashed', [claude.init(), edit]],
  ['no result, killed', 'crashed', [claude.init()], { code: 137, stderr: 'rate limit' }],
  ['no result, nobody knows', 'crashed', [claude.init()], { code: undefined }],
  ['no program', 'crashed', [], { code: 127, stderr: 'claude: not found' }],
  [
    'a session in use',
    'crashed',
    [],
    { code: 1, stderr: 'Error: Session ID x is already in use.' },
  ],
  ['a limit on stderr', 'quota', [], { code: 1, stderr: 'Error: usage limit reached' }],
  ['a session that ends twice', 'ok', [claude.apiError(529, 'Overloaded'), claude.result()]],
];

const runs = codex.runs('item_1', 'npm test');
const start = [codex.thread(), codex.turn()];

const CODEX: readonly Case[] = [
  ['work that was done', 'ok', [...start, codex.edits('item_1'), codex.says('Done'), codex.done()]],
  ['looking only', 'ok', [...start, runs, codex.says('Fine'), codex.done()], untouched],
  ['words only', 'empty', [...start, codex.says('Hello'), codex.done()], untouched],
  ['a turn that a hook has stopped', 'empty', [...start, codex.done()], untouched],
  [
    'declined and nothing changed',
    'refused',
    [...start, codex.runs('item_1', 'git push', 'declined'), codex.says('No'), codex.done()],
    untouched,
  ],
  [
    'a usage limit',
    'quota',
    [...start, codex.failed("You've hit your usage limit. Try again at 6:30 PM.")],
    { code: 1 },
  ],
  [
    'a usage limit as JSON',
    'quota',
    [
      ...start,
      codex.failed(
        '{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","resets_at":1795357800}}',
      ),
    ],
    { code: 1 },
  ],
  [
    '429',
    'quota',
    [...start, codex.failed('exceeded retry limit, last status: 429 Too Many Requests')],
  ],
  ['401', 'auth', [...start, codex.failed('unexpected status 401 Unauthorized: no')], { code: 1 }],
  ['500', 'transient', [...start, codex.failed('unexpected status 500 Internal Server Error: x')]],
  [
    'a stream that broke',
    'transient',
    [...start, codex.failed('stream disconnected before completion')],
  ],
  [
    'a full context',
    'context-overflow',
    [...start, codex.failed("Codex ran out of room in the model's context window.")],
  ],
  ['an unknown failure', 'crashed', [...start, codex.failed('{"detail":"bad"}')], { code: 1 }],
  [
    'flagged',
    'refused',
    [...start, codex.failed('This request was flagged for possible cybersecurity risk')],
  ],
  [
    'only errors on the way',
    'transient',
    [...start, codex.error('Reconnecting... 5/5 (stream disconnected)')],
    { code: 1 },
  ],
  [
    'an error that was overcome',
    'ok',
    [...start, codex.error('status 500'), runs, codex.says('x'), codex.done()],
  ],
  [
    'a turn after a failed one',
    'ok',
    [codex.failed('status 500'), codex.turn(), codex.says('x'), codex.done()],
  ],
  ['a turn that did not end', 'crashed', [...start, codex.done(), codex.turn(), runs]],
  ['killed', 'crashed', [...start, codex.error('status 429')], { code: 137 }],
];

const COMMAND: readonly Case[] = [
  ['changes', 'ok', ['rate limit reached, retried']],
  ['nothing', 'empty', ['all fine'], untouched],
  ['exit 0, nothing changed, a limit', 'quota', ['usage limit reached, resets 6pm'], untouched],
  ['exit 0, nothing changed, no login', 'auth', ['You are not logged in'], untouched],
  ['a limit on stderr', 'quota', [], { code: 1, stderr: 'Too many requests' }],
  ['a failure', 'crashed', ['boom'], { code: 3 }],
  ['a failure and changes', 'crashed', ['boom'], { code: 3, acted: true }],
  ['no program', 'crashed', [], { code: 127, stderr: 'network unreachable' }],
  ['a network', 'transient', [], { code: 1, stderr: 'fetch failed' }],
  ['a result in JSON', 'quota', [claude.apiError(429, 'no')]],
  ['a result in JSON beats the code', 'ok', [claude.result()], { code: 9 }],
];

const started = [gemini.init(), gemini.says('I will')];

const GEMINI: readonly Case[] = [
  [
    'work that was done',
    'ok',
    [...started, gemini.calls('1'), gemini.answers('1'), gemini.result()],
  ],
  [
    'words only',
    'empty',
    [...started, gemini.result({ stats: { input_tokens: 5, tool_calls: 0 } })],
    untouched,
  ],
  [
    'denied and nothing changed',
    'refused',
    [
      ...started,
      gemini.calls('1'),
      gemini.answers('1', { type: 'policy_violation', message: 'push is held' }),
      gemini.result(),
    ],
    untouched,
  ],
  [
    'a tool that failed',
    'ok',
    [
      ...started,
      gemini.calls('1'),
      gemini.answers('1', { type: 'x', message: 'denied' }),
      gemini.result(),
    ],
    untouched,
  ],
  [
    'a turn limit',
    'budget',
    [...started, gemini.failed({ type: 'FatalTurnLimitedError', message: 'x' })],
    { code: 53 },
  ],
  [
    'a quota',
    'quota',
    [
      ...started,
      gemini.failed({ type: 'Error', message: 'Quota exceeded. Please retry in 34.5s' }),
    ],
  ],
  [
    '429 on stderr',
    'quota',
    [gemini.init()],
    { code: 173, stderr: gemini.stderr({ type: 'Error', message: 'x', code: 429 }) },
  ],
  ['429 as exit code alone', 'quota', [gemini.init()], { code: 173 }],
  ['503 as exit code alone', 'transient', [gemini.init()], { code: 247 }],
  ['401 as exit code alone', 'auth', [gemini.init()], { code: 145 }],
  [
    '400',
    'crashed',
    [gemini.init()],
    { code: 144, stderr: gemini.stderr({ type: 'Error', message: 'bad', code: 400 }) },
  ],
  [
    'a full context',
    'context-overflow',
    [gemini.init()],
    {
      code: 144,
      stderr: gemini.stderr({
        message: 'input token count exceeds the maximum context',
        code: 400,
      }),
    },
  ],
  ['no login', 'auth', [], { code: 41, stderr: 'Please set an Auth method' }],
  [
    'a folder that is not trusted',
    'crashed',
    [],
    { code: 55, stderr: 'not trusted: use --skip-trust' },
  ],
  [
    'an error on the way',
    'transient',
    [...started, { type: 'error', severity: 'error', message: 'fetch failed' }],
    { code: 1 },
  ],
  [
    'a warning on the way',
    'ok',
    [...started, { type: 'error', severity: 'warning', message: 'fetch failed' }, gemini.result()],
  ],
  ['killed', 'crashed', started, { code: 137, stderr: 'quota' }],
  ['no result', 'crashed', started],
];

const ran = [cursor.call('1', 'started'), cursor.call('1', 'completed', { success: {} })];

const CURSOR: readonly Case[] = [
  ['work that was done', 'ok', [cursor.init(), ...ran, cursor.result()]],
  ['looking only', 'ok', [cursor.init(), ...ran, cursor.result()], untouched],
  ['words only', 'empty', [cursor.init(), cursor.says('Hello'), cursor.result()], untouched],
  [
    'rejected and nothing changed',
    'refused',
    [cursor.call('1', 'completed', { rejected: { reason: 'no' } }), cursor.result()],
    untouched,
  ],
  [
    'exit 0 and is_error',
    'quota',
    [cursor.result({ is_error: true, result: "You've hit your usage limit" })],
  ],
  ['no login', 'auth', [], { code: 1, stderr: 'Error: Not logged in' }],
  ['a network', 'transient', [cursor.init()], { code: 1, stderr: 'getaddrinfo ENOTFOUND' }],
  ['an unknown option', 'crashed', [], { code: 1, stderr: "error: unknown option '--sandbox'" }],
];

const step = [opencode.start(), opencode.finish('stop')];
const failing = (error: string) =>
  opencode.tool({ status: 'error', input: { command: 'git push' }, error });

const OPENCODE: readonly Case[] = [
  [
    'work that was done',
    'ok',
    [opencode.start(), opencode.tool({ status: 'completed' }), opencode.finish('stop')],
  ],
  [
    'words only',
    'empty',
    [opencode.start(), opencode.says('Hello'), opencode.finish('stop')],
    untouched,
  ],
  [
    'denied and nothing changed',
    'refused',
    [failing('The user has specified a rule which prevents you'), ...step],
    untouched,
  ],
  ['a tool that failed', 'ok', [failing('oldString not found'), ...step], untouched],
  [
    '429',
    'quota',
    [opencode.error('APIError', { message: 'slow down', statusCode: 429 })],
    { code: 1 },
  ],
  ['401', 'auth', [opencode.error('APIError', { message: 'no', statusCode: 401 })], { code: 1 }],
  ['no login', 'auth', [opencode.error('ProviderAuthError', { message: 'no' })], { code: 1 }],
  [
    '400',
    'crashed',
    [opencode.error('APIError', { message: 'bad', statusCode: 400 })],
    { code: 1 },
  ],
  [
    'a full context',
    'context-overflow',
    [opencode.error('APIError', { message: 'prompt is too long', statusCode: 400 })],
  ],
  [
    'an error and exit 0',
    'transient',
    [...step, opencode.error('APIError', { message: 'x', statusCode: 500 })],
  ],
  ['an error that was overcome', 'ok', [opencode.error('APIError', { statusCode: 500 }), ...step]],
  ['nothing at all', 'crashed', [], { code: 0 }],
  [
    'stopped in the middle',
    'crashed',
    [opencode.start(), opencode.finish('tool-calls')],
    { code: 137 },
  ],
];

const COPILOT: readonly Case[] = [
  [
    'work that was done',
    'ok',
    [copilot.start(), copilot.call('1'), copilot.end('1'), copilot.result(0)],
  ],
  ['words only', 'empty', [copilot.start(), copilot.says('Hello'), copilot.result(0)], untouched],
  [
    'denied and nothing changed',
    'refused',
    [copilot.call('1'), copilot.end('1', { code: 'denied', message: 'no' }), copilot.result(0)],
    untouched,
  ],
  [
    'a tool that failed',
    'ok',
    [copilot.call('1'), copilot.end('1', { message: 'exit 3' }), copilot.result(0)],
    untouched,
  ],
  [
    'a quota',
    'quota',
    [copilot.error({ errorType: 'quota', message: 'x' }), copilot.result(1)],
    { code: 1 },
  ],
  [
    '429',
    'quota',
    [copilot.error({ errorType: 'query', message: 'x', statusCode: 429 })],
    { code: 1 },
  ],
  ['502', 'transient', [copilot.error({ message: 'x', statusCode: 502 }), copilot.result(1)]],
  [
    'an error that was overcome',
    'ok',
    [copilot.error({ message: 'x', statusCode: 502 }), copilot.says('y'), copilot.result(0)],
  ],
  [
    'an error and exit 0',
    'auth',
    [copilot.error({ message: 'x', statusCode: 401 }), copilot.result(0)],
  ],
  [
    'a blocked prompt',
    'refused',
    [copilot.event('session.warning', { warningType: 'policy_blocked', message: 'no' })],
    { code: 1 },
  ],
  ['an older one without a result', 'ok', [copilot.start(), copilot.says('Done')]],
  ['no login', 'auth', [], { code: 1, stderr: 'Error: Not logged in. Please log in' }],
  ['killed', 'crashed', [copilot.start()], { code: 143 }],
];

const AGENTS: readonly (readonly [string, () => WorkerReader, readonly Case[]])[] = [
  ['claude-code', streamJsonReader, CLAUDE],
  ['codex', codexReader, CODEX],
  ['command', () => commandWorker([]).reader(), COMMAND],
  ['gemini-cli', geminiReader, GEMINI],
  ['cursor', cursorReader, CURSOR],
  ['opencode', opencodeReader, OPENCODE],
  ['copilot-cli', copilotReader, COPILOT],
];

const cases = AGENTS.flatMap(([agent, reader, all]) =>
  all.map(([what, kind, lines, end = {}]) => ({ agent, reader, what, kind, lines, end })),
);

test.each(cases)('$agent: $what: $kind', ({ reader, kind, lines, end }) => {
  const outcome = read(reader(), lines).outcome(ended(end));
  expect(outcome).toMatchObject({ kind, evidence: expect.any(String) });
});

test.each([
  ['claude-code', streamJsonReader, [claude.apiError(429, 'Limit reached. Resets 6:30pm (UTC)')]],
  [
    'claude-code, by its own event',
    streamJsonReader,
    [
      {
        type: 'rate_limit_event',
        rate_limit_info: { status: 'rejected', resetsAt: 1_795_372_200 },
      },
      claude.apiError(429, 'Limit reached. Resets at 11pm'),
    ],
  ],
  ['codex', codexReader, [codex.failed("You've hit your usage limit. Try again in 8h 30m.")]],
  [
    'codex, as JSON',
    codexReader,
    [codex.failed('x {"error":{"message":"usage limit","resets_at":1795372200}}')],
  ],
  [
    'gemini-cli',
    geminiReader,
    [gemini.failed({ message: 'Quota exceeded; reset after 8h30m0s.' })],
  ],
  [
    'copilot-cli',
    copilotReader,
    [copilot.error({ message: 'quota; retry-after: 30600', statusCode: 429 })],
  ],
] as const)('%s says when its limit ends', (_agent, reader, lines) => {
  const outcome = read(reader(), lines).outcome(ended({ code: 1 }));
  expect(outcome).toMatchObject({ kind: 'quota', resumeAt: new Date('2026-11-22T18:30:00Z') });
});

test('a limit of which nobody says when it ends has no end', () => {
  const outcome = read(streamJsonReader(), [claude.apiError(429, 'slow down')]).outcome(ended());
  expect(outcome).toMatchObject({ kind: 'quota', resumeAt: undefined });
});

test('evidence is short, one line, and the end of what was said', () => {
  const long = `start ${'x\n\0 '.repeat(50_000)} usage limit reached`;
  const { evidence } = read(streamJsonReader(), [claude.apiError(null, long)]).outcome(ended());
  expect(evidence.length).toBeLessThanOrEqual(500);
  expect(evidence).toMatch(/usage limit reached success$/);
  expect(evidence).not.toMatch(/[\n\0]/);
});
