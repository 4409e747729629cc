/** Whatever happens meanwhile: nothing that was acknowledged is lost, nothing is there twice, nobody waits. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test, vi } from 'vitest';
import { homeOf } from '../../src/base/files/home.ts';
import { takeLateNow } from '../../src/recall/late.ts';
import { openStore } from '../../src/store/open.ts';
import { command } from '../support/command.ts';
import { beforeCommand, promptSubmit } from '../support/payloads.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { seededRandom } from '../support/seeded-random.ts';

const PROCESS = join(import.meta.dirname, 'fault-process.ts');

function start(box: Sandbox, ...args: readonly string[]) {
  const child = spawn(process.execPath, [PROCESS, ...args], {
    cwd: box.repo(),
    env: box.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const waiting: { most: number; go: () => void }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const it of waiting) if (lines.length >= it.most) it.go();
  });
  const closed = once(child, 'close');
  return {
    closed,
    /** What it has said in all, after it was killed at its so many-th line, or ended before. */
    async killedAt(most: number): Promise<readonly string[]> {
      const reached = new Promise<void>((go) => waiting.push({ most, go }));
      await Promise.race([reached, closed]);
      child.kill('SIGKILL');
      await closed;
      return lines;
    },
  };
}

async function recorded(box: Sandbox) {
  const store = await openStore(homeOf(box.env));
  takeLateNow(store);
  const integrity = store.db.pragma('integrity_check', { simple: true });
  const texts = store.db
    .prepare<[], string>(`SELECT text FROM observations WHERE kind = 'prompt' ORDER BY id`)
    .pluck()
    .all();
  const summaries = store.db
    .prepare<[], number>(`SELECT count(*) FROM recall_items WHERE kind = 'summary'`)
    .pluck()
    .get();
  store.close();
  return { integrity, texts, summaries };
}

test('hooks and those who lock the database are killed anywhere: each acknowledged prompt is there once', async () => {
  const box = sandbox();
  (await openStore(homeOf(box.env))).close();
  const random = seededRandom(7);
  const upTo = (most: number) => 1 + Math.floor(random() * most);
  const acknowledged: string[] = [];
  const writes = async (session: string) => {
    const said = await start(box, 'write', session, '400').killedAt(upTo(60));
    acknowledged.push(...said.map((at) => `${session} prompt ${at}`));
  };
  const locks = async () => {
    for (let round = 0; round < 3; round += 1) await start(box, 'lock').killedAt(upTo(2));
  };
  await Promise.all([writes('a'), writes('b'), writes('c'), locks()]);

  const { integrity, texts } = await recorded(box);
  expect(integrity).toBe('ok');
  expect(acknowledged.length).toBeGreaterThan(3);
  expect(acknowledged.filter((it) => !texts.includes(it))).toEqual([]);
  expect(texts).toHaveLength(new Set(texts).size);
  // In order, session by session.
  const ofA = texts.filter((it) => it.startsWith('a ')).map((it) => Number(it.split(' ').at(-1)));
  expect(ofA).toEqual(ofA.toSorted((one, other) => one - other));
}, 60_000);

test('thirty-two sessions at once: each prompt is there once, each session has its summary', async () => {
  const box = sandbox();
  (await openStore(homeOf(box.env))).close();
  const clients = ['a', 'b', 'c', 'd'].map((name) => start(box, 'live', name, '8', '10'));
  expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual(
    clients.map(() => [0, null]),
  );
  const { integrity, texts, summaries } = await recorded(box);
  expect(integrity).toBe('ok');
  expect(texts).toHaveLength(4 * 8 * 10);
  expect(new Set(texts).size).toBe(4 * 8 * 10);
  expect(summaries).toBe(32);
}, 60_000);

function project() {
  const box = sandbox();
  const folder = join(box.root, 'shop');
  mkdirSync(folder);
  const payload = { ...promptSubmit(folder), session_id: 'one', cwd: folder };
  const prompt = (text: string) => box.hook('prompt-submit', { ...payload, prompt: text });
  const stop = () =>
    box.hook('stop', { ...payload, hook_event_name: 'Stop', last_assistant_message: 'Done.' });
  const json = async (...argv: string[]) =>
    JSON.parse((await command(box, folder, [...argv, '--json'])).stdout);
  return { box, folder, prompt, stop, json };
}

test('while another process writes for long, hooks answer with nothing, and nothing is lost', async () => {
  const { box, folder, prompt, stop, json } = project();
  const note = ['note', 'add', 'project/expiry', 'Coupons expire after ninety days'];
  await command(box, folder, [...note, '--commands', 'npm publish*']);
  await prompt('Look at the parser of refunds');
  await stop();
  const writer = await openStore(homeOf(box.env));
  writer.db.exec('BEGIN IMMEDIATE');
  const nothing = { exitCode: 0, stdout: '', stderr: '' };
  expect(await prompt('Why do the coupons expire after ninety days?')).toMatchObject(nothing);
  expect(
    (await box.hook('before-tool', beforeCommand(folder, 'npm publish --dry-run'))).stdout,
  ).not.toContain('ninety');
  expect(await stop()).toMatchObject(nothing);
  writer.db.exec('ROLLBACK');
  writer.close();
  expect((await prompt('Why do the coupons expire after ninety days?')).stdout).toContain(
    'ninety days',
  );
  const { entries } = await json('recall', 'timeline');
  expect(entries.map(({ kind }: { kind: string }) => kind)).toEqual([
    'prompt',
    'stop',
    'prompt',
    'command',
    'stop',
    'prompt',
  ]);
  // Waiting as long as others do would take longer.
}, 20_000);

afterEach(() => vi.useRealTimers());

test('a clock that jumps changes neither the order nor what is found', async () => {
  const { prompt, stop, json, box, folder } = project();
  vi.useFakeTimers({ toFake: ['Date'] });
  const at = async (day: string, text: string) => {
    vi.setSystemTime(new Date(`${day}T12:00:00Z`));
    await prompt(text);
    await stop();
  };
  await at('2026-11-20', 'Make the coupon parser accept percentages');
  await at('2031-01-01', 'Then round the coupon amounts down');
  await at('2019-05-05', 'And document the coupon parser in the README');
  vi.setSystemTime(new Date('2026-11-21T12:00:00Z'));
  const { entries } = await json('recall', 'timeline', '--session', 'one');
  const prompts = entries.filter(({ kind }: { kind: string }) => kind === 'prompt');
  expect(prompts.map(({ text }: { text: string }) => text.split(' ')[0])).toEqual([
    'Make',
    'Then',
    'And',
  ]);
  const { sessions } = await json('session', 'list');
  expect(sessions).toMatchObject([
    { began: '2019-05-05T12:00:00.000Z', last: '2031-01-01T12:00:00.000Z' },
  ]);
  await command(box, folder, [
    'note',
    'add',
    'project/now',
    'Coupon rounding is done by the parser',
  ]);
  const { hits } = await json('recall', 'search', 'coupon', 'rounding', 'parser');
  expect(hits.map(({ kind }: { kind: string }) => kind)).toEqual(['fact', 'summary']);
  expect(hits.every(({ score }: { score: number }) => Number.isFinite(score) && score > 0)).toBe(
    true,
  );
  for (const words of [['session', 'list'], ['recall', 'timeline'], ['status']]) {
    expect((await command(box, folder, words)).stdout).not.toMatch(/-\d+ (?:s|min|h|d|days?)\b/);
  }
});
