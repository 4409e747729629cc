import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import type { EventName } from '../../../src/agents/types.ts';
import { processEntries } from '../../../src/base/process/process-entry.ts';
import { type Request, requestReader } from '../../../src/moments/resident/request.ts';
import { afterEdit, beforeCommand } from '../../support/payloads.ts';
import {
  answerIn,
  ask,
  hookLog,
  Line,
  requestBytes,
  startResident,
} from '../../support/resident-process.ts';
import { sandbox } from '../../support/sandbox.ts';
import { shop } from '../../support/shop.ts';
import { until } from '../../support/until.ts';

/** At a signal it takes from the process what an event must not use; a file has what was used all the same. */
const takingAll = (used: string): string => `
  const { appendFileSync, writeFileSync } = require('node:fs');
  const refuse = (what) => () => {
    const { stack } = new Error('an event has used the process itself: ' + what);
    appendFileSync(${JSON.stringify(used)}, stack + '\\n');
    throw new Error(stack);
  };
  const own = process.env;
  process.on('SIGUSR2', () => {
    // Node itself looks for its own variables whenever it starts a program.
    const get = (_, name) => (/^NODE_/.test(name) ? own[name] : refuse('env.' + name)());
    process.env = new Proxy(own, { get, has: refuse('env'), ownKeys: refuse('env') });
    for (const it of ['cwd', 'chdir', 'exit']) process[it] = refuse(it);
    Object.defineProperty(process, 'ppid', { get: refuse('ppid') });
    for (const it of ['stdin', 'stdout', 'stderr']) {
      Object.defineProperty(process, it, { value: new Proxy({}, { get: refuse(it) }) });
    }
    const modules = { os: ['homedir', 'tmpdir'], child_process: ['spawnSync', 'execFileSync'] };
    for (const [name, functions] of Object.entries(modules)) {
      for (const it of functions) require('node:' + name)[it] = refuse(it);
    }
    Atomics.wait = refuse('Atomics.wait');
    require('node:module').syncBuiltinESMExports();
    writeFileSync(${JSON.stringify(used)}, '');
  });
`;

test('answers a session as processes of its own do, without anything of the process itself', async () => {
  const box = sandbox();
  const { repo, write } = shop(box);
  const used = join(box.root, 'used');
  const preload = box.write('preload.cjs', takingAll(used));
  const { address, child } = await startResident(box, { nodeArgs: ['--require', preload] });
  child.kill('SIGUSR2');
  await until('a process that has nothing of its own', () => existsSync(used));
  const answer = (event: EventName, payload: object) =>
    ask(
      address,
      requestBytes(box, { event, payload: { ...ofSession(repo), ...payload }, cwd: repo }),
    );

  expect(await answer('session-start', { source: 'startup' })).toMatchObject({ exitCode: 0 });
  expect(await answer('prompt-submit', { prompt: 'change the cart' })).toMatchObject({
    exitCode: 0,
  });
  const file = write('src/cart/add.ts', 'changed\n');
  const { tool_name, tool_input } = afterEdit(repo, file);
  const edit = { tool_name, tool_input };
  expect(await answer('before-tool', edit)).toMatchObject({ exitCode: 0 });
  const edited = await answer('after-tool', edit);
  expect(edited).toMatchObject({ exitCode: 0, stderr: '' });
  expect(edited?.stdout).toContain('cart');
  const failed = { ...beforeCommand(repo, 'npm test | tail'), error: 'exit code 1' };
  expect(await answer('after-tool-failure', failed)).toMatchObject({ exitCode: 0 });

  box.commit(repo);
  const payload = { ...beforeCommand(repo, 'git push origin main'), ...ofSession(repo) };
  const push = await answer('before-tool', payload);
  expect(push?.stdout).toContain('feature verify cart');
  expect(push?.stdout).toBe((await box.hook('before-tool', payload, { cwd: repo })).stdout);
  const oid = box.git(repo, 'rev-parse', 'HEAD');
  const args = ['git-pre-push', '', 'origin', box.git(repo, 'remote', 'get-url', 'origin')];
  const lines = `refs/heads/main ${oid} refs/heads/main ${'0'.repeat(40)}\n`;
  const byGit = requestBytes(box, { event: '', args, payload: lines, cwd: repo });
  expect(await ask(address, byGit)).toMatchObject({ exitCode: 1, stdout: '' });
  // Only the remote could say whether this is so: a process that waits for it has to answer.
  box.git(repo, 'update-ref', 'refs/remotes/origin/elsewhere', oid);
  expect(await ask(address, byGit)).toBeUndefined();
  const line = { event: '', args: ['statusline', '--wrap', 'echo mine'], cwd: repo };
  expect((await ask(address, requestBytes(box, line)))?.stdout).toBe(
    'mine\nlanehold: 1 to verify: cart; held push: main\n',
  );
  for (const event of ['stop', 'before-compact', 'session-end'] as const) {
    expect(await answer(event, {})).toMatchObject({ exitCode: 0 });
  }
  expect(readFileSync(used, 'utf8')).toBe('');
  expect(hookLog(box)).toBe('');
});

const ofSession = (cwd: string) => ({ session_id: 's1', cwd, transcript_path: '/dev/null' });

test.each([
  ['says nothing', ''],
  ['says too little', 'a'.repeat(20)],
  ['says something else', `${'0'.repeat(32)}\nid\0`],
  ['begins with a space', ' '],
])('a stranger who %s is told nothing', async (_, text) => {
  const box = sandbox();
  const { address } = await startResident(box);
  const line = new Line(address.port);
  line.socket.write(text);
  await line.closed;
  expect(line.text).toBe('');
});

test('strangers who are many keep no hook out for long', async () => {
  const box = sandbox();
  const { address } = await startResident(box);
  const lines = Array.from({ length: 400 }, () => new Line(address.port));
  await Promise.all(lines.map(({ closed }) => closed));
  expect(lines.map(({ text }) => text).join('')).toBe('');
  const bytes = requestBytes(box, { event: 'session-start', payload: { session_id: 'a' } });
  expect(await ask(address, bytes)).toMatchObject({ exitCode: 0 });
});

test.runIf(process.platform === 'linux')(
  'a person at a terminal is told how to push all the same',
  async () => {
    const box = sandbox();
    const { repo, write } = shop(box);
    const { address } = await startResident(box);
    write('src/cart/add.ts', 'changed\n');
    box.commit(repo);
    const args = ['git-pre-push', '', 'origin', box.git(repo, 'remote', 'get-url', 'origin')];
    const oid = box.git(repo, 'rev-parse', 'HEAD');
    const payload = `refs/heads/main ${oid} refs/heads/main ${'0'.repeat(40)}\n`;
    const terminal = spawn('script', ['-qec', 'exec sleep 60', '/dev/null'], { stdio: 'ignore' });
    onTestFinished(() => void terminal.kill());
    const { pid } = await until('a program on a terminal', () =>
      processEntries().find(({ parent }) => parent === terminal.pid),
    );
    for (const parent of [pid, process.pid]) {
      const asked = { event: '', args, payload, cwd: repo, parent };
      const answer = await ask(address, requestBytes(box, asked));
      expect(answer?.exitCode).toBe(1);
      expect(answer?.stderr.includes('git push --no-verify')).toBe(parent === pid);
    }
  },
);

const BEAT = `${'.'.repeat(31)}\n`;

test('sends a sign of life for each incomplete piece and while it works', async () => {
  const box = sandbox();
  const { address } = await startResident(box);
  const { hookSecret, ownSecret, port } = address;
  const bytes = requestBytes(box, { event: 'session-start', payload: { session_id: 'a' } });
  const line = new Line(port);
  line.socket.write(`${hookSecret}\n`);
  await line.has(`${ownSecret}\n`);
  line.socket.write(bytes.subarray(0, 5));
  await line.has(`${ownSecret}\n${BEAT}`);
  // The arguments are ended, and look like the end of all.
  line.socket.write(bytes.subarray(5, 9));
  await line.has(`${BEAT}${BEAT}`);
  line.socket.write(bytes.subarray(9));
  await line.closed;
  expect(answerIn(line.text, ownSecret)).toMatchObject({ exitCode: 0 });
});

test('64 hooks at once and payloads of 10 MB are answered', async () => {
  const box = sandbox();
  const repo = box.repo();
  const { address } = await startResident(box);
  const output = 'x'.repeat(10_000_000);
  const large = { ...beforeCommand(repo, 'npm test'), tool_response: { stdout: output } };
  const asked = Array.from({ length: 64 }, (_, number) => ({
    event: number % 2 === 0 ? 'before-tool' : 'session-start',
    payload: { ...beforeCommand(repo, `echo ${number}`), session_id: `s${number % 8}` },
    cwd: repo,
  }));
  const answers = await Promise.all([
    ...asked.map((it) => ask(address, requestBytes(box, it))),
    ask(address, requestBytes(box, { event: 'after-tool', payload: large, cwd: repo })),
  ]);
  expect(answers.filter((it) => it?.exitCode !== 0)).toEqual([]);
});

test('a request that is no request, another home and another time zone are not answered', async () => {
  const box = sandbox();
  const { address } = await startResident(box);
  const start = { event: 'before-tool', payload: beforeCommand(box.root, 'git push') };
  const other = requestBytes(box, { ...start, env: { LANEHOLD_HOME: box.root } });
  expect(await ask(address, other)).toBeUndefined();
  const elsewhere = requestBytes(box, { ...start, env: { TZ: 'Asia/Tokyo' } });
  expect(await ask(address, elsewhere)).toBeUndefined();
  expect(await ask(address, Buffer.from('\0id\0x\0/\0a\x000\0'))).toBeUndefined();
  const more = Buffer.concat([requestBytes(box, start), Buffer.from('x')]);
  expect(await ask(address, more)).toBeUndefined();
  // The hook that was there before git's hook writes to the terminal.
  const args = ['git-pre-push', '/bin/true', 'origin', 'x'];
  expect(await ask(address, requestBytes(box, { event: '', args }))).toBeUndefined();
});

test('variables that are no text are read as Node reads its own environment', () => {
  const variables = ['A=\xff\xc3\xa4', 'LINES=one\n\ntwo', 'EMPTY=', 'SIGN==', 'NONE'];
  const text = ['', 'id', 1, '/', 2, 1, 'event', ...variables, '', 'in'].join('\0');
  const read = requestReader()(Buffer.from(text, 'latin1')) as Request;
  const input = Buffer.from('in');
  expect(read).toMatchObject({ args: ['event'], folder: '/', parent: 1, input });
  expect(read.env).toEqual({ A: '\ufffdä', LINES: 'one\n\ntwo', EMPTY: '', SIGN: '=' });
});

test.each([true, false])(
  'whether the hook still waits (%s) decides on what an event changes',
  async (waits) => {
    const box = sandbox();
    const repo = box.repo();
    const { address } = await startResident(box);
    const { port, hookSecret, ownSecret } = address;
    const asked = { event: 'session-start', id: 'e1', cwd: repo };
    const payload = { ...ofSession(repo), source: 'clear' };
    await ask(address, requestBytes(box, { event: 'session-start', payload: ofSession(repo) }));
    const db = new Sqlite(join(box.laneholdHome, 'lanehold.db'));
    onTestFinished(() => void db.close());
    // Until it is free, the event is begun again and again.
    db.exec('BEGIN IMMEDIATE');
    const line = new Line(port);
    line.socket.write(`${hookSecret}\n`);
    await line.has(`${ownSecret}\n`);
    line.socket.write(requestBytes(box, { ...asked, payload }));
    await line.has(`${ownSecret}\n${BEAT}`);
    if (!waits) {
      line.socket.destroy();
      await line.closed;
    }
    db.exec('ROLLBACK');
    await line.closed;
    // Events of one session keep their order.
    await ask(address, requestBytes(box, { event: 'stop', payload: ofSession(repo), cwd: repo }));
    const rows = db.prepare("SELECT id FROM hook_events WHERE id = 'e1'").all();
    expect(rows).toEqual(waits ? [{ id: 'e1' }] : []);
  },
);

test('an event whose hook is gone is not begun, and the next of its session is', async () => {
  const box = sandbox();
  const repo = box.repo();
  const { address } = await startResident(box);
  const { port, hookSecret, ownSecret } = address;
  const bytes = requestBytes(box, {
    event: 'session-start',
    payload: { session_id: 'a', cwd: repo },
  });
  const line = new Line(port);
  line.socket.write(`${hookSecret}\n`);
  await line.has(`${ownSecret}\n`);
  line.socket.end(bytes);
  await line.closed;
  expect(await ask(address, bytes)).toMatchObject({ exitCode: 0 });
});
