/**
 * The connections of hooks. A stranger who found the port learns nothing: nothing is read before the first secret, and
 * a hook sends nothing before it has read the second.
 */
import { timingSafeEqual } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { HookOutput } from '../../agents/types.ts';
import { type Request, requestReader } from './request.ts';

/** The time for the first secret: on a busy machine a hook needs a part of it. */
const STRANGER_MS = 1_000;
/** Further connections without the secret are closed at once. */
const MOST_STRANGERS = 256;
/** The interval of signs of life; a hook waits a second for one. */
const BEAT_MS = 300;
/** A sign of life, which has the length of the first line of an answer. */
const BEAT = `${'.'.repeat(31)}\n`;
/** The most hooks that can wait for a connection while the process is busy. */
const BACKLOG = 4096;

/** `undefined`: the hook has to answer itself, with a Node of its own. */
export type Answer = (
  request: Request,
  isAwaited: () => Promise<boolean>,
) => Promise<HookOutput | undefined>;

export interface Serving {
  readonly hookSecret: string;
  readonly ownSecret: string;
  /** Called before a hook is admitted. */
  isOpen(): boolean;
  readonly answer: Answer;
}

/** Listens on a free port of this machine. */
export function listen(serving: Serving): Promise<{ server: Server; port: number }> {
  const strangers = new Set<Socket>();
  let connections = 0;
  /** A turn of the event loop admits one connection: those that arrive together all come before the first answer. */
  const answer: Answer = async (...request) => {
    for (let before = -1, left = MOST_STRANGERS; before !== connections && left > 0; left -= 1) {
      before = connections;
      await turns();
    }
    return serving.answer(...request);
  };
  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    // After an error the socket closes.
    socket.on('error', () => undefined);
    if (strangers.size >= MOST_STRANGERS) socket.destroy();
    else greet(socket, { ...serving, answer }, strangers);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('there is no port'));
      else resolve({ server, port: address.port });
    });
  });
}

/** Closes the connection unless it shows the secret in time. */
function greet(socket: Socket, serving: Serving, strangers: Set<Socket>): void {
  const expected = Buffer.from(`${serving.hookSecret}\n`);
  const timer = setTimeout(async () => {
    // If this process was busy, bytes that arrived in time may be unread.
    await turns();
    if (strangers.has(socket)) socket.destroy();
  }, STRANGER_MS);
  const meet = (): void => {
    clearTimeout(timer);
    strangers.delete(socket);
  };
  strangers.add(socket);
  socket.once('close', meet);
  let shown = Buffer.alloc(0);
  const readSecret = (piece: Buffer): void => {
    shown = Buffer.concat([shown, piece]);
    if (shown.length < expected.length) return;
    socket.off('data', readSecret);
    meet();
    const isKnown = timingSafeEqual(shown.subarray(0, expected.length), expected);
    if (!isKnown || !serving.isOpen()) socket.destroy();
    else hear(socket, serving, shown.subarray(expected.length));
  };
  socket.on('data', readSecret);
}

/** @param start the bytes of the request that came with the secret. */
function hear(socket: Socket, serving: Serving, start: Buffer): void {
  const read = requestReader();
  const readPiece = (piece: Buffer): void => {
    const request = read(piece);
    if (request === 'invalid') socket.destroy();
    // A hook sends its pieces at once only if each is answered.
    else if (request === 'incomplete') socket.write(BEAT);
    else {
      socket.off('data', readPiece);
      // The end of the connection is seen only while it is read.
      socket.resume();
      void respond(socket, request, serving);
    }
  };
  socket.on('data', readPiece);
  socket.write(`${serving.ownSecret}\n`);
  if (start.length > 0) readPiece(start);
}

async function respond(socket: Socket, request: Request, serving: Serving): Promise<void> {
  const beat = setInterval(() => socket.write(BEAT), BEAT_MS);
  socket.once('close', () => clearInterval(beat));
  const isAwaited = async (): Promise<boolean> => {
    await turns();
    return !socket.readableEnded && !socket.destroyed;
  };
  const output = await serving.answer(request, isAwaited);
  clearInterval(beat);
  if (output === undefined) return void socket.destroy();
  const streams = [output.stdout, output.stderr].map((it) => it.replaceAll('\0', ''));
  const sizes = streams.map((it) => `${Buffer.byteLength(it)}`.padStart(10));
  const mark = serving.ownSecret.slice(0, 8);
  socket.end(`${mark}${`${output.exitCode}`.padStart(4)}${sizes.join('')}${streams.join('')}`);
}

/** Waits two turns of the event loop, after which everything is read that had arrived before. */
async function turns(): Promise<void> {
  await turn();
  await turn();
}
