/** A network between a program and a server, which can be cut, or stand still without a word. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type NetworkState = 'ok' | 'cut' | 'stalled';

export async function network(targetPort: number) {
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
    join(from, to);
    join(to, from);
  });
  function join(one: Socket, other: Socket): void {
    sockets.add(one);
    one.on('data', (bytes) => {
      // What is sent while it stands still is lost, as if the cable were out.
      if (state === 'ok') other.write(bytes);
    });
    one.on('error', () => other.destroy());
    one.on('close', () => {
      sockets.delete(one);
      other.destroy();
    });
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
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
