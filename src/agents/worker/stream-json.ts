/**
 * The format `stream-json`: a line of JSON for each event, the last one a `result`. Programs that
 * run as `command` may print it.
 *
 * In a result `total_cost_usd` and `modelUsage` count the whole session: after a resume they go on
 * from what was saved when the last run ended, and a run that was killed has saved nothing.
 * `usage`, and the usage in the messages, count this run alone.
 */
import {
  countAt,
  type JsonObject,
  numberAt,
  objectAt,
  objectOr,
  objectsAt,
  textAt,
} from '../../text/json.ts';
import type { Failure, FailureKind } from './failure.ts';
import {
  allTokens,
  byType,
  deny,
  say,
  streamReader,
  sumOf,
  type Transcript,
} from './transcript.ts';
import type { SessionUse, Tokens, WorkerReader } from './worker.ts';

export function streamJsonReader(): WorkerReader {
  const messages = new Map<string, Tokens>();
  const limit: Limit = { resumeAt: undefined, error: undefined };
  const read = byType({
    assistant: (event, transcript) => readMessage(event, { transcript, messages, limit }),
    user: readToolResults,
    rate_limit_event: (event) => {
      limit.resumeAt = rejectedUntil(objectAt(event, 'rate_limit_info'));
    },
    result: (event, transcript) => readResult(event, { transcript, messages, limit }),
  });
  return streamReader(read);
}

/** What the stream reports about a limit before its result. */
interface Limit {
  resumeAt: Date | undefined;
  /** The kind of error of the last message, if it was one. */
  error: string | undefined;
}

interface Reading {
  readonly transcript: Transcript;
  /** Usage by message; it is reported again, and grows, with each part of a message. */
  readonly messages: Map<string, Tokens>;
  readonly limit: Limit;
}

function readMessage(event: JsonObject, { transcript, messages, limit }: Reading): void {
  const message = objectAt(event, 'message');
  limit.error = textAt(event, 'error');
  const id = textAt(message, 'id') ?? textAt(event, 'uuid') ?? `message ${messages.size}`;
  // Messages of the client itself have no model's name.
  if (limit.error === undefined && textAt(message, 'model') !== '<synthetic>') {
    transcript.answers += 1;
  }
  const own = textAt(event, 'parent_tool_use_id') === undefined;
  if (own && !messages.has(id)) transcript.turns += 1;
  messages.set(id, tokensOf(objectAt(message, 'usage')));
  transcript.tokens = sumOf(messages.values());
  for (const part of objectsAt(message, 'content')) {
    const type = textAt(part, 'type');
    if (type === 'tool_use') transcript.toolCalls += 1;
    if (type === 'text' && own) say(transcript, textAt(part, 'text') ?? '');
  }
}

/** A tool that was not run because of a permission, a hook or a rule. */
function readToolResults(event: JsonObject, transcript: Transcript): void {
  for (const result of objectsAt(event, 'tool_result_meta')) {
    const decision = textAt(objectAt(result, 'permission_decision'), 'decision');
    if (decision === 'reject') deny(transcript, textAt(result, 'non_execution_kind') ?? 'a tool');
  }
}

function rejectedUntil(info: JsonObject | undefined): Date | undefined {
  const seconds = numberAt(info, 'resetsAt');
  return textAt(info, 'status') === 'rejected' && seconds !== undefined
    ? new Date(seconds * 1000)
    : undefined;
}

function readResult(event: JsonObject, { transcript, messages, limit }: Reading): void {
  transcript.session = sessionUse(event, transcript.session);
  transcript.turns = Math.max(transcript.turns, countAt(event, 'num_turns'));
  const usage = objectAt(event, 'usage');
  transcript.tokens = larger(sumOf(messages.values()), tokensOf(usage));
  say(transcript, textAt(event, 'result') ?? '');
  transcript.denials.length = 0;
  for (const denial of objectsAt(event, 'permission_denials')) deny(transcript, denialOf(denial));
  const failure = failureOf(event, limit);
  transcript.result = failure === undefined ? { kind: 'done' } : { kind: 'failed', failure };
}

function denialOf(denial: JsonObject): string {
  const input = objectAt(denial, 'tool_input');
  const what = textAt(input, 'command') ?? textAt(input, 'file_path') ?? '';
  return `${textAt(denial, 'tool_name') ?? 'a tool'} ${what}`.trim();
}

function failureOf(event: JsonObject, limit: Limit): Failure | undefined {
  const subtype = textAt(event, 'subtype') ?? '';
  const isError = event.is_error === true || subtype.startsWith('error');
  if (!isError) return refusalOf(event);
  const errors = Array.isArray(event.errors) ? event.errors.map(String).join('; ') : '';
  const message = [textAt(event, 'result'), errors, subtype].filter((it) => it).join(' ');
  return {
    message,
    kind: SUBTYPES[subtype] ?? (limit.error === undefined ? undefined : ERRORS[limit.error]),
    status: numberAt(event, 'api_error_status'),
    resumeAt: limit.resumeAt,
  };
}

/** A refusal by the model is a regular end of the turn for the client. */
function refusalOf(event: JsonObject): Failure | undefined {
  if (textAt(event, 'stop_reason') !== 'refusal') return undefined;
  return { message: textAt(event, 'result') ?? 'the model refused', kind: 'refused' };
}

const SUBTYPES: Readonly<Record<string, FailureKind>> = {
  error_max_turns: 'budget',
  error_max_budget_usd: 'budget',
};

/**
 * The client's names for errors of the service; a bad request can mean anything and is left out.
 */
const ERRORS: Readonly<Record<string, FailureKind>> = {
  authentication_failed: 'auth',
  oauth_org_not_allowed: 'auth',
  billing_error: 'quota',
  rate_limit: 'quota',
  server_error: 'transient',
  overloaded: 'transient',
};

/** From the sums by model: the plain `usage` leaves out sub-agents. */
function sessionUse(event: JsonObject, before: SessionUse): SessionUse {
  const usd = numberAt(event, 'total_cost_usd') ?? before.usd;
  const models = Object.values(objectAt(event, 'modelUsage') ?? {}).map(objectOr);
  const tokens = models.length === 0 ? before.tokens : sumOf(models.map(modelTokens));
  return { ...(usd === undefined ? {} : { usd }), ...(tokens === undefined ? {} : { tokens }) };
}

function modelTokens(it: JsonObject | undefined): Tokens {
  return {
    input: countAt(it, 'inputTokens'),
    output: countAt(it, 'outputTokens'),
    cacheRead: countAt(it, 'cacheReadInputTokens'),
    cacheWrite: countAt(it, 'cacheCreationInputTokens'),
  };
}

function tokensOf(usage: JsonObject | undefined): Tokens {
  return {
    input: countAt(usage, 'input_tokens'),
    output: countAt(usage, 'output_tokens'),
    cacheRead: countAt(usage, 'cache_read_input_tokens'),
    cacheWrite: countAt(usage, 'cache_creation_input_tokens'),
  };
}

/** The usage in a result leaves out sub-agents, and is empty after a failure. */
function larger(one: Tokens, other: Tokens): Tokens {
  return allTokens(one) > allTokens(other) ? one : other;
}
