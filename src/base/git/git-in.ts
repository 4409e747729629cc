/**
 * git everywhere but on the hook path: no hook of the repository runs, and objects are on the disk before the
 * ref that names them.
 */
import { type GitMaker, SAFE_CONFIG } from './git.ts';
import { smallGit } from './small-git.ts';

/** How long git may print nothing. */
const SILENCE_MS = 120_000;
/** The same where it writes a large tree, reads all of it, or downloads content on the way. */
export const CHECKOUT_MS = 900_000;

const UNATTENDED_CONFIG: readonly string[] = SAFE_CONFIG.concat(
  'core.hooksPath=/dev/null',
  'core.fsync=objects,reference',
  'core.fsyncMethod=batch',
);

export const gitIn: GitMaker = (directory, env, options = {}) => {
  const { ownHooks, timeoutMs = SILENCE_MS } = options;
  const config = ownHooks === true ? SAFE_CONFIG : UNATTENDED_CONFIG;
  return smallGit({ directory, env, options, timeoutMs, config, maySpeakOn: true, make: gitIn });
};
