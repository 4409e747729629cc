/** One run of a team's lanes while things fail as a seed draws them; then everything that has to be true. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cleaningUp } from '../../scripts/demo/interrupt.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { LEASE_MS, type Machine, type TeamWorld, teamWorld } from './team-world.ts';

export interface TeamRound {
  readonly seed: number;
  /** How long things fail. */
  readonly seconds: number;
  readonly lanes: number;
  readonly machines: number;
  /** How often the board goes back to an earlier state. */
  readonly restores: number;
  /** Whether the machines reach the board through PgBouncer. */
  readonly isPooled: boolean;
  /** Leaves the folder for a person to look at. */
  readonly keeps: boolean;
}

/** How long it may take after the last fault. */
const REST_MS = 240_000;
/** How long a machine that is told to leave may take, on a busy machine. */
const LEAVE_MS = 60_000;

export async function teamRound(wish: TeamRound) {
  const cleaners: (() => unknown)[] = [];
  const clean = (): void => {
    for (const it of cleaners.splice(0).reverse()) it();
  };
  return await cleaningUp(clean, async () => {
    const world = await teamWorld(wish.machines, wish.isPooled, (it) => {
      if (!wish.keeps || !String(it).includes('removeTree')) cleaners.push(it);
    });
    try {
      return await played(world, wish);
    } finally {
      clean();
      await world.server.remove();
    }
  });
}

async function played(world: TeamWorld, wish: TeamRound) {
  const { home, machines } = world;
  const keys = Array.from({ length: wish.lanes }, (_, at) => `l${at}`);
  await said(world, 'orchestrate', 'init', 'Try a team', '--name', 'try', '--on', 'any');
  for (const key of keys) {
    const spec = [
      '--agent',
      'script',
      '--desc',
      `Do ${key}`,
      '--validate',
      `test -s lanes/${key}.txt`,
    ];
    await said(world, 'orchestrate', 'lane', 'add', key, ...spec);
  }
  for (const it of machines) it.lend();
  const accepted = new Map<string, Set<string>>();
  const end = { faults: false, all: false };
  const faults = failing(world, wish, end);
  const start = performance.now();
  const until = start + wish.seconds * 1000;
  let states: Record<string, string> = {};
  while (performance.now() < until + REST_MS && !end.all) {
    end.faults = performance.now() > until;
    states = await stepOf(world, states);
    note(world, wish, accepted);
    const isDone = keys.every((key) => states[key] === 'integrated' || states[key] === 'landed');
    end.all = isDone && (end.faults || wish.restores === 0);
    await sleep(300);
  }
  end.faults = true;
  const counts = await faults;
  // What the machines have not heard yet.
  for (let round = 0; round < 20 && !allHeard(world); round += 1) await sleep(500);
  note(world, wish, accepted);
  const wrong = [...world.trouble, ...wrongIn(world, keys, states, accepted)];
  const starts = world.ledger().filter((it) => it.startsWith('start ')).length;
  return {
    wrong,
    figures: {
      lanes: keys.length,
      machines: machines.length,
      seconds: Math.round((performance.now() - start) / 1000),
      faults: counts,
      workersStarted: starts,
      claims: machines.reduce((sum, it) => sum + it.rows('SELECT 1 FROM team_claims').length, 0),
      fenced: machines.reduce(
        (sum, it) => sum + it.rows("SELECT 1 FROM team_claims WHERE answer = 'fenced'").length,
        0,
      ),
      home: home.rows('SELECT count(*) AS n FROM attempts')[0]?.n,
    },
  };
}

/** A command of the home that has to succeed, however often it takes. */
async function said({ home }: TeamWorld, ...argv: string[]): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const run = await home.start(...argv);
    if (run.exitCode === 0) return;
    if (tries > 20) throw new Error(`${argv.join(' ')}: ${run.stderr}`);
    await sleep(500);
  }
}

/** What a person at home does: looks, integrates, and offers again what failed. */
async function stepOf(
  { home }: TeamWorld,
  before: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  await home.start('orchestrate', 'spawn', '--ready');
  // Two at once: one of them finds that the tip has moved.
  await Promise.all([
    home.start('orchestrate', 'integrate'),
    home.start('orchestrate', 'integrate'),
  ]);
  const { stdout } = await home.start('orchestrate', 'status', '--json');
  const lanes = parsed(stdout);
  if (lanes === undefined) return { ...before };
  for (const { key, state } of lanes)
    if (['failed', 'parked', 'conflict', 'culprit', 'asks', 'blocked', 'stale'].includes(state))
      await home.start('orchestrate', 'retry', key);
  return Object.fromEntries(lanes.map(({ key, state }) => [key, state]));
}

function parsed(text: string): { readonly key: string; readonly state: string }[] | undefined {
  try {
    return JSON.parse(text).lanes;
  } catch {
    return undefined;
  }
}

/** Draws faults, two at a time, until it is told to stop. @returns how many of each kind. */
async function failing(
  world: TeamWorld,
  { seed, restores }: TeamRound,
  end: { readonly faults: boolean },
) {
  const random = seededRandom(seed);
  const counts: Record<string, number> = {};
  const hit = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const kinds = Object.entries(faultsOf(world)).flatMap(([name, act]) =>
    Array.from({ length: WEIGHTS[name] ?? 1 }, () => ({ name, act })),
  );
  const busy = new Set<string>();
  const one = async (): Promise<void> => {
    for (await sleep(random() * 3_000); !end.faults; await sleep(300 + random() * 1_500)) {
      const { name, act } = pick(kinds);
      const machine = pick(world.machines);
      const ms = random() * 2 * LEASE_MS;
      const what = SERVER.has(name) ? 'server' : machine.name;
      if (busy.has(what)) continue;
      busy.add(what);
      hit(name);
      await act(machine, ms);
      busy.delete(what);
    }
  };
  const back = async (): Promise<void> => {
    for (let round = 0; round < restores && !end.faults; round += 1) {
      await sleep(4_000 + random() * 4_000);
      while (busy.has('server')) await sleep(100);
      busy.add('server');
      const dump = world.server.dump(world.board.owner);
      busy.delete('server');
      await sleep(3_000 + random() * 6_000);
      while (busy.has('server')) await sleep(100);
      busy.add('server');
      hit('restore');
      world.server.restore(world.board.owner, dump);
      await world.server.sql(admin(world), CUT_ALL);
      busy.delete('server');
    }
  };
  await Promise.all([one(), one(), back()]);
  for (const it of world.machines) it.wire('ok');
  world.home.wire('ok');
  world.refuse(0);
  return counts;
}

const CUT_ALL =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lanehold' AND pid <> pg_backend_pid()";
const admin = ({ board }: TeamWorld): string => board.owner.replace(/\/\/owner\d+:any/, '//admin');

/** Not at the same time. */
const SERVER = new Set(['restart', 'connections']);
const WEIGHTS: Readonly<Record<string, number>> = {
  kill: 2,
  daemon: 2,
  freeze: 2,
  cut: 2,
  stall: 2,
};

function faultsOf(world: TeamWorld) {
  const { server, home, signal, refuse, trouble } = world;
  const each = (machine: Machine, name: NodeJS.Signals): void => {
    for (const it of machine.processes()) signal(it, name);
  };
  const daemon = (machine: Machine, name: NodeJS.Signals): void => {
    const it = machine.daemon();
    if (it !== undefined) signal(it, name);
  };
  const wired =
    (state: 'cut' | 'stalled' | 'deaf' | 'slow') => async (machine: Machine, ms: number) => {
      machine.wire(state);
      await sleep(ms);
      machine.wire('ok');
    };
  return {
    /** The machine with all that runs on it. */
    async kill(machine: Machine, ms: number) {
      each(machine, 'SIGKILL');
      await sleep(ms);
      machine.lend();
    },
    async daemon(machine: Machine, ms: number) {
      daemon(machine, 'SIGKILL');
      await sleep(ms);
      machine.lend();
    },
    /** A laptop that is closed for longer than its leases. */
    async freeze(machine: Machine, ms: number) {
      each(machine, 'SIGSTOP');
      await sleep(LEASE_MS + ms);
      each(machine, 'SIGCONT');
    },
    async freezeDaemon(machine: Machine, ms: number) {
      daemon(machine, 'SIGSTOP');
      await sleep(LEASE_MS + ms);
      daemon(machine, 'SIGCONT');
    },
    async leave(machine: Machine, ms: number) {
      daemon(machine, 'SIGTERM');
      await sleep(ms);
      const end = performance.now() + LEAVE_MS;
      while (machine.daemon() !== undefined && performance.now() < end) await sleep(100);
      if (machine.daemon() !== undefined) trouble.push(`${machine.name} did not leave`);
      daemon(machine, 'SIGKILL');
      machine.lend();
    },
    cut: wired('cut'),
    stall: wired('stalled'),
    deaf: wired('deaf'),
    slow: wired('slow'),
    async home(_: Machine, ms: number) {
      home.wire('cut');
      await sleep(ms);
      home.wire('ok');
    },
    /** Whatever the home is doing. */
    async killHome() {
      for (const it of home.processes()) signal(it, 'SIGKILL');
    },
    async refused(_: Machine, ms: number) {
      refuse(60);
      await sleep(ms);
      refuse(0);
    },
    async connections() {
      await server.sql(admin(world), CUT_ALL);
    },
    async restart(_: Machine, ms: number) {
      await server.stop('immediate');
      await sleep(ms);
      await server.start();
    },
  };
}

/**
 * Notes the commits of claims whose results were accepted, as the machines have heard it. If the board goes back, that
 * answer may be lost for ever, and the home goes by the result that it has: then every proven commit is noted.
 */
function note(
  { machines }: TeamWorld,
  { restores }: TeamRound,
  accepted: Map<string, Set<string>>,
): void {
  const which = restores > 0 ? "ending ->> 'outcome' = 'verified'" : "answer = 'accepted'";
  for (const it of machines) {
    const rows = it.rows(`SELECT lane, ending ->> 'head' AS head FROM team_claims WHERE ${which}`);
    for (const { lane, head } of rows) {
      const heads = accepted.get(String(lane)) ?? new Set();
      accepted.set(String(lane), heads.add(String(head)));
    }
  }
}

const allHeard = ({ machines }: TeamWorld): boolean =>
  machines.every((it) => it.rows('SELECT 1 FROM team_claims WHERE answer IS NULL').length === 0);

/** From git, and from what the machines know that they did. */
function wrongIn(
  { home, remote, box }: TeamWorld,
  keys: readonly string[],
  states: Readonly<Record<string, string>>,
  accepted: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  const git = (...args: string[]) => box.git(remote, ...args);
  const wrong: string[] = [];
  const [run] = home.rows("SELECT id, base_sha FROM runs WHERE name = 'try'");
  const tip = `refs/lanehold/${run?.id}/integration`;
  const trailers = git('log', '--format=%(trailers:key=Lanehold-Lane,valueonly)', `main..${tip}`);
  const landed = trailers.split(/[\s,]+/).filter(Boolean);
  const ids = new Map(
    home.rows('SELECT id, key FROM lanes').map((it) => [String(it.key), String(it.id)]),
  );
  for (const key of keys) {
    const id = ids.get(key) ?? '';
    const times = landed.filter((it) => it === id).length;
    if (times !== 1) wrong.push(`${key} is ${times} times in the tip, its state is ${states[key]}`);
    if (times === 0) continue;
    const file = `lanes/${key}.txt`;
    const text = git('show', `${tip}:${file}`);
    if (text.split('\n').length !== 1 || !text.startsWith(`${key} `))
      wrong.push(`${file}: ${text}`);
    const same = [...(accepted.get(id) ?? [])].some(
      (head) => shown(git, `${head}:${file}`) === text,
    );
    if (!same) wrong.push(`${key}: the tip has what no accepted claim has made: ${text}`);
  }
  if (landed.length !== new Set(landed).size) wrong.push('a lane is in the tip twice');
  return wrong;
}

function shown(git: (...args: string[]) => string, object: string): string | undefined {
  try {
    return git('show', object);
  } catch {
    return undefined;
  }
}
