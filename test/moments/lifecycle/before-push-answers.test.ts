/** Whom the git hook leaves alone, what it says, and to whom: real pushes, the built program. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command } from '../../support/command.ts';
import { beforeCommand } from '../../support/payloads.ts';
import { runProgram } from '../../support/program.ts';
import { guarded, installGitHook, push } from '../../support/pushing.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { type Shop, shop } from '../../support/shop.ts';

describe('a project without features', () => {
  function plain(box: Sandbox): string {
    const remote = box.repo('remote.git', '--bare');
    const repo = box.repo('plain');
    box.write('plain/file', 'one\n');
    box.commit(repo);
    box.git(repo, 'remote', 'add', 'origin', remote);
    return repo;
  }

  test('is never held, and leaves no trace', async () => {
    const box = sandbox();
    const repo = plain(box);
    await installGitHook(box, repo);
    rmSync(box.laneholdHome, { recursive: true });
    const ran = await push(box, { repo }, ['--quiet', 'origin', 'main']);
    expect(ran).toMatchObject({ verdict: 'pushed', stderr: '' });
    expect(existsSync(join(box.laneholdHome, 'lanehold.db'))).toBe(false);
  });

  test('may push what is no commit, and through a hook that garbles what git writes', async () => {
    const box = sandbox();
    const repo = plain(box);
    const hook = await installGitHook(box, repo);
    box.git(repo, 'tag', 'blob', box.git(repo, 'rev-parse', 'HEAD:file'));
    expect((await push(box, { repo }, ['origin', 'main', 'blob'])).verdict).toBe('pushed');
    const ran = await runProgram(hook, ['origin', 'x'], { cwd: repo, env: box.env, input: 'hm\n' });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('is held as soon as a branch brings features, whatever is checked out', async () => {
    const box = sandbox();
    const repo = plain(box);
    await installGitHook(box, repo);
    box.git(repo, 'switch', '--quiet', '--create', 'topic');
    box.write('plain/lanehold.json', '{ "features": { "all": { "files": ["**"] } } }');
    box.commit(repo);
    box.git(repo, 'switch', '--quiet', 'main');
    expect((await push(box, { repo }, ['origin', 'main'])).verdict).toBe('pushed');
    expect((await push(box, { repo }, ['origin', 'topic'])).held).toEqual(['all']);
  });

  test('taking the registry away on the branch does not make it one', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.git('switch', '--quiet', '--create', 'topic');
    it.git('rm', '--quiet', 'lanehold.json');
    it.change('src/cart/add.ts');
    expect((await push(box, it, ['origin', 'topic'])).held).toEqual(['cart']);
    expect((await push(box, it, ['origin', 'topic:main'])).held).toEqual(['cart']);
  });

  test('features that only this machine knows count', async () => {
    const box = sandbox();
    const repo = plain(box);
    await installGitHook(box, repo);
    await command(box, repo, ['feature', 'add', 'mine', '--files', '**', '--smoke', 'true']);
    expect((await push(box, { repo }, ['origin', 'main'])).held).toEqual(['mine']);
  });
});

describe('when it cannot tell', () => {
  test('a line that git does not write is refused', async () => {
    const box = sandbox();
    const { repo } = shop(box);
    const hook = await installGitHook(box, repo);
    const ran = await runProgram(hook, ['origin', 'x'], { cwd: repo, env: box.env, input: 'hm\n' });
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toContain('`hm` is not a line that git writes to a pre-push hook');
  });

  test('a registry that cannot be read is refused', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.change('lanehold.json', '{ "features": ');
    const { verdict, stderr } = await push(box, it);
    expect(verdict).toBe('held');
    expect(stderr).toContain('it cannot tell what would leave');
    expect(stderr).toContain('lanehold.json');
  });

  test('a damaged database is refused', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.change('src/cart/add.ts');
    box.write('home/.lanehold/lanehold.db', 'not a database, and longer than a header of one');
    const { verdict, stderr } = await push(box, it);
    expect(verdict).toBe('held');
    expect(stderr).toMatch(/^To proceed: /m);
  });
});

describe('who pushes', () => {
  /** A push whose output is read on a terminal; `script` gives it one. */
  const onTerminal = (box: Sandbox, it: Shop, env = {}) =>
    runProgram('script', ['--quiet', '--return', '--command', 'git push', '/dev/null'], {
      cwd: it.repo,
      env: { ...box.env, ...env },
    });
  const hasScript = existsSync('/usr/bin/script');

  test.skipIf(!hasScript)('a person at a terminal is told the way past', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.change('src/cart/add.ts');
    expect((await onTerminal(box, it)).stdout).toContain('git push --no-verify');
  });

  test.skipIf(!hasScript)('an agent is not, terminal or none', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.change('src/cart/add.ts');
    for (const env of [
      { CLAUDECODE: '1' },
      { CODEX_CI: '1' },
      { LANEHOLD_AGENT: 'x' },
      { CI: '1' },
    ]) {
      const { stdout } = await onTerminal(box, it, env);
      expect(stdout).toContain('lanehold holds');
      expect(stdout).not.toContain('--no-verify');
    }
    expect((await push(box, it)).stderr).not.toContain('--no-verify');
  });

  test('each answer is recorded with who asked', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.change('src/cart/add.ts');
    const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'session-1' };
    await push(box, it, [], { env });
    await it.verify('cart');
    await push(box, it, [], { env: { USER: 'ada' } });
    const { decisions } = JSON.parse((await it.lanehold('status', '--json')).stdout);
    const command = 'git push origin refs/heads/main:refs/heads/main';
    expect(decisions).toMatchObject([
      { agent: 'person ada', decision: 'pass', rule: 'git push', command, reason: '' },
      { agent: 'claude-code', session: 'session-1', decision: 'deny', command },
    ]);
  });

  test('LANEHOLD_DISABLE=1 lets pass, and says so', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.change('src/cart/add.ts');
    const ran = await push(box, it, ['--quiet'], { env: { LANEHOLD_DISABLE: '1' } });
    expect(ran).toMatchObject({
      verdict: 'pushed',
      stderr: 'lanehold: LANEHOLD_DISABLE=1 is set, nothing is held\n',
    });
  });
});

describe('files of no feature', () => {
  test('are held where the policy says so', async () => {
    const box = sandbox();
    const it = await guarded(box, { gate: { uncovered: 'hold' } });
    it.change('README.md');
    const { verdict, stderr } = await push(box, it);
    expect(verdict).toBe('held');
    expect(stderr).toMatch(/^- files of no feature/m);
  });

  test('for which a person is to be asked wait until an agent has asked', async () => {
    const box = sandbox();
    const it = await guarded(box, { gate: { uncovered: 'ask' } });
    it.change('tools/build.sh');
    const env = { CLAUDECODE: '1' };
    expect((await push(box, it, [], { env })).verdict).toBe('held');
    const payload = {
      session_id: 's',
      cwd: it.repo,
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'git push' },
    };
    expect((await box.hook('before-tool', payload)).stdout).toContain('"ask"');
    expect((await push(box, it, [], { env })).verdict).toBe('pushed');
    it.change('tools/build.sh', 'again\n');
    expect((await push(box, it, [], { env })).verdict).toBe('held');
  });
});

test('what a person was asked about passes once, for exactly those commits', async () => {
  const box = sandbox();
  const it = await guarded(box);
  it.change('src/cart/add.ts');
  const asked = async (command: string) =>
    (await box.hook('before-tool', beforeCommand(it.repo, command))).stdout;
  expect(await asked('eval "$NEXT push"')).toContain('"ask"');
  it.change('src/cart/add.ts', 'more\n');
  expect((await push(box, it)).verdict).toBe('held');
  expect(await asked('eval "$NEXT push"')).toContain('"ask"');
  expect((await push(box, it, ['origin', 'main:one'])).verdict).toBe('pushed');
  expect((await push(box, it, ['origin', 'main'])).verdict).toBe('held');
});

test('keeps its compiled code', async () => {
  const box = sandbox();
  const it = await guarded(box);
  rmSync(join(box.laneholdHome, 'cache'), { recursive: true, force: true });
  await push(box, it);
  it.change('src/cart/add.ts');
  expect((await push(box, it)).held).toEqual(['cart']);
  expect(existsSync(join(box.laneholdHome, 'cache'))).toBe(true);
});
