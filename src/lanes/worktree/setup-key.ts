/** The digests of what the result of a setup command depends on. */
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../environment.ts';
import { matcher } from '../../features/match.ts';
import type { Git } from '../../git/git.ts';
import { splitNul } from '../../git/paths.ts';
import { treeAt } from '../../git/tree.ts';
import { run } from '../../process/run.ts';

/** Raised whenever the hashed bytes change shape. */
const FORMAT = 'setup/1';

export interface SetupDefinition {
  /** `undefined`: there is nothing to set up. */
  readonly command: string | undefined;
  /** Globs of the files that the command reads: lock files of package managers. */
  readonly keyFiles: readonly string[];
}

/** The hash of a commit's setup: part of what a validation depends on. */
export async function setupHash(
  git: Git,
  { command, keyFiles }: SetupDefinition,
  commit: string,
): Promise<string> {
  const { bases, matches } = matcher(keyFiles);
  const files = command === undefined ? [] : await treeAt(git, commit, bases);
  const lines = files
    .filter(({ path }) => matches(path))
    .map(({ mode, oid, path }) => `${mode} ${oid} ${path}`);
  return hash([FORMAT, command ?? '', ...lines.sort()]);
}

/** `undefined` if no file matches: then states of the project cannot be told apart. */
export async function setupCacheKey(
  git: Git,
  worktree: string,
  { command, keyFiles }: SetupDefinition,
  env: Environment,
): Promise<string | undefined> {
  const { matches } = matcher(keyFiles);
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const paths = [...new Set(splitNul(await git.text(args)))].filter(matches).sort();
  const files = paths.flatMap((path) => {
    const file = join(worktree, path);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    return stats?.isFile() ? [path, hash([readFileSync(file)])] : [];
  });
  if (files.length === 0) return undefined;
  const machine = [process.platform, process.arch, await nodeVersion(worktree, env)];
  return hash([FORMAT, command ?? '', ...machine, ...files]);
}

/** The version that the command will find: compiled files fit no other. */
async function nodeVersion(cwd: string, env: Environment): Promise<string> {
  const outcome = await run('node', ['--version'], { cwd, env });
  return outcome.kind === 'exited' ? outcome.stdout.toString('utf8').trim() : 'none';
}

function hash(parts: readonly (string | Buffer)[]): string {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part).update('\0');
  return digest.digest('hex');
}
