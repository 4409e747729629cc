/**
 * `npm run bench:team [-- --seconds N --only host]`: what the board of a team costs, on a PostgreSQL of its own, beside a
 * `SELECT 1` on the same server at the same time. Machines are connections of this process; `SELECT 1` and claims share
 * what it takes. Exits with 1 if a goal is missed.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { withDemoProject } from '../scripts/demo/demo-project.ts';
import { type Board, boardOn, initBoard, withBoard } from '../src/team/board/board.ts';
import { withConnection } from '../src/team/board/connection.ts';
import { folderOfPrograms, type Postgres, postgresIn } from '../test/support/postgres-server.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '8' }, only: { type: 'string' } },
});
const SECONDS = Number(values.seconds);
const THINK_MS = 2_000;
const REPO = 'a'.repeat(32);
const BODY = randomBytes(1_500);
const LIMIT_MS = 60_000;

if (folderOfPrograms === undefined)
  throw new Error('there is no PostgreSQL here; `apt-get install postgresql`');
const server = postgresIn(folderOfPrograms, []);
await server.make();
let missed = 0;
try {
  if (values.only !== 'host') await measureBoard(server);
  await measureHost(server);
} finally {
  await server.remove();
}
process.exitCode = missed > 0 ? 1 : 0;

async function measureBoard(postgres: Postgres): Promise<void> {
  const idle = await growth(postgres);
  say('SELECT 1, p50', `${ms(idle.plain)} ms`);
  say('claim on a board of 100 lanes, p50', times(idle.few, idle.plain));
  say(
    'claim on a board of 10,000 lanes, p50',
    times(idle.many, idle.plain),
    idle.many / idle.few,
    2,
  );
  for (const machines of [1, 10, 50]) {
    const { claims, finishes, plain, statements } = await work(postgres, machines, THINK_MS);
    const p99 = at(claims, 0.99);
    const name = `${machines} machines, lanes of ${THINK_MS / 1000} s`;
    say(`claim, ${name}, p50`, times(at(claims, 0.5), at(plain, 0.5)));
    // A round trip is nothing on this machine.
    const isGoal = machines === 50;
    say(`claim, ${name}, p99`, times(p99, at(plain, 0.99)), isGoal ? p99 : undefined, 50);
    say(`finish, ${name}, p99`, times(at(finishes, 0.99), at(plain, 0.99)));
    say(
      `statements for a lane, ${name}`,
      statements.toFixed(2),
      isGoal ? statements : undefined,
      4,
    );
  }
  for (const machines of [1, 10, 50]) {
    const { perSecond } = await work(postgres, machines, 0);
    const what = `lanes a second without work, ${machines} machines`;
    say(what, perSecond.toFixed(0), machines === 50 ? 100 / perSecond : undefined, 1);
  }
  const beats = await idleBeats(postgres);
  const share = `1,000 machines at a beat of 30 s take ${((100 * 1000) / 30 / beats).toFixed(1)} % of that`;
  say('beats a second of machines with nothing to do', `${beats.toFixed(0)} (${share})`);
}

/** @param measured what is compared with a goal, lower is better. */
function say(what: string, figure: string, measured?: number, goal = 0): void {
  const isMissed = measured !== undefined && measured > goal;
  if (isMissed) missed += 1;
  const verdict = measured === undefined ? '' : `  of ${goal} ${isMissed ? 'OVER' : 'ok'}`;
  process.stdout.write(`${what.padEnd(60)}  ${figure}${verdict}\n`);
}

function ms(value: number): string {
  return value.toFixed(1);
}
function times(value: number, plain: number): string {
  return `${ms(value)} ms  ${(value / plain).toFixed(1)} x SELECT 1`;
}
function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

interface Made {
  readonly owner: string;
  readonly url: string;
  readonly home: Machine;
  readonly run: string;
}
type Machine = Awaited<ReturnType<typeof machine>>;

async function machine(url: string, name: string) {
  const own = { url, host: randomUUID(), token: randomBytes(32).toString('base64url'), name };
  const { board } = await withConnection(url, LIMIT_MS, (query) => boardOn(query, own).joinHost());
  const member = { ...own, board };
  const incarnation = randomUUID();
  const lending = { incarnation, boots: 1, slots: 9, caps: ['linux'], lends: 'on' as const };
  await withBoard(member, LIMIT_MS, (it) => it.lend(lending));
  return {
    connected: <T>(task: (board: Board) => Promise<T>) => withBoard(member, LIMIT_MS, task),
    beat: (board: Board, free: number, leases: readonly [string, number, string][] = []) =>
      board.beat({ incarnation, beats: null, free, repos: [REPO], leases }),
  };
}

/** A board with so many offered lanes, each as a call of `offer` would make it. */
async function made(postgres: Postgres, lanes: number): Promise<Made> {
  const owner = await postgres.database();
  const url = (await initBoard(owner)).members ?? '';
  const home = await machine(url, 'home');
  const run = randomUUID();
  const published = { run, rev: 1, intent: 'active' as const, parallel: 100_000, body: BODY };
  await home.connected((it) => it.publishRun({ repo: REPO, ...published }));
  await fill(postgres, owner, run, lanes);
  return { owner, url, home, run };
}

async function fill(postgres: Postgres, owner: string, run: string, lanes: number): Promise<void> {
  await postgres.sql(
    owner,
    `INSERT INTO lanehold.lanes (id, run_id, repo_id, rev, body, priority, caps, state)
     SELECT gen_random_uuid(), $1, $2, 1, $3, 0, '{}', 'offered' FROM generate_series(1, $4)`,
    [run, REPO, BODY, lanes],
  );
  await postgres.sql(owner, 'ANALYZE lanehold.lanes');
}

/** What a claim takes on a board of few lanes and on one of many, and `SELECT 1` in between. */
async function growth(postgres: Postgres) {
  const { owner, run, url } = await made(postgres, 100);
  const host = await machine(url, 'host');
  const rounds = () =>
    host.connected(async (board) => {
      const found: number[] = [];
      for (let round = 0; round < 60; round += 1) {
        const start = performance.now();
        const [given] = (await host.beat(board, 1)).given;
        found.push(performance.now() - start);
        if (given !== undefined) await finish(board, given);
      }
      return at(found, 0.5);
    });
  const few = await rounds();
  const plain = await withConnection(url, LIMIT_MS, async (query) => {
    const found: number[] = [];
    for (let round = 0; round < 200; round += 1) {
      const start = performance.now();
      await query('SELECT 1');
      found.push(performance.now() - start);
    }
    return at(found, 0.5);
  });
  await fill(postgres, owner, run, 10_000);
  return { few, plain, many: await rounds() };
}

type Given = Awaited<ReturnType<Board['beat']>>['given'][number];

function finish(board: Board, { lane, epoch, rev, ticket }: Given): Promise<string> {
  const end = { outcome: 'verified' as const, head: 'a'.repeat(40), result: BODY };
  return board.finish({ lane, epoch, rev, ticket, ...end });
}

/** Machines that each claim a lane, work on it, finish it, and claim the next, on a board of 10,000. */
async function work(postgres: Postgres, machines: number, thinkMs: number) {
  const { owner, url } = await made(postgres, 10_000);
  const hosts: Machine[] = [];
  for (let at = 0; at < machines; at += 1) hosts.push(await machine(url, `host-${at}`));
  const claims: number[] = [];
  const finishes: number[] = [];
  const plain: number[] = [];
  let statements = 0;
  const end = performance.now() + SECONDS * 1000;
  const timed = async <T>(into: number[], task: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const answer = await task();
    into.push(performance.now() - start);
    return answer;
  };
  const loop = (host: Machine) =>
    host.connected(async (board) => {
      await sleep(Math.random() * thinkMs);
      while (performance.now() < end) {
        const [given] = (await timed(claims, () => host.beat(board, 1))).given;
        statements += 2;
        if (given === undefined) throw new Error('no lane is left');
        await sleep(thinkMs * (0.5 + Math.random()));
        await timed(finishes, () => finish(board, given));
      }
    });
  const beside = withConnection(url, LIMIT_MS, async (query) => {
    while (performance.now() < end) {
      await timed(plain, () => query('SELECT 1'));
      await sleep(20);
    }
  });
  const start = performance.now();
  await Promise.all([beside, ...hosts.map(loop)]);
  const perSecond = finishes.length / ((performance.now() - start) / 1000);
  const [row] = await postgres.sql(
    owner,
    "SELECT count(*)::int AS n FROM lanehold.lanes WHERE state = 'finished'",
  );
  if (row?.n !== finishes.length) throw new Error(`${row?.n} lanes of ${finishes.length}`);
  // The beats that renew are one for each machine and third of a lease, not one for each lane.
  return { claims, finishes, plain, perSecond, statements: statements / finishes.length };
}

/** Twenty connections that beat without a pause; all lanes are for somebody else. */
async function idleBeats(postgres: Postgres): Promise<number> {
  const { owner, url } = await made(postgres, 10_000);
  await postgres.sql(owner, "UPDATE lanehold.lanes SET caps = '{gpu}'");
  await postgres.sql(owner, 'VACUUM ANALYZE lanehold.lanes');
  let beats = 0;
  const end = performance.now() + SECONDS * 1000;
  const loops: Promise<void>[] = [];
  for (let at = 0; at < 20; at += 1) {
    const host = await machine(url, `host-${at}`);
    loops.push(
      host.connected(async (board) => {
        while (performance.now() < end) {
          await host.beat(board, 0);
          beats += 1;
        }
      }),
    );
  }
  const start = performance.now();
  await Promise.all(loops);
  return beats / ((performance.now() - start) / 1000);
}

/** The process of `lanehold team host` after its start. */
async function measureHost(postgres: Postgres): Promise<void> {
  await withDemoProject('bench-team', async (demo) => {
    const owner = await postgres.database();
    const url = (await initBoard(owner)).members ?? '';
    demo.write('README.md', 'A project\n');
    await demo.git('add', '--all');
    await demo.git('commit', '--quiet', '--message', 'Start');
    await demo.git('push', '--quiet', 'origin', 'main');
    const lanehold = async (...words: string[]): Promise<void> => {
      const env = { ...demo.env, LANEHOLD_TEAM_URL: url };
      const { code, stderr } = await demo.run('lanehold', ['team', ...words], { env });
      if (code !== 0) throw new Error(stderr);
    };
    await lanehold('connect', '--name', 'idle');
    await lanehold('host', 'start', '--slots', '2');
    const { pid } = JSON.parse(readFileSync(join(demo.home, '.lanehold/team/host.json'), 'utf8'));
    try {
      await sleep(10_000);
      const before = ticksOf(pid);
      await sleep(60_000);
      const cpu = (ticksOf(pid) - before) / 60;
      const [, kb = 0] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      const mb = Number(kb) / 1024;
      const what = 'processor of a machine that is lent and has nothing to do';
      say(what, `${cpu.toFixed(3)} %`, cpu, 0.1);
      say('its memory', `${mb.toFixed(0)} MB`, mb, 80);
    } finally {
      await lanehold('host', 'stop');
    }
  });
}

/** Hundredths of a second of processor time. */
function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
