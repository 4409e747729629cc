/**
 * The Gemini API as far as Gemini CLI needs it.
 *
 * @see https://ai.google.dev/api/generate-content
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
  type Turn,
} from '../e2e/model.ts';

interface Part {
  readonly text?: string;
  readonly functionResponse?: { readonly response?: unknown };
}

interface Content {
  readonly role?: string;
  readonly parts?: readonly Part[];
}

/** The parts of a request that matter here. */
interface Request {
  readonly contents?: readonly Content[];
  readonly tools?: readonly { readonly functionDeclarations?: readonly unknown[] }[];
  readonly generationConfig?: {
    readonly responseJsonSchema?: unknown;
    readonly responseSchema?: unknown;
  };
}

export function startGenerateContentServer(answer: Answer): Promise<Listening> {
  return startServer((incoming, response) => serve(incoming, response, answer));
}

async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): Promise<void> {
  const body = await bodyOf(incoming);
  const method = /models\/[^:/]+:(\w+)$/.exec(pathOf(incoming))?.[1];
  if (method === 'countTokens') return sendJson(response, 200, { totalTokens: 100 });
  if (method !== 'generateContent' && method !== 'streamGenerateContent') {
    const error = { code: 404, message: 'only content is generated here', status: 'NOT_FOUND' };
    return sendJson(response, 404, { error });
  }
  const reply = asContent(await turnFor(JSON.parse(body.toString('utf8')) as Request, answer));
  if (method === 'generateContent') return sendJson(response, 200, reply);
  sendData(response)(reply);
  response.end();
}

/** Routing and summaries ask too, without tools or for an object; only conversations play the story. */
async function turnFor(request: Request, answer: Answer): Promise<Turn> {
  const { contents = [], tools = [], generationConfig: config = {} } = request;
  if (config.responseJsonSchema ?? config.responseSchema) return { say: '{}' };
  if (!tools.some((it) => (it.functionDeclarations ?? []).length > 0)) return { say: 'ok' };
  return answer({
    session: '',
    conversation: JSON.stringify(contents),
    shown: newlyShown(contents),
    compacting: false,
  });
}

function newlyShown(contents: readonly Content[]): string {
  const last = contents.findLastIndex(({ role }) => role === 'model');
  return contents
    .slice(last + 1)
    .flatMap(({ parts = [] }) => parts.map(textOf))
    .join('\n');
}

function textOf({ text, functionResponse }: Part): string {
  return text ?? textsIn(functionResponse?.response).join('\n');
}

/** Every text in a value, as the model reads it: without the quoting of JSON. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function asContent({ say, use = [], inputTokens = 100 }: Turn) {
  const parts = [
    ...(say === undefined ? [] : [{ text: say }]),
    ...use.map(({ name, input }) => ({ functionCall: { name, args: input } })),
  ];
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: 20,
      totalTokenCount: inputTokens + 20,
    },
  };
}
