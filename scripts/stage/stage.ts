/**
 * A stage: a throw-away folder in which a story about lanehold is played for real. It has its own
 * HOME (and with it lanehold store) and git configuration, a bare remote, a project, and `lanehold`
 * on PATH.
 */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { cleaningUp } from './interrupt.ts';
import { type Env, type Outcome, type RunOptions, run } from './run.ts';

export interface Stage {
  /** All of the stage lies below this folder; its path has no links in it. */
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly remote: string;
  /** The whole environment of whatever runs on the stage. */
  readonly env: Env;
  /** Aborted when the stage closes; running programs end with it. */
  readonly signal: AbortSignal;
  run(
    program: string,
    args: readonly string[],
    options?: Partial<Omit<RunOptions, 'signal'>>,
  ): Promise<Outcome>;
  /** @throws {Error} with git's words if git fails. */
  git(...args: string[]): Promise<string>;
  /** The commit at the remote's `main`, or `undefined` before the first push. */
  remoteHead(): Promise<string | undefined>;
  /** Writes a file of the project; folders are made as needed. */
  write(path: string, text: string): void;
  /** Ends what still runs and removes the folder. May be called again. */
  close(): void;
}

const checkout = join(import.meta.dirname, '../..');
const hookProgram = join(checkout, 'hooks/lanehold-hook.cjs');
const cliProgram = join(checkout, 'bin/lanehold.js');

/** Makes a stage whose project is an empty repository on `main` with the remote `origin`. */
async function openStage(label: string): Promise<Stage> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), `lanehold-${label}-`)));
  const over = new AbortController();
  const path = (name: string): string => join(root, name);
  const [home, project, remote] = [path('home'), path('project'), path('remote.git')];
  const env: Env = {
    HOME: home,
    PATH: [path('bin'), dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    TMPDIR: path('tmp'),
    GIT_CONFIG_GLOBAL: path('gitconfig'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
  const stage: Stage = {
    root,
    home,
    project,
    remote,
    env,
    signal: over.signal,
    run: (program, args, options = {}) =>
      run(program, args, { cwd: project, env, ...options, signal: over.signal }),
    git: async (...args) => {
      const { code, stdout, stderr } = await stage.run('git', args);
      if (code !== 0) throw new Error(`git ${args.join(' ')} failed:\n${stderr}`);
      return stdout.trim();
    },
    remoteHead: async () => {
      const args = ['--git-dir', remote, 'rev-parse', '--verify', '--quiet', 'refs/heads/main'];
      const { code, stdout } = await stage.run('git', args);
      return code === 0 ? stdout.trim() : undefined;
    },
    write: (file, text) => {
      const target = join(project, file);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
    },
    close: () => {
      over.abort(new Error('the stage was closed'));
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    await furnish(stage);
  } catch (error) {
    stage.close();
    throw error;
  }
  return stage;
}

async function furnish(stage: Stage): Promise<void> {
  for (const folder of ['bin', 'tmp']) mkdirSync(join(stage.root, folder));
  for (const folder of [stage.home, stage.project]) mkdirSync(folder);
  const identity = '[user]\n\tname = Dev\n\temail = dev@example.com\n';
  const quiet = '[init]\n\tdefaultBranch = main\n[advice]\n\tpushUpdateRejected = false\n';
  writeFileSync(join(stage.root, 'gitconfig'), `${identity}${quiet}`);
  program(join(stage.root, 'bin/lanehold'), cliCommand());
  await stage.git('init', '--quiet', '--bare', stage.remote);
  await stage.git('init', '--quiet');
  await stage.git('remote', 'add', 'origin', stage.remote);
}

/** Writes a two-line program that stands for a longer command. */
function program(file: string, command: readonly string[]): void {
  const words = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  writeFileSync(file, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
  chmodSync(file, 0o755);
}

/** The command line of the CLI, on this Node or another. */
export function cliCommand(node: string = process.execPath): readonly [string, ...string[]] {
  return [node, cliProgram];
}

/** The command line of the hook program for an event of Claude Code, as an installation has it. */
export function hookCommand(event: string): readonly [string, ...string[]] {
  return [process.execPath, hookProgram, event, '--agent', 'claude-code'];
}

/** Plays a story on a stage and removes the stage, whether the story ends, fails or is interrupted. */
export async function withStage(
  label: string,
  play: (stage: Stage) => Promise<void>,
): Promise<void> {
  const stage = await openStage(label);
  await cleaningUp(
    () => stage.close(),
    () => play(stage),
  );
}
