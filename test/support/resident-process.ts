/** A resident process of a sandbox, and hooks that ask it. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { definedOnly } from '../../src/base/environment.ts';
import { homeOf } from '../../src/base/files/home.ts';
import { sendSignal } from '../../src/base/process/run.ts';
import { type Address, addressFile, readAddress } from '../../src/moments/resident/address.ts';
import { HOOK_PROGRAM, type Payload, type Sandbox } from './sandbox.ts';
import { until } from './until.ts';

interface ResidentOptions {
  readonly program?: string;
  readonly args?: readonly string[];
  readonly nodeArgs?: readonly string[];
}

/** Starts it as a hook does, and waits until it can be found. It ends with the test. */
export async function startResident(box: Sandbox, options: ResidentOptions = {}) {
  const { program = HOOK_PROGRAM, args = [], nodeArgs = [] } = options;
  const { PATH, HOME, LANEHOLD_HOME } = box.env;
  const child = spawn(process.execPath, [...nodeArgs, program, 'resident', ...args], {
    env: definedOnly({ PATH, HOME, LANEHOLD_HOME }),
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const { file, address } = await until(
    () => `a resident process that can be found: ${stderr}`,
    () => {
      const found = residentOf(box, program);
      return found.address?.pid === child.pid ? found : undefined;
    },
  );
  if (address === undefined) throw new Error('it is gone');
  return { child, ended, file, address };
}

/** The one of a sandbox and an installation, as hooks find it. */
export function residentOf(box: Sandbox, program = HOOK_PROGRAM) {
  const file = addressFile(homeOf(box.env), program);
  return { file, address: readAddress(file) };
}

/** The one that hooks have started; it ends with the test. */
export async function startedResident(box: Sandbox, program = HOOK_PROGRAM): Promise<Address> {
  const found = await until('a resident process', () => residentOf(box, program).address);
  onTestFinished(() => void sendSignal(found.pid, 'SIGKILL'));
  return found;
}

export interface Asked {
  readonly event: string;
  readonly payload?: Payload;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly parent?: number;
  readonly id?: string;
}

/** What a hook sends after it has seen the second secret. */
export function requestBytes(box: Sandbox, asked: Asked): Buffer {
  const {
    event,
    payload = '',
    cwd = box.root,
    env = {},
    parent = process.pid,
    id = randomUUID(),
  } = asked;
  const { args = [event, '--agent', 'claude-code'] } = asked;
  const variables = Object.entries({ ...box.env, ...env })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`);
  const input = Buffer.from(
    typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
  );
  const before = [id, parent, cwd, input.length, args.length, ...args];
  const fields = [...before, ...variables, '', ''].map((it) => `\0${it}`);
  return Buffer.concat([Buffer.from(fields.join('')), input]);
}

/** The bytes that the other side sends until it closes. */
export class Line {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  #bytes = Buffer.alloc(0);

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => undefined);
    this.socket.on('data', (piece: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, piece]);
    });
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
  }

  get text(): string {
    return this.#bytes.toString('utf8');
  }

  has(text: string): Promise<boolean> {
    return until(
      () => `${JSON.stringify(text)} in ${JSON.stringify(this.text)}`,
      () => this.text.includes(text) || this.socket.closed,
    );
  }
}

/** Asks as the entry script does; `undefined` where the hook would have to find out itself. */
export async function ask({ port, hookSecret, ownSecret }: Address, bytes: Buffer) {
  const line = new Line(port);
  line.socket.write(`${hookSecret}\n`);
  await line.has(`${ownSecret}\n`);
  line.socket.write(bytes);
  await line.closed;
  return answerIn(line.text, ownSecret);
}

export function answerIn(text: string, ownSecret: string) {
  const [start, rest = ''] = text.split(ownSecret.slice(0, 8)).slice(1);
  const [, code, ...sizes] = /^ *(\d+) +(\d+) +(\d+)/.exec(rest) ?? [];
  const said = Buffer.from(rest.slice(24));
  const [out = 0, err = 0] = sizes.map(Number);
  if (start === undefined || code === undefined || said.length !== out + err) return undefined;
  const [stdout, stderr] = [`${said.subarray(0, out)}`, `${said.subarray(out)}`];
  return { exitCode: Number(code), stdout, stderr };
}

export const hookLog = (box: Sandbox): string => {
  const file = join(box.laneholdHome, 'logs/hook.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
