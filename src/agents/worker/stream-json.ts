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
import { allTokens, deny, failedBy, say, streamReader, sumOf, tokensIn } from './transcript.ts';
import type { SessionUse, Tokens } from './worker.ts';

export const streamJsonReader = streamReader((run) => {
  /** Usage by message; it is reported again, and grows, with each part of a message. */
  const messages = new Map<string, Tokens>();
  /** The end of a limit, if it is reported before the result. */
  let resumeAt: Date | undefined;
  /** The kind of error of the last message, if it was one. */
  let lastError: string | undefined;

  function failureOf(event: JsonObject): Failure | undefined {
    const subtype = at.text(event, 'subtype') ?? '';
    const isError = event.is_error === true || subtype.startsWith('error');
    if (!isError) return refusalOf(event);
    const errors = Array.isArray(event.errors) ? event.errors.map(String).join('; ') : '';
    const message = [at.text(event, 'result'), errors, subtype].filter((it) => it).join(' ');
    const kind = SUBTYPES[subtype] ?? ERRORS[lastError ?? ''];
    return { message, kind, status: at.number(event, 'api_error_status'), resumeAt };
  }

  return {
    on: {
      assistant: (event) => {
        const message = at.object(event, 'message');
        lastError = at.text(event, 'error');
        const id = at.text(message, 'id') ?? at.text(event, 'uuid') ?? `message ${messages.size}`;
        // Messages of the client itself have no model's name.
        const isOfModel = at.text(message, 'model') !== '<synthetic>';
        if (lastError === undefined && isOfModel) run.answers += 1;
        const isOwn = at.text(event, 'parent_tool_use_id') === undefined;
        if (isOwn && !messages.has(id)) run.turns += 1;
        messages.set(id, tokensIn(at.object(message, 'usage'), USAGE));
        run.tokens = sumOf(messages.values());
        const parts = at.objects(message, 'content');
        run.toolCalls += parts.filter(({ type }) => type === 'tool_use').length;
        const texts = isOwn ? parts.filter(({ type }) => type === 'text') : [];
        for (const it of texts) say(run, at.text(it, 'text'));
      },
      // The tool was not run, because of a permission, a hook or a rule.
      user: (event) => {
        for (const result of at.objects(event, 'tool_result_meta')) {
          const decision = at.text(at.object(result, 'permission_decision'), 'decision');
          if (decision === 'reject') deny(run, at.text(result, 'non_execution_kind') ?? 'a tool');
        }
      },
      rate_limit_event: (event) => {
        const info = at.object(event, 'rate_limit_info');
        const seconds = at.number(info, 'resetsAt');
        const isRejected = at.text(info, 'status') === 'rejected' && seconds !== undefined;
        resumeAt = isRejected ? new Date(seconds * 1000) : undefined;
      },
      result: (event) => {
        run.session = sessionUse(event, run.session);
        run.turns = Math.max(run.turns, at.count(event, 'num_turns'));
        // The usage in a result leaves out sub-agents, and is empty after a failure.
        const told = tokensIn(at.object(event, 'usage'), USAGE);
        const summed = sumOf(messages.values());
        run.tokens = allTokens(summed) > allTokens(told) ? summed : told;
        say(run, at.text(event, 'result'));
        run.denials.length = 0;
        for (const denial of at.objects(event, 'permission_denials')) deny(run, denialOf(denial));
        const failure = failureOf(event);
        run.result = failure === undefined ? { kind: 'done' } : failedBy(failure);
      },
    },
  };
});

function denialOf(denial: JsonObject): string {
  const input = at.object(denial, 'tool_input');
  const what = at.text(input, 'command') ?? at.text(input, 'file_path') ?? '';
  return `${at.text(denial, 'tool_name') ?? 'a tool'} ${what}`.trim();
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

/** The client's names for errors of the service; a bad request can mean anything and is left out. */
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
  const tokens =
    models.length === 0 ? before.tokens : sumOf(models.map((it) => tokensIn(it, OF_MODEL)));
  return { ...(usd === undefined ? {} : { usd }), ...(tokens === undefined ? {} : { tokens }) };
}

const USAGE = {
  input: 'input_tokens',
  output: 'output_tokens',
  cacheRead: 'cache_read_input_tokens',
  cacheWrite: 'cache_creation_input_tokens',
};
const OF_MODEL = {
  input: 'inputTokens',
  output: 'outputTokens',
  cacheRead: 'cacheReadInputTokens',
  cacheWrite: 'cacheCreationInputTokens',
};
