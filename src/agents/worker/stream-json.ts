/**
 * The format `stream-json`: a line of JSON for each event, the last one a `result`. Programs that
 * run as `command` may print it.
 *
 * In a result `total_cost_usd` and `modelUsage` count the whole session: after a resume they go on
 * from what was saved when the last run ended, and a run that was killed has saved nothing.
 * `usage`, and the usage in the messages, count this run alone.
 */
import { at, type JsonObject, objectOr } from '../../base/text/json.ts';
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
  const stream: Stream = { messages: new Map(), resumeAt: undefined, error: undefined };
  const read = byType({
    assistant: (event, transcript) => readMessage(event, transcript, stream),
    user: readToolResults,
    rate_limit_event: (event) => {
      stream.resumeAt = rejectedUntil(at.object(event, 'rate_limit_info'));
    },
    result: (event, transcript) => readResult(event, transcript, stream),
  });
  return streamReader(read);
}

interface Stream {
  /** Usage by message; it is reported again, and grows, with each part of a message. */
  readonly messages: Map<string, Tokens>;
  /** What it reports about a limit before its result. */
  resumeAt: Date | undefined;
  /** The kind of error of the last message, if it was one. */
  error: string | undefined;
}

function readMessage(event: JsonObject, transcript: Transcript, stream: Stream): void {
  const { messages } = stream;
  const message = at.object(event, 'message');
  stream.error = at.text(event, 'error');
  const id = at.text(message, 'id') ?? at.text(event, 'uuid') ?? `message ${messages.size}`;
  // Messages of the client itself have no model's name.
  if (stream.error === undefined && at.text(message, 'model') !== '<synthetic>') {
    transcript.answers += 1;
  }
  const own = at.text(event, 'parent_tool_use_id') === undefined;
  if (own && !messages.has(id)) transcript.turns += 1;
  messages.set(id, tokensOf(at.object(message, 'usage')));
  transcript.tokens = sumOf(messages.values());
  for (const part of at.objects(message, 'content')) {
    const type = at.text(part, 'type');
    if (type === 'tool_use') transcript.toolCalls += 1;
    if (type === 'text' && own) say(transcript, at.text(part, 'text') ?? '');
  }
}

/** A tool that was not run because of a permission, a hook or a rule. */
function readToolResults(event: JsonObject, transcript: Transcript): void {
  for (const result of at.objects(event, 'tool_result_meta')) {
    const decision = at.text(at.object(result, 'permission_decision'), 'decision');
    if (decision === 'reject') deny(transcript, at.text(result, 'non_execution_kind') ?? 'a tool');
  }
}

function rejectedUntil(info: JsonObject | undefined): Date | undefined {
  const seconds = at.number(info, 'resetsAt');
  return at.text(info, 'status') === 'rejected' && seconds !== undefined
    ? new Date(seconds * 1000)
    : undefined;
}

function readResult(event: JsonObject, transcript: Transcript, stream: Stream): void {
  transcript.session = sessionUse(event, transcript.session);
  transcript.turns = Math.max(transcript.turns, at.count(event, 'num_turns'));
  const usage = at.object(event, 'usage');
  transcript.tokens = larger(sumOf(stream.messages.values()), tokensOf(usage));
  say(transcript, at.text(event, 'result') ?? '');
  transcript.denials.length = 0;
  for (const denial of at.objects(event, 'permission_denials')) deny(transcript, denialOf(denial));
  const failure = failureOf(event, stream);
  transcript.result = failure === undefined ? { kind: 'done' } : { kind: 'failed', failure };
}

function denialOf(denial: JsonObject): string {
  const input = at.object(denial, 'tool_input');
  const what = at.text(input, 'command') ?? at.text(input, 'file_path') ?? '';
  return `${at.text(denial, 'tool_name') ?? 'a tool'} ${what}`.trim();
}

function failureOf(event: JsonObject, { error, resumeAt }: Stream): Failure | undefined {
  const subtype = at.text(event, 'subtype') ?? '';
  const isError = event.is_error === true || subtype.startsWith('error');
  if (!isError) return refusalOf(event);
  const errors = Array.isArray(event.errors) ? event.errors.map(String).join('; ') : '';
  const message = [at.text(event, 'result'), errors, subtype].filter((it) => it).join(' ');
  return {
    message,
    kind: SUBTYPES[subtype] ?? ERRORS[error ?? ''],
    status: at.number(event, 'api_error_status'),
    resumeAt,
  };
}

/** A refusal by the model is a regular end of the turn for the client. */
function refusalOf(event: JsonObject): Failure | undefined {
  if (at.text(event, 'stop_reason') !== 'refusal') return undefined;
  return { message: at.text(event, 'result') ?? 'the model refused', kind: 'refused' };
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

/** Adds up the sums by model: the plain `usage` leaves out sub-agents. */
function sessionUse(event: JsonObject, before: SessionUse): SessionUse {
  const usd = at.number(event, 'total_cost_usd') ?? before.usd;
  const models = Object.values(at.object(event, 'modelUsage') ?? {}).map(objectOr);
  const tokens = models.length === 0 ? before.tokens : sumOf(models.map(modelTokens));
  return { ...(usd === undefined ? {} : { usd }), ...(tokens === undefined ? {} : { tokens }) };
}

function modelTokens(it: JsonObject | undefined): Tokens {
  return {
    input: at.count(it, 'inputTokens'),
    output: at.count(it, 'outputTokens'),
    cacheRead: at.count(it, 'cacheReadInputTokens'),
    cacheWrite: at.count(it, 'cacheCreationInputTokens'),
  };
}

function tokensOf(usage: JsonObject | undefined): Tokens {
  return {
    input: at.count(usage, 'input_tokens'),
    output: at.count(usage, 'output_tokens'),
    cacheRead: at.count(usage, 'cache_read_input_tokens'),
    cacheWrite: at.count(usage, 'cache_creation_input_tokens'),
  };
}

/** The usage in a result leaves out sub-agents, and is empty after a failure. */
function larger(one: Tokens, other: Tokens): Tokens {
  return allTokens(one) > allTokens(other) ? one : other;
}
