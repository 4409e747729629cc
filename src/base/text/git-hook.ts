/** Names that the hook file, the program that it starts and the installation agree on. */

/** First argument of the hook program if git starts it, not an agent. */
export const GIT_PRE_PUSH = 'git-pre-push';

/** File in lanehold's home that git starts if its configuration says so. */
export const CONFIGURED_HOOK = 'git-pre-push';

/** Suffix for the name of the hook that was installed before. */
export const PREVIOUS_HOOK_SUFFIX = '.before-lanehold';
