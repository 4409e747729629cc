/** A network between a program and a server, which can be cut, slow, or stand still without a word. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** `deaf`: what the server answers is lost, all it is asked arrives. */
export type NetworkState = 'ok' | 'slow' | 'cut' | 'stalled' | 'deaf';

const DELAY_MS = 20;

export async function network(
  targetPort: number,
  cleanUp: (close: () => void) => void = onTestFinished,
) {
  let state: NetworkState = 'ok';
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (from) => {
    connections += 1;
    if (state === 'cut') {
      from.destroy();
      return;
    }
    const to = connect(targetPort, '127.0.0.1');
    join(from, to, 'question');
    join(to, from, 'answer');
  });
  function join(one: Socket, other: Socket, what: 'question' | 'answer'): void {
    sockets.add(one);
    one.on('data', (bytes) => {
      // What is sent while it stands still is lost, as if the cable were out.
      if (state === 'ok' || (state === 'deaf' && what === 'question')) other.write(bytes);
      if (state === 'slow') setTimeout(() => other.destroyed || other.write(bytes), DELAY_MS);
    });
    one.on('error', () => other.destroy());
    one.on('close', () => {
      sockets.delete(one);
      other.destroy();
    });
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => {
    for (const it of sockets) it.destroy();
    server.close();
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    /** How many were begun so far. */
    connections: () => connections,
    become(next: NetworkState): void {
      state = next;
      if (next === 'cut') for (const it of sockets) it.destroy();
    },
  };
}
