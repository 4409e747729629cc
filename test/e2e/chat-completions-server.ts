/**
 * The Chat Completions API, as several clients speak it with a provider of the user's choice.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Answer,
  bodyOf,
  type Listening,
  pathOf,
  sendData,
  sendJson,
  startServer,
  type ToolUse,
  type Turn,
} from './model.ts';

interface Message {
  readonly role: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
}

/** The parts of a request that matter here. */
interface Request {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly Message[];
  readonly tools?: readonly unknown[];
}

export function startChatCompletionsServer(answer: Answer): Promise<Listening> {
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
  if (!path.endsWith('/chat/completions')) {
    return sendJson(response, 404, { error: { message: 'only chats are served here' } });
  }
  const request = JSON.parse(body.toString('utf8')) as Request;
  const { messages = [], tools = [], model = 'model', stream = false } = request;
  // Titles and most summaries are asked for without tools; only conversations play the story.
  const turn =
    tools.length === 0 || /create a detailed summary of the/.test(newlyShown(messages))
      ? { say: 'ok' }
      : await answer({
          session: '',
          conversation: JSON.stringify(messages.filter(({ role }) => role !== 'system')),
          shown: newlyShown(messages),
          standing: messages
            .filter(({ role }) => role === 'system')
            .map(({ content }) => textOf(content))
            .join('\n'),
          compacting: false,
        });
  if (stream) streamed(response, turn, model);
  else sendJson(response, 200, whole(turn, model));
}

/** All text since the model last spoke; not what the client itself tells it at each request. */
function newlyShown(messages: readonly Message[]): string {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages
    .slice(last + 1)
    .filter(({ role }) => role !== 'system')
    .map(({ content }) => textOf(content))
    .join('\n');
}

function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => text ?? '').join('\n');
}

let answers = 0;

const usageOf = ({ inputTokens = 100 }: Turn) => ({
  prompt_tokens: inputTokens,
  completion_tokens: 20,
  total_tokens: inputTokens + 20,
});

/** A call whose input is `{ text: … }` alone is sent as free text, as some tools want it. */
function toolCall(id: string, { name, input }: ToolUse) {
  const { text, ...others } = input;
  const isFree = typeof text === 'string' && Object.keys(others).length === 0;
  return isFree
    ? { id, type: 'custom', custom: { name, input: text } }
    : { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

function whole(turn: Turn, model: string) {
  const id = ++answers;
  const calls = (turn.use ?? []).map((call, index) => toolCall(`call_${id}_${index}`, call));
  const message = {
    role: 'assistant',
    content: turn.say ?? '',
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created: id,
    model,
    choices: [{ index: 0, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop', message }],
    usage: usageOf(turn),
  };
}

function streamed(response: ServerResponse, turn: Turn, model: string): void {
  const { choices, usage, ...head } = whole(turn, model);
  const [choice] = choices;
  if (choice === undefined) throw new Error('there is no choice');
  const { message, finish_reason } = choice;
  const send = sendData(response);
  const chunk = (delta: object, reason: string | null, more: object = {}): void =>
    send({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
      ...more,
    });
  chunk({ role: 'assistant', content: message.content }, null);
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    chunk({ tool_calls: [{ index, ...call }] }, null);
  }
  chunk({}, finish_reason, { usage });
  send('[DONE]');
  response.end();
}
