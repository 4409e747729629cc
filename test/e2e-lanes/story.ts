/** From a goal to a push: lanes of two agents, a kill, a compaction, a conflict, and the gate. */
import { join } from 'node:path';
import type { DemoProject } from '../../scripts/demo/demo-project.ts';
import type { Env } from '../../scripts/demo/run.ts';
import { rows } from '../support/lane-facts.ts';
import { type MarkedProcess, processesMarked, signal } from '../support/marked-processes.ts';
import { until } from '../support/until.ts';
import type { Clients } from './clients.ts';
import { COMPACT_AT, coordinator, GOAL, STEPS, type Step } from './coordinator.ts';
import { FEATURE, setUpProject } from './project.ts';
import { answersOf } from './roles.ts';
import { setUpClients } from './set-up-clients.ts';
import { clashWorker, moment, portWorker, REPORTS, titleWorker } from './workers.ts';

export type Check = (what: string, holds: boolean, detail?: string) => void;

const RUN_LIMIT_MS = 240_000;
const WAIT_MS = 90_000;

export async function runStory(demo: DemoProject, clients: Clients, check: Check): Promise<void> {
  const start = await setUpProject(demo);
  const halfDone = moment();
  const killed: MarkedProcess[] = [];
  const answers = answersOf([
    coordinator(demo.project, {
      killed: async () => {
        await halfDone.reached;
        killed.push(...(await killLane(demo, 'port')));
      },
      quiet: () => atRest(demo, connected.env),
    }),
    portWorker(halfDone),
    titleWorker(),
    clashWorker(),
  ]);
  const connected = await setUpClients(demo, clients, answers.answer);
  const args = ['-p', '--output-format', 'json', '--allowedTools', 'Bash'];
  try {
    const { code, stderr, timedOut } = await demo.run(
      'claude',
      [...args, '--autocompact', String(COMPACT_AT)],
      { env: connected.env, input: 'Coordinate the lanes.', limitMs: RUN_LIMIT_MS },
    );
    check('the coordinator ends normally', code === 0 && !timedOut, stderr);
  } finally {
    await connected.close();
  }

  const shown = (step: Step): string => answers.shown('coordinator')[STEPS.indexOf(step)] ?? '';
  const includes = (what: string, step: Step, ...words: string[]): void =>
    check(
      what,
      words.every((word) => shown(step).includes(word)),
      shown(step).slice(-3000),
    );

  check('every question came from somebody of the story', answers.strangers.length === 0);
  check('its session was compacted once', answers.compactions() === 1);
  check('the worker of `port` and its supervisor were killed', killed.length >= 3);
  includes('after the compaction it is told of the run', 'resume', GOAL, 'port', 'title');
  const named = ['clash', 'src/port.js'].every((word) => shown('integrate').includes(word));
  check('the conflict is named', named, `${shown('integrate')}\n${endings(demo)}`);
  check(
    'Codex went on where it was killed, in the same session',
    answers.shown('port').length === 5 && answers.sessions('port').length === 1,
    answers.sessions('port').join('\n'),
  );
  check('the push is held', /\bh(eld|olds)\b/.test(shown('push')), shown('push'));
  includes('the denial names the feature', 'push', FEATURE);
  const heard = rows(homeOf(demo), "SELECT body FROM reports WHERE kind = 'claims_done'");
  check(
    'the words of both agents are heard, also from inside a sandbox',
    [REPORTS.port, REPORTS.title].every((words) => heard.some(({ body }) => body === words)),
    `${JSON.stringify(heard)}\n${answers.shown('port').at(-1)}`,
  );
  includes('the handoff says what has landed', 'handoff', 'port', 'title', 'landed');
  await checkRemote(demo, check, start);
  const left = marked(demo).filter((it) => it.attempt !== undefined);
  check('no process of a lane is left', left.length === 0, left.map((it) => it.command).join('\n'));
}

async function checkRemote(demo: DemoProject, check: Check, start: string): Promise<void> {
  const head = (await demo.remoteHead()) ?? '';
  check('the push went through in the end', head !== start && head !== '');
  const port = await demo.git('show', `${head}:src/port.js`);
  const title = await demo.git('show', `${head}:src/title.js`);
  check('both lanes are in it', port.includes('8080') && title.includes('Harbour'), port + title);
}

/** How each attempt ended, for whoever has to find out why a check does not hold. */
const endings = (demo: DemoProject): string =>
  rows(
    homeOf(demo),
    `SELECT l.key, a.n, a.state, a.end_reason, a.end_cause, a.end_detail, a.flags
       FROM attempts AS a JOIN lanes AS l ON l.id = a.lane_id ORDER BY l.key, a.n`,
  )
    .map((row) => JSON.stringify(row))
    .join('\n');

const homeOf = (demo: DemoProject) => ({ env: { LANEHOLD_HOME: join(demo.home, '.lanehold') } });

const marked = (demo: DemoProject): MarkedProcess[] => processesMarked(`HOME=${demo.home}`);

/** Kills a lane's worker, its guard and its supervisor at once, as a machine without memory does. */
async function killLane(demo: DemoProject, lane: string): Promise<MarkedProcess[]> {
  const worker = marked(demo).find(
    (it) => it.stage === 'worker' && it.worktree?.endsWith(`/${lane}`) === true,
  );
  const attempt = worker?.attempt;
  if (attempt === undefined) throw new Error(`nobody works on ${lane}`);
  const all = marked(demo).filter((it) => it.attempt === attempt || it.command.includes(attempt));
  return all.filter((it) => signal(it, 'SIGKILL'));
}

const AT_REST: ReadonlySet<string> = new Set(['verified', 'failed', 'cancelled', 'refused']);

/**
 * Asks now and then, as any command would: whoever asks sees to it that the lanes go on, and workers that
 * start by it have its environment, the clients' keys among it.
 */
async function atRest(demo: DemoProject, env: Env): Promise<void> {
  let said = '';
  await until(
    () => `the lanes to come to rest: ${said}`,
    async () => {
      const { stdout } = await demo.run('lanehold', ['orchestrate', 'status', '--json'], {
        env,
      });
      said = stdout;
      const lanes: readonly { readonly state: string }[] = JSON.parse(stdout).lanes;
      return lanes.every(({ state }) => AT_REST.has(state));
    },
    WAIT_MS,
  );
}
