/** The workers of the story: which lane each has, and what its model says. */
import type { ToolUse, Turn } from '../e2e/model.ts';
import type { Role } from './roles.ts';

/** A point in a story that one part reaches and another waits for. */
export interface Moment {
  readonly reached: Promise<void>;
  reach(): void;
}

export function moment(): Moment {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { reached: promise, reach: resolve };
}

/** What each lane is to do. */
export const TASKS = {
  port: 'Move the server to port 8080',
  title: 'Call the server Harbour',
  clash: 'Let the server choose port 9090',
} as const;

/** What each says of its work at the end. */
export const REPORTS = {
  port: 'The server answers on 8080',
  title: 'The server is called Harbour',
  clash: 'The server answers on 9090',
} as const satisfies Record<keyof typeof TASKS, string>;

/** Codex: it has changed its file and thinks on, for ever, when it is killed; then it goes on. */
export function portWorker(halfDone: Moment): Role {
  return {
    name: 'port',
    isAsked: isAskedIn('port'),
    lines: [
      { say: 'I change the port.', use: [patch('src/port.js', 'port = 3000', 'port = 8080')] },
      async () => {
        halfDone.reach();
        return new Promise<never>(() => undefined);
      },
      shell('node --test'),
      shell(`lanehold orchestrate report --done '${REPORTS.port}'`),
      { say: 'The server is on port 8080.' },
    ],
  };
}

export function titleWorker(): Role {
  return editor('title', 'src/title.js', "export const title = 'Harbour';\n");
}

export function clashWorker(): Role {
  return editor('clash', 'src/port.js', 'export const port = 9090;\n');
}

/** Claude Code: it reads the file, as its tools demand, and writes it anew. */
function editor(name: keyof typeof TASKS, path: string, content: string): Role {
  const file = Promise.withResolvers<string>();
  return {
    name,
    isAsked: isAskedIn(name),
    lines: [
      (shown) => {
        const file_path = `${workFolder(shown)}/${path}`;
        file.resolve(file_path);
        return { use: [{ name: 'Read', input: { file_path } }] };
      },
      async () => ({ use: [{ name: 'Write', input: { file_path: await file.promise, content } }] }),
      {
        use: [
          {
            name: 'Bash',
            input: {
              command: `lanehold orchestrate report --done '${REPORTS[name]}'`,
              description: 'report',
            },
          },
        ],
      },
      { say: 'It is written.' },
    ],
  };
}

/** The folder that a client tells its model it works in: the words of Claude Code, then of Codex. */
export function workFolder(prompt: string): string | undefined {
  const told =
    /Primary working directory: (.+)/.exec(prompt) ??
    /<workspace_roots><root>(.+?)<\/root>/.exec(prompt);
  return told?.[1]?.trim();
}

function isAskedIn(lane: string): Role['isAsked'] {
  return (prompt) => workFolder(prompt)?.endsWith(`/${lane}`) === true;
}

function shell(cmd: string): Turn {
  return { use: [{ name: 'exec_command', input: { cmd } }] };
}

function patch(path: string, from: string, to: string): ToolUse {
  const text = [
    '*** Begin Patch',
    `*** Update File: ${path}`,
    '@@',
    `-export const ${from};`,
    `+export const ${to};`,
    '*** End Patch',
    '',
  ].join('\n');
  return { name: 'apply_patch', input: { patch: text } };
}
