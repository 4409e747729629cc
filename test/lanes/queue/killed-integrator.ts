/**
 * Integrates a run and kills itself when it has said so many lines of progress.
 * Arguments: id of the run, number of the line.
 */

import { homeOf } from '../../../src/base/files/home.ts';
import { integrate } from '../../../src/lanes/queue/integrate.ts';
import { runStore } from '../../../src/store/lanes.ts';
import { openStore } from '../../../src/store/open.ts';

const [runId = '', last = '0'] = process.argv.slice(2);
const { env } = process;
const store = await openStore(homeOf(env));
const run = runStore(store).byId(runId);
if (run === undefined) throw new Error(`no run ${runId}`);
let said = 0;
await integrate({ store, env, now: () => new Date() }, run, {
  signal: new AbortController().signal,
  progress: () => {
    said += 1;
    if (said === Number(last)) process.kill(process.pid, 'SIGKILL');
  },
});
