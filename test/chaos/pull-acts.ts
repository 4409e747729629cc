/**
 * A person ends the work as a pull request, while the watcher, its `gh`, the lane's processes and the forge are
 * killed or stand still. Then everything that has to be true of forge, records and branch.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { attemptProcess } from '../support/attempt-processes.ts';
import type { Step } from '../support/fake-worker.ts';
import { laneEvents, rows } from '../support/lane-facts.ts';
import type { MarkedProcess } from '../support/marked-processes.ts';
import type { StandInForge } from '../support/stand-in-forge.ts';
import { ends, filesOf, killed, type Person } from './person-acts.ts';

export const PULL_ACTS = ['lane pr', 'land --pr'] as const;
export type PullAct = (typeof PULL_ACTS)[number];

interface Puller extends Person {
  readonly forge: StandInForge;
}

/** How long a person goes on looking; what is killed last is started again within ten seconds. */
const DEADLINE_MS = 120_000;

export async function pullAct(what: PullAct, it: Puller): Promise<void> {
  const trouble = disturbing(it);
  try {
    await DOES[what](it);
  } finally {
    await trouble.end();
  }
  const { project, run, forge, wrong } = it;
  await project
    .until('all to end', () => project.processes().length === 0, DEADLINE_MS)
    .catch((error: Error) => wrong.push(error.message));
  const wants = (fact: string, found: unknown, wanted: unknown): void => {
    if (found !== wanted) wrong.push(`${fact}: ${found}, not ${wanted}`);
  };
  const closed = forge.pulls.filter(({ state }) => state === 'CLOSED').length;
  wants('pull requests', forge.pulls.length, 1 + closed);
  wants('merged', laneEvents(project, 'pull.merged').length, 1);
  wants('landings', laneEvents(project, 'integration.landed').length, 1);
  wants('rounds', laneEvents(project, 'pull.answered').length, what === 'lane pr' ? 1 : 0);
  const asked = rows(project, "SELECT id FROM reports WHERE kind = 'ask'");
  wants('questions', asked.length, closed);
  const records = rows(project, "SELECT state FROM pull_requests WHERE state = 'open'");
  wants('records that are open', records.length, 0);
  const [lane] = rows(project, 'SELECT intent FROM runs');
  wants('the run', lane?.intent, 'closed');
  wants('the lane', run.lane('a').state, 'landed');
  project.git('fetch', '--quiet', 'origin');
  const lost = ['piece-0.txt', ...(what === 'lane pr' ? ['mended.txt'] : [])].filter(
    (path) => !filesOf(it, 'origin/main').includes(path),
  );
  if (lost.length > 0) wrong.push(`not at the forge: ${lost.join(', ')}`);
}

const MEND: readonly Step[] = [
  { write: { 'mended.txt': 'mended' } },
  { sleep: 400 },
  { write: { 'more.txt': 'more' } },
  { sleep: 400 },
];

const DOES: Readonly<Record<PullAct, (it: Puller) => Promise<void>>> = {
  async 'lane pr'(it) {
    const { project, run, forge, random } = it;
    project.setScenario({ lanes: { a: [MEND] }, checks: { unit: [[{ sleep: 300 }]] } });
    await opens(it, 'lane', 'pr', 'a');
    forge.check(1, 'unit', 'FAILURE');
    await tended(it, 'the mended work at the forge', () => {
      const { state, head_sha: head, branch } = run.lane('a');
      if (state !== 'verified' || forge.git('rev-parse', branch) !== head) return false;
      return forge.git('ls-tree', '--name-only', branch).includes('mended.txt');
    });
    forge.check(1, 'unit', 'SUCCESS');
    if (random() < 0.4) {
      forge.pull(1).state = 'CLOSED';
      await tended(it, 'the question', () => run.lane('a').state === 'asks');
      await opens(it, 'lane', 'pr', 'a');
    }
    await merged(it);
  },
  async 'land --pr'(it) {
    await ends(it, 0, 'integrate');
    await opens(it, 'land', '--pr');
    await merged(it);
  },
};

async function merged(it: Puller): Promise<void> {
  const { run, forge, random } = it;
  const how = (['merge', 'squash', 'rebase'] as const)[Math.floor(random() * 3)] ?? 'merge';
  forge.merge(forge.pulls.length, how);
  await tended(it, 'the lane to land', () => run.lane('a').state === 'landed');
}

/** As a person does: the command is killed on the way, and run again until the forge was there. */
async function opens(it: Puller, ...args: readonly string[]): Promise<void> {
  if (it.random() < 0.5) await killed(it, args);
  let said = '';
  await it.project.until(
    () => `${args.join(' ')}: ${said}`,
    async () => {
      const { exitCode, stdout, stderr } = await it.project.orchestrate(...args);
      said = `${stdout}${stderr}`;
      return exitCode === 0;
    },
    DEADLINE_MS,
  );
}

/** Somebody looks now and then, and starts work again that has failed because it was killed. */
async function tended(it: Puller, what: string, is: () => boolean): Promise<void> {
  const { project, run } = it;
  await project.until(
    () => `${what}: ${JSON.stringify(factsOf(it))}`,
    async () => {
      await project.orchestrate('sync');
      if (run.lane('a').state === 'failed') await project.orchestrate('retry', 'a');
      await sleep(300);
      return is();
    },
    DEADLINE_MS,
  );
}

function factsOf({ project, run, forge }: Puller) {
  const { state, intent, attempts } = run.lane('a');
  const ends = attempts.map((it) => [it.kind, it.state, it.end_reason, it.end_detail]);
  const seen = forge.pulls.map((it) => [it.state, it.headSha]);
  const known = rows(project, 'SELECT state, head_sha, rounds, problem FROM pull_requests');
  const asked = rows(project, "SELECT body FROM reports WHERE kind = 'ask'");
  return { state, intent, ends, seen, known, asked };
}

/** Each of these happens so often at most: who watches is started again ten seconds after the last start. */
const MOST = { watcher: 2, pause: 2, gh: 3, forge: 4, answer: 3, lane: 3 } as const;

/** Something is killed, or stands still for a moment, until it is ended. */
function disturbing(it: Puller) {
  const { project, forge, random } = it;
  const left = Object.entries(MOST).flatMap(([what, count]) => Array<string>(count).fill(what));
  let isOver = false;
  const named = (part: string): MarkedProcess[] =>
    project.processes().filter(({ command }) => command.includes(part));
  const stopped = async (found: readonly MarkedProcess[], ms: number): Promise<void> => {
    for (const one of found) project.signal(one, 'SIGSTOP');
    await sleep(ms);
    for (const one of found) project.signal(one, 'SIGCONT');
  };
  const happens: Readonly<Record<string, () => unknown>> = {
    watcher: () => named('--pulls=').map((one) => project.signal(one, 'SIGKILL')),
    pause: () => stopped(named('--pulls='), random() * 1_500),
    gh: () => named('gh api').map((one) => project.signal(one, 'SIGKILL')),
    async forge() {
      forge.mode = random() < 0.5 ? 'down' : 'frozen';
      await sleep(random() * 1_000);
      forge.mode = 'up';
    },
    answer: () => forge.trouble.push({ word: '', how: 'lose-answer' }),
    lane() {
      const part = (['worker', 'guard', 'supervisor'] as const)[Math.floor(random() * 3)];
      const found = part && attemptProcess(project, 'a', part);
      if (found !== undefined) project.signal(found, 'SIGKILL');
    },
  };
  const running = (async () => {
    while (!isOver && left.length > 0) {
      await sleep(random() * 900);
      const [what = ''] = left.splice(Math.floor(random() * left.length), 1);
      await happens[what]?.();
    }
  })();
  return {
    async end(): Promise<void> {
      isOver = true;
      await running;
    },
  };
}
