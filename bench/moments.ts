/** The moments that are measured: a payload of Claude Code, and how to see that it did its work. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DemoProject } from '../scripts/demo/demo-project.ts';
import type { Env } from '../scripts/demo/run.ts';
import { agentsWith } from '../src/agents/registry.ts';
import type { EventName } from '../src/agents/types.ts';
import { defined } from '../src/app/values.ts';
import { CHANGED, EDITED, installedHook, type Scale, type Store } from './data.ts';
import type { Ended } from './starter.ts';

/** A limit on the ratio to bare Node, or on the time itself. */
export type Budget = { readonly ratio: number } | { readonly ms: number };

export interface Moment {
  readonly name: string;
  readonly event: EventName;
  /** By default Claude Code. */
  readonly agent?: string;
  /** Added to the environment of the program. */
  readonly env?: Env;
  /** What is started instead of the hook. */
  readonly program?: readonly [string, ...string[]];
  /** Done once per repository, before the first run; moments are played in the order of the list. */
  prepare?(demo: DemoProject, stores: readonly Store[]): Promise<void>;
  /** Done before each run, and not measured. */
  before?(demo: DemoProject, store: Store): Promise<void>;
  payload(demo: DemoProject): object;
  /** Whether the program did what the name says: a cheap answer may be a wrong one. */
  holds(outcome: Ended): boolean;
  budget(scale: Scale): Budget | undefined;
}

const ROOT = join(import.meta.dirname, '..');

/** The session of the moments that need one that goes on. */
const SESSION = 'b2f3c1b4-3f43-4a0f-9d8e-7a3f1f0f6a11';

/** One that was not compacted. */
const UNFORGOTTEN = 'c4d2e7f0-5b1a-4c3d-8e9f-1a2b3c4d5e6f';

const EVENT_WORDS: Readonly<Record<EventName, string>> = {
  'session-start': 'SessionStart',
  'prompt-submit': 'UserPromptSubmit',
  'before-tool': 'PreToolUse',
  'after-tool': 'PostToolUse',
  'after-tool-failure': 'PostToolUseFailure',
  stop: 'Stop',
  'before-compact': 'PreCompact',
  'session-end': 'SessionEnd',
  'task-created': 'TaskCreated',
  'task-completed': 'TaskCompleted',
};

const always = (ratio: number) => (): Budget => ({ ratio });
const none = (): undefined => undefined;
/** More at 10,000 files, of which git looks at each. */
const growing =
  (ratio: number, atTenThousand: number) =>
  ({ files }: Scale): Budget | undefined =>
    files > 10_000 ? undefined : { ratio: files === 10_000 ? atTenThousand : ratio };

const saysNothing = ({ code, stdout }: Ended): boolean => code === 0 && stdout.trim() === '';
const isDenied = ({ stdout }: Ended): boolean => stdout.includes('"deny"');
const isDone = ({ code }: Ended): boolean => code === 0;

function goOn(demo: DemoProject): object {
  return { ...moment(demo, 'prompt-submit', SESSION), prompt: 'go on' };
}

/** Plays an event once, as the installed hook gets it, before it is measured. */
function playedBefore(event: EventName, payload: Moment['payload']) {
  return async (demo: DemoProject, stores: readonly Store[]): Promise<void> => {
    for (const store of stores) await play(demo, store, event, payload);
  };
}

async function play(
  demo: DemoProject,
  { env }: Store,
  event: EventName,
  payload: Moment['payload'],
): Promise<void> {
  const [program, ...args] = installedHook(env, event);
  await demo.run(program, args, { env, input: JSON.stringify(payload(demo)) });
}

export const MOMENTS: readonly Moment[] = [
  {
    name: 'prompt with nothing to say',
    event: 'prompt-submit',
    // The first one is told what another session has left to verify.
    prepare: playedBefore('prompt-submit', goOn),
    payload: goOn,
    holds: saysNothing,
    budget: always(0.1),
  },
  {
    name: 'before-tool, other harmless command',
    event: 'before-tool',
    payload: (demo) => shell(demo, 'before-tool', 'npm test -- --reporter=dot src/f000'),
    holds: saysNothing,
    budget: always(1.25),
  },
  {
    name: 'before-tool, plain command',
    event: 'before-tool',
    payload: (demo) => shell(demo, 'before-tool', 'git status --short | head -20'),
    holds: saysNothing,
    budget: always(0.1),
  },
  {
    name: 'after-tool, plain command',
    event: 'after-tool',
    payload: (demo) => ended(demo, 'git status --short | head -20'),
    holds: saysNothing,
    budget: always(0.1),
  },
  {
    name: 'after-tool, other harmless command',
    event: 'after-tool',
    payload: (demo) => ended(demo, 'npm test'),
    holds: saysNothing,
    budget: always(0.1),
  },
  {
    name: 'before-tool, edit',
    event: 'before-tool',
    payload: (demo) => edit(demo, 'before-tool', SESSION),
    holds: saysNothing,
    budget: always(0.2),
  },
  {
    name: 'after-tool, first edit of a feature',
    event: 'after-tool',
    payload: (demo) => edit(demo, 'after-tool', randomUUID()),
    holds: ({ code, stdout }) => code === 0 && stdout.includes('f002'),
    budget: none,
  },
  {
    name: 'after-tool, a further edit',
    event: 'after-tool',
    prepare: playedBefore('after-tool', (demo) => edit(demo, 'after-tool', SESSION)),
    payload: (demo) => edit(demo, 'after-tool', SESSION),
    // The twelfth edit of one file is told of.
    holds: isDone,
    budget: always(0.3),
  },
  {
    name: 'after-tool-failure, shell command',
    event: 'after-tool-failure',
    payload: (demo) => ({
      ...shell(demo, 'after-tool-failure', 'npm test'),
      error: 'Exit code 1',
    }),
    holds: isDone,
    budget: none,
  },
  {
    name: 'session-start',
    event: 'session-start',
    payload: (demo) => ({ ...moment(demo, 'session-start', randomUUID()), source: 'startup' }),
    holds: isDone,
    budget: growing(1.8, 2.2),
  },
  {
    name: 'boundary, held',
    event: 'before-tool',
    payload: (demo) => shell(demo, 'before-tool', 'git push origin main'),
    holds: isDenied,
    budget: growing(2.2, 2.5),
  },
  {
    name: 'boundary, held, a new commit',
    event: 'before-tool',
    // Nothing is kept of it yet.
    before: async (demo) => {
      demo.write(CHANGED[0], `export const value = '${randomUUID()}';\n`);
      await demo.git('commit', '--quiet', '--all', '--amend', '--no-edit');
    },
    payload: (demo) => shell(demo, 'before-tool', 'git push origin main'),
    holds: isDenied,
    budget: none,
  },
  {
    name: 'boundary, let through',
    event: 'before-tool',
    prepare: async (demo, stores) => {
      for (const { env } of stores) {
        const args = ['feature', 'verify', '--pending'];
        const { code, stdout, stderr } = await demo.run('lanehold', args, { env });
        if (code !== 0) throw new Error(`verification failed:\n${stdout}${stderr}`);
      }
    },
    payload: (demo) => shell(demo, 'before-tool', 'git push origin main'),
    holds: saysNothing,
    budget: growing(2, 2.5),
  },
  {
    name: 'statusline, as an agent starts it',
    event: 'stop',
    program: [process.execPath, join(ROOT, 'bin/lanehold-statusline.cjs'), '--stdin'],
    payload: (demo) => moment(demo, 'stop', SESSION),
    holds: ({ code, stdout }) => code === 0 && stdout.startsWith('lanehold: '),
    budget: always(1.6),
  },
  {
    name: 'lanehold statusline',
    event: 'stop',
    program: [process.execPath, join(ROOT, 'bin/lanehold.js'), 'statusline'],
    payload: () => ({}),
    holds: ({ code, stdout }) => code === 0 && stdout.startsWith('lanehold: '),
    budget: always(1.6),
  },
  {
    name: 'lanehold --version',
    event: 'stop',
    program: [process.execPath, join(ROOT, 'bin/lanehold.js'), '--version'],
    payload: () => ({}),
    holds: isDone,
    budget: always(1.5),
  },
  {
    name: 'lanehold status',
    event: 'stop',
    program: [process.execPath, join(ROOT, 'bin/lanehold.js'), 'status'],
    payload: () => ({}),
    holds: isDone,
    budget: ({ files }) => (files > 1_000 ? undefined : { ratio: 3 }),
  },
  {
    name: 'stop, after an edit by a shell command',
    event: 'stop',
    prepare: async (demo) => {
      demo.write('src/f003/d0/m0.js', 'export const value = -2;\n');
      writeTranscript(demo);
    },
    // A turn in which nothing ran does not ask git.
    before: (demo, store) =>
      play(demo, store, 'before-tool', () => shell(demo, 'before-tool', 'npm test')),
    payload: (demo) => ({ ...moment(demo, 'stop', SESSION), stop_hook_active: false }),
    holds: isDone,
    budget: growing(1.5, 1.9),
  },
  {
    name: 'before-compact',
    event: 'before-compact',
    payload: (demo) => ({
      ...moment(demo, 'before-compact', SESSION),
      trigger: 'auto',
      custom_instructions: null,
    }),
    holds: isDone,
    budget: none,
  },
  {
    name: 'session-end',
    event: 'session-end',
    payload: (demo) => ({ ...moment(demo, 'session-end', SESSION), reason: 'other' }),
    holds: isDone,
    budget: none,
  },
  {
    name: 'before-tool, a further edit, much remembered',
    event: 'before-tool',
    prepare: async (demo, stores) => {
      for (const { env } of stores) {
        const file = join(env.LANEHOLD_HOME ?? '', 'recall-projects');
        writeFileSync(file, `${join(demo.project, '.git')}\n`);
        utimesSync(file, 0, 0);
      }
      for (const event of ['before-tool', 'after-tool'] as const)
        await playedBefore(event, (it) => edit(it, event, UNFORGOTTEN))(demo, stores);
    },
    payload: (demo) => edit(demo, 'before-tool', UNFORGOTTEN),
    holds: saysNothing,
    budget: always(0.2),
  },
];

/** The same harmless command from every agent, in its own words: what its adapter costs. */
export async function agentMoments({ project }: DemoProject): Promise<Moment[]> {
  const found: Moment[] = [];
  for (const { name, title, install } of agentsWith('install')) {
    const sample = (await install()).samples(project).find(({ as }) => as === 'before-tool');
    if (sample === undefined) continue;
    found.push({
      name: `before-tool, ${title}`,
      event: 'before-tool',
      agent: name,
      env: defined(sample.env ?? {}) as Env,
      payload: () => sample.payload,
      holds: isDone,
      budget: always(1.25),
    });
  }
  return found;
}

const transcriptOf = ({ home }: DemoProject, session: string): string =>
  join(home, `.claude/projects/-project/${session}.jsonl`);

/** A session that goes on has one, and the end of a turn reads it. */
function writeTranscript(demo: DemoProject): void {
  const said = { role: 'user', content: 'go on' };
  const line = { type: 'user', message: said, timestamp: new Date().toISOString() };
  const file = transcriptOf(demo, SESSION);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...line, cwd: demo.project, sessionId: SESSION })}\n`);
}

function moment(demo: DemoProject, event: EventName, session: string): object {
  return {
    session_id: session,
    transcript_path: transcriptOf(demo, session),
    cwd: demo.project,
    permission_mode: 'default',
    hook_event_name: EVENT_WORDS[event],
  };
}

function shell(demo: DemoProject, event: EventName, command: string): object {
  return {
    ...moment(demo, event, SESSION),
    tool_name: 'Bash',
    tool_input: { command, description: 'run a command' },
    tool_use_id: 'toolu_1',
  };
}

function ended(demo: DemoProject, command: string): object {
  return {
    ...shell(demo, 'after-tool', command),
    tool_response: { stdout: 'ok\n'.repeat(500), stderr: '', interrupted: false },
  };
}

function edit(demo: DemoProject, event: EventName, session: string): object {
  const file = join(demo.project, EDITED);
  return {
    ...moment(demo, event, session),
    tool_name: 'Edit',
    tool_input: { file_path: file, old_string: '1', new_string: '2', replace_all: false },
    ...(event === 'before-tool'
      ? {}
      : {
          tool_response: { filePath: file, originalFile: 'export const value = 1;\n'.repeat(100) },
        }),
    tool_use_id: 'toolu_2',
  };
}
