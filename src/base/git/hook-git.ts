/** git on the hook path, where no library is loaded and a hang has to leave time for an answer. */
import { STAGE_VARIABLE } from '../environment.ts';
import { type GitMaker, gitBy, SAFE_CONFIG } from './git.ts';
import { keptObjects } from './kept-objects.ts';
import { smallGit } from './small-git.ts';

/** Agents give their hooks some 20 s. */
const TIMEOUT_MS = 12_000;

export const hookGit: GitMaker = (directory, given, options = {}) => {
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const wish = { directory, env: given, options, config: SAFE_CONFIG, timeoutMs };
  const { start, bytes, objects, env } = smallGit(wish);
  const isShared = given[STAGE_VARIABLE] === undefined && Object.keys(options).length === 0;
  return gitBy({
    directory,
    gitDir: options.gitDir,
    env,
    config: SAFE_CONFIG,
    at: (other, its) => hookGit(other, given, its),
    bytes,
    objects: isShared ? keptObjects(objects, directory) : objects,
    async attempt(args, input) {
      const { exitCode, stdout, stderr } = await start(args, input);
      return { exitCode, stdout: stdout.toString('utf8'), stderr };
    },
  });
};
