/** Listens where the entry script looks for the resident process, and keeps to its protocol, or does not. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

const BEAT = `${'.'.repeat(31)}\n`;
const [OURS, THEIRS] = ['a'.repeat(32), 'b'.repeat(32)];

/** One that keeps to the protocol answers with `answer`. */
export type Conduct =
  | 'answers'
  | 'says nothing'
  | 'allows without a secret'
  | 'floods'
  | 'closes'
  | 'takes the event and says nothing'
  | 'takes nothing of the event'
  | 'takes the event and closes'
  | 'cuts its answer';

export interface StandIn {
  readonly addressFile: string;
  /** The fields of each event that came whole. */
  readonly events: readonly (readonly string[])[];
  /** All bytes that were sent after the secret. */
  bytes(): number;
}

export function addressFile(home: string, hook: string): string {
  return join(home, 'resident', hook.replaceAll(/[^A-Za-z0-9]/g, '_').slice(-100));
}

export function writeAddress(
  home: string,
  hook: string,
  { port = 1, version = '2', pid = process.pid, path = hook, mode = 0o600 } = {},
): string {
  const file = addressFile(home, hook);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${version} ${port} ${OURS} ${THEIRS} ${pid}\n${path}\n`, { mode });
  return file;
}

export async function standIn(
  home: string,
  hook: string,
  conduct: Conduct,
  { stdout = '', stderr = '', exitCode = 0 } = {},
): Promise<StandIn> {
  const events: string[][] = [];
  let bytes = 0;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let text = Buffer.alloc(0);
    let isKnown = false;
    if (conduct === 'closes') socket.destroy();
    if (conduct === 'allows without a secret') socket.end('{"permission":"allow"}\n. 0\n\0\0');
    if (conduct === 'floods') flood(socket);
    socket.on('data', (chunk: Buffer) => {
      if (isKnown) return take(socket, chunk);
      isKnown = chunk.toString() === `${OURS}\n`;
      if (isKnown && !STRANGERS.includes(conduct)) socket.write(`${THEIRS}\n`);
      if (conduct === 'takes nothing of the event') socket.pause();
    });
    const take = (to: Socket, chunk: Buffer): void => {
      bytes += chunk.length;
      text = Buffer.concat([text, chunk]);
      // A long one has many pieces.
      const [, , , , length = text.length] = text.toString('latin1', 0, 4_096).split('\0');
      const fields = text.length < Number(length) ? [] : text.toString().slice(1).split('\0');
      if (!isWhole(fields)) {
        to.write(BEAT);
        return;
      }
      events.push(fields);
      const sizes = [stdout, stderr].map((it) => `${Buffer.byteLength(it)}`.padStart(10));
      const code = `${exitCode}`.padStart(4);
      const answer = `${THEIRS.slice(0, 8)}${code}${sizes.join('')}${stdout}${stderr}`;
      if (conduct === 'answers') to.end(`${BEAT}${answer}`);
      if (conduct === 'cuts its answer') to.end(answer.slice(0, -1));
      if (conduct === 'takes the event and closes') to.destroy();
    };
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const it of sockets) it.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { addressFile: writeAddress(home, hook, { port }), events, bytes: () => bytes };
}

function isWhole([, , , bytes, count, ...fields]: readonly string[]): boolean {
  const input = fields[fields.indexOf('', Number(count)) + 1];
  return input !== undefined && Buffer.byteLength(input) === Number(bytes);
}

const STRANGERS: readonly Conduct[] = [
  'says nothing',
  'allows without a secret',
  'floods',
  'closes',
];

function flood(socket: Socket): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write('x'.repeat(65_536)));
  };
  socket.on('drain', more);
  more();
}
