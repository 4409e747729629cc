import {
  cpSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { processEntries, processEntry, readProc } from '../../../src/base/process/process-entry.ts';
import { afterEdit, beforeCommand } from '../../support/payloads.ts';
import {
  answerIn,
  ask,
  Line,
  requestBytes,
  residentOf,
  startResident,
} from '../../support/resident-process.ts';
import { HOOK_PROGRAM, type Sandbox, sandbox } from '../../support/sandbox.ts';
import { shop } from '../../support/shop.ts';
import { eventually, until } from '../../support/until.ts';

const START = { event: 'session-start', payload: { session_id: 'a' } };

/** An installation of its own, so that it can be replaced. */
function ownInstallation(box: Sandbox): string {
  const root = dirname(dirname(HOOK_PROGRAM));
  mkdirSync(join(box.root, 'own'));
  for (const it of ['hooks', 'package.json', 'migrations']) {
    cpSync(join(root, it), join(box.root, 'own', it), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(box.root, 'own/node_modules'));
  return join(box.root, 'own/hooks/lanehold-hook.cjs');
}

async function runs(box: Sandbox, options: Parameters<typeof startResident>[1] = {}) {
  const started = await startResident(box, options);
  expect(await ask(started.address, requestBytes(box, START))).toMatchObject({ exitCode: 0 });
  return started;
}

test('ends after a time without an event, and takes its address file with it', async () => {
  const box = sandbox();
  const { ended } = await startResident(box, { args: ['--idle-ms=300'] });
  expect(await ended).toEqual([0, null]);
  expect(residentOf(box).address).toBeUndefined();
});

test.each<[string, (box: Sandbox, program: string) => void]>([
  [
    'its program is replaced',
    (_, program) => replace(join(dirname(program), 'lanehold-hook-main.cjs')),
  ],
  ['its program is gone', (_, program) => rmSync(dirname(dirname(program)), { recursive: true })],
  ['the database is replaced', (box) => replace(join(box.laneholdHome, 'lanehold.db'))],
  ['the database is gone', (box) => rmSync(join(box.laneholdHome, 'lanehold.db'))],
  ['its address file is gone', (box, program) => rmSync(residentOf(box, program).file)],
  ['its home is gone', (box) => rmSync(box.laneholdHome, { recursive: true })],
  [
    'its home is made again',
    (box) => {
      renameSync(box.laneholdHome, join(box.root, 'away'));
      cpSync(join(box.root, 'away'), box.laneholdHome, { recursive: true });
    },
  ],
  [
    'the settings say so',
    (box) => box.write(join(box.laneholdHome, 'config.json'), '{"hooks": {"resident": "off"}}'),
  ],
  [
    'a newer lanehold has changed the database',
    (box) => {
      const db = new Sqlite(join(box.laneholdHome, 'lanehold.db'));
      db.pragma('user_version = 9999');
      db.close();
    },
  ],
])('once %s, it answers nothing more and ends', async (_, change) => {
  const box = sandbox();
  const program = ownInstallation(box);
  const { address, ended } = await runs(box, { program });
  change(box, program);
  expect(await ask(address, requestBytes(box, START))).toBeUndefined();
  expect(await ended).toEqual([0, null]);
});

function replace(file: string): void {
  cpSync(file, `${file}.new`);
  renameSync(`${file}.new`, file);
}

test('ends by itself once its home is gone, although no hook asks', async () => {
  const box = sandbox();
  const { ended } = await startResident(box, { args: ['--idle-ms=60000'] });
  rmSync(box.laneholdHome, { recursive: true });
  expect(await ended).toEqual([0, null]);
});

test('an address file of another is left alone', async () => {
  const box = sandbox();
  const { ended, file } = await runs(box, { args: ['--idle-ms=1000'] });
  writeFileSync(file, 'another');
  expect(await ended).toEqual([0, null]);
  expect(residentOf(box).address).toBeUndefined();
  rmSync(file);
});

test('one that was stopped ends once it goes on, if a hook has given it up', async () => {
  const box = sandbox();
  const { child, ended, file, address } = await runs(box);
  child.kill('SIGSTOP');
  const line = new Line(address.port);
  line.socket.write(`${address.hookSecret}\n`);
  renameSync(file, `${file}.gone`);
  child.kill('SIGCONT');
  expect(await ended).toEqual([0, null]);
  await line.closed;
  // No hook would send it anything.
  expect(line.text).toBe('');
});

test('at SIGTERM hooks that wait are answered first', async () => {
  const box = sandbox();
  const repo = box.repo();
  const { child, ended, address } = await runs(box);
  const { port, hookSecret, ownSecret } = address;
  const line = new Line(port);
  line.socket.write(`${hookSecret}\n`);
  await line.has(`${ownSecret}\n`);
  child.kill('SIGTERM');
  await until('no address file', () => residentOf(box).address === undefined);
  line.socket.write(requestBytes(box, { ...START, cwd: repo }));
  expect(await ended).toEqual([0, null]);
  await line.closed;
  expect(answerIn(line.text, ownSecret)).toMatchObject({ exitCode: 0 });
});

test.each(['before', 'during', 'after'])(
  'after SIGKILL %s an event another one starts',
  async (when) => {
    const box = sandbox();
    const repo = box.repo();
    const bytes = requestBytes(box, { ...START, cwd: repo });
    const first = await startResident(box);
    const { port, hookSecret, ownSecret } = first.address;
    if (when === 'before') first.child.kill('SIGKILL');
    const line = new Line(port);
    line.socket.write(`${hookSecret}\n`);
    if (when !== 'before') await line.has(`${ownSecret}\n`);
    line.socket.write(bytes);
    if (when === 'during') first.child.kill('SIGKILL');
    await line.closed;
    if (when === 'before') expect(line.text).toBe('');
    if (when === 'after') expect(answerIn(line.text, ownSecret)).toMatchObject({ exitCode: 0 });
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await startResident(box);
    expect(second.address.hookSecret).not.toBe(first.address.hookSecret);
    expect(await ask(second.address, bytes)).toMatchObject({ exitCode: 0 });
  },
);

test('its memory does not grow with the number of events', async () => {
  const box = sandbox();
  const repo = box.repo();
  const { address, child } = await runs(box);
  const some = async (count: number): Promise<number> => {
    for (let done = 0; done < count; done += 20) {
      const asked = Array.from({ length: 20 }, (_, number) => {
        const payload = {
          ...beforeCommand(repo, `echo ${done + number}`),
          session_id: `s${number}`,
        };
        return ask(address, requestBytes(box, { event: 'before-tool', payload, cwd: repo }));
      });
      expect((await Promise.all(asked)).every((it) => it?.exitCode === 0)).toBe(true);
    }
    const status = readProc(`/proc/${child.pid}/status`)?.toString() ?? '';
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  };
  const before = await some(500);
  expect((await some(1_500)) - before).toBeLessThan(80);
  expect(processEntry(child.pid ?? 0)?.state).toBe('runs');
});

test('events leave no process and no open file behind', async () => {
  const box = sandbox();
  const { repo, write } = shop(box);
  const { address, child } = await runs(box);
  const pid = child.pid ?? 0;
  const round = async (number: number): Promise<number> => {
    write('src/cart/add.ts', `${number}\n`);
    for (const [event, payload] of [
      ['session-start', { source: 'startup' }],
      ['after-tool', afterEdit(repo, join(repo, 'src/cart/add.ts'))],
      ['before-tool', beforeCommand(repo, 'git commit -am x && git push origin main')],
      ['before-tool', beforeCommand(repo, 'git push origin main')],
      ['stop', {}],
      ['session-end', {}],
    ] as const) {
      const sent = {
        cwd: repo,
        ...payload,
        session_id: `s${number}`,
        transcript_path: '/dev/null',
      };
      await ask(address, requestBytes(box, { event, payload: sent, cwd: repo }));
    }
    return readdirSync(`/proc/${pid}/fd`).length;
  };
  const before = await round(0);
  for (let number = 1; number < 8; number += 1) await round(number);
  await eventually(() =>
    expect(processEntries().filter(({ parent }) => parent === pid)).toEqual([]),
  );
  expect((await round(8)) - before).toBeLessThan(4);
});
