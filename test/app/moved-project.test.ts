/** What lanehold keeps of a project stays with it: in each of its worktrees, and where its folder is moved. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeOf } from '../../src/base/files/home.ts';
import { gitIn } from '../../src/base/git/git-in.ts';
import { installConfiguredHook } from '../../src/git-hold/configured-hook.ts';
import { command } from '../support/command.ts';
import { sessionStart } from '../support/payloads.ts';
import { runProgram } from '../support/program.ts';
import { guarded, push } from '../support/pushing.ts';
import { HOOK_PROGRAM, type Sandbox, sandbox } from '../support/sandbox.ts';
import { FEATURES, shop } from '../support/shop.ts';

const lines = (stdout: string): string[] =>
  JSON.parse(stdout)
    .notes.map(({ path }: { path: string }) => path)
    .sort();

test('linked worktrees share one memory, and reading in one of them empties nothing', async () => {
  const box = sandbox();
  const { repo, git, lanehold } = shop(box);
  const linked = join(box.root, 'linked');
  git('worktree', 'add', '--quiet', linked);
  const there = (...argv: string[]) => command(box, linked, argv);
  const listed = async (run: typeof lanehold) =>
    lines((await run('note', 'list', '--json')).stdout);

  await lanehold('note', 'add', 'project/x', 'Prices are in cents');
  expect(await listed(there)).toEqual(['project/x']);
  await there('note', 'add', 'project/y', 'Carts expire');
  expect(await listed(lanehold)).toEqual(['project/x', 'project/y']);
  const found = await there('recall', 'search', 'cents', '--json');
  expect(found.stdout).toContain('Prices are in cents');
  expect(existsSync(join(repo, '.git/lanehold/id'))).toBe(true);
});

/** A clone with features of this machine alone, a note and rules, whose pushes git itself holds. */
async function kept(box: Sandbox) {
  const it = await guarded(box, { features: {} });
  const { git, lanehold } = it;
  git('rm', '--quiet', 'lanehold.json');
  git('commit', '--quiet', '--message', 'nothing that is shared');
  git('push', '--quiet', '--no-verify');
  await lanehold('feature', 'add', 'cart', '--files', 'src/cart/**', '--smoke', 'true');
  await lanehold('note', 'add', 'project/x', 'Prices are in cents');
  await lanehold('guard', 'add', 'migrations/**', 'Released ones stay', '--deny');
  return it;
}

const idIn = (repo: string): string => readFileSync(join(repo, '.git/lanehold/id'), 'utf8');

test('a moved clone goes on once a person agrees, and until then no push of it passes in silence', async () => {
  const box = sandbox();
  const { repo, change, git, lanehold, verify } = await kept(box);
  const linked = join(box.root, 'linked');
  git('worktree', 'add', '--quiet', linked);
  await lanehold('orchestrate', 'init', 'Move billing');
  await lanehold('install', '--agent', 'claude-code', '--project', '--no-git-hook');
  expect(statSync(join(repo, '.git/lanehold/id')).mode & 0o777).toBe(0o600);
  change('src/cart/add.ts', 'verified\n');
  await verify('cart');
  const moved = join(box.root, 'elsewhere', 'shop');
  box.write(join(box.root, 'elsewhere', 'x'), '');
  renameSync(repo, moved);
  const run = (...argv: string[]) => command(box, moved, argv);
  const json = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).stdout);
  const way = `lanehold project move --project ${moved}`;

  // Nothing was asked of lanehold in the new folder before.
  const held = await push(box, { repo: moved });
  expect(held.verdict).toBe('held');
  expect(held.stderr).toContain(`${repo} before`);
  expect(held.stderr).toContain(way);
  // The script that a newer git starts by its configuration asks no database before it starts Node.
  const home = homeOf(box.env);
  const runtime = { node: process.execPath, hook: HOOK_PROGRAM };
  await installConfiguredHook(gitIn(box.root, box.env), home, runtime);
  const none = '0'.repeat(40);
  const input = `refs/heads/main ${box.git(moved, 'rev-parse', 'HEAD')} refs/heads/new ${none}\n`;
  const script = [join(home.root, 'git-pre-push'), 'origin', 'x'];
  // It leaves a push to the hook of the clone, unless settings of the command line may keep git from that.
  const env = { ...box.env, GIT_CONFIG_PARAMETERS: "'a.b'='c'" };
  const start = () => runProgram('/bin/sh', script, { cwd: moved, env, input });
  expect(await start()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(way) });
  rmSync(home.localFeatures);
  expect(await start()).toMatchObject({ exitCode: 0, stderr: '' });

  for (const it of ['git push', 'cd . && git push']) {
    const said = await json('gate', '--command', it);
    expect(said).toMatchObject({ decision: 'deny', reason: expect.stringContaining(way) });
  }

  const started = async (session: string) => {
    const payload = { ...sessionStart(moved, 'startup'), session_id: session };
    return (await box.hook('session-start', payload)).stdout;
  };
  const told = await started('one');
  expect(told).toContain('lanehold project move');
  expect(told).not.toContain('cents');
  expect(await started('two')).not.toContain('project move');
  expect((await run('status')).stdout).toContain(way);
  expect(await json('status')).toMatchObject({ moved: { from: repo, features: 1 } });
  expect(lines((await run('note', 'list', '--json')).stdout)).toEqual([]);
  await run('note', 'add', 'project/z', 'Noted meanwhile');

  const byAgent = await command(box, moved, ['project', 'move'], { env: { CLAUDECODE: '1' } });
  expect(byAgent.exitCode).toBe(1);
  expect(byAgent.stderr).toContain('a person runs this');

  const taken = await run('project', 'move');
  expect(taken).toMatchObject({ exitCode: 0, stderr: '' });
  expect(taken.stdout).toContain('1 feature of this machine, 2 notes, 1 rule');
  expect(lines((await run('note', 'list', '--json')).stdout)).toEqual(['project/x', 'project/z']);
  expect((await run('recall', 'search', 'cents')).stdout).toContain('Prices are in cents');
  expect((await run('guard', 'list')).stdout).toContain('migrations/**');
  expect(await json('status')).toMatchObject({ moved: null, hold: { verified: ['cart'] } });
  expect((await push(box, { repo: moved })).verdict).toBe('pushed');
  // What knows the folder goes on as well: other worktrees, runs, the record of what was installed.
  expect(box.git(linked, 'status', '--porcelain')).toBe('');
  expect(await command(box, linked, ['orchestrate', 'status'])).toMatchObject({
    ...{ exitCode: 0, stdout: expect.stringContaining('Move billing') },
  });
  expect(readFileSync(home.manifest, 'utf8')).not.toContain(`${repo}/`);
  expect(readFileSync(home.manifest, 'utf8')).toContain(`${moved}/`);

  box.write(join(moved, 'src/cart/add.ts'), 'other\n');
  box.commit(moved);
  expect(await push(box, { repo: moved })).toMatchObject({ verdict: 'held', held: ['cart'] });
  expect(await json('project', 'list')).toMatchObject({
    projects: [{ folder: moved, there: true, features: 1, notes: 2, rules: 1 }],
  });
});

test('a copy whose original is still there is a project of its own, and so is what only claims an id', async () => {
  const box = sandbox();
  const { repo, change } = await kept(box);
  change('src/cart/add.ts', 'not verified\n');
  const id = idIn(repo);

  const copy = join(box.root, 'copy');
  cpSync(repo, copy, { recursive: true });
  const inCopy = (...argv: string[]) => command(box, copy, argv);
  expect(await inCopy('status')).toMatchObject({ stdout: expect.not.stringContaining('move') });
  expect(idIn(copy)).not.toBe(id);
  expect(idIn(repo)).toBe(id);
  expect(lines((await inCopy('note', 'list', '--json')).stdout)).toEqual([]);
  expect((await inCopy('project', 'move')).stderr).toContain('this clone was nowhere else');
  expect((await inCopy('project', 'move', repo)).stderr).toContain('is still there');
  expect((await push(box, { repo: copy }, ['origin', 'HEAD:refs/heads/copy'])).verdict).toBe(
    'pushed',
  );
  expect((await push(box, { repo })).verdict).toBe('held');

  // An unpacked repository brings the id of a project that is gone: it gets nothing of it, and a person decides.
  const strange = box.repo('strange');
  box.commit(strange);
  box.write(join(strange, '.git/lanehold/id'), id);
  rmSync(repo, { recursive: true });
  const inStrange = (...argv: string[]) => command(box, strange, argv);
  expect(lines((await inStrange('note', 'list', '--json')).stdout)).toEqual([]);
  expect((await inStrange('guard', 'list')).stdout).not.toContain('migrations');
  expect((await inStrange('gate', '--command', 'git push')).exitCode).toBe(1);
  expect((await inStrange('project', 'forget')).stdout).toContain('a project of its own');
  expect((await inStrange('gate', '--command', 'git push')).exitCode).toBe(0);
  expect(idIn(strange)).not.toBe(id);

  // A clone that was made anew somewhere else takes over by name.
  expect((await inCopy('project', 'move', repo)).stdout).toContain('1 note, 1 rule');
  expect(lines((await inCopy('note', 'list', '--json')).stdout)).toEqual(['project/x']);
  expect((await inCopy('orchestrate', 'init', 'Move billing')).exitCode).toBe(0);
  rmSync(copy, { recursive: true });
  const gone = `the repository of run move-billing is gone from ${copy}`;
  expect((await inStrange('doctor')).stdout).toContain(gone);
  expect((await inStrange('project', 'forget', copy)).stdout).toContain('1 feature');
  expect((await inStrange('doctor')).stdout).not.toContain(gone);
  const left = JSON.parse((await inStrange('project', 'list', '--json')).stdout).projects;
  expect(left).toMatchObject([{ folder: copy, features: 0, notes: 0, runs: 1 }]);
  expect(readdirSync(join(box.laneholdHome, 'notes/projects'))).toEqual([]);
});

test('what tests have proven counts at once in a moved clone; the word of a person does not', async () => {
  const box = sandbox();
  const { repo, change, lanehold, verify } = shop(box);
  const proven = change('src/cart/add.ts', 'proven\n');
  await verify('cart');
  change('src/checkout/pay.ts', 'waived\n');
  expect((await lanehold('feature', 'waive', 'checkout', '--reason', 'x')).exitCode).toBe(0);
  const moved = join(box.root, 'moved');
  renameSync(repo, moved);
  const push = async (what: string) =>
    JSON.parse(
      (await command(box, moved, ['gate', '--command', `git push origin ${what}`, '--json']))
        .stdout,
    );
  expect(await push(`${proven}:main`)).toMatchObject({ decision: 'pass' });
  expect(await push('main')).toMatchObject({ decision: 'deny' });
  expect((await command(box, moved, ['project', 'move'])).exitCode).toBe(0);
  expect(await push('main')).toMatchObject({ decision: 'pass' });
});

test('a feature whose folder was moved is told, and nothing passes in its name until it says where its files are', async () => {
  const box = sandbox();
  const { git, commit, lanehold, judge, register, repo } = shop(box);
  mkdirSync(join(repo, 'lib'));
  git('mv', 'src/cart', 'lib/cart');
  commit();
  expect((await lanehold('status')).stdout).toContain('warning: cart has no files any more');
  const verified = await lanehold('feature', 'verify', 'cart');
  expect(verified.exitCode).toBe(1);
  expect(verified.stdout + verified.stderr).toContain(
    "lanehold feature add cart --replace --files 'GLOB'",
  );
  const { decision, held, reason } = await judge('git push');
  expect({ decision, held }).toEqual({ decision: 'deny', held: ['cart'] });
  expect(reason).toMatch(/^Of cart, say where .*feature add cart .*feature remove cart/m);
  expect(reason).not.toContain('feature verify');
  // What the denial names is refused to nobody: as it was before this change, the feature is held all the same.
  expect((await judge('lanehold feature remove cart')).decision).toBe('none');
  expect((await lanehold('feature', 'remove', 'cart')).exitCode).toBe(0);
  commit();
  expect(await judge('git push')).toMatchObject({ decision: 'deny', held: ['cart'] });

  // The earlier definition has no files, and nothing of it has to be proven but what is in its place.
  register({ ...FEATURES, cart: { files: ['lib/cart/**'], smoke: ['true'] } });
  commit();
  expect((await lanehold('feature', 'verify', '--pending')).exitCode).toBe(0);
  expect((await judge('git push')).decision).toBe('pass');
  expect(JSON.parse((await lanehold('status', '--json')).stdout)).toMatchObject({ empty: [] });
});
