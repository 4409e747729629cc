/** Asks the model of `recall.model`: a command, or an address that is compatible with OpenAI's or Anthropic's. */
import type { Environment } from '../../base/environment.ts';
import type { Home } from '../../base/files/home.ts';
import { at, type JsonObject, parsedObject } from '../../base/text/json.ts';
import { redact } from '../../base/text/redact/redact.ts';
import type { PickPrompt } from '../../recall/picking.ts';
import { askProgram, tokensIn } from './ask-program.ts';

export const KEY_VARIABLE = 'LANEHOLD_MODEL_KEY';
const TIME_LIMIT_MS = 60_000;
const MOST_ANSWER_CHARS = 100_000;
const MOST_ANSWER_TOKENS = 1_000;

export interface Model {
  /** `recall.model`. */
  readonly asked: string;
  /** `recall.modelName`, for an address. */
  readonly name: string | null;
}

/** With a `problem`, a clause about the model, there is no usable answer. */
export interface ModelAnswer {
  readonly text: string;
  readonly problem?: string;
  /** Of the question, of those the cached ones, and of the answer. */
  readonly tokens: number;
  readonly cached: number;
  readonly said: number;
}

export const isAddress = (model: string): boolean => /^https?:/.test(model);

/** Never throws: a model that does not answer is an answer with a problem. */
export async function modelAnswer(
  { asked, name }: Model,
  { prefix, rest }: PickPrompt,
  { env, home }: { readonly env: Environment; readonly home: Home },
): Promise<ModelAnswer> {
  const whole = `${prefix}\n\n${rest}`;
  const estimated = { tokens: tokensIn(whole), cached: 0 };
  try {
    if (isAddress(asked)) {
      const answer = await addressed(asked, { prefix, rest, name, env });
      // Some servers do not say what a question cost.
      return { ...answer, tokens: answer.tokens || estimated.tokens };
    }
    const limits = { signal: new AbortController().signal, timeoutMs: TIME_LIMIT_MS };
    const { output, problem } = await askProgram(home, env, asked, { text: whole, ...limits });
    const answer = { text: output, ...estimated, said: tokensIn(output) };
    return problem === undefined ? answer : { ...answer, problem };
  } catch (error) {
    const { message = '', cause } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    return { text: '', problem: redact(why).slice(0, 200), ...estimated, said: 0 };
  }
}

interface Question {
  readonly prefix: string;
  readonly rest: string;
  readonly name: string | null;
  readonly env: Environment;
}

async function addressed(asked: string, question: Question): Promise<ModelAnswer> {
  const key = question.env[KEY_VARIABLE] || undefined;
  const url = new URL(asked);
  const isHere = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);
  if (key !== undefined && url.protocol === 'http:' && !isHere)
    throw new Error(`${KEY_VARIABLE} is not sent to ${url.hostname} without https`);
  const isAnthropic = url.pathname.endsWith('/messages');
  const { headers, body } = isAnthropic ? toAnthropic(question, key) : toOpenAi(question, key);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    // Another address would get the key.
    redirect: 'error',
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  });
  const text = (await response.text()).slice(0, MOST_ANSWER_CHARS);
  if (!response.ok) {
    const why = redact(text).replaceAll(/\s+/g, ' ').slice(0, 150);
    throw new Error(`it answered ${response.status}: ${why}`);
  }
  const read = (isAnthropic ? ofAnthropic : ofOpenAi)(parsedObject(text));
  if (read.text === '') throw new Error('it answered no text in the expected form');
  return read;
}

const toAnthropic = ({ name, prefix, rest }: Question, key: string | undefined) => ({
  headers: { 'anthropic-version': '2023-06-01', ...(key && { 'x-api-key': key }) },
  body: {
    model: name,
    max_tokens: MOST_ANSWER_TOKENS,
    system: [{ type: 'text', text: prefix, cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: rest }],
  },
});

const toOpenAi = ({ name, prefix, rest }: Question, key: string | undefined) => ({
  headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  body: {
    model: name,
    messages: [
      { role: 'system', content: prefix },
      { role: 'user', content: rest },
    ],
  },
});

function ofAnthropic(json: JsonObject | undefined): ModelAnswer {
  const usage = at.object(json, 'usage');
  const cached = at.count(usage, 'cache_read_input_tokens');
  const written = at.count(usage, 'cache_creation_input_tokens');
  return {
    text: at
      .objects(json, 'content')
      .map((it) => at.text(it, 'text') ?? '')
      .join(''),
    tokens: at.count(usage, 'input_tokens') + cached + written,
    cached,
    said: at.count(usage, 'output_tokens'),
  };
}

function ofOpenAi(json: JsonObject | undefined): ModelAnswer {
  const usage = at.object(json, 'usage');
  return {
    text: at.text(at.object(at.objects(json, 'choices')[0], 'message'), 'content') ?? '',
    tokens: at.count(usage, 'prompt_tokens'),
    cached: at.count(at.object(usage, 'prompt_tokens_details'), 'cached_tokens'),
    said: at.count(usage, 'completion_tokens'),
  };
}
