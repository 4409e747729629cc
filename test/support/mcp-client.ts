/** The official client before a server in this process. */
import { setImmediate } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  type ClientCapabilities,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import { createServer } from '../../src/fronts/mcp/server.ts';
import type { Sandbox } from './sandbox.ts';
import { makeUsedHome } from './used-home.ts';

/** An agent that starts the server itself. */
export const BY_AGENT = [['/usr/bin/claude'], ['-bash']];

interface Options {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly parents?: readonly (readonly string[])[];
  /** Addresses of the folders that the client works in. */
  readonly roots?: () => readonly string[];
  readonly now?: () => Date;
  /** The server was started for one folder. */
  readonly isFixed?: true;
}

// biome-ignore lint/suspicious/noExplicitAny: each test knows the shape that it asks for
type Data = any;

export interface Said {
  readonly text: string;
  readonly isError: boolean;
  readonly data: Data;
}

export async function mcpClient(box: Sandbox, cwd: string, options: Options = {}) {
  await makeUsedHome(box.laneholdHome);
  const { roots, parents = BY_AGENT, now = () => new Date() } = options;
  const defects: string[] = [];
  const server = createServer({
    env: { ...box.env, ...options.env },
    cwd,
    isFixed: options.isFixed === true,
    now,
    parents: () => parents,
    onDefect: (stack) => defects.push(stack),
  });
  const capabilities: ClientCapabilities = {
    ...(roots && { roots: { listChanged: true } }),
  };
  const client = new Client({ name: 'a client', version: '1' }, { capabilities });
  if (roots) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots().map((uri) => ({ uri })),
    }));
  }
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  onTestFinished(() => client.close());
  // From here on the client checks each result with its schema.
  const { tools } = await client.listTools();
  return {
    client,
    tools,
    defects,
    async call(name: string, input: object = {}, onLine?: (line: string) => void): Promise<Said> {
      const progress = onLine && {
        onprogress: ({ message = '' }: { message?: string | undefined }) => onLine(message),
      };
      const call = { name, arguments: { json: true, ...input } };
      const result = await client.callTool(call, undefined, progress);
      await setImmediate();
      const [content] = result.content as { text: string }[];
      return {
        text: content?.text ?? '',
        isError: result.isError === true,
        data: result.structuredContent,
      };
    },
  };
}
