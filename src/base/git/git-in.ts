/**
 * git everywhere but on the hook path. No hook of the repository runs, and objects are on the disk before the ref that
 * names them.
 */
import { type GitMaker, SAFE_CONFIG } from './git.ts';
import { smallGit } from './small-git.ts';

/** How long git may take, or print nothing in a transfer whose progress is shown. */
const LIMIT_MS = 120_000;
/** The same where it writes a large tree, reads all of it, or downloads content on the way. */
export const CHECKOUT_MS = 900_000;

const UNATTENDED_CONFIG: readonly string[] = SAFE_CONFIG.concat(
  'core.hooksPath=/dev/null',
  'core.fsync=objects,reference',
  'core.fsyncMethod=batch',
);

export const gitIn: GitMaker = (directory, env, options = {}) => {
  const config = options.ownHooks === true ? SAFE_CONFIG : UNATTENDED_CONFIG;
  const { timeoutMs = LIMIT_MS } = options;
  return smallGit({ directory, env, options, config, timeoutMs, make: gitIn });
};
