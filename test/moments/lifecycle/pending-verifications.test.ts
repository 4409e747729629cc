/** Pending verifications: which feature, touched by whom, when and how; shown without git. */
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EventName } from '../../../src/agents/types.ts';
import {
  afterEdit,
  beforeCommand,
  promptSubmit,
  sessionStart,
  stop,
} from '../../support/payloads.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { shop } from '../../support/shop.ts';

/** Runs a hook of a session; returns what the model is told, '' if nothing. */
async function told(box: Sandbox, event: EventName, payload: object, session = 'session-1') {
  const run = await box.hook(event, { ...payload, session_id: session });
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  return run.stdout === '' ? '' : JSON.parse(run.stdout).hookSpecificOutput.additionalContext;
}

/** What `status --quick` lists, which reads the database only. */
async function pending({ lanehold }: ReturnType<typeof shop>) {
  const run = await lanehold('status', '--quick', '--json');
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  return JSON.parse(run.stdout).pending;
}

/** A `git` in front of the real one that counts its starts. */
function countedGit(box: Sandbox) {
  const log = join(box.root, 'git-starts');
  const program = box.write(
    'bin/git',
    `#!/bin/sh\necho "$*" >> '${log}'\nPATH="$REAL" exec git "$@"\n`,
  );
  chmodSync(program, 0o755);
  const env = { PATH: `${join(box.root, 'bin')}:${box.env.PATH}`, REAL: box.env.PATH };
  return {
    env,
    /** Starts since the last time this was asked. */
    starts(): number {
      const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0;
      rmSync(log, { force: true });
      return lines;
    },
  };
}

test('each feature is noted with the file, the session and the edit that touched it', async () => {
  const box = sandbox();
  const project = shop(box);
  const { repo } = project;
  const edit = afterEdit(repo, join(repo, 'src/cart/add.ts'));
  await told(box, 'after-tool', edit, 'one');
  await told(box, 'after-tool', afterEdit(repo, join(repo, 'src/checkout/pay.ts')), 'two');
  expect(await pending(project)).toEqual([
    {
      feature: 'cart',
      worktree: repo,
      path: 'src/cart/add.ts',
      cause: 'edit',
      command: null,
      agent: 'claude-code',
      session: 'one',
      edits: 1,
      firstAt: expect.any(String),
      lastAt: expect.any(String),
    },
    expect.objectContaining({
      feature: 'checkout',
      path: 'src/checkout/pay.ts',
      session: 'two',
    }),
  ]);
});

test('one edit of files of several features notes the right file of each', async () => {
  const box = sandbox();
  const project = shop(box);
  const { repo, write } = project;
  await told(box, 'session-start', sessionStart(repo));
  write('src/cart/add.ts', 'two\n');
  write('src/checkout/pay.ts', 'two\n');
  await told(box, 'before-tool', beforeCommand(repo, "sed -i 's/one/two/' src/*/*.ts"));
  await told(box, 'stop', stop(repo));
  expect(await pending(project)).toMatchObject([
    { feature: 'cart', path: 'src/cart/add.ts', cause: 'command', command: 'sed' },
    { feature: 'checkout', path: 'src/checkout/pay.ts', cause: 'command', command: 'sed' },
  ]);
});

test('words of a command that may be secrets are not kept', async () => {
  const box = sandbox();
  const project = shop(box);
  const { repo, write } = project;
  await told(box, 'session-start', sessionStart(repo));
  const command =
    'TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789 ./deploy.sh hunter2 && npm run fmt';
  await told(box, 'before-tool', beforeCommand(repo, command));
  write('src/cart/add.ts', 'two\n');
  await told(box, 'stop', stop(repo));
  expect(await pending(project)).toMatchObject([{ command: 'deploy.sh, npm' }]);
});

test.each(['verify', 'waive'])('a feature is no longer pending after %s', async (way) => {
  const box = sandbox();
  const project = shop(box);
  const { repo, write, lanehold } = project;
  write('src/cart/add.ts', 'two\n');
  await told(box, 'after-tool', afterEdit(repo, join(repo, 'src/cart/add.ts')));
  expect(await pending(project)).toHaveLength(1);
  await lanehold('feature', way, 'cart', ...(way === 'waive' ? ['--reason', 'a typo'] : []));
  expect(await pending(project)).toEqual([]);
});

test('what was verified is not pending again after a command that does not change it', async () => {
  const box = sandbox();
  const project = shop(box);
  const { repo, write, verify } = project;
  await told(box, 'session-start', sessionStart(repo));
  write('src/cart/add.ts', 'two\n');
  await verify('cart');
  await told(box, 'before-tool', beforeCommand(repo, 'git commit --all --message two'));
  project.commit('two');
  await told(box, 'stop', stop(repo));
  expect(await pending(project)).toEqual([]);
  await told(box, 'before-tool', beforeCommand(repo, 'npm run generate'));
  write('src/cart/add.ts', 'three\n');
  await told(box, 'stop', stop(repo));
  expect(await pending(project)).toMatchObject([{ feature: 'cart', command: 'npm' }]);
});

test('verifying another commit settles nothing in the working tree', async () => {
  const box = sandbox();
  const project = shop(box);
  const { repo, write, verify } = project;
  write('src/cart/add.ts', 'two\n');
  await told(box, 'after-tool', afterEdit(repo, join(repo, 'src/cart/add.ts')));
  await verify('cart', '--at', 'HEAD');
  expect(await pending(project)).toHaveLength(1);
});

test.each(['stop', 'status', 'session-start'])('a reverted edit is dropped at %s', async (look) => {
  const box = sandbox();
  const project = shop(box);
  const { repo, write, git, lanehold } = project;
  write('src/cart/add.ts', 'two\n');
  await told(box, 'after-tool', afterEdit(repo, join(repo, 'src/cart/add.ts')));
  await told(box, 'before-tool', beforeCommand(repo, 'git checkout src/cart/add.ts'));
  git('checkout', '--quiet', 'src/cart/add.ts');
  if (look === 'stop') await told(box, 'stop', stop(repo));
  if (look === 'status') expect((await lanehold('status')).exitCode).toBe(0);
  if (look === 'session-start') await told(box, 'session-start', sessionStart(repo));
  expect(await pending(project)).toEqual([]);
});

test('a commit that is not pushed stays pending at the end of a turn', async () => {
  const box = sandbox();
  const project = shop(box);
  const { repo, change } = project;
  await told(box, 'session-start', sessionStart(repo));
  await told(box, 'before-tool', beforeCommand(repo, 'git commit -am x'));
  change('src/cart/add.ts');
  await told(box, 'stop', stop(repo));
  await told(box, 'before-tool', beforeCommand(repo, 'ls'));
  await told(box, 'stop', stop(repo));
  expect(await pending(project)).toMatchObject([{ feature: 'cart', path: 'src/cart/add.ts' }]);
});

test('what git finds at a look is noted, also where no hook saw an edit', async () => {
  const box = sandbox();
  const project = shop(box);
  const { write, lanehold } = project;
  write('src/cart/add.ts', 'two\n');
  expect(await pending(project)).toEqual([]);
  await lanehold('status');
  expect(await pending(project)).toMatchObject([
    { feature: 'cart', path: 'src/cart/add.ts', cause: 'git', session: '' },
  ]);
});

test('the end of a turn starts git only if something could have changed', async () => {
  const box = sandbox();
  const { repo } = shop(box);
  const { env, starts } = countedGit(box);
  const end = () => box.hook('stop', stop(repo), { env });
  await box.hook('session-start', sessionStart(repo), { env });
  expect(starts()).toBeGreaterThan(0);
  await end();
  expect(starts()).toBe(0);
  await box.hook('before-tool', beforeCommand(repo, 'npm test'), { env });
  await end();
  expect(starts()).toBe(1);
  await end();
  expect(starts()).toBe(0);
  await box.hook('after-tool', afterEdit(repo, join(repo, 'src/cart/add.ts')), { env });
  await end();
  expect(starts()).toBe(1);
});

test('status without git, the statusline and the prompt start no git', async () => {
  const box = sandbox();
  const project = shop(box);
  const { repo } = project;
  await told(box, 'after-tool', afterEdit(repo, join(repo, 'src/cart/add.ts')), 'other');
  const { env, starts } = countedGit(box);
  const { lanehold } = { lanehold: (...argv: string[]) => box.cli(repo, ...argv) };
  box.env.PATH = env.PATH;
  Object.assign(box.env, env);
  expect((await lanehold('status', '--quick')).stdout).toContain('cart: src/cart/add.ts');
  expect(await lanehold('statusline')).toMatchObject({
    exitCode: 0,
    stdout: 'lanehold: 1 to verify: cart\n',
    stderr: '',
  });
  expect(await told(box, 'prompt-submit', promptSubmit(repo))).toContain('cart');
  expect(starts()).toBe(0);
});

test('a prompt says once in a session what it was not told of', async () => {
  const box = sandbox();
  const { repo, write } = shop(box);
  await told(box, 'session-start', sessionStart(repo));
  expect(await told(box, 'prompt-submit', promptSubmit(repo))).toBe('');
  await told(box, 'after-tool', afterEdit(repo, join(repo, 'src/cart/add.ts')));
  expect(await told(box, 'prompt-submit', promptSubmit(repo))).toBe('');
  await told(box, 'after-tool', afterEdit(repo, join(repo, 'src/checkout/pay.ts')), 'other');
  const said = await told(box, 'prompt-submit', promptSubmit(repo));
  expect(said).toMatch(
    /^lanehold: changed and not verified: checkout \(src\/checkout\/pay\.ts, by another session\); before a push or publish, run `.* feature verify --pending`\.$/,
  );
  expect(await told(box, 'prompt-submit', promptSubmit(repo))).toBe('');
  write('src/cart/add.ts', 'three\n');
});

test('an edit by a command is told with the next prompt', async () => {
  const box = sandbox();
  const { repo, write } = shop(box);
  await told(box, 'session-start', sessionStart(repo));
  await told(box, 'before-tool', beforeCommand(repo, "sed -i 's/one/two/' src/cart/add.ts"));
  write('src/cart/add.ts', 'two\n');
  await told(box, 'stop', stop(repo));
  expect(await told(box, 'prompt-submit', promptSubmit(repo))).toContain(
    'cart (src/cart/add.ts, by `sed`)',
  );
  expect(await told(box, 'prompt-submit', promptSubmit(repo))).toBe('');
});

test('an end of a turn that was killed forgets nothing', async () => {
  const box = sandbox();
  const project = shop(box);
  const { repo, write } = project;
  await told(box, 'session-start', sessionStart(repo));
  await told(box, 'before-tool', beforeCommand(repo, "sed -i 's/one/two/' src/cart/add.ts"));
  write('src/cart/add.ts', 'two\n');
  chmodSync(box.write('bin/git', '#!/bin/sh\nkill -KILL "$PPID"\n'), 0o755);
  const env = { PATH: `${join(box.root, 'bin')}:${box.env.PATH}` };
  const payload = { ...stop(repo), session_id: 'session-1' };
  expect(await box.startHook('stop', payload, { env })).toMatchObject({ signal: 'SIGKILL' });
  await told(box, 'stop', stop(repo));
  expect(await pending(project)).toMatchObject([{ feature: 'cart', command: 'sed' }]);
});

test('the statusline says that hooks are switched off, and nothing where nothing is known', async () => {
  const box = sandbox();
  const { repo, lanehold } = shop(box);
  expect((await lanehold('statusline')).stdout).toBe('lanehold: nothing to verify\n');
  Object.assign(box.env, { LANEHOLD_DISABLE: '1' });
  expect((await box.cli(repo, 'statusline')).stdout).toBe('lanehold: off (LANEHOLD_DISABLE=1)\n');
});
