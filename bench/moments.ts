/** The moments that are measured: a payload of Claude Code, and how to see that it did its work. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DemoProject } from '../scripts/demo/demo-project.ts';
import { EDITED, type Installation, REMEMBERED, remember } from './data.ts';
import type { Ended } from './starter.ts';

/** Limits as multiples of bare Node: warm at 100 files, warm at 10,000, cold at 100. */
export type Budget = readonly [warm: number, large: number, cold: number];

export interface Moment {
  readonly name: string;
  /** The agent's own name of the event; `''` is the status line. */
  readonly event: string;
  readonly payload: (session: string) => object;
  /** Done once per repository and home, before the first run; moments are played in the order of the list. */
  readonly prepare?: (demo: DemoProject, installation: Installation) => Promise<void>;
  /** Done before each run, and not measured: an event of the same session. */
  readonly before?: Omit<Moment, 'name' | 'budget' | 'holds'>;
  /** Whether the program did what the name says: a cheap answer may be a wrong one. */
  readonly holds: (outcome: Ended) => boolean;
  readonly budget?: Budget;
}

const SESSION = randomUUID();
const saysNothing = ({ code, stdout }: Ended): boolean => code === 0 && stdout.trim() === '';
const saysSomething = ({ code, stdout }: Ended): boolean => code === 0 && stdout.trim() !== '';
const isDenied = ({ stdout }: Ended): boolean => stdout.includes('"deny"');
const isDone = ({ code }: Ended): boolean => code === 0;

const shell = (command: string) => () => ({ tool_name: 'Bash', tool_input: { command } });
const edit = () => ({
  tool_name: 'Edit',
  tool_input: { file_path: EDITED, old_string: '1', new_string: '2', replace_all: false },
});

export const MOMENTS: readonly Moment[] = [
  {
    name: 'a command that reads',
    event: 'PreToolUse',
    payload: shell('ls'),
    prepare: (demo, installation) => remember(demo, installation, 30),
    holds: saysNothing,
    budget: [0.22, 0.25, 1.8],
  },
  {
    name: 'a command that runs tests',
    event: 'PreToolUse',
    payload: shell('npm test | tail'),
    holds: saysNothing,
    budget: [0.22, 0.25, 1.8],
  },
  {
    name: 'after a command',
    event: 'PostToolUse',
    payload: () => ({ ...shell('npm test')(), tool_response: { stdout: 'ok\n'.repeat(500) } }),
    holds: isDone,
    budget: [0.22, 0.25, 1.8],
  },
  {
    name: 'before an edit',
    event: 'PreToolUse',
    payload: edit,
    holds: isDone,
    budget: [0.22, 0.25, 1.8],
  },
  {
    name: 'after an edit',
    event: 'PostToolUse',
    payload: () => ({ ...edit(), tool_response: { originalFile: 'const a = 1;\n'.repeat(100) } }),
    holds: isDone,
    budget: [0.3, 0.35, 2],
  },
  {
    name: 'a prompt, nothing to say',
    event: 'UserPromptSubmit',
    payload: () => ({ prompt: 'go on' }),
    holds: isDone,
    budget: [0.22, 0.25, 1.8],
  },
  {
    name: 'a push, held',
    event: 'PreToolUse',
    payload: shell('git push origin main'),
    holds: isDenied,
    budget: [1, 1.6, 4],
  },
  {
    name: 'session start',
    event: 'SessionStart',
    payload: () => ({ session_id: randomUUID(), source: 'startup' }),
    holds: saysSomething,
    budget: [1.3, 2.5, 5],
  },
  {
    name: 'end of a turn',
    event: 'Stop',
    // A turn in which nothing ran does not ask git.
    before: { event: 'PreToolUse', payload: shell('npm test') },
    payload: () => ({ stop_hook_active: false }),
    holds: isDone,
    budget: [0.6, 1.2, 3.4],
  },
  {
    name: 'status line',
    event: '',
    payload: () => ({}),
    holds: ({ code, stdout }) => code === 0 && stdout.startsWith('lanehold: '),
    budget: [0.25, 0.25, 1.6],
  },
  {
    name: 'a push, let through',
    event: 'PreToolUse',
    prepare: async (demo, { env }) => {
      // The tree has more than what leaves.
      const args = ['feature', 'verify', '--pending', '--at', 'HEAD'];
      const { code, stderr } = await demo.run('lanehold', args, { env });
      if (code !== 0) throw new Error(`verification failed: ${stderr}`);
    },
    payload: shell('git push origin main'),
    holds: saysNothing,
    budget: [0.85, 1.4, 3.7],
  },
  {
    name: 'a prompt, 10,000 notes',
    event: 'UserPromptSubmit',
    prepare: (demo, installation) => remember(demo, installation, 10_000),
    payload: () => ({ session_id: randomUUID(), prompt: `how come: ${REMEMBERED}` }),
    holds: saysSomething,
    budget: [0.6, 0.65, 2.3],
  },
];

/** The payload as the agent sends it. */
export function payloadOf(demo: DemoProject, event: string, own: object): string {
  const { tool_input: input, ...rest } = own as { tool_input?: { file_path?: string } };
  const path = input?.file_path;
  const tool = path === undefined ? input : { ...input, file_path: join(demo.project, path) };
  const common = {
    session_id: SESSION,
    transcript_path: join(demo.root, 'none.jsonl'),
    cwd: demo.project,
    permission_mode: 'default',
    hook_event_name: event,
  };
  return `${JSON.stringify({ ...common, ...rest, ...(tool && { tool_input: tool }) })}\n`;
}

/** A session of 200 tool calls: the events in their order. */
export function sessionEvents(): { readonly event: string; readonly own: object }[] {
  const session = { session_id: randomUUID() };
  const events: { event: string; own: object }[] = [];
  const add = (event: string, own: object) => events.push({ event, own: { ...own, ...session } });
  add('SessionStart', { source: 'startup' });
  for (let call = 0; call < 200; call += 1) {
    if (call % 20 === 0) add('UserPromptSubmit', { prompt: `step ${call}` });
    const own = call % 4 === 3 ? edit() : shell(call % 3 === 0 ? 'npm test' : `cat ${EDITED}`)();
    add('PreToolUse', own);
    add('PostToolUse', { ...own, tool_response: { stdout: 'ok\n' } });
    if (call % 20 === 19) add('Stop', { stop_hook_active: false });
  }
  add('SessionEnd', { reason: 'other' });
  return events;
}
