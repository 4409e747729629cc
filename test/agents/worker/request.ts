/** A request as the supervisor makes it, in a sandbox with an agent that only tells how it was started. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { workerEnvironment } from '../../../src/agents/worker/environment.ts';
import type {
  WorkerLaunch,
  WorkerProgram,
  WorkerRequest,
} from '../../../src/agents/worker/worker.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { SESSION } from './streams.ts';

/** What no command line may ever show. */
export const SECRET = 'sk-ant-api03-not-on-the-command-line';
export const PROMPT = `Do the work.\n$(touch pwned) \`id\` "quoted" 'single' 🚀 ${'x'.repeat(200_000)}\n`;

interface Started {
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Tells how it was started; found on PATH like the real one. */
const AGENT = `#!${process.execPath}
const { readFileSync, writeFileSync } = require('node:fs');
const { argv, env, cwd } = process;
writeFileSync(env.TOLD, JSON.stringify({ argv: argv.slice(2), stdin: readFileSync(0, 'utf8'), env, cwd: cwd() }));
`;

export function worker() {
  const box: Sandbox = sandbox();
  const dir = join(box.laneholdHome, 'runs/lanes/attempt');
  const worktree = join(box.root, "work tree's");
  const bin = join(box.root, 'bin');
  for (const folder of [dir, worktree, bin]) mkdirSync(folder, { recursive: true });
  const promptFile = join(dir, 'prompt.txt');
  writeFileSync(promptFile, PROMPT);
  const env = workerEnvironment(
    {
      ...box.env,
      PATH: `${bin}${delimiter}${box.env.PATH}`,
      TOLD: join(box.root, 'told.json'),
      ANTHROPIC_API_KEY: SECRET,
      OPENAI_API_KEY: SECRET,
      CLAUDECODE: '1',
      CLAUDE_CODE_SESSION_ID: 'outer',
      LANEHOLD_AGENT: 'outer',
    },
    {
      attempt: 'attempt',
      stage: 'worker',
      lane: 'lane',
      run: 'run',
      worktree,
      home: box.laneholdHome,
      ports: [4100],
    },
  );
  const request: WorkerRequest = {
    promptFile,
    lane: 'api',
    worktree,
    dir,
    sessionId: SESSION,
    resume: undefined,
    permissions: 'edit',
    allow: ['npm test'],
    caps: {},
    args: [],
    program: 'agent',
    env,
  };

  return {
    box,
    request,
    /** Starts what the worker asks for, exactly. */
    start(worker: WorkerProgram, changes: Partial<WorkerRequest> = {}): Started & WorkerLaunch {
      const launch = worker.launch({ ...request, ...changes });
      const program = join(bin, launch.program);
      writeFileSync(program, AGENT);
      chmodSync(program, 0o755);
      for (const { path, content } of launch.files) {
        writeFileSync(path, content);
      }
      const stdin = launch.stdinFile === undefined ? 'ignore' : openSync(launch.stdinFile, 'r');
      // By name, as the guard starts it: the program comes from PATH.
      execFileSync('/bin/sh', ['-c', '"$@"', 'sh', launch.program, ...launch.args], {
        cwd: worktree,
        env: launch.env,
        stdio: [stdin, 'inherit', 'inherit'],
      });
      const told = JSON.parse(readFileSync(launch.env.TOLD ?? '', 'utf8'));
      return { ...launch, ...told };
    },
  };
}
