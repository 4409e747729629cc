import { expect, test } from 'vitest';
import { claudeReader } from '../../../src/lanes/workers/claude-stream.ts';
import { codexReader } from '../../../src/lanes/workers/codex-stream.ts';
import { commandAdapter } from '../../../src/lanes/workers/command.ts';
import type { OutcomeKind, WorkerEnd, WorkerReader } from '../../../src/lanes/workers/worker.ts';
import { claude, codex, ended, read } from './streams.ts';

type Lines = readonly (Readonly<Record<string, unknown>> | string)[];
type Case = readonly [what: string, kind: OutcomeKind, lines: Lines, end?: Partial<WorkerEnd>];

const untouched = { changed: false };
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
  ['a failure and changes', 'crashed', ['boom'], { code: 3, changed: true }],
  ['no program', 'crashed', [], { code: 127, stderr: 'network unreachable' }],
  ['a network', 'transient', [], { code: 1, stderr: 'fetch failed' }],
  ['a result in JSON', 'quota', [claude.apiError(429, 'no')]],
  ['a result in JSON beats the code', 'ok', [claude.result()], { code: 9 }],
];

const AGENTS: readonly (readonly [string, () => WorkerReader, readonly Case[]])[] = [
  ['claude-code', claudeReader, CLAUDE],
  ['codex', codexReader, CODEX],
  ['command', () => commandAdapter(['x']).reader(), COMMAND],
];

const cases = AGENTS.flatMap(([agent, reader, all]) =>
  all.map(([what, kind, lines, end = {}]) => ({ agent, reader, what, kind, lines, end })),
);

test.each(cases)('$agent: $what: $kind', ({ reader, kind, lines, end }) => {
  const outcome = read(reader(), lines).outcome(ended(end));
  expect(outcome).toMatchObject({ kind, evidence: expect.any(String) });
});
