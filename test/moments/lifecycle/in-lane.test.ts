/** A worker's tool calls, through the built hook. */
import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { probeCompositions } from '../../../src/lanes/fit/compositions.ts';
import { touchNews } from '../../../src/lanes/spec/signals.ts';
import { newId } from '../../../src/store/ids.ts';
import { laneReportStore } from '../../../src/store/lane-events.ts';
import { command } from '../../support/command.ts';
import { begin, laneWorker } from '../../support/lane-worker.ts';
import { afterEdit, beforeCommand, beforeEdit } from '../../support/payloads.ts';
import type { Payload, Sandbox } from '../../support/sandbox.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface Said {
  /** `none` also where something is only told. */
  readonly decision: string;
  readonly text: string;
}

async function say(
  box: Sandbox,
  event: 'before-tool' | 'after-tool',
  payload: Payload,
  env: Env,
): Promise<Said> {
  const { stdout, stderr } = await box.hook(event, payload, { env });
  expect(stderr).toBe('');
  if (stdout === '') return { decision: 'none', text: '' };
  const said = JSON.parse(stdout).hookSpecificOutput;
  return {
    decision: said.permissionDecision ?? 'none',
    text: said.permissionDecisionReason ?? said.additionalContext,
  };
}

describe('a command', () => {
  test.each([
    ['git push origin HEAD', 'release (`git push`)'],
    ['npm publish', 'release (`npm publish`)'],
    ['gh pr create --fill', 'release'],
    ['git stash', 'stash'],
    ['npm test && git stash pop', 'stash'],
    ['sh -c "git checkout main"', 'switch or move branches'],
    ['env X=1 git switch -c other', 'switch or move branches'],
    ['git -C . branch -f main HEAD', 'change branches'],
    ['cd src && git reset --hard HEAD~1', 'rewrite history'],
    ['git --git-dir=../../repo/.git update-ref refs/heads/main HEAD', 'rewrite history'],
    ['git -c alias.x="stash" x', 'stash'],
    ['git config user.name x', "git's settings"],
    ['cd "$(mktemp -d)" && git checkout -b x', 'switch or move branches'],
    ['echo x > ../../repo/README.md', 'another working tree'],
    ['cp src/api/routes.ts ../../repo/src/api/', 'another working tree'],
    ['rm -rf ../../repo/src', 'another working tree'],
    ['sed -i s/a/b/ ../../repo/README.md', 'another working tree'],
  ])('%s is refused', async (command, what) => {
    const { box, tree, env } = await laneWorker();
    const said = await say(box, 'before-tool', beforeCommand(tree, command), env);
    expect(said).toMatchObject({ decision: 'deny', text: expect.stringContaining(what) });
    expect(said.text).toMatch(/^lanehold: a lane's worker does not /);
    expect(said.text.split('\n').length).toBeLessThan(6);
  });

  test('that a lane may run is let through', async () => {
    const { box, tree, env } = await laneWorker();
    const other = box.repo('other');
    for (const command of [
      'git status && git add -A && git commit -m "git stash"',
      'git checkout README.md',
      'git stash list',
      'npm test > out.log 2>&1',
      'echo x > /dev/null',
      `git -C ${other} checkout -b x`,
      `cd ${box.root}/not-there && git checkout -b x`,
      'lanehold orchestrate ask "git push?"',
    ]) {
      const said = await say(box, 'before-tool', beforeCommand(tree, command), env);
      expect([command, said.decision]).toEqual([command, 'none']);
    }
  });

  test('inside a script of the project counts where it surely works in the lane', async () => {
    const { box, tree, env } = await laneWorker();
    box.write(join(tree, 'tests.sh'), 'dir=$(mktemp -d)\ncd "$dir"\ngit init\ngit checkout -b x\n');
    box.write(join(tree, 'tidy.sh'), 'git stash\n');
    const run = (script: string) =>
      say(box, 'before-tool', beforeCommand(tree, `sh ./${script}`), env);
    expect(await run('tests.sh')).toMatchObject({ decision: 'none' });
    expect(await run('tidy.sh')).toMatchObject({ decision: 'deny' });
  });

  test('that was refused stands in the log', async () => {
    const { box, tree, repo, env } = await laneWorker();
    await say(box, 'before-tool', beforeCommand(tree, 'git push'), env);
    const { stdout } = await command(box, repo, ['log', '--json']);
    expect(JSON.parse(stdout).entries).toMatchObject([{ event: 'deny', subject: 'lane' }]);
  });
});

describe('an edit', () => {
  test('is refused outside of the tree and of what the lane touches', async () => {
    const { box, repo, tree, env } = await laneWorker({ touches: ['src/api/**'] });
    symlinkSync(join(repo, 'src'), join(tree, 'src/api/link'));
    const edit = (path: string) => say(box, 'before-tool', beforeEdit(tree, path), env);
    expect(await edit('src/api/routes.ts')).toMatchObject({ decision: 'none' });
    expect(await edit('src/api/new/file.ts')).toMatchObject({ decision: 'none' });
    expect((await edit('src/ui/page.ts')).text).toContain('touches src/api/** only');
    for (const path of [
      join(repo, 'README.md'),
      '../../repo/README.md',
      'src/api/link/x.ts',
      join(box.root, 'x'),
    ]) {
      const said = await edit(path);
      expect(said).toMatchObject({ decision: 'deny' });
      expect(said.text).toContain('outside of its working tree');
      expect(said.text.split('\n').length).toBeLessThan(6);
    }
  });
});

describe('who is no worker', () => {
  const push = 'git stash';

  test.each([
    ['without an attempt', { LANEHOLD_ATTEMPT: undefined }],
    ['without a lane', { LANEHOLD_LANE: undefined }],
    ['without a tree', { LANEHOLD_WORKTREE: undefined }],
    ['of an unknown attempt', { LANEHOLD_ATTEMPT: newId(new Date()) }],
    ['of another lane', { LANEHOLD_LANE: newId(new Date()) }],
    ['of another tree', { LANEHOLD_WORKTREE: '/' }],
    ['of an attempt that is a path', { LANEHOLD_ATTEMPT: '../../..' }],
  ])('%s, is treated like everybody', async (_, change) => {
    const { box, tree, repo, env } = await laneWorker();
    const changed = { ...env, ...change };
    const command = await say(box, 'before-tool', beforeCommand(tree, push), changed);
    const edit = beforeEdit(tree, join(repo, 'README.md'));
    expect(command).toMatchObject({ decision: 'none' });
    expect(await say(box, 'before-tool', edit, changed)).toMatchObject({ decision: 'none' });
  });

  test('is held where everybody is held, whatever the environment says', async () => {
    const { box, repo, env } = await laneWorker();
    const remote = box.repo('remote.git', '--bare');
    box.git(repo, 'remote', 'add', 'origin', remote);
    await command(box, repo, ['feature', 'add', 'all', '--files', '**', '--smoke', 'true']);
    const held = (changed: Env) =>
      say(box, 'before-tool', beforeCommand(repo, 'git push origin main'), changed);
    for (const change of [{}, { LANEHOLD_ATTEMPT: newId(new Date()) }, { LANEHOLD_STAGE: 'x' }]) {
      expect(await held({ ...env, ...change })).toMatchObject({ decision: 'deny' });
    }
  });

  test('an attempt that has ended keeps its limits', async () => {
    const { box, tree, env, end } = await laneWorker();
    end();
    expect(await say(box, 'before-tool', beforeCommand(tree, push), env)).toMatchObject({
      decision: 'deny',
    });
  });
});

test('with a broken store edits go on, and releases are held', async () => {
  const { box, tree, repo, env, context } = await laneWorker();
  context.store.db.pragma('wal_checkpoint(TRUNCATE)');
  for (const suffix of ['-wal', '-shm'])
    rmSync(`${context.store.home.database}${suffix}`, { force: true });
  writeFileSync(context.store.home.database, 'no database '.repeat(1_000));
  const edit = beforeEdit(tree, join(repo, 'README.md'));
  expect(await say(box, 'before-tool', edit, env)).toMatchObject({ decision: 'none' });
  const stash = beforeCommand(tree, 'git stash');
  expect(await say(box, 'before-tool', stash, env)).toMatchObject({ decision: 'none' });
  const push = beforeCommand(tree, 'git push');
  expect(await say(box, 'before-tool', push, env)).toMatchObject({ decision: 'deny' });
});

test('a working tree that was adopted has the same limits without a word in the environment', async () => {
  const { box, repo, git, context } = await laneWorker();
  const tree = join(box.root, 'theirs');
  git('worktree', 'add', '--quiet', '-b', 'theirs', tree);
  box.write(join(tree, 'src/x.ts'), '');
  const stash = (cwd: string) => say(box, 'before-tool', beforeCommand(cwd, 'git stash'), {});
  expect(await stash(tree)).toMatchObject({ decision: 'none' });
  box.write(join(box.laneholdHome, 'config.json'), '{"lanes": {"baseline": "when-needed"}}');
  const spec = [
    '--worktree',
    tree,
    '--desc',
    'Theirs',
    '--touches',
    'src/**',
    '--validate',
    'true',
  ];
  const adopted = await command(box, repo, ['orchestrate', 'lane', 'adopt', 'theirs', ...spec]);
  expect(adopted).toMatchObject({ exitCode: 0 });
  expect(await stash(tree)).toMatchObject({ decision: 'deny' });
  expect(await stash(join(tree, 'src'))).toMatchObject({ decision: 'deny' });
  const edit = beforeEdit(tree, join(repo, 'README.md'));
  expect(await say(box, 'before-tool', edit, {})).toMatchObject({ decision: 'deny' });
  expect(await stash(repo)).toMatchObject({ decision: 'none' });
  const widened = (env: Readonly<Record<string, string>>) =>
    command(box, tree, ['orchestrate', 'lane', 'edit', 'theirs', '--touches', '**'], { env });
  const refused = await widened({ CLAUDECODE: '1' });
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("coordinator's") });
  expect(await widened({})).toMatchObject({ exitCode: 0 });
  for (const change of [
    "UPDATE runs SET intent = 'closed'",
    "UPDATE runs SET intent = 'active'; UPDATE lanes SET intent = 'cancelled'",
  ]) {
    context.store.db.exec(change);
    expect(await stash(tree)).toMatchObject({ decision: 'none' });
  }
});

describe('news', () => {
  test('of an answer come with the next tool call, once', async () => {
    const { box, tree, env, dir, context, lane } = await laneWorker();
    const call = (command = 'ls') => say(box, 'before-tool', beforeCommand(tree, command), env);
    expect(await call()).toEqual({ decision: 'none', text: '' });
    const before = statSync(join(dir, 'heartbeat')).mtimeMs;
    const id = newId(context.now());
    context.store.write(() => {
      const reports = laneReportStore(context.store);
      const question = { id, laneId: lane('api').id, attemptId: null, by: 'agent x' };
      reports.add({ ...question, kind: 'ask', body: 'May the old route go?' }, context.now());
      reports.answer(id, 'Yes.\nNobody calls it.', 'person ada', context.now());
    });
    expect(await call()).toEqual({ decision: 'none', text: '' });
    touchNews(dir);
    const edit = afterEdit(tree, join(tree, 'src/api/routes.ts'));
    const said = await say(box, 'after-tool', edit, env);
    expect(said.text).toBe(
      'lanehold: the answer to your question "May the old route go?": Yes.\nNobody calls it.',
    );
    expect(statSync(join(dir, 'heartbeat')).mtimeMs).toBeGreaterThanOrEqual(before);
    expect(await call()).toEqual({ decision: 'none', text: '' });
    touchNews(dir);
    expect(await call()).toEqual({ decision: 'none', text: '' });
  });

  test('of siblings come once each, and again when they are others', async () => {
    const rows = await laneWorker();
    const { box, tree, env, context, run, lane, addLane, checkpoint, attempt } = rows;
    addLane('ui');
    const ui = begin(rows, 'ui').attempt;
    const call = async () => (await say(box, 'before-tool', beforeCommand(tree, 'ls'), env)).text;
    const probe = async (key: string, id: string, edits: Readonly<Record<string, string>>) => {
      const sha = checkpoint(key, id, edits);
      const { signal } = new AbortController();
      await probeCompositions(context, { run, laneId: lane(key).id, sha, signal, slots: 0 });
    };
    await probe('api', attempt, { 'src/api/routes.ts': 'api\n' });
    expect(await call()).toBe('');
    await probe('ui', ui, { 'src/api/routes.ts': 'ui\n' });
    const line = 'this lane and lane ui do not go together: git cannot merge src/api/routes.ts;';
    expect(await call()).toContain(line);
    await probe('ui', ui, { 'src/ui/page.ts': 'ui once more\n' });
    expect(await call()).toBe('');
    await probe('ui', ui, { 'README.md': 'ui\n' });
    await probe('api', attempt, { 'README.md': 'api\n' });
    expect(await call()).toContain('README.md, src/api/routes.ts');
    expect(await call()).toBe('');
  });

  test('leave nothing behind where the attempt has no directory', async () => {
    const { box, tree, env, dir } = await laneWorker();
    rmSync(dir, { recursive: true });
    expect(await say(box, 'before-tool', beforeCommand(tree, 'ls'), env)).toMatchObject({
      text: '',
    });
    expect(() => readFileSync(join(dir, 'heartbeat'))).toThrow();
  });
});
