/** git on the hook path, where no library is loaded and a hang has to leave time for an answer. */
import { type Environment, STAGE_VARIABLE } from '../environment.ts';
import { factCache } from '../files/fact-cache.ts';
import { cachedReader } from './cached-objects.ts';
import { type GitMaker, gitBy, isDropped, READING, SAFE_CONFIG, SETTINGS_VARIABLE } from './git.ts';
import { type Prefetched, prefetchedFor } from './prefetched.ts';
import { smallGit } from './small-git.ts';

/** Agents give their hooks some 20 s. */
const TIMEOUT_MS = 12_000;

export const hookGit: GitMaker = (directory, env, options = {}) => {
  const isOfEvent = env[STAGE_VARIABLE] === undefined && Object.keys(options).length === 0;
  const prefetched = isOfEvent ? prefetchedIn(directory, env) : undefined;
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
    prefetched,
    cache,
    async attempt(args, input) {
      const known = input === undefined ? await prefetched?.answer(args) : undefined;
      if (known !== undefined) return { exitCode: 0, stdout: known.toString('utf8'), stderr: '' };
      const { exitCode, stdout, stderr } = await start(args, input);
      return { exitCode, stdout: stdout.toString('utf8'), stderr };
    },
  });
};

/** git of the script had the whole environment of the hook. */
function prefetchedIn(directory: string, env: Environment): Prefetched | undefined {
  const prefetched = prefetchedFor(env);
  if (prefetched?.directory !== directory || env[SETTINGS_VARIABLE]) return undefined;
  const isSame = (name: string) => !isDropped(name) || name in READING || UNUSED.test(name);
  return Object.keys(env).every(isSame) ? prefetched : undefined;
}

/** Agents set them; reading uses none of them. */
const UNUSED = /^GIT_(?:EDITOR|SEQUENCE_EDITOR|PAGER|ASKPASS|SSH|SSH_COMMAND)$/;
