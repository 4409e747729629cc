/**
 * A home with installed agents and two projects, in which a story is played: events as agents send them, through
 * the lines of their own settings, and what others do meanwhile. Two worlds of one place are the same to the byte,
 * but for the way in which events are answered: by a Node of their own (cold), or by the resident process (warm).
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { InstalledHook } from '../../../../src/agents/install.ts';
import { installHooks } from '../../../../src/app/setup/installation.ts';
import { homeOf } from '../../../../src/base/files/home.ts';
import { createContext } from '../../../../src/fronts/cli/command.ts';
import { main } from '../../../../src/fronts/main.ts';
import { type Installer, installers } from '../../../../src/install/targets.ts';
import { presentIn } from '../../../../src/install/verify.ts';
import { PROTOCOL } from '../../../../src/moments/resident/address.ts';
import { askResidents } from '../../../../src/moments/resident/ask.ts';
import { bufferedHost } from '../../../support/buffered-host.ts';
import { GIT_CONFIG } from '../../../support/git-config.ts';
import { removeTree } from '../../../support/remove-tree.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { countIn, recordsOf, STEP_MS } from './records.ts';

const PACKAGE = resolve(import.meta.dirname, '../../../..');
const RECORDED_PROJECT = '/home/dev/project';
const RECORDED_HOME = '/home/dev';

/**
 * For programs of a world: a clock that goes slowly from the time that a file says, so that what takes longer on a
 * busy machine is at the same time nevertheless.
 */
const CLOCK = `
const { readFileSync } = require('node:fs');
const RealDate = Date;
const now = () => {
  const [told, since] = readFileSync(__dirname + '/clock', 'utf8').split(' ').map(Number);
  return told + Math.floor(Math.max(0, RealDate.now() - since) / 20);
};
globalThis.Date = class Date extends RealDate {
  constructor(...values) {
    if (values.length === 0) super(now());
    else super(...values);
  }
  static now() {
    return now();
  }
};
`;

export type Way = 'cold' | 'warm';

/** Longer than any agent waits that is not broken. */
const LIMIT_MS = 60_000;

/** Agents whose programs give hooks a pipe; those that run on Node give them a socket. */
const WITH_PIPES: readonly string[] = ['codex', 'grok', 'kiro', 'windsurf', 'antigravity'];

export interface Said {
  readonly stdout: string;
  readonly stderr: string;
  /** `null` if a signal ended it. */
  readonly exitCode: number | null;
}

export type Sent = string | Buffer | object;

export interface Sending {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly way?: Way;
}

interface PlaceWish {
  /** Time goes as it does elsewhere: for what is about waiting. */
  readonly realTime?: true;
}

/** Where worlds are made one after the other, with a copy of what the package's hooks are. */
export function makePlace({ realTime }: PlaceWish = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'lanehold-ways-')));
  const copy = join(root, 'package');
  mkdirSync(join(copy, 'hooks'), { recursive: true });
  for (const name of readdirSync(PACKAGE)) {
    if (name !== 'hooks' && !name.startsWith('.'))
      symlinkSync(join(PACKAGE, name), join(copy, name));
  }
  cpSync(join(PACKAGE, 'hooks'), join(copy, 'hooks'), { recursive: true });
  const hook = join(copy, 'hooks/lanehold-hook.cjs');
  writeFileSync(join(root, 'clock.cjs'), CLOCK);
  // The clock of whatever the hook program is: also of one that nobody gives an environment.
  const moved = `require(${JSON.stringify(join(root, 'clock.cjs'))});\n`;
  if (!realTime) writeFileSync(hook, moved + readFileSync(hook, 'utf8'));
  const start = Math.floor(Date.now() / STEP_MS) * STEP_MS;
  return {
    root,
    hook,
    /** When each world begins. */
    start,
    remove: () => removeTree(root),
  };
}

export type Place = ReturnType<typeof makePlace>;

interface Wish {
  readonly agents: readonly string[];
  /** Of each event of which nothing else is said. */
  readonly way: Way;
  /** Where lanehold keeps what it has; by default in the home of the user. */
  readonly laneholdHome?: string;
}

/** @returns a world that ends with `end()`. */
export async function makeWorld(place: Place, { agents, way, ...wish }: Wish) {
  const root = join(place.root, 'world');
  removeTree(root);
  const home = join(root, 'home');
  const laneholdHome = wish.laneholdHome ?? join(home, '.lanehold');
  mkdirSync(home, { recursive: true });
  const gitConfig = join(home, '.gitconfig');
  writeFileSync(gitConfig, GIT_CONFIG);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: join(root, 'tmp'),
    LANEHOLD_HOME: laneholdHome,
    GIT_CONFIG_GLOBAL: gitConfig,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CEILING_DIRECTORIES: root,
    NO_COLOR: '1',
    LANEHOLD_BACKGROUND: 'off',
  };
  mkdirSync(env.TMPDIR);
  const story: (readonly [what: string, said: unknown])[] = [];
  let steps = 0;
  let events = 0;
  let setBackMs = 0;
  const now = (): Date => new Date(place.start + steps * STEP_MS - setBackMs);
  /** Each step of a story is at a time of its own. */
  const step = (): void => {
    steps += 1;
    const file = join(place.root, 'clock');
    writeFileSync(`${file}.new`, `${now().getTime()} ${Date.now()}`);
    renameSync(`${file}.new`, file);
  };
  step();

  function write(path: string, content: string | Uint8Array): string {
    const file = resolve(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  function git(folder: string, ...args: readonly string[]): string {
    const date = now().toISOString();
    return execFileSync('git', args, {
      cwd: resolve(root, folder),
      env: { ...env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd();
  }

  function project(name: string, registry: object): string {
    const [repo, remote] = [join(root, name), join(root, `${name}.git`)];
    for (const it of [repo, remote]) mkdirSync(it, { recursive: true });
    git(remote, 'init', '--quiet', '--bare');
    git(repo, 'init', '--quiet');
    const files = {
      'lanehold.json': JSON.stringify(registry, null, 2),
      'src/cart/add.ts': 'one\n',
      'src/checkout/pay.ts': 'one\n',
      'README.md': 'one\n',
    };
    for (const [path, text] of Object.entries(files)) write(join(repo, path), text);
    commit(repo, 'first');
    git(repo, 'remote', 'add', 'origin', remote);
    git(repo, 'push', '--quiet', '--set-upstream', 'origin', 'main');
    return repo;
  }

  function commit(folder: string, message = 'change'): void {
    git(folder, 'add', '--all');
    git(folder, 'commit', '--quiet', '--allow-empty', '--message', message);
  }

  const [shop, other] = [project('shop', REGISTRY), project('other', REGISTRY)];

  /** What a person does in a terminal; only its exit code is part of the story. */
  async function lanehold(folder: string, ...argv: readonly string[]): Promise<Said> {
    step();
    const { host, said } = bufferedHost(argv, {
      env,
      cwd: () => resolve(root, folder),
      now,
    });
    const exitCode = await withKnownChance(steps, () => main(host));
    const hook = join(resolve(root, folder), '.git/hooks/pre-push');
    // This command is not of the copy whose hooks are tried.
    if (argv[0] === 'git-hook' && existsSync(hook))
      writeFileSync(
        hook,
        readFileSync(hook, 'utf8').replaceAll(`${PACKAGE}/hooks/`, `${dirname(place.hook)}/`),
      );
    story.push([`lanehold ${argv.join(' ')}`, exitCode]);
    return { ...said, exitCode };
  }

  // Hooks of an agent that a user has made stand in its own file.
  write(join(home, '.kiro/agents/dev.json'), '{"name": "dev"}\n');
  const all = await installers();
  const found = new Map<string, { installer: Installer; hooks: readonly InstalledHook[] }>();
  const context = createContext(bufferedHost([], { env, cwd: () => shop, now }).host, {});
  const runtime = { node: process.execPath, hook: place.hook };
  for (const name of agents) {
    const installer = all.find((it) => it.name === name);
    if (installer === undefined) throw new Error(`no installer of ${name}`);
    await installHooks(context, { agents: [name], scope: 'user', dryRun: false }, runtime);
    const hooks = installer
      .files('user', context, { ...runtime, script: '' })
      .filter(({ what }) => what.startsWith('hooks'))
      .flatMap((file) => presentIn(file, homeOf(env), runtime)?.found ?? []);
    found.set(name, { installer, hooks });
  }

  /** What the agent starts at an event: nothing, where its settings have no hook for it. */
  function linesAt(agent: string, event: string): readonly string[] {
    const hooks = found.get(agent)?.hooks ?? [];
    return [...new Set(hooks.filter((it) => it.event === event).map(({ line }) => line))];
  }

  const asSent = (payload: Sent, folder: string): Buffer =>
    typeof payload === 'string' || Buffer.isBuffer(payload)
      ? Buffer.from(payload)
      : Buffer.from(
          JSON.stringify(payload)
            .replaceAll(RECORDED_PROJECT, folder)
            .replaceAll(RECORDED_HOME, home),
        );

  const envOf = (agent: string, { env: more, way: own = way }: Sending) => ({
    ...env,
    ...found.get(agent)?.installer.samples(shop)[0]?.env,
    ...(own === 'cold' ? { LANEHOLD_RESIDENT: 'off' } : {}),
    ...more,
  });

  /**
   * An event of an agent: its own name, and what it sends. Paths of the recorded project lead to `cwd`.
   *
   * @returns what each of the agent's hooks for it said.
   */
  async function send(
    agent: string,
    event: string,
    payload: Sent,
    sending: Sending = {},
  ): Promise<Said> {
    const { cwd = shop } = sending;
    step();
    const lines = linesAt(agent, event);
    if (lines.length === 0) throw new Error(`${agent} has no hook for ${event}`);
    let said: Said | undefined;
    for (const line of lines) {
      said = await startLine(line, {
        cwd,
        env: envOf(agent, sending),
        input: asSent(payload, cwd),
        through: WITH_PIPES.includes(agent) ? 'pipe' : 'socket',
      });
      events += 1;
      story.push([`${agent} ${event}`, said]);
    }
    return said ?? { stdout: '', stderr: '', exitCode: null };
  }

  /** A push from a terminal: git starts the hook of lanehold by itself. */
  async function push(
    folder: string,
    args: readonly string[],
    { way: own = way }: Sending = {},
  ): Promise<Said> {
    step();
    const line = ['exec git push --quiet', ...args].join(' ');
    const said = await startLine(line, {
      cwd: resolve(root, folder),
      env: { ...env, ...(own === 'cold' ? { LANEHOLD_RESIDENT: 'off' } : {}) },
      input: Buffer.alloc(0),
      through: 'socket',
    });
    story.push([line, said]);
    return said;
  }

  await begin();

  /** The first event starts the resident process. */
  async function begin(): Promise<void> {
    const [agent = ''] = agents;
    const samples = found.get(agent)?.installer.samples(shop) ?? [];
    const sample = samples.find((it) => linesAt(agent, it.event).length > 0);
    if (sample === undefined) return;
    await send(agent, sample.event, { ...sample.payload, cwd: shop });
    if (way === 'cold' || !asksResident(laneholdHome)) return;
    const end = Date.now() + LIMIT_MS;
    while (residentOf(laneholdHome) === undefined) {
      if (Date.now() > end) throw new Error('no resident process has started');
      await pause(20);
    }
  }

  return {
    root,
    home,
    laneholdHome,
    env,
    shop,
    other,
    write,
    git,
    commit,
    lanehold,
    send,
    push,
    linesAt,
    now,
    envOf,
    asSent,
    step,
    /** The number that a query of the database finds. */
    count: (sql: string) => countIn(join(laneholdHome, 'lanehold.db'), sql),
    /** Something that was said to a program of the story's own. */
    note: (what: string, said: unknown) => void story.push([what, said]),
    register: (folder: string, registry: object) =>
      write(join(folder, 'lanehold.json'), JSON.stringify(registry, null, 2)),
    /** From here on it is so much earlier. */
    setClockBack(ms: number): void {
      setBackMs += ms;
      step();
    },
    /** What was said, and all that is on record, in words that are the same for the same story. */
    told: () => recordsOf({ story, laneholdHome, start: place.start }),
    resident: () => residentOf(laneholdHome),
    asksResident: () => asksResident(laneholdHome),
    /** How many events there were, and how many of them the resident process has answered that is there now. */
    async answered() {
      const [resident] = await askResidents(homeOf(env), 'status');
      return { events, byResident: resident?.status?.events ?? 0 };
    },
    /** Ends all of its processes, and returns how many there were besides the resident process. */
    async end(): Promise<number> {
      const left = processesOf(place.root).filter((pid) => !isResident(pid));
      const residents = processesOf(place.root).filter(isResident);
      // One that wakes up, or finds that there is one already, may be about to end.
      for (const pid of residents) kill(pid, 'SIGCONT');
      for (const pid of processesOf(place.root)) kill(pid, 'SIGTERM');
      const end = Date.now() + 5_000;
      while (processesOf(place.root).length > 0) {
        if (Date.now() > end) for (const pid of processesOf(place.root)) kill(pid, 'SIGKILL');
        await pause(10);
      }
      removeTree(root);
      return left.length;
    },
  };
}

export type World = Awaited<ReturnType<typeof makeWorld>>;

export const REGISTRY = {
  features: {
    cart: { files: ['src/cart/**'], smoke: ['true'] },
    checkout: { files: ['src/checkout/**'], smoke: ['true'] },
  },
};

/** Ids that a command makes are the same both ways. */
async function withKnownChance<T>(seed: number, work: () => Promise<T>): Promise<T> {
  const { random } = Math;
  Math.random = seededRandom(seed);
  try {
    return await work();
  } finally {
    Math.random = random;
  }
}

interface Start {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: Buffer;
  readonly through: 'socket' | 'pipe';
}

/** As agents do: a line for a shell, in a process group of its own. */
export function startLine(line: string, start: Start): Promise<Said> {
  return startedLine(line, start).said;
}

export function startedLine(line: string, { cwd, env, input, through }: Start) {
  // What Node calls a pipe is a socket; between two programs of a shell is a real one.
  const piped = ['-c', 'cat | /bin/sh -c "$1"', 'sh', line];
  const child = spawn('/bin/sh', through === 'socket' ? ['-c', line] : piped, {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  child.stdout.on('data', (chunk) => chunks.stdout.push(chunk));
  child.stderr.on('data', (chunk) => chunks.stderr.push(chunk));
  // A hook that needs no input may end before it has read it.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const said = new Promise<Said>((done, failed) => {
    const limit = setTimeout(() => {
      kill(-(child.pid ?? 0), 'SIGKILL');
      failed(new Error(`no end within ${LIMIT_MS / 1_000} s: ${line}`));
    }, LIMIT_MS);
    child.on('error', failed);
    child.on('close', (exitCode) => {
      clearTimeout(limit);
      const [stdout, stderr] = [chunks.stdout, chunks.stderr].map((it) =>
        Buffer.concat(it).toString('utf8'),
      ) as [string, string];
      done({ stdout, stderr, exitCode });
    });
  });
  return { pid: child.pid ?? 0, said };
}

export interface Resident {
  readonly file: string;
  readonly port: number;
  readonly pid: number;
}

/** What the address file of the one resident process says; `undefined` if there is none. */
export function residentOf(laneholdHome: string): Resident | undefined {
  const folder = join(laneholdHome, 'resident');
  if (!existsSync(folder)) return undefined;
  for (const name of readdirSync(folder)) {
    const words = readIfThere(join(folder, name)).split('\n', 1)[0]?.split(' ') ?? [];
    const [version, port, , , pid] = words;
    if (version !== PROTOCOL || !(Number(pid) > 0)) continue;
    return { file: join(folder, name), port: Number(port), pid: Number(pid) };
  }
  return undefined;
}

/** Whether the entries of this installation ask a resident process. */
export const asksResident = (laneholdHome: string): boolean =>
  readIfThere(join(laneholdHome, 'lanehold-hook.sh')).includes('/dev/tcp/');

/** Processes whose command line names a path below the folder. */
export function processesOf(folder: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => readIfThere(`/proc/${name}/cmdline`).includes(`${folder}/`))
    .map(Number);
}

const isResident = (pid: number): boolean =>
  readIfThere(`/proc/${pid}/cmdline`).split('\0').includes('resident');

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
