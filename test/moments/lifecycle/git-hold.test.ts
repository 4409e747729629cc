/** git itself holds pushes: by an entry in the user's configuration, or by the hook of a clone. */
import { chmodSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitHook } from '../../git-hold/git-hooks.ts';
import { command } from '../../support/command.ts';
import { NEEDS, pathWithNewerGit } from '../../support/newer-git.ts';
import { beforeCommand, stop } from '../../support/payloads.ts';
import { installGitHook, push } from '../../support/pushing.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { shop } from '../../support/shop.ts';

const PROGRAM = join(import.meta.dirname, '../../../bin/lanehold.js');

/** What each would send is known only when it runs. */
const UNTELLABLE = [
  'npm test && git commit -am x && git push',
  'git pull --rebase && git push',
  'git push -u origin $(git branch --show-current)',
  'prettier --write . && git commit -am x && git push',
  'sed -i "s/$OLD/new/" README.md && git commit -am x && git push',
  'rm -f dist/*.js && git log > build.log && git commit -am x && git push',
  "bash -c 'make && git commit -am x && git push origin main'",
  'make && git commit -am x && timeout 60 git push --follow-tags',
];

/** The same, where something may keep git's hook from judging. */
const AROUND = [
  'git pull && git push --no-verify',
  'git pull && git -c core.hooksPath=/dev/null push',
  'git pull && git -c hook.lanehold.enabled=false push',
  'git pull && git -c HOOK.lanehold.command=true push',
  'git pull && GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=hook.lanehold.event GIT_CONFIG_VALUE_0= git push',
  'git pull && GIT_CONFIG_GLOBAL=/dev/null git push',
  'git pull && HOME=/tmp git push',
  'export PATH=/opt/git/bin:$PATH && git pull && git push',
  'git pull && /opt/git/bin/git push',
  'git pull && sudo git push',
  'git pull && env -i git push',
  'git pull && git send-pack origin main',
  'cd "$(cat where)" && git pull && git push',
];

describe('with the hook of the clone', () => {
  test('what only git can tell is left to it, and what leads around it is not', async () => {
    const box = sandbox();
    const it = shop(box);
    it.change('src/cart/add.ts');
    const { decision: without, reason } = await it.judge(UNTELLABLE[0] ?? '');
    expect(without).toBe('deny');
    expect(reason).toContain(
      'let git itself judge what it sends, then run the command again: lanehold git-hook install',
    );
    await installGitHook(box, it.repo);
    const left = {
      decision: 'pass',
      undecided: expect.stringContaining('left to git’s own hook: '),
    };
    const inGitAlone = UNTELLABLE.filter((text) => text.startsWith('git '));
    for (const text of inGitAlone) {
      const { decision, undecided } = await it.judge(text);
      expect({ text, decision, undecided }).toMatchObject(left);
    }
    for (const text of [
      ...AROUND,
      'npm install && git commit -am x && git push',
      'npx husky && git pull && git push',
      'F=$(cat where); rm $F; git push origin $(git branch --show-current)',
      'cp /bin/true "$TO" && git pull && git push',
      'sed -i 1aexit "$TO" && git pull && git push',
    ]) {
      expect({ text, ...(await it.judge(text)) }).toMatchObject({ text, decision: 'deny' });
    }
    // A program may take the hook away, so what is there already is held before it runs.
    const byProgram = UNTELLABLE.filter((text) => !text.startsWith('git '));
    const withProgram = [
      ...byProgram,
      'node w.js && git commit --allow-empty -m x && git push',
      'make setup && git push origin $(git branch --show-current)',
      'python3 w.py; git -C . push "$(cat where)" HEAD',
      'npm version patch && git push && git push origin v1.0.1',
    ];
    for (const text of withProgram) {
      expect({ text, ...(await it.judge(text)) }).toMatchObject({
        decision: 'deny',
        held: ['cart'],
      });
    }
    for (const text of [
      'rm "$(git rev-parse --git-path hooks/pre-push)"',
      'rm -f "$(git rev-parse --git-dir)"/hooks/*',
      'cd $(git rev-parse --git-common-dir)/hooks && mv pre-push x',
      ': > "$(git rev-parse --path-format=absolute --git-path hooks/pre-push)"',
    ]) {
      expect({ text, ...(await it.judge(text)) }).toMatchObject({ text, decision: 'ask' });
    }
    const reads =
      'cat "$(git rev-parse --git-path hooks/pre-push)"; rm "$(git rev-parse --git-dir)"/x';
    expect((await it.judge(reads)).decision).toBe('none');
    // What can be told is judged before it runs.
    expect(await it.judge('git push')).toMatchObject({ decision: 'deny', held: ['cart'] });
    expect((await it.judge('git pull && npm publish')).decision).toBe('deny');

    // Changes that are verified leave with a commit on the way, whatever the commit before has.
    it.write('src/cart/add.ts', 'mended\n');
    const verifying = `npm test && ${PROGRAM} feature verify --pending && git commit -am x && git push`;
    expect(await it.judge(verifying)).toMatchObject(left);
    await it.verify('cart');
    expect(await it.judge(UNTELLABLE[0] ?? '')).toMatchObject(left);
    expect(await it.judge('make && git push origin $(cat where)')).toMatchObject({
      decision: 'deny',
      held: ['cart'],
    });
    it.commit('mended');
    for (const text of [
      ...withProgram,
      'git switch -qc f1 origin/main && echo a >> README.md && git commit -qam a && git push -u origin f1',
      'npm version patch && git push && git push origin v1.0.1',
    ]) {
      const { decision, undecided } = await it.judge(text);
      expect({ text, decision, undecided }).toMatchObject(left);
    }

    const hook = join(it.repo, '.git/hooks/pre-push');
    const text = readFileSync(hook, 'utf8');
    for (const damage of [
      () => box.write(hook, text.replace('\nnode=', '\nexit 0\nnode=')),
      () => chmodSync(hook, 0o644),
      () => rmSync(hook),
    ]) {
      damage();
      expect((await it.judge('git pull && git push')).decision).toBe('deny');
      box.write(hook, text);
      chmodSync(hook, 0o755);
    }
    expect((await it.judge('git pull && git push')).decision).toBe('pass');
  });
});

const path = pathWithNewerGit();

describe.skipIf(path === undefined)(`with hooks from configuration (${NEEDS})`, () => {
  /** Sandboxes whose git is the newer one. */
  function newer(): Sandbox {
    const box = sandbox();
    box.env.PATH = path;
    return box;
  }
  const install = async (box: Sandbox, ...args: string[]) => {
    const run = await command(box, box.home, ['install', '--json', ...args]);
    return { ...run, ...JSON.parse(run.stdout) };
  };

  test('every repository is covered, once, and all goes without a trace', async () => {
    const box = newer();
    const config = join(box.home, '.gitconfig');
    const before = readFileSync(config, 'utf8');
    expect(await install(box)).toMatchObject({ gitHold: null });
    expect(readFileSync(config, 'utf8')).toBe(before);
    expect(await install(box, '--yes')).toMatchObject({
      gitHold: { form: 'configuration', state: 'new', file: config },
    });
    // Agreed once, it is kept up to date.
    expect(await install(box)).toMatchObject({ gitHold: { state: 'current' } });

    const it = shop(box);
    it.change('src/cart/add.ts');
    expect(await push(box, it)).toMatchObject({ verdict: 'held', held: ['cart'] });
    const withHusky = `npx husky && ${UNTELLABLE[0]}`;
    expect(await it.judge(withHusky)).toMatchObject({ decision: 'deny', held: ['cart'] });
    for (const text of AROUND.slice(0, 7)) {
      expect({ text, ...(await it.judge(text)) }).toMatchObject({ text, decision: 'deny' });
    }
    const dist = box.repo(join(it.repo, 'dist'));
    box.commit(dist, 'built');
    const built = await push(box, it, [it.remote, 'HEAD:pages'], { cwd: dist });
    expect(built).toMatchObject({ verdict: 'held', held: ['cart'] });
    // What would switch it off is put before a person.
    for (const text of ['rm ~/.gitconfig', 'echo >> .git/config', 'rm ~/.lanehold/git-pre-push']) {
      expect({ text, ...(await it.judge(text)) }).toMatchObject({ text, decision: 'ask' });
    }
    // husky's way to take over the hooks.
    it.git('config', 'core.hooksPath', '.husky/_');
    expect(await push(box, it)).toMatchObject({ verdict: 'held', held: ['cart'] });
    it.git('config', '--unset', 'core.hooksPath');

    // With the hook of the clone as well, one of them judges.
    await command(box, it.repo, ['git-hook', 'install']);
    const { stderr } = await push(box, it);
    expect(stderr.match(/^lanehold holds/gm)).toHaveLength(1);
    const env = { GIT_CONFIG_PARAMETERS: "'core.hooksPath'='/dev/null'" };
    expect((await push(box, it, [], { env })).verdict).toBe('held');

    await it.verify('cart');
    expect((await it.judge(withHusky)).decision).toBe('pass');
    expect(await push(box, it, ['--quiet'])).toMatchObject({ verdict: 'pushed', stderr: '' });

    const removed = await command(box, box.home, ['uninstall', '--json']);
    expect(JSON.parse(removed.stdout).removed).toContainEqual({ file: config, state: 'cleaned' });
    expect(readFileSync(config, 'utf8')).toBe(before);
    expect(existsSync(join(box.laneholdHome, 'git-pre-push'))).toBe(false);
  });
});

describe('at the start of a session, in a repository with features', () => {
  const start = async (box: Sandbox, cwd: string) => {
    const { stdout } = await box.startHook('session-start', {
      session_id: 's',
      cwd,
      source: 'startup',
    });
    return stdout;
  };
  const doctor = async (box: Sandbox, cwd: string) => {
    const { findings } = JSON.parse((await command(box, cwd, ['doctor', '--json'])).stdout);
    return findings.find(({ check }: { check: string }) => check === 'git-hook');
  };

  test.skipIf(path === process.env.PATH)(
    'a clone gets the hook with an older git, once, and its loss is told',
    async () => {
      const box = sandbox();
      const it = shop(box);
      const hook = join(it.repo, '.git/hooks/pre-push');
      await start(box, it.repo);
      expect(existsSync(hook)).toBe(false);
      await command(box, box.home, ['install', '--yes']);
      expect(existsSync(hook)).toBe(false);
      await start(box, it.repo);
      it.change('src/cart/add.ts');
      expect(await push(box, it)).toMatchObject({ verdict: 'held', held: ['cart'] });
      expect(await start(box, it.repo)).not.toContain('no longer holds pushes');

      it.git('config', 'core.hooksPath', '.husky/_');
      expect(await start(box, it.repo)).toContain(
        'git itself no longer holds pushes here: it is in',
      );
      expect(await doctor(box, it.repo)).toMatchObject({ state: 'broken' });
      expect((await command(box, it.repo, ['status'])).stdout).toContain(
        'git no longer holds pushes: it is in',
      );
      it.git('config', '--unset', 'core.hooksPath');
      rmSync(hook);
      expect(await start(box, it.repo)).toContain('no longer holds pushes here: it was deleted');
      // A user who removes it is not given it again.
      await command(box, it.repo, ['git-hook', 'install']);
      await command(box, it.repo, ['git-hook', 'remove']);
      expect(await start(box, it.repo)).not.toContain('no longer holds');
      expect(existsSync(hook)).toBe(false);

      // Another clone at the same path has had no hook yet.
      await command(box, it.repo, ['git-hook', 'install']);
      it.git('push', '--quiet', '--no-verify');
      rmSync(it.repo, { recursive: true });
      box.git(box.home, 'clone', '--quiet', it.remote, it.repo);
      expect(await start(box, it.repo)).not.toContain('no longer holds');
      expect(existsSync(hook)).toBe(true);

      // A folder that the repository shares with others is left alone.
      const other = shop(box, { features: { cart: { files: ['x/**'] } } });
      other.git('config', 'core.hooksPath', 'tools/hooks');
      await start(box, other.repo);
      expect(existsSync(join(other.repo, 'tools'))).toBe(false);
    },
  );

  test.skipIf(path === process.env.PATH)(
    'uninstall --user takes the hook out of clones that a session gave it, and of no other',
    async () => {
      const box = sandbox();
      const it = shop(box);
      const own = box.repo('own');
      await command(box, own, ['git-hook', 'install']);
      await command(box, box.home, ['install', '--yes']);
      await start(box, it.repo);
      const hook = (repo: string) => existsSync(join(repo, '.git/hooks/pre-push'));
      expect([hook(it.repo), hook(own)]).toEqual([true, true]);
      await command(box, box.home, ['uninstall', '--user']);
      expect([hook(it.repo), hook(own)]).toEqual([false, true]);
      await start(box, it.repo);
      expect(hook(it.repo)).toBe(false);
    },
  );

  test.skipIf(path === process.env.PATH)(
    'settings under which no clone gets it are told by install, status and doctor',
    async () => {
      const box = sandbox();
      const it = shop(box);
      it.git('config', '--global', 'core.hooksPath', '');
      const { stdout } = await command(box, box.home, ['install', '--yes']);
      expect(stdout).toContain('warning: core.hooksPath is "" for every repository');
      await start(box, it.repo);
      expect((await command(box, it.repo, ['status'])).stdout).toContain('core.hooksPath is ""');
      expect(await doctor(box, it.repo)).toMatchObject({ state: 'broken' });
      it.git('config', '--global', '--unset', 'core.hooksPath');
      await start(box, it.repo);
      expect(await doctor(box, it.repo)).toMatchObject({ state: 'ok' });
    },
  );

  test('after a call that took it away it is back, or its loss is told', async () => {
    const box = sandbox();
    const it = shop(box);
    const hook = await installGitHook(box, it.repo);
    const ran = async (text: string) => {
      const payload = { ...beforeCommand(it.repo, text), hook_event_name: 'PostToolUse' };
      return (await box.hook('after-tool', { ...payload, tool_response: {} })).stdout;
    };
    // Nobody has looked yet.
    expect(await ran('npm test')).toBe('');
    expect(await start(box, it.repo)).not.toContain('no longer holds');
    expect(await ran('npm test')).toBe('');
    const theirs = '#!/bin/sh\necho theirs\n';
    const folder = join(it.repo, '.git/hooks');
    for (const takeAway of [
      () => rmSync(hook),
      () => box.write(hook, theirs),
      () => chmodSync(hook, 0o644),
      () => renameSync(folder, `${folder}.off`),
    ]) {
      takeAway();
      expect(await ran('npm install')).toContain('it is back: ');
      expect(await gitHook(box, it.repo, 'status')).toMatchObject({ holds: true, file: hook });
      expect(await ran('npm install')).toBe('');
    }
    // Some agents tell of no command that is over.
    const theNext = async () =>
      (await box.hook('before-tool', beforeCommand(it.repo, 'ls'))).stdout;
    rmSync(hook);
    expect(await theNext()).toContain('it is back: ');
    expect(await theNext()).toBe('');
    rmSync(hook);
    await box.hook('stop', stop(it.repo));
    expect(await gitHook(box, it.repo, 'status')).toMatchObject({ holds: true, file: hook });
    // As husky does it.
    box.write(join(it.repo, '.husky/_/.gitignore'), '*');
    box.write(join(it.repo, '.husky/_/pre-push'), theirs);
    it.git('config', 'core.hooksPath', '.husky/_');
    expect(await ran('npm install')).toContain('it is back: ');
    it.change('src/cart/add.ts');
    expect(await push(box, it)).toMatchObject({ verdict: 'held', held: ['cart'] });
    expect(it.git('status', '--porcelain')).toBe('');
    // Other settings are no loss, and an empty path is for nobody but who has set it.
    it.git('config', 'user.name', 'Ada');
    expect(await ran('git config user.name Ada')).toBe('');
    it.git('config', 'core.hooksPath', '');
    await box.hook('stop', stop(it.repo));
    expect(await theNext()).toMatch(/no longer holds pushes here.*git-hook install/);
    expect(await ran('./setup.sh')).toBe('');
    it.git('config', '--unset', 'core.hooksPath');
    expect(await ran('./setup.sh')).toBe('');
    // A person was asked, and has agreed.
    await box.hook('before-tool', beforeCommand(it.repo, 'rm .git/hooks/pre-push'));
    rmSync(hook);
    expect(await ran('rm .git/hooks/pre-push')).toContain('no longer holds pushes here');
    expect(existsSync(hook)).toBe(false);
  });

  test('uninstall --project takes the hook out of that clone', async () => {
    const box = sandbox();
    const it = shop(box);
    await command(box, it.repo, ['install', '--project', '--yes', '--agent', 'claude-code']);
    expect(existsSync(join(it.repo, '.git/hooks/pre-push'))).toBe(true);
    await command(box, it.repo, ['uninstall', '--project']);
    expect(existsSync(join(it.repo, '.git/hooks/pre-push'))).toBe(false);
    expect(it.git('status', '--porcelain')).toBe('');
  });

  test.skipIf(path === undefined)(
    `the entry in the configuration is missed (${NEEDS})`,
    async () => {
      const box = sandbox();
      box.env.PATH = path;
      const it = shop(box);
      await command(box, box.home, ['install', '--yes']);
      expect(await start(box, it.repo)).not.toContain('no longer holds');
      expect(await doctor(box, it.repo)).toMatchObject({ state: 'ok' });
      for (const lose of [
        () => it.git('config', 'hook.lanehold.enabled', 'false'),
        () => it.git('config', '--global', '--remove-section', 'hook.lanehold'),
      ]) {
        lose();
        expect(await start(box, it.repo)).toContain('git itself no longer holds pushes here');
        expect(await doctor(box, it.repo)).toMatchObject({ state: 'broken' });
      }
    },
  );
});
