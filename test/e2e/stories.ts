/** The stories that every client has to live through, told by what its driver knows. */
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliCommand, type DemoProject, hookCommand } from '../../scripts/demo/demo-project.ts';
import type { Outcome } from '../../scripts/demo/run.ts';
import type { Driver, Prompted, Speaking } from './driver.ts';
import { filesBelow, whatDiffers } from './home.ts';
import { leavingStories } from './leaving-stories.ts';
import { type PreparedTurn, playTurns, type Turn } from './model.ts';
import { commit, FEATURE, PUSH, SOURCE, setUpProject, succeed } from './project.ts';
import type { Check, Story } from './story.ts';

const RUN_LIMIT_MS = 180_000;

export interface TurnsRun {
  /** What the model was newly shown before each of its turns. */
  readonly shown: readonly string[];
  /** What the client told it beside the conversation, before each of its turns. */
  readonly standing: readonly string[];
  /** The commit at the remote's `main` before each turn; the last entry is after the run. */
  readonly remote: readonly (string | undefined)[];
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const TASK: Prompted = { prompt: 'Do the task.', goesOn: false };

/** Plays turns in one headless run of the client in the demo project. */
export async function runTurns(
  driver: Speaking,
  client: string,
  demo: DemoProject,
  turns: readonly PreparedTurn[],
  asked = TASK,
): Promise<TurnsRun> {
  const remote: (string | undefined)[] = [];
  const { answer, shown, standing } = playTurns(turns, async (turn) => {
    remote[turn] ??= await demo.remoteHead();
  });
  const model = await driver.startModel(answer);
  try {
    driver.prepare?.(demo, model);
    const { args, env, input } = driver.headless(demo, model, asked);
    const { code, stdout, stderr, timedOut } = await demo.run(client, args, {
      env: { ...demo.env, ...NOBODY_ELSE, ...env },
      limitMs: RUN_LIMIT_MS,
      ...(input === undefined ? {} : { input }),
    });
    if (timedOut) {
      throw new Error(`the client did not end within ${RUN_LIMIT_MS / 1000} s:\n${stderr}`);
    }
    remote.push(await demo.remoteHead());
    return { shown, standing, remote, code, stdout, stderr };
  } finally {
    await model.close();
  }
}

/** Whatever is not on this machine ends at a closed port. */
const NOBODY_ELSE = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  ALL_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
};

const SILENT_SESSION = /no hook of .+ ran in 1 session/;

/** Hooks that lanehold takes for dead. */
async function gapsOf(
  demo: DemoProject,
): Promise<readonly { readonly agent: string; readonly kind: string }[]> {
  return JSON.parse(await succeed(demo, 'lanehold', ['status', '--json'])).gaps;
}

/** Transcripts tell of no command that a hook was not asked about. */
export async function checkNoGaps(check: Check, demo: DemoProject): Promise<void> {
  const gaps = await gapsOf(demo);
  check('no hook is taken for dead', gaps.length === 0, JSON.stringify(gaps));
}

/** Hooks only: git itself would hold what a hook lets pass. */
export async function install(
  { agent }: Pick<Speaking, 'agent'>,
  demo: DemoProject,
  more: readonly string[] = ['--user'],
): Promise<void> {
  const [program, ...args] = cliCommand();
  const options = ['--agent', agent, '--yes', '--no-git-hook', ...more];
  await succeed(demo, program, [...args, 'install', ...options]);
}

/** Turns in which the client's own tools change the port, and its shell commits that. */
export function changeTurns(driver: Driver, demo: DemoProject): readonly Turn[] {
  return [
    ...driver.edit(demo, SOURCE, '3000', '4000'),
    { use: [driver.shell(`${commit('Change the port')} && echo committed`)] },
  ];
}

export function storiesOf(driver: Driver): readonly Story[] {
  const shell = (command: string): Turn => ({ use: [driver.shell(command)] });
  const play = (client: string, demo: DemoProject, turns: readonly PreparedTurn[]) =>
    runTurns(driver, client, demo, turns);
  const done: Turn = { say: 'Done.' };

  const stories: Story[] = [
    {
      name: 'edit, held push, verify and push in one command',
      run: async (client, demo, check) => {
        const start = await setUpProject(demo);
        await install(driver, demo);
        const change = changeTurns(driver, demo);
        const held = change.length + 1;
        const first = await play(client, demo, [
          ...change,
          shell(PUSH),
          (shown) => shell(wayOut(shown)),
          driver.edit(demo, SOURCE, '4000', '5000').at(-1) ?? done,
          done,
        ]);
        check('the client ends normally', first.code === 0, first.stderr);
        checkDenial(check, first, held);
        const head = await demo.git('rev-parse', 'HEAD');
        const passed = first.remote[held + 1] === head && head !== start;
        check('one command verifies, and pushes', passed, first.shown[held + 1]);
        const second = await play(client, demo, [shell('git status --short'), done]);
        const opening = second.shown[0] ?? '';
        check('the next session starts with what is pending', opening.includes(FEATURE), opening);
        check('and may look around', (second.shown[1] ?? '').includes(SOURCE), second.shown[1]);
        await checkNoGaps(check, demo);
      },
    },
    {
      name: 'a hook that crashes',
      run: async (client, demo, check) => {
        const start = await setUpProject(demo);
        await install(driver, demo);
        breakHooks(demo);
        const change = changeTurns(driver, demo);
        const ran = await play(client, demo, [
          shell('git status --short --branch'),
          ...change,
          shell(PUSH),
          done,
        ]);
        const denial = ran.shown[change.length + 2] ?? '';
        const committed = ran.shown[change.length + 1] ?? '';
        check('a harmless command runs', (ran.shown[1] ?? '').includes('## main'), ran.shown[1]);
        check('edits and commits go on', committed.includes('committed'), committed);
        check('the push is refused', ran.remote.at(-1) === start, denial);
        const says = /lanehold (?:doctor|install)|npm install/.test(denial);
        check('the refusal says how to repair it', says, denial);
      },
    },
    {
      name: 'hooks that were switched off',
      run: async (client, demo, check) => {
        const start = await setUpProject(demo);
        await install(driver, demo);
        driver.switchOff(demo);
        const change = changeTurns(driver, demo);
        const ran = await play(client, demo, [...change, shell(PUSH), done]);
        const left = ran.remote.at(-1) !== start;
        const last = ran.shown.at(-1) ?? ran.stderr;
        if (driver.pushesWhenOff === false) check('nothing leaves', !left, last);
        else check('without hooks the push leaves', left, last);
        const { code, stdout, stderr } = await demo.run('lanehold', ['doctor']);
        const said = stdout + stderr;
        check('doctor says so', driver.switchedOffSaid.test(said), said);
        check('and fails', code !== 0, said);
        // The transcript of the client itself shows that there was a session.
        check('it names the session without hooks', SILENT_SESSION.test(said), said);
        const gaps = await gapsOf(demo);
        const isSilent = gaps.some((it) => it.agent === driver.agent && it.kind === 'silent');
        check('and so does status', isSilent, JSON.stringify(gaps));
      },
    },
    {
      name: 'an installation that is taken out again',
      run: async (client, demo, check) => {
        await setUpProject(demo);
        const before = await play(client, demo, [shell('echo here'), done]);
        check('the client runs without lanehold', (before.shown[1] ?? '').includes('here'));
        const own = /^\.lanehold(?:\/|$)/;
        const clean = filesBelow(demo.home, own);
        await install(driver, demo);
        check('something is installed', whatDiffers(clean, filesBelow(demo.home, own)) !== '');
        const [program, ...args] = cliCommand();
        await succeed(demo, program, [...args, 'uninstall']);
        const left = whatDiffers(clean, filesBelow(demo.home, own));
        check('the home folder is as it was, byte for byte', left === '', left);
        await install(driver, demo);
        await play(client, demo, [shell('echo here'), done]);
        await succeed(demo, program, [...args, 'uninstall']);
        const used = whatDiffers(clean, filesBelow(demo.home, own), driver.ownFiles);
        check('also when the client has run in between', used === '', used);
        const after = await play(client, demo, [shell('echo here'), done]);
        check('the client runs as before', (after.shown[1] ?? '').includes('here'), after.stderr);
      },
    },
  ];

  stories.push(...leavingStories(driver, { play, install: (demo) => install(driver, demo) }));
  const { subAgent, worker } = driver;
  if (subAgent !== undefined) {
    stories.push({
      name: 'a push by a sub-agent',
      run: async (client, demo, check) => {
        const start = await setUpProject(demo);
        await install(driver, demo);
        const change = changeTurns(driver, demo);
        const ran = await play(client, demo, [...change, ...subAgent(PUSH), done]);
        const denied = ran.shown.slice(change.length).join('\n');
        check('it is held', /\bh(?:eld|olds)\b/.test(denied), denied);
        check('nothing reached the remote', ran.remote.at(-1) === start, denied);
        await checkNoGaps(check, demo);
      },
    });
  }
  if (worker !== undefined) {
    stories.push(laneStory(driver, worker), projectHooksStory(driver, worker));
  }
  return stories;
}

/** The client works on a lane: it changes a file, tries to push, and reports. */
async function workOnLane(
  driver: Driver,
  worker: Readonly<Record<string, unknown>>,
  demo: DemoProject,
  check: Check,
  then: (lanes: (...args: string[]) => Promise<Outcome>) => Promise<void> = async () => undefined,
): Promise<void> {
  const shell = (command: string): Turn => ({ use: [driver.shell(command)] });
  const { answer, shown } = playTurns(
    [
      shell(`sed -i.bak s/3000/8080/ ${SOURCE} && rm ${SOURCE}.bak && cat ${SOURCE}`),
      shell('git push origin HEAD:main'),
      shell("lanehold orchestrate report --done 'The port is 8080'"),
      { say: 'The port is 8080.' },
    ],
    async () => undefined,
  );
  const model = await driver.startModel(answer);
  try {
    driver.prepare?.(demo, model);
    const env = { ...demo.env, ...NOBODY_ELSE, ...driver.headless(demo, model, TASK).env };
    const lanes = (...args: string[]) =>
      demo.run('lanehold', ['orchestrate', ...args], { env, limitMs: 240_000 });
    const settings = JSON.stringify({ adapter: driver.agent, ...worker });
    await succeed(demo, 'lanehold', ['config', 'set', 'lanes.workers.here', settings]);
    await lanes('init', 'Move the server');
    const validate = ['--validate', `grep -q 8080 ${SOURCE}`];
    await lanes('lane', 'add', 'port', '--desc', 'Use port 8080', '--agent', 'here', ...validate);
    const start = await demo.remoteHead();
    const ran = await lanes('spawn', 'port', '--wait');
    const logs = await lanes('logs', 'port');
    const why = `${ran.stdout}${ran.stderr}\n${shown.join('\n---\n').slice(-4000)}\n${logs.stdout.slice(-3000)}`;
    check('its work is verified', ran.stdout.includes('port: verified'), why);
    check('its hook refuses the push', (shown[2] ?? '').includes('lanehold'), why);
    check('nothing reached the remote', (await demo.remoteHead()) === start, why);
    await then(lanes);
  } finally {
    await model.close();
  }
}

/** Hooks that are installed for the project lie in no commit, so that a lane's tree is without them. */
function projectHooksStory(driver: Driver, worker: Readonly<Record<string, unknown>>): Story {
  return {
    name: 'a worker of a lane where the hooks are installed for the project only',
    run: async (client, demo, check) => {
      await setUpProject(demo);
      symlinkSync(client, join(demo.root, 'bin', driver.client.program));
      await install(driver, demo, ['--project', ...(driver.workerInstall ?? [])]);
      await workOnLane(driver, worker, demo, check);
    },
  };
}

function laneStory(driver: Driver, worker: Readonly<Record<string, unknown>>): Story {
  const shell = (command: string): Turn => ({ use: [driver.shell(command)] });
  return {
    name: 'a worker of a lane, whose work is verified and pushed',
    run: async (client, demo, check) => {
      await setUpProject(demo);
      symlinkSync(client, join(demo.root, 'bin', driver.client.program));
      await install(driver, demo, ['--user', ...(driver.workerInstall ?? [])]);
      await workOnLane(driver, worker, demo, check, async (lanes) => {
        await lanes('integrate');
        const landed = await lanes('land');
        check('it lands', landed.code === 0, landed.stdout + landed.stderr);
      });
      const pushed = await runTurns(driver, client, demo, [
        shell(PUSH),
        (shown) => shell(wayOut(shown)),
        { say: 'Done.' },
      ]);
      check(
        'its push is held like any other',
        /\bh(?:eld|olds)\b/.test(pushed.shown[1] ?? ''),
        pushed.shown[1],
      );
      const head = await demo.git('rev-parse', 'main');
      check('verified, it goes through', pushed.remote.at(-1) === head, pushed.shown[2]);
    },
  };
}

/** The command that a denial names. */
export function wayOut(shown: string): string {
  return new RegExp(`Verify: (.+? && ${PUSH})`).exec(shown)?.[1] ?? 'echo no way out is named';
}

/** The model was shown a refusal that names the feature and the way out, before turn `turn`. */
export function checkDenial(
  check: Check,
  { shown, remote }: Pick<TurnsRun, 'shown' | 'remote'>,
  turn: number,
): void {
  const text = shown[turn] ?? '';
  check('the push is held', /\bh(eld|olds)\b/.test(text) && remote[turn] === remote[0], text);
  check('the denial names the feature', text.includes(FEATURE), text);
  check('the denial names the way out', /lanehold(?:\.js)? feature verify/.test(text), text);
}

/** Whatever was installed starts a hook program that is not there, as after a package was moved. */
export function breakHooks(demo: DemoProject): void {
  const program = hookCommand('stop')[1] ?? '';
  const moved = join(demo.root, 'moved/hook.cjs');
  for (const entry of readdirSync(demo.home, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !/\.(?:json|toml|js|ts|mjs|md|yaml|yml)$/.test(entry.name)) continue;
    const text = readFileSync(file, 'utf8');
    if (text.includes(program)) writeFileSync(file, text.replaceAll(program, moved));
  }
}
