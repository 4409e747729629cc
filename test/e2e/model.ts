/**
 * What the stand-ins for models share: somebody who answers is asked with words and answers with a turn.
 * The servers translate that to what a client speaks. They listen on 127.0.0.1 only.
 */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer of the model: words, then tool calls; a turn without calls ends the agent's run. */
export interface Turn {
  readonly say?: string;
  readonly use?: readonly ToolUse[];
  /** How much of its context the conversation is said to fill; much of it makes the agent compact. */
  readonly inputTokens?: number;
}

export interface ToolUse {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a model is asked. */
export interface Asked {
  readonly session: string;
  /** All that is said in the conversation; the same again is the same question asked again. */
  readonly conversation: string;
  /** What the model was not shown before: tool results, and what hooks added. */
  readonly shown: string;
  /** What it is told at each request beside the conversation, if that is looked at. */
  readonly standing?: string;
  /** It is asked to sum the conversation up, so that the sum can take its place. */
  readonly compacting: boolean;
}

export type Answer = (asked: Asked) => Promise<Turn>;

export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

/** A turn, or what to answer to what the model was just shown. */
export type PreparedTurn = Turn | ((shown: string) => Turn);

export interface PlayedTurns {
  readonly answer: Answer;
  /** What the model was newly shown when turn `n` (from 0) was asked of it, and before it answered. */
  readonly shown: readonly string[];
  /** What it was told beside the conversation then. */
  readonly standing: readonly string[];
}

/**
 * @param turns what the model answers, in order; beyond the last it says that it is done.
 * @param onTurn called with the number of a turn before it is answered; the agent waits for it.
 */
export function playTurns(
  turns: readonly PreparedTurn[],
  onTurn: (turn: number) => Promise<void>,
): PlayedTurns {
  const shown: string[] = [];
  const standing: string[] = [];
  const numbers = new Map<string, number>();
  const answer: Answer = async (asked) => {
    // A client repeats a request now and then; the same conversation gets the same turn.
    const number = numbers.get(asked.conversation) ?? numbers.size;
    numbers.set(asked.conversation, number);
    shown[number] ??= asked.shown;
    standing[number] ??= asked.standing ?? '';
    await onTurn(number);
    const turn = turns[number] ?? { say: 'There is nothing more to do.' };
    return typeof turn === 'function' ? turn(asked.shown) : turn;
  };
  return { answer, shown, standing };
}

/** @param serve a failure of it ends the connection. */
export function startServer(
  serve: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Listening> {
  const listener: RequestListener = (incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      response.destroy(error as Error);
    });
  };
  return listen(createServer(listener));
}

async function listen(server: Server): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

export function pathOf(incoming: IncomingMessage): string {
  return new URL(incoming.url ?? '/', 'http://localhost').pathname;
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Begins server-sent events without names; returns what sends the data of one. */
export function sendData(response: ServerResponse): (data: string | object) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  return (data) => {
    response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  };
}

/** Begins server-sent events; returns what sends one. */
export function sendEvents(response: ServerResponse): (type: string, data: object) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  return (type, data) => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
}
