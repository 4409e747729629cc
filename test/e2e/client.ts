/** Where the real clients come from: a variable, or an installation in the user's cache folder. */
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { cleaningUp } from '../../scripts/demo/interrupt.ts';
import { type Env, run } from '../../scripts/demo/run.ts';

const INSTALL_LIMIT_MS = 10 * 60_000;

/** There is no client to run on this machine; the message says why. */
export class NoClientError extends Error {}

export interface ClientPackage {
  /** On npm, with the version whose behaviour the adapter was written against. */
  readonly spec: string;
  readonly program: string;
  /** Names a program to use instead of installing one. */
  readonly variable: string;
}

/**
 * The path of the client's program.
 *
 * @throws {NoClientError} if it cannot be installed or does not start.
 */
export async function findClient(
  { spec, program, variable }: ClientPackage,
  progress: (line: string) => void,
): Promise<string> {
  const client =
    process.env[variable] ??
    join(await installedPackage(spec, program, progress), 'node_modules/.bin', program);
  // Some clients unpack themselves where they are told that home is.
  const env = { PATH: process.env.PATH ?? '', HOME: homedir() };
  try {
    const { code, stdout, stderr } = await run(client, ['--version'], { cwd: '/', env });
    if (code !== 0) throw new NoClientError(`${client} does not run here: ${stderr.trim()}`);
    progress(`client: ${stdout.trim().split('\n')[0]}, ${client}`);
  } catch (error) {
    if (error instanceof NoClientError) throw error;
    throw new NoClientError(`${client} does not start: ${(error as Error).message}`);
  }
  return client;
}

/**
 * Installs a package into a folder of the user's cache, if it is not there. Returns the folder.
 *
 * @throws {NoClientError}
 */
export async function installedPackage(
  spec: string,
  program: string,
  progress: (line: string) => void,
): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, 'lanehold-e2e', spec.replaceAll('/', '-'));
  if (existsSync(join(folder, 'node_modules/.bin', program))) return folder;
  progress(`installing ${spec} into ${folder} (minutes)`);
  mkdirSync(folder, { recursive: true });
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const over = new AbortController();
  const { code, stderr, timedOut } = await cleaningUp(
    () => over.abort(),
    () =>
      run('npm', ['install', '--prefix', folder, ...quiet, spec], {
        cwd: folder,
        // npm needs whatever the user has set to reach a registry.
        env: process.env as Env,
        limitMs: INSTALL_LIMIT_MS,
        signal: over.signal,
        onLine: (line) => progress(`  ${line}`),
      }),
  );
  if (timedOut) throw new NoClientError(`npm did not install ${spec} within 10 minutes`);
  const why = stderr.trim().split('\n')[0] ?? '';
  if (code !== 0) throw new NoClientError(`npm could not install ${spec}: ${why}`);
  return folder;
}
