/** git on the hook path, where no library is loaded and a hang has to leave time for an answer. */
import { STAGE_VARIABLE } from '../environment.ts';
import { factCache } from '../files/fact-cache.ts';
import { cachedReader } from './cached-objects.ts';
import { type GitMaker, gitBy, SAFE_CONFIG } from './git.ts';
import { smallGit } from './small-git.ts';

/** Agents give their hooks some 20 s. */
const TIMEOUT_MS = 12_000;

export const hookGit: GitMaker = (directory, env, options = {}) => {
  const isOfEvent = env[STAGE_VARIABLE] === undefined && Object.keys(options).length === 0;
  const cache = isOfEvent ? factCache(env, directory) : undefined;
  const { start, bytes, objects } = smallGit(
    { directory, env, options, config: SAFE_CONFIG, timeoutMs: options.timeoutMs ?? TIMEOUT_MS },
    (read) => (cache ? cachedReader(read, cache) : read),
  );
  return gitBy({
    directory,
    gitDir: options.gitDir,
    at: (other, its) => hookGit(other, env, its),
    bytes,
    objects,
    cache,
    async attempt(args, input) {
      const { exitCode, stdout, stderr } = await start(args, input);
      return { exitCode, stdout: stdout.toString('utf8'), stderr };
    },
  });
};
