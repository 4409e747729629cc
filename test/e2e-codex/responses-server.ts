/**
 * The Responses API as far as the Codex CLI needs it, for a model that is offered plain tools:
 * whoever answers is asked with words and answers with a turn. Listens on 127.0.0.1 only.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { zstdDecompressSync } from 'node:zlib';
import {
  type Answer,
  bodyOf,
  type Listening,
  pathOf,
  sendEvents,
  sendJson,
  startServer,
  type ToolUse,
  type Turn,
} from '../e2e/model.ts';

/** A model that the client offers its tools one by one, rather than as one that runs scripts. */
export const PLAIN_TOOLS_MODEL = 'gpt-5.5';

interface Item {
  readonly type: string;
  readonly role?: string;
  readonly content?: readonly { readonly text?: string }[];
  readonly output?: string | readonly { readonly text?: string }[];
  readonly arguments?: string;
  readonly input?: string;
  readonly tools?: readonly Tool[];
}

interface Tool {
  readonly type: string;
  readonly name?: string;
  /** Of a namespace. */
  readonly tools?: readonly Tool[];
}

/** The parts of a request that matter here. */
interface Request {
  readonly input?: readonly Item[];
  readonly tools?: readonly Tool[];
}

export function startResponsesServer(answer: Answer): Promise<Listening> {
  return startServer((incoming, response) => serve(incoming, response, answer));
}

async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): Promise<void> {
  const body = await bodyOf(incoming);
  const path = pathOf(incoming);
  if (path.endsWith('/models')) return sendJson(response, 200, { object: 'list', data: [] });
  if (!path.endsWith('/responses') || incoming.method !== 'POST') {
    return sendJson(response, 404, { error: { message: 'only responses are served here' } });
  }
  const zipped = incoming.headers['content-encoding'] === 'zstd';
  const { input = [], tools = [] } = JSON.parse(
    (zipped ? zstdDecompressSync(body) : body).toString('utf8'),
  ) as Request;
  const turn = await answer({
    session: String(incoming.headers['thread-id'] ?? incoming.headers['session-id'] ?? ''),
    conversation: JSON.stringify(input.map((item) => textOf(item))),
    shown: newlyShown(input),
    compacting: false,
  });
  // Some models are told their tools in the conversation.
  const told = input.flatMap((item) => item.tools ?? []);
  stream(response, turn, offered([...tools, ...told]));
}

/** All that was said since the model last spoke or called a tool. */
function newlyShown(input: readonly Item[]): string {
  const last = input.findLastIndex(
    ({ type, role }) => role === 'assistant' || type.endsWith('_call'),
  );
  return input
    .slice(last + 1)
    .map((item) => textOf(item))
    .join('\n');
}

function textOf({ content, output, arguments: args, input }: Item): string {
  if (typeof output === 'string') return output;
  const parts = (output ?? content ?? []).map((part) => part.text ?? '');
  return [...parts, args ?? input ?? ''].join('\n');
}

let answers = 0;

interface Offer {
  /** It takes bare text in place of JSON. */
  readonly isFree: boolean;
  readonly namespace?: string;
}

/** How each tool has to be called, by its name. */
function offered(tools: readonly Tool[], namespace?: string): ReadonlyMap<string, Offer> {
  return new Map(
    tools.flatMap(({ type, name = '', tools: inner = [] }) =>
      type === 'namespace'
        ? [...offered(inner, name)]
        : [[name, { isFree: type === 'custom', ...(namespace && { namespace }) }] as const],
    ),
  );
}

function stream(
  response: ServerResponse,
  { say, use = [], inputTokens = 100 }: Turn,
  offers: ReadonlyMap<string, Offer>,
): void {
  const id = ++answers;
  const output = [
    ...(say === undefined ? [] : [message(`msg_${id}`, say)]),
    ...use.map((call, index) => toolCall(`${id}_${index}`, call, offers.get(call.name))),
  ];
  const send = sendEvents(response);
  send('response.created', { response: { id: `resp_${id}`, status: 'in_progress' } });
  for (const [index, item] of output.entries()) {
    send('response.output_item.added', { output_index: index, item });
    send('response.output_item.done', { output_index: index, item });
  }
  const usage = {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + 20,
  };
  send('response.completed', {
    response: { id: `resp_${id}`, status: 'completed', output, usage },
  });
  response.end();
}

function message(id: string, text: string) {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id, role: 'assistant', status: 'completed', content };
}

/** The only input of a tool that takes bare text is that text. */
function toolCall(id: string, { name, input }: ToolUse, offer: Offer | undefined) {
  const ids = { id: `tool_${id}`, call_id: `call_${id}`, name, status: 'completed' };
  if (offer?.isFree)
    return { type: 'custom_tool_call', ...ids, input: Object.values(input).join('') };
  const place = offer?.namespace === undefined ? {} : { namespace: offer.namespace };
  return { type: 'function_call', ...ids, ...place, arguments: JSON.stringify(input) };
}
