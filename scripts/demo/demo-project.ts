/**
 * A demo project: a temporary folder with its own HOME (and so its own lanehold store) and git
 * configuration, a bare remote, a repository, and `lanehold` on PATH.
 */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { cleaningUp } from './interrupt.ts';
import { type Env, type Outcome, type RunOptions, run } from './run.ts';

export interface DemoProject {
  /** Everything lies below this folder; its path contains no symbolic links. */
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly remote: string;
  /** The complete environment of the programs that run in it. */
  readonly env: Env;
  /** Aborted on `close`; running programs end with it. */
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

/** Creates a demo project: an empty repository on `main` with the remote `origin`. */
async function openDemoProject(label: string): Promise<DemoProject> {
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
  const demo: DemoProject = {
    root,
    home,
    project,
    remote,
    env,
    signal: over.signal,
    run: (program, args, options = {}) =>
      run(program, args, { cwd: project, env, ...options, signal: over.signal }),
    git: async (...args) => {
      const { code, stdout, stderr } = await demo.run('git', args);
      if (code !== 0) throw new Error(`git ${args.join(' ')} failed:\n${stderr}`);
      return stdout.trim();
    },
    remoteHead: async () => {
      const args = ['--git-dir', remote, 'rev-parse', '--verify', '--quiet', 'refs/heads/main'];
      const { code, stdout } = await demo.run('git', args);
      return code === 0 ? stdout.trim() : undefined;
    },
    write: (file, text) => {
      const target = join(project, file);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
    },
    close: () => {
      over.abort(new Error('the demo project is closed'));
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    await setUp(demo);
  } catch (error) {
    demo.close();
    throw error;
  }
  return demo;
}

async function setUp(demo: DemoProject): Promise<void> {
  for (const folder of ['bin', 'tmp']) mkdirSync(join(demo.root, folder));
  for (const folder of [demo.home, demo.project]) mkdirSync(folder);
  const identity = '[user]\n\tname = Dev\n\temail = dev@example.com\n';
  const quiet = '[init]\n\tdefaultBranch = main\n[advice]\n\tpushUpdateRejected = false\n';
  writeFileSync(join(demo.root, 'gitconfig'), `${identity}${quiet}`);
  symlinkSync(cliProgram, join(demo.root, 'bin/lanehold'));
  await demo.git('init', '--quiet', '--bare', demo.remote);
  await demo.git('init', '--quiet');
  await demo.git('remote', 'add', 'origin', demo.remote);
}

/** The command line of the CLI, on this Node or another. */
export function cliCommand(node: string = process.execPath): readonly [string, ...string[]] {
  return [node, cliProgram];
}

/** The command line of the hook program for an event of Claude Code, as an installation has it. */
export function hookCommand(event: string, agent = 'claude-code'): readonly [string, ...string[]] {
  return [process.execPath, hookProgram, event, '--agent', agent];
}

/** Runs `work` in a demo project and removes it afterwards, also on failure or interruption. */
export async function withDemoProject(
  label: string,
  work: (demo: DemoProject) => Promise<void>,
): Promise<void> {
  const demo = await openDemoProject(label);
  await cleaningUp(
    () => demo.close(),
    () => work(demo),
  );
}
