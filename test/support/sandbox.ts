/** A test's own HOME, store, git configuration and repositories, and the built program. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { EventName } from '../../src/agents/types.ts';
import { GIT_CONFIG } from './git-config.ts';
import { answerInProcess, type HookStart } from './hook-in-process.ts';
import { type Ran, runNode, runSmall } from './program.ts';
import { removeTree } from './remove-tree.ts';
import { addCompiledCode, keepCompiledCode } from './used-home.ts';

const PACKAGE = resolve(import.meta.dirname, '../..');
export const HOOK_PROGRAM = join(PACKAGE, 'hooks/lanehold-hook.cjs');
export const CLI_PROGRAM = join(PACKAGE, 'bin/lanehold.js');

/** One start from this process instead of three: its size makes each of them slow. */
const COMMIT =
  'git add --all && git commit --quiet --allow-empty --message "$1" && git rev-parse HEAD';

/** What a hook is sent: an object goes out as JSON, text and bytes as they are. */
export type Payload = string | Buffer | Readonly<Record<string, unknown>>;

interface HookOptions extends Pick<HookStart, 'id' | 'isLeft'> {
  readonly agent?: string;
  /** Where the hook process stands; by default the sandbox's root. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** For `startHook`: its home gets no compiled code of earlier hooks. */
  readonly isFirst?: true;
}

/**
 * @param cleanUp registers what removes the sandbox. By default it goes when the test ends; for one
 *   that the tests of a file or a `describe` share, call `sandbox(afterAll)` outside of them.
 */
export function sandbox(cleanUp: (remove: () => void) => void = onTestFinished) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'lanehold-test-')));
  cleanUp(() => removeTree(root));
  const home = join(root, 'home');
  const laneholdHome = join(home, '.lanehold');
  mkdirSync(home);
  const gitConfig = join(home, '.gitconfig');
  writeFileSync(gitConfig, GIT_CONFIG);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    LANEHOLD_HOME: laneholdHome,
    GIT_CONFIG_GLOBAL: gitConfig,
    GIT_CONFIG_NOSYSTEM: '1',
    // A repository around the temporary folder is not the test's.
    GIT_CEILING_DIRECTORIES: dirname(root),
    NO_COLOR: '1',
    // No test waits for it; one that is about it starts it.
    LANEHOLD_BACKGROUND: 'off',
    // The same: each hook is answered by a process of its own.
    LANEHOLD_RESIDENT: 'off',
  };

  /** Writes a file and the folders above it; relative paths start at the root. Returns its path. */
  function write(path: string, content: string | Uint8Array): string {
    const file = resolve(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  /** Stdout of git in a folder, without the last line's end; fails the test if git fails. */
  const git = (directory: string, ...args: readonly string[]): string =>
    run(directory, 'git', args);

  function run(directory: string, program: string, args: readonly string[]): string {
    const stdout = execFileSync(program, args, {
      cwd: resolve(root, directory),
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return stdout.replace(/\n$/, '');
  }

  const hookStart = (event: EventName, payload: Payload, options: HookOptions): HookStart => ({
    args: [event, '--agent', options.agent ?? 'claude-code'],
    cwd: options.cwd ?? root,
    env: { ...env, ...options.env },
    id: options.id,
    isLeft: options.isLeft,
    input:
      typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
  });

  return {
    root,
    home,
    laneholdHome,
    env,
    write,
    git,
    /** An empty repository on branch `main`; returns its folder. */
    repo(name = 'repo', ...initArgs: readonly string[]): string {
      const folder = resolve(root, name);
      mkdirSync(folder, { recursive: true });
      git(folder, 'init', '--quiet', ...initArgs);
      return folder;
    },
    /** Commits all files of a working tree; returns the commit's id. */
    commit(directory: string, message = 'change'): string {
      return run(directory, 'sh', ['-c', COMMIT, 'sh', message]);
    },
    /** What the hook program answers, without its start. */
    hook(event: EventName, payload: Payload, options: HookOptions = {}): Promise<Ran> {
      return answerInProcess(hookStart(event, payload, options));
    },
    /** Starts the built hook program, as an agent would: for tests of what only a process shows. */
    async startHook(event: EventName, payload: Payload, options: HookOptions = {}): Promise<Ran> {
      const start = hookStart(event, payload, options);
      const isOwnHome = options.isFirst !== true && options.env?.LANEHOLD_HOME === undefined;
      if (isOwnHome) addCompiledCode(laneholdHome, event);
      const id = options.id === undefined ? [] : [`--event-id=${options.id}`];
      const ran = await runSmall(HOOK_PROGRAM, [...id, ...start.args], start);
      if (isOwnHome) await keepCompiledCode(laneholdHome, event);
      return ran;
    },
    /** Runs the built CLI in a folder. */
    cli(directory: string, ...args: readonly string[]): Promise<Ran> {
      return runNode(CLI_PROGRAM, args, { cwd: resolve(root, directory), env });
    },
  };
}

export type Sandbox = ReturnType<typeof sandbox>;
