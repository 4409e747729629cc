/** git on the hook path, where a hang has to leave time for an answer. */
import { STAGE_VARIABLE } from '../environment.ts';
import { type GitMaker, SAFE_CONFIG } from './git.ts';
import { keptObjects } from './kept-objects.ts';
import { smallGit } from './small-git.ts';

/** Agents give their hooks some 20 s. */
const TIMEOUT_MS = 12_000;

export const hookGit: GitMaker = (directory, env, options = {}) => {
  const { timeoutMs = TIMEOUT_MS } = options;
  const wish = { directory, env, options, timeoutMs };
  const git = smallGit({ ...wish, config: SAFE_CONFIG, make: hookGit });
  const isShared = env[STAGE_VARIABLE] === undefined && Object.keys(options).length === 0;
  return isShared ? { ...git, objects: keptObjects(git.objects, directory) } : git;
};
