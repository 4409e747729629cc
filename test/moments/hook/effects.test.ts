/** What an event changes: once, all of it or nothing, and only while somebody waits for the answer. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { homeOf } from '../../../src/base/files/home.ts';
import { takeLateNow } from '../../../src/recall/late.ts';
import { openStore } from '../../../src/store/open.ts';
import {
  afterEdit,
  beforeCommand,
  promptSubmit,
  sessionStart,
  stop,
} from '../../support/payloads.ts';
import { HOOK_PROGRAM, type Sandbox, sandbox } from '../../support/sandbox.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { shop } from '../../support/shop.ts';
import { expectAnswer } from './answers.ts';

const PUSH = 'git push origin main';
const CLONES_GET_HOOKS = JSON.stringify({ version: 1, installations: [], gitHold: 'clones' });

/** Rows of a table, read by a command that takes in what came late. */
async function rows(box: Sandbox, table: string): Promise<readonly Record<string, unknown>[]> {
  const store = await openStore(homeOf(box.env));
  takeLateNow(store);
  const all = store.db.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`).all();
  store.close();
  return all;
}

const prompts = async (box: Sandbox) =>
  (await rows(box, 'observations')).filter(({ kind }) => kind === 'prompt').map((it) => it.text);

function project() {
  const box = sandbox();
  const { repo, write } = shop(box);
  write('src/cart/add.txt', 'changed\n');
  box.commit(repo);
  return { box, repo, edit: afterEdit(repo, join(repo, 'src/cart/add.txt')) };
}

describe('an event that two processes answer', () => {
  const ways = {
    'first the resident process, then the hook': ['hook', 'startHook'],
    'first the hook, then the resident process': ['startHook', 'hook'],
  } as const;

  test.each(Object.entries(ways))('has its effects once, and one answer: %s', async (_, way) => {
    const { box, repo, edit } = project();
    const answers = [];
    for (const how of way) answers.push(await box[how]('after-tool', edit, { id: 'event-1' }));
    expect(answers[0]?.stdout).toContain('touches feature cart');
    expect(answers[1]).toEqual(answers[0]);
    expect(await rows(box, 'observations')).toHaveLength(1);
    expect(await rows(box, 'pending')).toMatchObject([{ feature: 'cart', edits: 1 }]);

    const push = beforeCommand(repo, PUSH);
    for (const how of way)
      expect(expectAnswer(await box[how]('before-tool', push, { id: 'event-2' }))).toBe('deny');
    expect(await rows(box, 'decisions')).toHaveLength(1);
    const traces = readFileSync(join(box.laneholdHome, 'traces/claude-code/session-1'), 'utf8');
    expect(traces.match(/before-tool deny/g)).toHaveLength(1);
    // Another event is another one.
    expect((await box.hook('after-tool', edit, { id: 'event-3' })).stdout).toBe('');
    expect(await rows(box, 'pending')).toMatchObject([{ feature: 'cart', edits: 2 }]);
  });

  test.each(Object.entries(ways))(
    'of which the other does what one did not come to before it was killed: %s',
    async (_, way) => {
      const { box, repo } = project();
      const gitHook = join(repo, '.git/hooks/pre-push');
      const traces = join(box.laneholdHome, 'traces/claude-code/session-1');
      const manifest = box.write('home/.lanehold/manifest.json', CLONES_GET_HOOKS);
      for (const how of way) {
        writeFileSync(manifest, CLONES_GET_HOOKS);
        rmSync(gitHook, { force: true });
        await box[how]('session-start', sessionStart(repo), { id: 'event-1' });
        expect(existsSync(gitHook)).toBe(true);

        rmSync(traces);
        await box[how]('before-tool', beforeCommand(repo, PUSH), { id: 'event-2' });
        expect(readFileSync(traces, 'utf8')).toContain('before-tool deny');
      }
    },
  );

  test('at the same time: one of them changes something, and both say the same', async () => {
    const { box, edit } = project();
    const all = Array.from({ length: 6 }, (_, at) =>
      box[at % 2 === 0 ? 'hook' : 'startHook']('after-tool', edit, { id: 'event-1' }),
    );
    const [first, ...others] = await Promise.all(all);
    for (const it of others) expect(it).toEqual(first);
    expect(await rows(box, 'observations')).toHaveLength(1);
    expect(await rows(box, 'pending')).toMatchObject([{ edits: 1 }]);
  });
});

test('where nobody waits for the answer nothing is changed', async () => {
  const { box, repo, edit } = project();
  const left = { id: 'event-1', isLeft: true };
  await box.hook('prompt-submit', promptSubmit(repo), left);
  await box.hook('after-tool', edit, { ...left, id: 'event-2' });
  await box.hook('before-tool', beforeCommand(repo, PUSH), { ...left, id: 'event-3' });
  for (const table of ['observations', 'pending', 'decisions', 'hook_events', 'sessions'])
    expect([table, await rows(box, table)]).toEqual([table, []]);
  for (const folder of ['traces', 'sessions', 'late'])
    expect(existsSync(join(box.laneholdHome, folder))).toBe(false);
  expect((await box.hook('after-tool', edit, { id: 'event-2' })).stdout).toContain('cart');
});

const LOCK = `
  import Sqlite from 'better-sqlite3';
  new Sqlite(process.argv[1]).exec('BEGIN IMMEDIATE');
  process.stdout.write('locked');
  setInterval(() => undefined, 1_000);
`;

/** Another process that keeps the database locked; returns what ends it. */
async function locked(box: Sandbox): Promise<() => Promise<void>> {
  const args = ['--input-type=module', '-e', LOCK, join(box.laneholdHome, 'lanehold.db')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
}

describe('a database that another process keeps locked', () => {
  test('changes no answer, and what was recorded late is taken in once', async () => {
    const { box, repo, edit } = project();
    await box.hook('session-start', sessionStart(repo));
    const unlock = await locked(box);
    const began = performance.now();
    const answers = await Promise.all([
      box.startHook('before-tool', beforeCommand(repo, PUSH)),
      box.startHook('before-tool', beforeCommand(repo, 'ls')),
      box.startHook('prompt-submit', { ...promptSubmit(repo), prompt: 'Said while locked' }),
      box.startHook('after-tool', edit),
      box.startHook('stop', stop(repo)),
    ]);
    expect(answers.map(expectAnswer)).toEqual(['deny', 'none', 'none', 'none', 'none']);
    // Agents give their hooks some twenty seconds.
    expect(performance.now() - began).toBeLessThan(18_000);
    const late = join(box.laneholdHome, 'late');
    expect(readdirSync(late)).toHaveLength(5);
    await unlock();

    await box.hook('prompt-submit', { ...promptSubmit(repo), prompt: 'Said afterwards' });
    expect(readdirSync(late)).toEqual([]);
    expect(await prompts(box)).toEqual(['Said while locked', 'Said afterwards']);
    expect(await rows(box, 'decisions')).toMatchObject([{ rule: 'git push', decision: 'deny' }]);
    expect((await rows(box, 'observations')).map(({ kind }) => kind).sort()).toEqual(
      ['start', 'command', 'command', 'prompt', 'edit', 'stop', 'prompt'].sort(),
    );
  });

  test('has an event that is answered again once it is free recorded once', async () => {
    const { box, repo } = project();
    await box.hook('session-start', sessionStart(repo));
    const unlock = await locked(box);
    const said = { ...promptSubmit(repo), prompt: 'Said twice' };
    const first = await box.hook('prompt-submit', said, { id: 'event-1' });
    expect(await box.hook('prompt-submit', said, { id: 'event-1' })).toEqual(first);
    await unlock();
    expect(await box.hook('prompt-submit', said, { id: 'event-1' })).toEqual(first);
    expect(await prompts(box)).toEqual(['Said twice']);
  });

  test('and one that takes late records in may be killed at any time', async () => {
    const { box, repo } = project();
    await box.hook('session-start', sessionStart(repo));
    const unlock = await locked(box);
    const said = Array.from({ length: 8 }, (_, at) => `Said while locked ${at}`);
    await Promise.all(
      said.map((prompt, at) =>
        box.hook('prompt-submit', { ...promptSubmit(repo), session_id: `s${at}`, prompt }),
      ),
    );
    await unlock();
    const random = seededRandom(3);
    for (let round = 0; round < 8; round += 1) {
      const child = started(box, 'stop', stop(repo));
      await killedAfter(child, 30 + random() * 200);
    }
    expect((await prompts(box)).toSorted()).toEqual(said);
  });
});

function started(box: Sandbox, event: string, payload: object): ChildProcess {
  const args = ['--no-rehash-snapshot', HOOK_PROGRAM, event, '--agent', 'claude-code'];
  const child = spawn(process.execPath, args, { cwd: box.root, env: box.env, stdio: 'pipe' });
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(JSON.stringify(payload));
  return child;
}

/** @returns whether it had answered before. */
async function killedAfter(child: ChildProcess, ms: number): Promise<boolean> {
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  const [code] = await once(child, 'exit');
  clearTimeout(timer);
  return code === 0;
}

test('a hook that is killed at any time has recorded its event once or not at all', async () => {
  const { box, repo } = project();
  await box.hook('session-start', sessionStart(repo));
  const random = seededRandom(11);
  const answered: string[] = [];
  for (let round = 0; round < 24; round += 1) {
    const prompt = `Round ${round} of many`;
    const child = started(box, 'prompt-submit', { ...promptSubmit(repo), prompt });
    if (await killedAfter(child, 40 + random() * 260)) answered.push(prompt);
  }
  const recorded = await prompts(box);
  expect(answered.filter((it) => !recorded.includes(it))).toEqual([]);
  expect(recorded).toHaveLength(new Set(recorded).size);
});

test('others may write to the database as long as git works', async () => {
  const { box, repo, edit } = project();
  const notes = box.write('notes', '');
  const script = join(import.meta.dirname, '../../fixtures/bin/git-and-lock.mjs');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const slow = box.write('bin/git', `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`);
  chmodSync(slow, 0o755);
  const env = {
    ...{ PATH: `${join(box.root, 'bin')}:${box.env.PATH}`, NOTES: notes, GIT: real },
    DATABASE: join(box.laneholdHome, 'lanehold.db'),
  };
  const moments = [
    ['session-start', sessionStart(repo)],
    ['prompt-submit', promptSubmit(repo)],
    ['after-tool', edit],
    ['before-tool', beforeCommand(repo, PUSH)],
    ['stop', stop(repo)],
    ['before-compact', { ...stop(repo), hook_event_name: 'PreCompact', trigger: 'auto' }],
    ['session-start', sessionStart(repo, 'compact')],
    ['session-start', sessionStart(repo, 'resume')],
  ] as const;
  for (const [event, payload] of moments) await box.hook(event, payload, { env });
  // An agent that is told what is held by a file: it is brought up to date behind the answer.
  const shell = { hook_event_name: 'beforeSubmitPrompt', prompt: 'Go on', attachments: [] };
  const cursor = { conversation_id: 'c', generation_id: 't', workspace_roots: [repo], ...shell };
  await box.hook('prompt-submit', cursor, { env, agent: 'cursor' });
  const lines = readFileSync(notes, 'utf8').trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter((it) => !it.startsWith('free'))).toEqual([]);
});
