/** What `--wait` makes of the exit code, for the end of a command's help. */
export const WAIT_EXIT_CODES = `

With --wait the exit code is 0 if every lane that was waited for is verified, integrating, integrated
or landed, and 1 if one is in any other state: failed, conflict, culprit, stale, asks, parked, blocked,
cancelled meanwhile, or unable to start. The last line names those lanes and the next command. Lanes
that nobody has started, or that were cancelled before, do not count.`;
