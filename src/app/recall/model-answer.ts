/** Asks the model of `recall.model`: a command, or an address that is compatible with OpenAI's or Anthropic's. */
import type { Home } from '../../base/files/home.ts';
import { at, type JsonObject, parsedObject } from '../../base/text/json.ts';
import { redact } from '../../base/text/redact/redact.ts';
import type { PickPrompt } from '../../recall/picking.ts';
import { askProgram, tokensIn } from './ask-program.ts';

const KEY_VARIABLE = 'LANEHOLD_MODEL_KEY';
const TIME_LIMIT_MS = 60_000;
const MOST_ANSWER_CHARS = 100_000;
const MOST_ANSWER_TOKENS = 1_000;

export interface Model {
  /** `recall.model`. */
  readonly asked: string;
  /** `recall.modelName`, for an address. */
  readonly name: string | null;
}

/** What a model said. `problem` is a clause that says why the text cannot be used. */
export interface ModelAnswer {
  readonly text: string;
  readonly problem?: string;
  readonly tokens: number;
  /** Those of them that the model had cached. */
  readonly cached: number;
  readonly said: number;
}

/** Never throws: a model that does not answer is an answer with a problem. */
export async function modelAnswer(
  model: Model,
  prompt: PickPrompt,
  { env, home }: { readonly env: NodeJS.ProcessEnv; readonly home: Home },
): Promise<ModelAnswer> {
  const text = `${prompt.prefix}\n\n${prompt.rest}`;
  const estimated = { tokens: tokensIn(text), cached: 0, said: 0 };
  try {
    if (/^https?:/.test(model.asked)) {
      const answer = await addressed(model, prompt, env[KEY_VARIABLE]);
      // Some servers do not say what a question cost.
      return { ...answer, tokens: answer.tokens || estimated.tokens };
    }
    const asking = { text, signal: new AbortController().signal, timeoutMs: TIME_LIMIT_MS };
    const { output, ...rest } = await askProgram(home, env, model.asked, asking);
    return { ...estimated, said: tokensIn(output), text: output, ...rest };
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    return { ...estimated, text: '', problem: redact(why).slice(0, 200) };
  }
}

async function addressed(
  { asked, name }: Model,
  prompt: PickPrompt,
  key: string | undefined,
): Promise<ModelAnswer> {
  const url = new URL(asked);
  const isHere = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);
  if (key && url.protocol === 'http:' && !isHere)
    throw new Error(`${KEY_VARIABLE} is not sent to ${url.hostname} without https`);
  const { headers, body, read } = url.pathname.endsWith('/messages') ? ANTHROPIC : OPENAI;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers(key || undefined) },
    body: JSON.stringify({ model: name, ...body(prompt) }),
    // Another address would get the key.
    redirect: 'error',
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  });
  const text = await startOf(response);
  if (!response.ok) {
    const why = redact(text).replaceAll(/\s+/g, ' ').slice(0, 150);
    throw new Error(`it answered ${response.status}: ${why}`);
  }
  const answer = read(parsedObject(text));
  if (answer.text === '') throw new Error('it answered no text in the expected form');
  return answer;
}

/** The rest of a long answer is not read. */
async function startOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > MOST_ANSWER_CHARS) break;
  }
  return text.slice(0, MOST_ANSWER_CHARS);
}

interface Dialect {
  readonly headers: (key: string | undefined) => Readonly<Record<string, string>>;
  readonly body: (prompt: PickPrompt) => object;
  readonly read: (json: JsonObject | undefined) => ModelAnswer;
}

const ANTHROPIC: Dialect = {
  headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key && { 'x-api-key': key }) }),
  body: ({ prefix, rest }) => ({
    max_tokens: MOST_ANSWER_TOKENS,
    system: [{ type: 'text', text: prefix, cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: rest }],
  }),
  read(json) {
    const usage = at.object(json, 'usage');
    const cached = at.count(usage, 'cache_read_input_tokens');
    const others = at.count(usage, 'input_tokens') + at.count(usage, 'cache_creation_input_tokens');
    const text = at.objects(json, 'content').map((it) => at.text(it, 'text') ?? '');
    const said = at.count(usage, 'output_tokens');
    return { text: text.join(''), tokens: cached + others, cached, said };
  },
};

const OPENAI: Dialect = {
  headers: (key): Record<string, string> => (key ? { authorization: `Bearer ${key}` } : {}),
  body: ({ prefix, rest }) => ({
    messages: [
      { role: 'system', content: prefix },
      { role: 'user', content: rest },
    ],
  }),
  read(json) {
    const usage = at.object(json, 'usage');
    const [choice] = at.objects(json, 'choices');
    return {
      text: at.text(at.object(choice, 'message'), 'content') ?? '',
      tokens: at.count(usage, 'prompt_tokens'),
      cached: at.count(at.object(usage, 'prompt_tokens_details'), 'cached_tokens'),
      said: at.count(usage, 'completion_tokens'),
    };
  },
};
