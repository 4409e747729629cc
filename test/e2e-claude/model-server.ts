/**
 * A stand-in for the model behind Claude Code: a server for the Messages API that plays prepared
 * turns and keeps what it was shown. Listens on 127.0.0.1 only.
 *
 * @see https://docs.anthropic.com/en/api/messages-streaming
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer of the model: words, then tool calls; a turn without calls ends the agent's run. */
export interface Turn {
  readonly say?: string;
  readonly use?: readonly ToolUse[];
}

export interface ToolUse {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ModelServer {
  readonly url: string;
  /** What the model was newly shown when turn `n` (from 0) was asked of it, and before it answered. */
  readonly shown: readonly string[];
  close(): Promise<void>;
}

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

/**
 * @param turns what the model answers, in order; beyond the last it says that it is done.
 * @param onTurn called with the number of a turn before it is answered; the agent waits for it.
 */
export async function startModelServer(
  turns: readonly Turn[],
  onTurn: (turn: number) => Promise<void>,
): Promise<ModelServer> {
  const shown: string[] = [];
  const numbers = new Map<string, number>();

  /** The client repeats a request now and then; the same conversation gets the same turn. */
  const turnNumber = (request: Request): number => {
    const conversation = JSON.stringify(
      (request.messages ?? []).map(({ content }) => text(content)),
    );
    const number = numbers.get(conversation) ?? numbers.size;
    numbers.set(conversation, number);
    shown[number] ??= newlyShown(request);
    return number;
  };

  const answer = async (headers: IncomingHttpHeaders, request: Request): Promise<Turn> => {
    if (!isConversation(headers, request)) return { say: 'ok' };
    const number = turnNumber(request);
    await onTurn(number);
    return turns[number] ?? { say: 'There is nothing more to do.' };
  };

  const server = createServer((incoming, response) => {
    serve(incoming, response, answer).catch((error: unknown) => {
      response.destroy(error as Error);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shown,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  answer: (headers: IncomingHttpHeaders, request: Request) => Promise<Turn>,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const path = new URL(incoming.url ?? '/', 'http://localhost').pathname;
  if (path.endsWith('/count_tokens')) return json(response, 200, { input_tokens: 100 });
  if (!path.endsWith('/messages') || incoming.method !== 'POST') {
    const error = { type: 'not_found_error', message: 'only messages are served here' };
    return json(response, 404, { type: 'error', error });
  }
  const request = JSON.parse(Buffer.concat(parts).toString('utf8')) as Request;
  const message = asMessage(await answer(incoming.headers, request), request.model ?? 'model');
  if (request.stream) stream(response, message);
  else json(response, 200, message);
}

/** Titles, topics, warm-ups and subagents ask too; only the main conversation plays the story. */
function isConversation(headers: IncomingHttpHeaders, request: Request): boolean {
  if (headers['x-claude-code-agent-id'] !== undefined) return false;
  return (request.tools ?? []).length > 0 && (request.max_tokens ?? 0) > 1;
}

/** All text since the model last spoke: tool results, and what hooks added. */
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

function asMessage({ say, use = [] }: Turn, model: string) {
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
    usage: { input_tokens: 100, output_tokens: 20 },
  };
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Sends a message as server-sent events, each block in one piece. */
function stream(response: ServerResponse, message: Message): void {
  const send = (type: string, data: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
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
