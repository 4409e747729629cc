/** Which of an attempt's processes are whose, as their environment tells. */

/** What a supervisor itself starts: git, which goes on for a while if the supervisor is killed. */
export const OWN_STAGE = 'supervise';

/** What is started for the attempt, and ends with it. */
export const STARTED_STAGES = ['worker', 'setup', 'validate'] as const;

/** What a supervisor that takes over finds of the last one's own doing, and does anew. */
export const ABANDONED_STAGES = ['setup', 'validate', OWN_STAGE] as const;
