/** The coordinator of the story: Claude Code, which starts the lanes, waits, and lands their work. */
import type { Turn } from '../e2e/model.ts';
import { VALIDATE } from './project.ts';
import type { Role } from './roles.ts';
import { TASKS, workFolder } from './workers.ts';

/** Larger than what the client is told to compact at. */
const CONTEXT_IS_FULL = 150_000;
export const COMPACT_AT = 100_000;

export const GOAL = 'Move the server to its new place';
const PUSH = 'git push origin main';
const LANES = 'lanehold orchestrate';

/** What the world does while the coordinator waits. */
export interface Meanwhile {
  /** Returns once the worker of `port` was killed in the middle, with all that watched over it. */
  killed(): Promise<void>;
  /** Returns once no worker is at work any more. */
  quiet(): Promise<void>;
}

/** What it is shown at its start, then what each of its steps brought, in order. */
export const STEPS = [
  'begin',
  'init',
  'add',
  'spawn',
  'kill',
  'resume',
  'integrate',
  'withdraw',
  'land',
  'push',
  'verify',
  'push again',
  'handoff',
] as const;
export type Step = (typeof STEPS)[number];

export function coordinator(project: string, meanwhile: Meanwhile): Role {
  return {
    name: 'coordinator',
    isAsked: (prompt) => workFolder(prompt) === project,
    lines: [
      bash(`${LANES} init '${GOAL}' --name move`),
      bash(
        add('port', 'codex', 'src/port.js'),
        add('title', 'claude-code', 'src/title.js'),
        add('clash', 'claude-code', 'src/port.js'),
      ),
      bash(`${LANES} spawn --ready`),
      async () => {
        await meanwhile.killed();
        return bash(`${LANES} status`);
      },
      { ...bash(`${LANES} resume port`), inputTokens: CONTEXT_IS_FULL },
      async () => {
        await meanwhile.quiet();
        return bash(`${LANES} integrate`);
      },
      bash(`${LANES} lane cancel clash`),
      bash(`${LANES} land`),
      bash(PUSH),
      bash('lanehold feature verify --pending'),
      bash(PUSH),
      bash(`${LANES} handoff --run move`),
      { say: 'The server is in its new place.' },
    ],
  };
}

function add(key: keyof typeof TASKS, agent: string, touches: string): string {
  const options = `--agent ${agent} --touches '${touches}' --validate '${VALIDATE}'`;
  return `${LANES} lane add ${key} --desc '${TASKS[key]}' ${options}`;
}

function bash(...commands: string[]): Turn {
  const use = commands.map((command) => ({
    name: 'Bash',
    input: { command, description: 'run a command' },
  }));
  return { use };
}
