import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { addressText } from '../../../src/moments/resident/address.ts';
import { command } from '../../support/command.ts';
import { ask, requestBytes, residentOf, startResident } from '../../support/resident-process.ts';
import { HOOK_PROGRAM, type Sandbox, sandbox } from '../../support/sandbox.ts';

const run = async (box: Sandbox, ...argv: readonly string[]) => {
  const { exitCode, stdout } = await command(box, box.root, argv);
  expect(exitCode).toBe(0);
  return stdout;
};

const json = async (box: Sandbox, ...argv: readonly string[]) =>
  JSON.parse(await run(box, ...argv, '--json'));

test('says what the process does, and never its secrets', async () => {
  const box = sandbox();
  const { address, child } = await startResident(box);
  const { port, hookSecret, ownSecret } = address;
  await ask(address, requestBytes(box, { event: 'session-start', payload: { session_id: 'a' } }));
  const printed = await run(box, 'resident', 'status', '--json');
  expect(printed).not.toContain(hookSecret);
  expect(printed).not.toContain(ownSecret);
  const [found, ...others] = JSON.parse(printed).residents;
  expect(others).toEqual([]);
  expect(found).toMatchObject({ pid: child.pid, port, program: HOOK_PROGRAM });
  expect(found.status).toMatchObject({ pid: child.pid, version: '0.1.0', events: 1 });
  expect(found.status.memoryBytes).toBeGreaterThan(1_000_000);
  expect(Date.parse(found.status.startedAt)).toBeLessThanOrEqual(
    Date.parse(found.status.idleSince),
  );

  const said = `process ${child.pid} of version 0.1.0 answers hooks of ${HOOK_PROGRAM}: 1 event`;
  expect(await run(box, 'resident', 'status')).toContain(said);
  expect((await command(box, box.root, ['doctor'])).stdout).toContain(said);
  const repo = box.repo();
  const { stdout } = await command(box, repo, ['status', '--json']);
  expect(JSON.parse(stdout).residents).toMatchObject([{ pid: child.pid, port }]);
});

test.each(['resident stop', 'uninstall'])('%s ends it', async (words) => {
  const box = sandbox();
  const { child, ended } = await startResident(box);
  const said = await run(box, ...words.split(' '));
  if (words === 'resident stop') expect(said).toBe(`Ended process ${child.pid}\n`);
  expect(await ended).toEqual([0, null]);
  expect(await json(box, 'resident', 'status')).toEqual({ residents: [] });
});

test('where none runs it says so', async () => {
  const box = sandbox();
  for (const what of ['status', 'stop']) {
    expect(await run(box, 'resident', what)).toBe(
      'no process answers hooks now: a later hook starts one\n',
    );
  }
  await run(box, 'config', 'set', 'hooks.resident', 'off');
  expect(await run(box, 'resident', 'status')).toBe(
    'no process answers hooks: `hooks.resident` is off\n',
  );
  // It is no setting of projects.
  expect(await run(box, 'config', 'unset', 'hooks.resident')).toBe(
    'hooks.resident is no longer set by you\n',
  );
});

test('one that was killed is none, and one that is stopped does not answer', async () => {
  const box = sandbox();
  const { child, ended } = await startResident(box);
  child.kill('SIGSTOP');
  const { residents } = await json(box, 'resident', 'status');
  expect(residents).toMatchObject([{ pid: child.pid, status: null }]);
  const { stdout } = await command(box, box.root, ['doctor', '--json']);
  expect(JSON.parse(stdout).findings).toContainEqual(
    expect.objectContaining({ check: 'resident', state: 'warning' }),
  );
  expect(await run(box, 'resident', 'stop')).toContain('does not answer');
  expect(existsSync(residentOf(box).file)).toBe(false);
  child.kill('SIGCONT');
  expect(await ended).toEqual([0, null]);

  const second = await startResident(box);
  second.child.kill('SIGKILL');
  await second.ended;
  expect(await json(box, 'resident', 'status')).toEqual({ residents: [] });
});

test('nothing is asked of a stranger on the port', async () => {
  const box = sandbox();
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on('data', (piece) => heard.push(String(piece)));
    socket.write(`${'f'.repeat(32)}\nffffffff 0 9 0\n{"pid":1}\0\0`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { file } = residentOf(box);
  const port = Object(server.address()).port;
  const secrets = { hookSecret: '0'.repeat(32), ownSecret: '1'.repeat(32) };
  box.write(file, addressText({ port, ...secrets, pid: 1, program: HOOK_PROGRAM }));
  expect(await json(box, 'resident', 'status')).toEqual({ residents: [] });
  expect(heard).toEqual([`${secrets.hookSecret}\n`]);
});

test('it is switched off for good by a setting', async () => {
  const box = sandbox();
  const { ended } = await startResident(box);
  expect(await json(box, 'config', 'get', 'hooks.resident')).toMatchObject({ value: 'on' });
  await run(box, 'config', 'set', 'hooks.resident', 'off');
  expect(await ended).toEqual([0, null]);
  expect(await json(box, 'config', 'get', 'hooks.resident')).toMatchObject({ value: 'off' });
  const { settings } = await json(box, 'config', 'list');
  expect(settings).toContainEqual({ key: 'hooks.resident', value: 'off', source: 'you' });
  const { stdout } = await command(box, box.root, ['doctor']);
  expect(stdout).toContain('`hooks.resident` is off');
  const wrong = await command(box, box.root, ['config', 'set', 'hooks.resident', 'maybe']);
  expect(wrong.exitCode).not.toBe(0);
});
