import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keepPorts, leasePorts, type PortLease } from '../../../src/base/process/ports.ts';
import { inBackground } from '../../support/background.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';

const locksOf = ({ root }: Sandbox) => join(root, 'locks');

async function lease(box: Sandbox, count: number, first?: number) {
  const lease = await leasePorts(locksOf(box), count, first);
  onTestFinished(() => lease.release());
  return lease;
}

async function listen(port: number, host = '127.0.0.1') {
  const server = createServer().listen({ port, host });
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return server;
}

const distinct = (...leases: readonly PortLease[]) => {
  const ports = leases.flatMap((it) => it.ports);
  return new Set(ports).size === ports.length;
};

test('so many ports, none twice, free to listen on', async () => {
  const box = sandbox();
  const one = await lease(box, 5);
  const two = await lease(box, 5);
  expect(one.ports).toHaveLength(5);
  expect(distinct(one, two)).toBe(true);
  for (const port of one.ports) await listen(port);
  expect(await lease(box, 0)).toMatchObject({ ports: [] });
});

test('a port is free again after it was given back, and leaves no file', async () => {
  const box = sandbox();
  const first = await lease(box, 1);
  first.release();
  expect(readdirSync(join(locksOf(box), 'ports'))).toEqual([]);
  expect((await lease(box, 1, first.ports[0])).ports).toEqual(first.ports);
});

test('one that is leased, or where something listens, is passed over', async () => {
  const box = sandbox();
  const { ports, release } = await lease(box, 4);
  const [a = 0, b = 0, c = 0, d = 0] = ports;
  release();
  await lease(box, 1, a);
  await listen(b);
  await listen(c, '0.0.0.0');
  const again = await Promise.all([a, b, c, d].map((it) => lease(box, 1, it)));
  expect(again.flatMap((it) => it.ports).filter((it) => [a, b, c].includes(it))).toEqual([]);
  expect(distinct(...again)).toBe(true);
});

test('one where something listens on the loopback of IPv6 alone is passed over', async ({
  skip,
}) => {
  const box = sandbox();
  const { ports, release } = await lease(box, 1);
  release();
  const hasIt = await listen(ports[0] ?? 0, '::1').catch(() => undefined);
  skip(hasIt === undefined, 'this machine has no IPv6');
  expect((await lease(box, 1, ports[0])).ports).not.toEqual(ports);
});

test('after the last port the search goes on at the first', async () => {
  const { ports } = await lease(sandbox(), 2, 29_999);
  expect(ports.every((it) => it >= 20_000 && it < 30_000)).toBe(true);
});

test('the ports of a running worker are kept, even if something listens there', async () => {
  const box = sandbox();
  const { ports, release } = await lease(box, 2);
  for (const port of ports) await listen(port);
  release();
  const kept = keepPorts(locksOf(box), ports);
  onTestFinished(() => kept.release());
  expect(kept.ports).toEqual(ports);
  expect(distinct(kept, await lease(box, 2, ports[0]))).toBe(true);
});

test('a killed process’s ports are free', async () => {
  const box = sandbox();
  const { ports, release } = await lease(box, 1);
  release();
  const [port = 0] = ports;
  const file = join(locksOf(box), 'ports', `${port}.lock`);
  const holder = await inBackground('proc-hold-lock.mjs', [file]);
  expect((await lease(box, 1, port)).ports).not.toEqual([port]);
  await holder.signal('SIGKILL');
  expect((await lease(box, 1, port)).ports).toEqual([port]);
});
