/** git on the hook path, where a hang has to leave time for an answer. */
import { type GitMaker, SAFE_CONFIG } from './git.ts';
import { smallGit } from './small-git.ts';

/** Agents give their hooks about 20 s. */
const TIMEOUT_MS = 12_000;

export const hookGit: GitMaker = (directory, env, options = {}) => {
  const { timeoutMs = TIMEOUT_MS } = options;
  return smallGit({ directory, env, options, timeoutMs, config: SAFE_CONFIG, make: hookGit });
};
