/** Serves one client over stdin and stdout, until it is gone. */
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createServer, type ServerHost } from './server.ts';

interface Pipes {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/** @param signal ends it, with all calls that are still running. */
export async function serve(
  host: ServerHost,
  { stdin, stdout }: Pipes,
  signal: AbortSignal,
): Promise<void> {
  const server = createServer(host);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  server.onerror = () => undefined;
  const end = (): void => void server.close();
  for (const event of ['end', 'close']) stdin.once(event, end);
  stdout.once('close', end);
  signal.addEventListener('abort', end);
  await server.connect(new StdioServerTransport(stdin, stdout));
  await closed;
}
