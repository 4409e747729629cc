/**
 * The Messages API as far as Claude Code needs it: whoever answers is asked with words and answers
 * with a turn. Listens on 127.0.0.1 only.
 *
 * @see https://docs.anthropic.com/en/api/messages-streaming
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import {
  type Answer,
  bodyOf,
  type Listening,
  pathOf,
  sendEvents,
  sendJson,
  startServer,
  type Turn,
} from '../e2e/model.ts';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
}

/** The parts of a request that matter here; all else is passed over. */
interface Request {
  readonly model?: string;
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly tools?: readonly unknown[];
  readonly messages?: readonly { role: string; content: string | readonly Block[] }[];
}

export function startMessagesServer(answer: Answer): Promise<Listening> {
  return startServer((incoming, response) => serve(incoming, response, answer));
}

async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): Promise<void> {
  const body = await bodyOf(incoming);
  const path = pathOf(incoming);
  if (path.endsWith('/count_tokens')) return sendJson(response, 200, { input_tokens: 100 });
  if (!path.endsWith('/messages') || incoming.method !== 'POST') {
    const error = { type: 'not_found_error', message: 'only messages are served here' };
    return sendJson(response, 404, { type: 'error', error });
  }
  const request = JSON.parse(body.toString('utf8')) as Request;
  const turn = await turnFor(incoming.headers, request, answer);
  const message = asMessage(turn, request.model ?? 'model');
  if (request.stream) stream(response, message);
  else sendJson(response, 200, message);
}

async function turnFor(
  headers: IncomingHttpHeaders,
  request: Request,
  answer: Answer,
): Promise<Turn> {
  const said = (request.messages ?? []).map(({ content }) => text(content));
  const compacting = isCompaction(said.at(-1) ?? '');
  if (!compacting && !isConversation(headers, request)) return { say: 'ok' };
  return answer({
    session: String(headers['x-claude-code-session-id'] ?? ''),
    conversation: JSON.stringify(said),
    shown: newlyShown(request),
    compacting,
  });
}

/** Titles, topics, warm-ups and subagents ask too; only the main conversation plays the story. */
function isConversation(headers: IncomingHttpHeaders, request: Request): boolean {
  if (headers['x-claude-code-agent-id'] !== undefined) return false;
  return (request.tools ?? []).length > 0 && (request.max_tokens ?? 0) > 1;
}

function isCompaction(lastSaid: string): boolean {
  return /create a detailed summary of (the|this) conversation/.test(lastSaid);
}

/** All text since the model last spoke. */
function newlyShown({ messages = [] }: Request): string {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages
    .slice(last + 1)
    .map(({ content }) => text(content))
    .join('\n');
}

function text(content: string | readonly Block[] | undefined): string {
  if (content === undefined || typeof content === 'string') return content ?? '';
  return content.map((block) => block.text ?? text(block.content)).join('\n');
}

type Message = ReturnType<typeof asMessage>;

let messages = 0;

function asMessage({ say, use = [], inputTokens = 100 }: Turn, model: string) {
  const id = ++messages;
  const words = say === undefined ? [] : [{ type: 'text' as const, text: say }];
  const calls = use.map(({ name, input }, index) => ({
    type: 'tool_use' as const,
    id: `toolu_${id}_${index}`,
    name,
    input,
  }));
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [...words, ...calls],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: inputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 20,
    },
  };
}

/** Sends a message as events, each block in one piece. */
function stream(response: ServerResponse, message: Message): void {
  const send = sendEvents(response);
  send('message_start', { message: { ...message, content: [], stop_reason: null } });
  for (const [index, block] of message.content.entries()) {
    const [empty, delta] =
      block.type === 'text'
        ? [
            { ...block, text: '' },
            { type: 'text_delta', text: block.text },
          ]
        : [
            { ...block, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
          ];
    send('content_block_start', { index, content_block: empty });
    send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
  }
  const { stop_reason, stop_sequence, usage } = message;
  send('message_delta', { delta: { stop_reason, stop_sequence }, usage });
  send('message_stop', {});
  response.end();
}
