/** Copies what a setup made: by the system's programs, since there may be a hundred thousand files. */
import { run } from '../base/process/run.ts';

const COPY_MS = 600_000;

/**
 * Copies a file or a folder with links as links: by reflink where the file system has it, else byte by
 * byte. Never by hard link: what a test writes into a file would be in all its copies.
 *
 * @returns whether everything was copied.
 */
export async function copyFolder(from: string, to: string): Promise<boolean> {
  const options =
    process.platform === 'darwin' ? ['-c', '-R', '-P', '-p'] : ['-a', '--reflink=auto'];
  return succeeds('cp', [...options, '--', from, to]);
}

/** Waits until the written data is on the disk. */
export async function syncFolder(folder: string): Promise<boolean> {
  return succeeds('sync', process.platform === 'linux' ? ['-f', folder] : []);
}

/** Whether one of the paths contains a link with an absolute path into the folder. */
export async function hasLinkInto(folder: string, paths: readonly string[]): Promise<boolean> {
  const pattern = folder.replaceAll(/[\\*?[\]]/g, '\\$&');
  const links = ['-type', 'l', '(', '-lname', pattern, '-o', '-lname', `${pattern}/*`, ')'];
  const args = [...paths.map((path) => `./${path}`), ...links, '-print', '-quit'];
  const outcome = await runTool('find', args, folder);
  // If the search failed, assume that there is one.
  return outcome.kind === 'failed' || outcome.exitCode !== 0 || outcome.stdout.length > 0;
}

const runTool = (program: string, args: readonly string[], cwd = '/') =>
  run(program, args, { cwd, env: ENVIRONMENT, timeoutMs: COPY_MS });

const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };

async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  const outcome = await runTool(program, args);
  return outcome.kind === 'exited' && outcome.exitCode === 0;
}
