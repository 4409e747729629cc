/**
 * What can happen to the resident process, to what it writes, and to the hooks that ask it: the right answer in the
 * agent's time, nothing acknowledged is lost or there twice, and no process is left.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { seededRandom } from '../../../support/seeded-random.ts';
import { NO_SMALL_DISK, smallDisk } from '../../../support/small-disk.ts';
import { until } from '../../../support/until.ts';
import { sessionOf } from './stories.ts';
import {
  kill,
  makePlace,
  makeWorld,
  processesOf,
  type Said,
  type Sending,
  startedLine,
  type World,
} from './world.ts';

const PUSH = 'git push origin main';
/** The time limits of the agent that is played, with room for a machine that does many things at once. */
const LIMIT_MS = { push: 60_000, other: 15_000 };

/** With `npm run test:hooks-long`: what lasts as long as it may in earnest. */
const IS_LONG = process.env.LANEHOLD_LONG === '1';
const LOCKED_MS = IS_LONG ? 10_000 : 0;
const KILLED_MS = IS_LONG ? 60_000 : 0;
const AT_ONCE_MS = IS_LONG ? 60_000 : 0;

const isHeld = ({ exitCode, stdout }: Said): boolean =>
  exitCode === 2 && stdout.includes('feature verify cart');
const NOTHING: Said = { stdout: '', stderr: '', exitCode: 0 };

/** A project whose push has to be held, and a resident process. */
async function scene(laneholdHome?: string) {
  const place = makePlace({ realTime: true });
  onTestFinished(() => place.remove());
  const world = await makeWorld(place, {
    ...{ agents: ['claude-code'], way: 'warm' },
    ...(laneholdHome && { laneholdHome }),
  });
  onTestFinished(async () => {
    expect(await world.end()).toBe(0);
  });
  world.write('shop/src/cart/add.ts', 'two\n');
  world.commit(world.shop);
  const { count } = world;
  const it = sessionOf(world, 'one');
  const resident = () => {
    const found = world.resident();
    if (found === undefined) throw new Error('there is no resident process');
    return found;
  };
  return {
    world,
    it,
    database: join(world.laneholdHome, 'lanehold.db'),
    resident,
    session: (name: string, sending: Sending = {}) => sessionOf(world, name, sending),
    decisions: () => count('SELECT count(*) FROM decisions'),
    /** What is on record of edits: noted as pending, and as done. */
    edits: () => ({
      pending: count('SELECT coalesce(sum(edits), 0) FROM pending'),
      done: count("SELECT count(*) FROM observations WHERE kind = 'edit'"),
    }),
    /** The files of all edits on record. */
    edited: (): string[] => {
      const db = new Database(join(world.laneholdHome, 'lanehold.db'), { readonly: true });
      const sql = "SELECT files FROM observations WHERE kind = 'edit'";
      const rows = db.prepare<[], string>(sql).pluck().all();
      db.close();
      return rows.flatMap((files) => JSON.parse(files) as string[]);
    },
    /** The hooks as they are before and after: a push is held, a listing is not. */
    async expectRight(): Promise<void> {
      expect(isHeld(await inTime('push', it.run(PUSH)))).toBe(true);
      expect(await inTime('other', it.run('ls'))).toEqual(NOTHING);
    },
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;

/** Fails if an agent had given up. */
async function inTime<T>(what: keyof typeof LIMIT_MS, answer: Promise<T>): Promise<T> {
  const before = performance.now();
  const result = await answer;
  expect(performance.now() - before).toBeLessThan(LIMIT_MS[what]);
  return result;
}

/** A git whose first start waits: until then nothing is answered, and afterwards nothing is in its way. */
function slowGit(world: World) {
  const [began, go] = ['began', 'go'].map((it) => join(world.root, it)) as [string, string];
  const real = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim();
  const script = `#!/bin/sh
if mkdir '${began}' 2>/dev/null; then
  while ! [ -e '${go}' ]; do sleep 0.02; done
fi
exec '${real}' "$@"
`;
  const file = world.write('slow/git', script);
  spawnSync('chmod', ['755', file]);
  return {
    env: { PATH: `${join(world.root, 'slow')}:${process.env.PATH}` },
    begun: () => until('git was started', () => existsSync(began)),
    letGo: () => void world.write(go, ''),
  };
}

const gone = (pid: number) =>
  until('the process has ended', () => spawnSync('kill', ['-0', `${pid}`]).status !== 0);

/** Sends as it would, and tells the process group. */
function startPush({ world }: Scene, env: object) {
  const [line = ''] = world.linesAt('claude-code', 'PreToolUse');
  const payload = {
    ...{ session_id: 'one', transcript_path: '/dev/null', cwd: world.shop },
    ...{ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: PUSH } },
  };
  return startedLine(line, {
    cwd: world.shop,
    env: { ...world.envOf('claude-code', {}), ...env },
    input: world.asSent(payload, world.shop),
    through: 'socket',
  });
}

describe('the resident process', () => {
  test.each(['SIGKILL', 'SIGSTOP'] as const)('gets %s before an event', async (signal) => {
    const { resident, expectRight, decisions } = await scene();
    const { pid } = resident();
    kill(pid, signal);
    await expectRight();
    if (signal === 'SIGSTOP') kill(pid, 'SIGCONT');
    await gone(pid);
    expect(decisions()).toBe(1);
    await expectRight();
    expect(decisions()).toBe(2);
  });

  test.each(['SIGKILL', 'SIGSTOP'] as const)('gets %s during an event', async (signal) => {
    const all = await scene();
    const { world, resident, session, decisions, expectRight } = all;
    const { pid } = resident();
    const git = slowGit(world);
    const answer = session('one', { env: git.env }).run(PUSH);
    await git.begun();
    kill(pid, signal);
    expect(isHeld(await inTime('push', answer))).toBe(true);
    git.letGo();
    if (signal === 'SIGSTOP') kill(pid, 'SIGCONT');
    await gone(pid);
    expect(decisions()).toBe(1);
    await expectRight();
  });

  test.each(['SIGKILL', 'SIGSTOP'] as const)('gets %s after an event', async (signal) => {
    const { world, it, resident, edits, expectRight } = await scene();
    const { pid } = resident();
    for (let left = 3; left > 0; left -= 1) {
      world.write('shop/src/cart/add.ts', `${left}\n`);
      expect(await it.afterEdit('src/cart/add.ts')).toMatchObject({ exitCode: 0 });
    }
    kill(pid, signal);
    expect(edits()).toEqual({ pending: 3, done: 3 });
    await expectRight();
    if (signal === 'SIGSTOP') kill(pid, 'SIGCONT');
    await gone(pid);
    expect(edits()).toEqual({ pending: 3, done: 3 });
  });

  test('has a full backlog', async () => {
    const { resident, expectRight } = await scene();
    const { pid, port } = resident();
    kill(pid, 'SIGSTOP');
    const sockets = fill(port, 4_300);
    // More than the kernel keeps for it: whoever comes now waits until there is room.
    await until('a full backlog', () => sockets.filter((it) => !it.connecting).length > 4_000);
    await expectRight();
    for (const it of sockets) it.destroy();
    kill(pid, 'SIGCONT');
    await gone(pid);
    await expectRight();
  });

  test('has more connections of strangers than it takes', async () => {
    const { resident, expectRight } = await scene();
    const { pid, port } = resident();
    const sockets = fill(port, 300);
    await expectRight();
    for (const it of sockets) it.destroy();
    expect(resident().pid).toBe(pid);
  });

  test('loses its home, which the next hooks make again', async () => {
    const { world, resident, decisions, expectRight } = await scene();
    const { pid } = resident();
    rmSync(world.laneholdHome, { recursive: true, maxRetries: 5 });
    await expectRight();
    await gone(pid);
    await until('another process', () => world.resident());
    expect(resident().pid).not.toBe(pid);
    await expectRight();
    expect(decisions()).toBe(2);
  });

  test('has no descriptors left', async () => {
    const { resident, it, edits, decisions, expectRight } = await scene();
    const { pid } = resident();
    const open = spawnSync('sh', ['-c', `ls /proc/${pid}/fd | wc -l`], { encoding: 'utf8' });
    for (const more of [1, 4, 8]) {
      const limit = Number(open.stdout) + more;
      const limited = spawnSync('prlimit', [`--pid=${pid}`, `--nofile=${limit}:1048576`]);
      if (limited.error) {
        process.stdout.write('not tried, no prlimit on this machine\n');
        return;
      }
      await expectRight();
      await it.afterEdit('src/cart/add.ts');
    }
    expect({ done: edits().done, decisions: decisions() }).toEqual({ done: 3, decisions: 3 });
  });
});

test('an event without a resident process is written while the resident process writes', async () => {
  const { session, edits } = await scene();
  const answers = Array.from({ length: 12 }, (_, at) =>
    session(`s${at}`, { way: at % 2 === 0 ? 'cold' : 'warm' }).afterEdit('src/cart/add.ts'),
  );
  for (const said of await Promise.all(answers)) expect(said.exitCode).toBe(0);
  expect(edits()).toEqual({ pending: 12, done: 12 });
});

test.each(['cold', 'warm'] as const)(
  'the database is locked, %s',
  async (way) => {
    const { database, session, edits, decisions } = await scene();
    const it = session('one', { way });
    await it.start();
    const lock = new Database(database);
    lock.exec('BEGIN IMMEDIATE');
    let rounds = 0;
    try {
      const end = performance.now() + LOCKED_MS;
      do {
        rounds += 1;
        expect(isHeld(await inTime('push', it.run(PUSH)))).toBe(true);
        expect(await inTime('other', it.run('ls'))).toEqual(NOTHING);
        expect(await inTime('other', it.afterEdit('src/cart/add.ts'))).toMatchObject({
          exitCode: 0,
        });
        expect(await inTime('other', it.stop())).toMatchObject({ exitCode: 0 });
      } while (performance.now() < end);
    } finally {
      lock.exec('ROLLBACK');
      lock.close();
    }
    // What is late is taken in by the next events.
    await it.prompt('Go on.');
    await it.stop();
    expect({ done: edits().done, decisions: decisions() }).toEqual({
      done: rounds,
      decisions: rounds,
    });
  },
  120_000,
);

describe.skipIf(NO_SMALL_DISK)(
  `on a small disk${NO_SMALL_DISK ? `: ${NO_SMALL_DISK}` : ''}`,
  () => {
    test.each(['cold', 'warm'] as const)('that is full, %s', async (way) => {
      const disk = smallDisk(48);
      const { session, edits, expectRight } = await scene(join(disk.root, 'lanehold'));
      const it = session('one', { way });
      await it.start();
      disk.fill();
      const push = await inTime('push', it.run(PUSH));
      expect(push.exitCode).toBe(2);
      expect(await inTime('other', it.run('ls'))).toEqual(NOTHING);
      expect((await inTime('other', it.afterEdit('src/cart/add.ts'))).exitCode).toBe(0);
      expect((await inTime('other', it.stop())).exitCode).toBe(0);
      disk.empty();
      await it.afterEdit('src/cart/add.ts');
      expect(edits().done).toBeGreaterThan(0);
      await expectRight();
    });
  },
);

describe('in a namespace of its own', () => {
  let missing = '';
  beforeAll(() => {
    missing = spawnSync('unshare', ['-nm', 'true']).status === 0 ? '' : 'nothing can be unshared';
  });

  test.each([
    ['network', '-n'],
    ['mounts', '-m'],
  ])('of %s, a hook gets its answer', async (_, option) => {
    if (missing !== '') {
      process.stdout.write(`not tried: ${missing}\n`);
      return;
    }
    const all = await scene();
    const { world, resident, expectRight } = all;
    const { pid } = resident();
    const lines = (event: string) => world.linesAt('claude-code', event)[0] ?? '';
    const inside = (command: string): Promise<Said> => {
      const payload = {
        ...{ session_id: 'two', cwd: world.shop, hook_event_name: 'PreToolUse' },
        ...{ tool_name: 'Bash', tool_input: { command } },
      };
      const quoted = lines('PreToolUse').replaceAll("'", `'\\''`);
      return startedLine(`exec unshare ${option} /bin/sh -c '${quoted}'`, {
        cwd: world.shop,
        env: world.envOf('claude-code', {}),
        input: world.asSent(payload, world.shop),
        through: 'socket',
      }).said;
    };
    expect(isHeld(await inTime('push', inside(PUSH)))).toBe(true);
    expect(await inTime('other', inside('ls'))).toEqual(NOTHING);
    await expectRight();
    expect(processesOf(join(world.root, '../package'))).toContain(pid);
  });
});

test('64 events at once, of eight sessions', async () => {
  const { session, edits, world, resident } = await scene();
  const { pid } = resident();
  const answersTo = (events: number) =>
    Array.from({ length: events }, (_, at) => {
      const it = session(`s${at % 8}`);
      if (at % 4 === 0) return it.run(PUSH);
      if (at % 4 === 1) return it.afterEdit('src/cart/add.ts');
      return at % 4 === 2 ? it.run('ls') : it.prompt('Go on.');
    });
  const end = performance.now() + AT_ONCE_MS;
  let rounds = 0;
  do {
    rounds += 1;
    const said = await inTime('push', Promise.all(answersTo(64)));
    expect(said.filter((_, at) => at % 4 === 0).every(isHeld)).toBe(true);
    expect(said.filter((_, at) => at % 4 !== 0).every(({ exitCode }) => exitCode === 0)).toBe(true);
  } while (performance.now() < end);
  expect(edits().done).toBe(16 * rounds);
  // The first push has noted that the feature is pending, or the first edit has.
  expect(edits().pending - 16 * rounds).toBeOneOf([0, 1]);
  // Where the machine is so busy that a beat comes late, the process ends by itself: no second one stands beside it.
  expect([[pid], []]).toContainEqual(processesOf(join(world.root, '../package')));
}, 180_000);

test('the resident process is killed and stopped again and again, under hooks of six sessions', async () => {
  const { session, world, expectRight, edited } = await scene();
  const random = seededRandom(7);
  let isOver = false;
  const harm = async (): Promise<void> => {
    while (!isOver) {
      await pause(100 + random() * 300);
      const { pid } = world.resident() ?? {};
      if (pid === undefined) continue;
      const isStopped = random() < 0.3;
      kill(pid, isStopped ? 'SIGSTOP' : 'SIGKILL');
      if (!isStopped) continue;
      await pause(random() * 1_500);
      kill(pid, 'SIGCONT');
    }
  };
  const work = async (name: string): Promise<void> => {
    const it = session(name);
    const end = performance.now() + KILLED_MS;
    for (let at = 0; at < 6 || performance.now() < end; at += 1) {
      const said = await inTime('other', it.afterEdit(`src/cart/${name}-${at}.ts`));
      expect(said.exitCode).toBe(0);
      done.push(`src/cart/${name}-${at}.ts`);
      if (at % 3 === 0) expect(isHeld(await inTime('push', it.run(PUSH)))).toBe(true);
    }
  };
  const done: string[] = [];
  const harmed = harm();
  await Promise.all(Array.from({ length: 6 }, (_, at) => work(`s${at}`)));
  isOver = true;
  await harmed;
  // What was acknowledged is there, each once.
  await expectRight();
  expect(edited().toSorted()).toEqual(done.toSorted());
}, 180_000);

describe.each(['cold', 'warm'] as const)('a payload, %s', (way) => {
  test('of 10 MB is answered, and as a release refused', async () => {
    const { session, edits } = await scene();
    const it = session('one', { way });
    const output = 'x"\n'.repeat(3_000_000);
    const edit = { file_path: '/x', old_string: '', new_string: output };
    expect((await inTime('other', it.call('PreToolUse', 'Edit', edit))).exitCode).toBe(0);
    const after = { tool_response: { stdout: output } };
    await inTime('other', it.call('PostToolUse', 'Edit', { ...edit, file_path: 'a' }, after));
    const long = `${PUSH} # ${'y'.repeat(10_000_000)}`;
    // What is too long to be read is put before a person.
    expect((await inTime('push', it.run(long))).stdout).toMatch(
      /"permissionDecision":"(deny|ask)"/,
    );
    expect(edits().done).toBe(1);
  });

  test('that is cut or has other bytes than text is refused where it may release', async () => {
    const { world } = await scene();
    const payload = {
      ...{ session_id: 'one', cwd: world.shop, hook_event_name: 'PreToolUse' },
      ...{ tool_name: 'Bash', tool_input: { command: PUSH } },
    };
    const whole = JSON.stringify(payload);
    const sent = [
      Buffer.alloc(0),
      ...[whole.slice(0, -1), `${whole}}`, `\0${whole}`, whole.replace('git', 'gi\0t')].map((it) =>
        Buffer.from(it),
      ),
      Buffer.from(whole.replace('main', '\xff\xfe'), 'latin1'),
    ];
    for (const it of sent) {
      const said = await inTime('push', world.send('claude-code', 'PreToolUse', it, { way }));
      expect([it.toString('latin1'), said.exitCode]).toEqual([it.toString('latin1'), 2]);
    }
  });
});

describe('the process group of the agent is killed', () => {
  test('during an event: nothing of it is on record, and the next one is answered', async () => {
    const all = await scene();
    const { world, resident, decisions, expectRight } = all;
    const { pid } = resident();
    const git = slowGit(world);
    const started = startPush(all, git.env);
    await git.begun();
    kill(-started.pid, 'SIGKILL');
    await started.said;
    git.letGo();
    await expectRight();
    expect(decisions()).toBe(1);
    expect(resident().pid).toBe(pid);
  });

  test('after its first event: the resident process goes on', async () => {
    const all = await scene();
    const { world, resident, it } = all;
    const { pid: first, file } = resident();
    kill(first, 'SIGKILL');
    await gone(first);
    rmSync(file);
    const groups: number[] = [];
    // Hooks do not try to start one all the time.
    await until('a resident process', async () => {
      const started = startPush(all, {});
      groups.push(started.pid);
      expect(isHeld(await started.said)).toBe(true);
      return world.resident();
    });
    const { pid } = resident();
    for (const it of groups) kill(-it, 'SIGKILL');
    await it.run(PUSH);
    expect(resident().pid).toBe(pid);
  });
});

/** Connections that say nothing. */
function fill(port: number, count: number): Socket[] {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
  for (const it of sockets) it.on('error', () => undefined);
  onTestFinished(() => {
    for (const it of sockets) it.destroy();
  });
  return sockets;
}
