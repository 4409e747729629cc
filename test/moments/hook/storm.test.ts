/** Many hooks at once on one database: no row is lost, none is turned away, whatever is killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeOf } from '../../../src/base/files/home.ts';
import { openStore } from '../../../src/store/open.ts';
import { pendingStore } from '../../../src/store/pending.ts';
import { afterEdit, sessionStart } from '../../support/payloads.ts';
import { HOOK_PROGRAM, type Sandbox, sandbox } from '../../support/sandbox.ts';
import { expectAnswer } from './answers.ts';

async function project(box: Sandbox): Promise<string> {
  const repo = box.repo();
  box.write('repo/src/a.txt', 'a\n');
  box.write(
    'repo/lanehold.json',
    JSON.stringify({ features: { checkout: { files: ['src/**'], smoke: ['true'] } } }),
  );
  box.commit(repo);
  return repo;
}

async function notes({ env }: Sandbox) {
  const store = await openStore(homeOf(env));
  const integrity = store.db.pragma('integrity_check', { simple: true });
  const foreign = store.db.pragma('foreign_key_check');
  const projects = store.db.prepare<[], { id: number }>('SELECT id FROM projects').all();
  const all = projects.flatMap(({ id }) =>
    store.db
      .prepare<[number], { worktree: string }>(
        'SELECT DISTINCT worktree FROM pending WHERE project_id = ?',
      )
      .all(id)
      .flatMap(({ worktree }) => pendingStore(store).ofWorktree(id, worktree)),
  );
  store.close();
  return { integrity, foreign, all };
}

const editOf = (repo: string, session: string) => ({
  ...afterEdit(repo, join(repo, 'src/a.txt')),
  session_id: session,
});

test('thirty-two edits at once, the first of their project, are all counted', async () => {
  const box = sandbox();
  const repo = await project(box);
  const edits = Array.from({ length: 32 }, (_, at) =>
    box.startHook('after-tool', editOf(repo, `s${at}`)),
  );
  const starts = Array.from({ length: 4 }, () =>
    box.startHook('session-start', sessionStart(repo)),
  );
  for (const ran of await Promise.all([...edits, ...starts])) expectAnswer(ran);
  for (const ran of await Promise.all(edits)) expect(ran.stdout).toContain('checkout');

  expect(existsSync(join(box.laneholdHome, 'logs/hook.log'))).toBe(false);
  const { integrity, foreign, all } = await notes(box);
  expect({ integrity, foreign }).toEqual({ integrity: 'ok', foreign: [] });
  expect(all).toMatchObject([{ feature: 'checkout', path: 'src/a.txt', edits: 32 }]);
});

test('what a hook acknowledged survives whatever is killed around it', async () => {
  const box = sandbox();
  const repo = await project(box);
  let acknowledged = 0;
  let killed = 0;
  // Kills fall anywhere between the start of Node and the end of the hook: a run takes that long.
  const random = generator(42);
  const worker = async (name: string) => {
    for (let at = 0; at < 9; at += 1) {
      const lethal = at % 3 !== 2;
      const ended = await edit(box, editOf(repo, name), lethal ? random() * 120 : undefined);
      if (ended === 0) acknowledged += 1;
      else killed += 1;
    }
  };
  await Promise.all(Array.from({ length: 6 }, (_, at) => worker(`s${at}`)));

  const { integrity, foreign, all } = await notes(box);
  expect({ integrity, foreign }).toEqual({ integrity: 'ok', foreign: [] });
  expect(all).toHaveLength(1);
  const [{ edits } = { edits: 0 }] = all;
  // One that was killed may have written, and not come to say so.
  expect(edits).toBeGreaterThanOrEqual(acknowledged);
  expect(edits).toBeLessThanOrEqual(acknowledged + killed);
  expect(acknowledged).toBeGreaterThanOrEqual(6 * 3);
  expect(existsSync(join(box.laneholdHome, 'logs/hook.log'))).toBe(false);
});

/** @returns the exit code; `null` if it was killed after `killAfterMs`. */
async function edit(box: Sandbox, payload: object, killAfterMs: number | undefined) {
  const args = [HOOK_PROGRAM, 'after-tool', '--agent', 'claude-code'];
  const stdio = ['pipe', 'ignore', 'ignore'] as const;
  const child = spawn(process.execPath, args, { cwd: box.root, env: box.env, stdio: [...stdio] });
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(JSON.stringify(payload));
  const timer =
    killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [exitCode] = await once(child, 'close');
  clearTimeout(timer);
  return exitCode as number | null;
}

/** Evenly spread between 0 and 1, the same in each run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
