import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claudeCodeInstall } from '../../src/agents/claude-code/install.ts';
import { ownFile } from '../../src/agents/kit/own-file.ts';
import { agentHealth } from '../../src/app/setup/doctor-agents.ts';
import { homeOf } from '../../src/base/files/home.ts';
import { sha256 } from '../../src/base/text/sha256.ts';
import {
  type InstallOptions,
  runInstall,
  runUninstall,
  type UninstallOptions,
} from '../../src/fronts/cli/commands/install.ts';
import { install as applyInstall } from '../../src/install/apply.ts';
import { changeManifest, exclusively, installManifest } from '../../src/install/manifest.ts';
import { uninstall as removeFiles } from '../../src/install/remove.ts';
import { fixture } from '../support/background.ts';
import { runNode } from '../support/program.ts';
import { type Sandbox, sandbox } from './sandbox.ts';

const ROOT = join(import.meta.dirname, '../..');

let box: Sandbox;
beforeEach(() => {
  box = sandbox();
});

const original = '{\n    "model": "opus",\n    "hooks": {"Stop": []}\n}';
const read = (file: string) => readFileSync(file, 'utf8');
const mode = (path: string) => statSync(path).mode & 0o777;

async function install(options: InstallOptions = {}, env = {}) {
  const { context, said } = box.context({ json: true }, env);
  await runInstall(context, options, box.runtime);
  return flat(said.stdout);
}

/** With what is said of the first agent and of its hooks. */
function flat(stdout: string) {
  const said = JSON.parse(stdout);
  const [{ files = [], ...first } = {}] = said.agents ?? [];
  return { ...first, ...files[0], ...said };
}

async function uninstall(options: UninstallOptions = {}, env = {}) {
  const { context, said } = box.context({ json: true }, env);
  await runUninstall(context, options);
  const { removed } = JSON.parse(said.stdout);
  // `skills.test.ts` looks at the skills.
  return removed.filter(({ file }: { readonly file: string }) => !file.includes('/skills/'));
}

/** What the settings say beside our hooks, and how many of those there are. */
function events(file: string): string[] {
  return Object.keys(JSON.parse(read(file)).hooks);
}

/** In each of them taking out one of our entries alone changes more than that entry. */
const SHAPES = [
  '{\n  "hooks" : { }\n}',
  '{ "hooks": {"Stop" : [ ]} , "x":1}\r\n',
  ' ',
  '{"model":"opus",\n "statusLine" : {"type" : "command",  "command":"echo hi" , "padding":0 } }',
];

test.each(SHAPES)(
  'installed from one place, then from another, then taken out: %j is as it was',
  async (text) => {
    box.put('home/.claude/settings.json', text);
    const other = box.put('other/hooks/lanehold-hook.cjs', read(box.runtime.hook));
    for (const hook of [box.runtime.hook, other]) {
      const { context } = box.context({ json: true });
      await runInstall(context, { yes: true, gitHook: false }, { ...box.runtime, hook });
    }
    expect(read(box.settings)).toContain('statusLine');
    await uninstall();
    expect(read(box.settings)).toBe(text);
  },
);

describe('install', () => {
  test('keeps what was there, a backup and a record', async () => {
    box.put('home/.claude/settings.json', original);
    const { state, backup, file } = await install();
    expect({ state, file }).toEqual({ state: 'new', file: box.settings });
    expect(JSON.parse(read(box.settings)).model).toBe('opus');
    expect(events(box.settings)).toContain('PreToolUse');
    expect(read(backup)).toBe(original);
    const { installations } = JSON.parse(read(join(box.laneholdHome, 'manifest.json')));
    expect(installations).toMatchObject([
      { agent: 'claude-code', scope: 'user', file },
      { what: 'skill lanehold-lanes' },
      { what: 'skill lanehold-notes' },
      { what: 'skill lanehold-verify' },
    ]);
  });

  test('keeps its own files to the owner', async () => {
    box.put('home/.claude/settings.json', original);
    const { backup } = await install();
    expect(mode(box.laneholdHome)).toBe(0o700);
    expect(mode(join(box.laneholdHome, 'backups'))).toBe(0o700);
    expect(mode(backup)).toBe(0o600);
    expect(mode(join(box.laneholdHome, 'manifest.json'))).toBe(0o600);
    expect(mode(join(box.laneholdHome, 'lanehold-hook.sh'))).toBe(0o700);
    const files = ['backups', 'lanehold-hook.sh', 'manifest.json'];
    expect(readdirSync(box.laneholdHome).sort()).toEqual(files);
  });

  test.each([0o600, 0o644, 0o640])('leaves the permissions of the file at %o', async (bits) => {
    chmodSync(box.put('home/.claude/settings.json', original), bits);
    await install();
    expect(mode(box.settings)).toBe(bits);
    expect(readdirSync(join(box.home, '.claude')).sort()).toEqual(['settings.json', 'skills']);
  });

  test('makes the folder and the file where there is none', async () => {
    expect((await install()).state).toBe('new');
    expect(mode(box.settings)).toBe(0o600);
  });

  test('twice changes nothing the second time', async () => {
    await install();
    const { mtimeMs, ino } = statSync(box.settings);
    const backups = () => existsSync(join(box.laneholdHome, 'backups'));
    const before = backups();
    expect(await install()).toMatchObject({ state: 'current', diff: [] });
    expect(statSync(box.settings)).toMatchObject({ mtimeMs, ino });
    expect(backups()).toBe(before);
  });

  test('again brings older entries up to date and keeps the first original', async () => {
    box.put('home/.claude/settings.json', original);
    await install();
    const hook = box.put('elsewhere/hook.cjs', '');
    const { context } = box.context({ json: true });
    await runInstall(context, {}, { ...box.runtime, hook });
    expect(read(box.settings)).toContain('elsewhere/hook.cjs');
    expect(read(box.settings)).not.toContain('hooks/lanehold-hook.cjs');
    expect(await uninstall()).toMatchObject([{ state: 'restored' }]);
    expect(read(box.settings)).toBe(original);
  });

  test('--dry-run shows the lines and writes nothing', async () => {
    box.put('home/.claude/settings.json', original);
    const { state, diff, dryRun } = await install({ dryRun: true });
    expect({ state, dryRun }).toEqual({ state: 'new', dryRun: true });
    expect(diff).toContain('-     "hooks": {"Stop": []}');
    expect(diff.join('\n')).toMatch(/^\+ .*"SessionStart"/m);
    expect(read(box.settings)).toBe(original);
    expect(existsSync(box.laneholdHome)).toBe(false);
  });

  test('says in words what it did', async () => {
    const say = async (options: InstallOptions) => {
      const { context, said } = box.context();
      await runInstall(context, options, box.runtime);
      return said.stdout;
    };
    const planned = await say({ dryRun: true });
    expect(planned).toMatch(/^would install the 10 hooks for claude-code in /);
    expect(planned).toMatch(/^would install the 3 skills for claude-code in .*\n(?!\+)/m);
    const { context, said } = box.context({ verbose: true });
    await runInstall(context, { dryRun: true }, box.runtime);
    expect(said.stdout).toContain('+ name: lanehold-verify');
    expect(await say({})).toMatch(
      /^installed the 10 hooks .*\ninstalled the 3 skills for claude-code in .*\nhint: start a new session/,
    );
    expect(await say({})).toBe(
      [
        `already installed: the 10 hooks for claude-code in ${box.settings}`,
        `already installed: the 3 skills for claude-code in ${join(box.home, '.claude/skills')}\n`,
      ].join('\n'),
    );
  });

  test('follows a link and leaves it one', async () => {
    const real = box.put('dotfiles/claude.json', original);
    mkdirSync(join(box.home, '.claude'));
    symlinkSync(real, box.settings);
    await install();
    expect(lstatSync(box.settings).isSymbolicLink()).toBe(true);
    expect(read(real)).toContain('lanehold');
    await uninstall();
    expect(read(real)).toBe(original);
    expect(lstatSync(box.settings).isSymbolicLink()).toBe(true);
  });

  test('makes the file that a link leads to', async () => {
    mkdirSync(join(box.home, '.claude'));
    const real = join(box.root, 'dotfiles/not-yet.json');
    symlinkSync('../../dotfiles/not-yet.json', box.settings);
    await install();
    expect(read(real)).toContain('lanehold');
    expect(await uninstall()).toMatchObject([{ state: 'deleted' }]);
    expect(existsSync(join(box.root, 'dotfiles'))).toBe(false);
    expect(lstatSync(box.settings).isSymbolicLink()).toBe(true);
  });

  test('goes where CLAUDE_CONFIG_DIR says', async () => {
    const { file } = await install({}, { CLAUDE_CONFIG_DIR: join(box.root, 'config') });
    expect(file).toBe(join(box.root, 'config/settings.json'));
    expect(existsSync(box.settings)).toBe(false);
  });

  test('warns of what makes the client drop the file, and of npx', async () => {
    const bad = { hooks: { Stop: [{ hooks: [{ type: 'shell', timeout: '5', onFailure: 'x' }] }] } };
    box.put('home/.claude/settings.json', JSON.stringify(bad));
    const hook = box.put('.npm/_npx/1234/node_modules/lanehold/hooks/hook.cjs', '');
    const { context, said } = box.context({ json: true });
    await runInstall(context, {}, { ...box.runtime, hook });
    expect(flat(said.stdout).warnings).toEqual([
      expect.stringContaining('hooks.Stop[0].hooks[0].type: "shell"'),
      expect.stringContaining('hooks.Stop[0].hooks[0].timeout: "5"'),
      expect.stringContaining('hooks.Stop[0].hooks[0].onFailure: "x"'),
      expect.stringContaining('npx'),
    ]);
  });

  test('warns of a switch that turns the hooks off', async () => {
    box.put('home/.claude/settings.json', '{"disableAllHooks": true}');
    const fact = `\`disableAllHooks\` in ${box.settings} turns the hooks off`;
    expect((await install()).warnings).toEqual([fact]);
  });

  test("warns that the agent has to know a LANEHOLD_HOME of one's own", async () => {
    const { warnings } = await install({}, { LANEHOLD_HOME: join(box.root, 'elsewhere') });
    expect(warnings).toEqual([expect.stringContaining('LANEHOLD_HOME is set')]);
  });

  test('of an agent that it does not know is misuse', async () => {
    await expect(install({ agent: ['claude'] })).rejects.toThrow('no agent named `claude`');
  });
});

describe('for one repository', () => {
  const git = (cwd: string, ...args: string[]) => {
    const { status, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };

  test('from a subfolder or a worktree it goes to the main checkout', async () => {
    git(box.project, 'init', '-q');
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
    git(box.project, ...author, 'commit', '-q', '--allow-empty', '-m', 'first');
    git(box.project, 'worktree', 'add', '-q', '../tree');
    mkdirSync(join(box.root, 'tree/sub'));
    const { context, said } = box.context({ json: true, project: join(box.root, 'tree/sub') });
    await runInstall(context, { project: true }, box.runtime);
    const file = join(box.project, '.claude/settings.local.json');
    expect(flat(said.stdout)).toMatchObject({ scope: 'project', file });
    expect(existsSync(box.settings)).toBe(false);
    expect(await uninstall({ project: true })).toEqual([{ file, state: 'deleted' }]);
    expect(existsSync(join(box.project, '.claude'))).toBe(false);
  });

  test('warns if the file could be committed', async () => {
    git(box.project, 'init', '-q');
    const { file, warnings } = await install({ project: true, dryRun: true });
    expect(warnings).toEqual([`keep ${file} out of commits: it names paths of this machine`]);
    box.put('project/.gitignore', '*.local.json\n');
    expect((await install({ project: true })).warnings).toEqual([]);
  });

  test('without git it goes to the folder itself', async () => {
    const { file } = await install({ project: true });
    expect(file).toBe(join(box.project, '.claude/settings.local.json'));
  });

  test('uninstalling one leaves the other', async () => {
    await install();
    const { file } = await install({ project: true });
    expect(await uninstall({ user: true })).toMatchObject([{ file: box.settings }]);
    expect(events(file)).toContain('PreToolUse');
    expect(await uninstall()).toMatchObject([{ file }]);
    expect(await uninstall()).toEqual([]);
  });
});

describe('uninstall', () => {
  test.each([
    ['an ordinary file', original],
    ['an empty one', ''],
    ['one without a last new line', '{"a":1}'],
    ['one with tabs and CRLF', '{\r\n\t"a": 1\r\n}\r\n'],
    ['one with a byte order mark', '\uFEFF{ }\n'],
    ['one with empty lists', '{ "hooks" : { "Stop" : [ ] } }'],
    ['one with hooks of others', '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command"}]}]}}'],
  ])('gives back %s byte for byte', async (_, text) => {
    box.put('home/.claude/settings.json', text);
    await install();
    expect(read(box.settings)).not.toBe(text);
    expect(await uninstall()).toEqual([{ file: box.settings, state: 'restored' }]);
    expect(read(box.settings)).toBe(text);
    expect(readdirSync(join(box.laneholdHome, 'backups'))).toEqual([]);
  });

  test('deletes what there was not, folders included', async () => {
    await install();
    expect(await uninstall()).toEqual([{ file: box.settings, state: 'deleted' }]);
    expect(readdirSync(box.home)).toEqual(['.lanehold']);
  });

  test('keeps a folder that others use by now', async () => {
    await install();
    box.put('home/.claude/history.jsonl', '{}');
    await uninstall();
    expect(readdirSync(join(box.home, '.claude'))).toEqual(['history.jsonl']);
  });

  test('keeps what the user changed since', async () => {
    box.put('home/.claude/settings.json', original);
    await install();
    writeFileSync(box.settings, read(box.settings).replace('"opus"', '"haiku"'));
    expect(await uninstall()).toEqual([{ file: box.settings, state: 'cleaned' }]);
    expect(read(box.settings)).toBe(original.replace('opus', 'haiku'));
  });

  test('keeps what the user wrote into a file that was ours', async () => {
    await install();
    const settings = JSON.parse(read(box.settings));
    writeFileSync(box.settings, JSON.stringify({ model: 'opus', ...settings }));
    expect(await uninstall()).toMatchObject([{ state: 'cleaned' }]);
    expect(read(box.settings)).toBe('{"model":"opus"}');
  });

  test('does not miss a file that the user deleted', async () => {
    await install();
    rmSync(box.settings);
    expect(await uninstall()).toEqual([]);
    expect(existsSync(box.settings)).toBe(false);
  });

  test('without its records takes out the entries that it finds', async () => {
    box.put('home/.claude/settings.json', '{\n  "a": 1\n}\n');
    await install();
    rmSync(box.laneholdHome, { recursive: true });
    expect(await uninstall()).toEqual([{ file: box.settings, state: 'cleaned' }]);
    expect(read(box.settings)).toBe('{\n  "a": 1\n}\n');
  });

  test('does not trust a backup that was changed', async () => {
    box.put('home/.claude/settings.json', '{\n  "a": 1\n}\n');
    const { backup } = await install();
    writeFileSync(backup, '{"evil": true}');
    await uninstall();
    expect(read(box.settings)).toBe('{\n  "a": 1\n}\n');
  });

  test('--dry-run says what would happen', async () => {
    await install();
    const before = read(box.settings);
    expect(await uninstall({ dryRun: true })).toEqual([{ file: box.settings, state: 'deleted' }]);
    expect(read(box.settings)).toBe(before);
    const { context, said } = box.context();
    await runUninstall(context, { dryRun: true });
    expect(said.stdout).toMatch(/^would delete what there was not before:\n/);
    expect(said.stdout).toContain(`\n  ${box.settings}\n`);
  });

  test('installing anew after losing the records still ends where it began', async () => {
    box.put('home/.claude/settings.json', '{\n  "a": 1\n}\n');
    await install();
    rmSync(box.laneholdHome, { recursive: true });
    expect((await install()).state).toBe('current');
    expect(await uninstall()).toEqual([{ file: box.settings, state: 'restored' }]);
    expect(read(box.settings)).toBe('{\n  "a": 1\n}\n');
  });
});

describe('--purge', () => {
  test('deletes what is stored, once it is agreed', async () => {
    await install();
    await expect(uninstall({ purge: true })).rejects.toThrow('there is nobody to ask');
    await expect(uninstall({ purge: true, user: true })).rejects.toThrow('for all of lanehold');
    expect(existsSync(box.settings)).toBe(true);
    await uninstall({ purge: true, dryRun: true });
    expect(existsSync(box.laneholdHome)).toBe(true);
    await uninstall({ purge: true, yes: true });
    expect(readdirSync(box.home)).toEqual([]);
    expect(await uninstall({ purge: true, yes: true })).toEqual([]);
  });

  test('never deletes a folder that is not of lanehold', async () => {
    const mine = box.put('mine/letter.txt', 'dear');
    const env = { LANEHOLD_HOME: join(box.root, 'mine') };
    await expect(uninstall({ purge: true, yes: true }, env)).rejects.toThrow('nothing of lanehold');
    expect(existsSync(mine)).toBe(true);
  });
});

describe('agents that are found on this machine', () => {
  const agentsOf = ({ agents }: { agents: readonly { agent: string }[] }) =>
    agents.map(({ agent }) => agent);

  test('get their hooks, and what is wrong with one keeps no other from them', async () => {
    box.put('home/.claude/settings.json', '{ broken');
    mkdirSync(join(box.home, '.config/opencode'), { recursive: true });
    const done = await install({}, { PATH: '/nowhere' });
    expect(agentsOf(done)).toEqual(['claude-code', 'opencode']);
    const [claude, other] = done.agents;
    expect(claude.problem.message).toContain('is not plain JSON');
    expect(other).toMatchObject({ problem: null, foundBy: join(box.home, '.config/opencode') });
    expect(other.files.map(({ state }: { state: string }) => state)).toContain('new');
    expect(read(box.settings)).toBe('{ broken');
  });

  test('are found by their programs as well; without any it is the first of all', async () => {
    chmodSync(box.put('bin/opencode', '#!/bin/sh\n'), 0o755);
    const path = { PATH: join(box.root, 'bin') };
    expect(agentsOf(await install({ dryRun: true }, path))).toEqual(['opencode']);
    const none = await install({ dryRun: true }, { PATH: '/nowhere' });
    expect(agentsOf(none)).toEqual(['claude-code']);
    expect(none.foundBy).toBeNull();
  });

  test('are not those whose folder was made for another agent that reads it', async () => {
    mkdirSync(join(box.home, '.config/Code/User'), { recursive: true });
    const env = { PATH: '/nowhere' };
    const done = await install({}, env);
    expect(agentsOf(done)).toEqual(['vscode-copilot']);
    expect(done.file).toBe(join(box.home, '.copilot/hooks/lanehold.json'));
    expect(agentsOf(await install({}, env))).toEqual(['vscode-copilot']);
    const { context } = box.context({}, env);
    expect((await agentHealth(context)).map(({ agent }) => agent)).toEqual(['vscode-copilot']);
  });
});

describe('what cannot be done is explained and leaves everything as it was', () => {
  test.each([
    ['broken settings', '{"a": }', /not plain JSON: value expected at line 1, column 7/],
    ['settings in Latin-1', Buffer.from([0x22, 0xe9, 0x22]), /is not UTF-8/],
  ])('%s', async (_, content, fact) => {
    box.put('home/.claude/settings.json', content);
    await expect(install()).rejects.toThrow(fact);
    expect(readFileSync(box.settings)).toEqual(Buffer.from(content));
    expect(existsSync(join(box.laneholdHome, 'manifest.json'))).toBe(false);
  });

  test('a folder where the file should be', async () => {
    mkdirSync(box.settings, { recursive: true });
    await expect(install()).rejects.toThrow(`cannot read ${box.settings}: it is a folder`);
  });

  test('a file where the folder should be', async () => {
    box.put('home/.claude', '');
    await expect(install()).rejects.toThrow('a part of its path is a file');
  });

  test('a link to itself', async () => {
    mkdirSync(join(box.home, '.claude'));
    symlinkSync('settings.json', box.settings);
    await expect(install()).rejects.toThrow(/links go round in circles|is a link to itself/);
  });

  test('damaged records', async () => {
    box.put('home/.lanehold/manifest.json', '{"version": 7}');
    await expect(install()).rejects.toThrow('manifest.json is damaged');
    expect(existsSync(box.settings)).toBe(false);
  });

  test('a home that is no path', async () => {
    await expect(install({}, { HOME: 'relative' })).rejects.toThrow('there is no home folder');
  });

  test('a hook program that was not built', async () => {
    const { currentRuntime } = await import('../../src/install/targets.ts');
    expect(() => currentRuntime(join(box.root, 'missing.cjs'))).toThrow('there is no hook program');
  });
});

/** An installation as a program of one file. */
let program: string;
beforeAll(async () => {
  const source = (path: string) => JSON.stringify(join(ROOT, 'src', path));
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import Sqlite from 'better-sqlite3';
        import { createContext } from ${source('fronts/cli/command.ts')};
        import { runInstall } from ${source('fronts/cli/commands/install.ts')};
        new Sqlite(':memory:').close();
        const context = createContext({
          argv: [], env: process.env, cwd: () => process.cwd(), now: () => new Date(),
          streams: process,
        }, { json: true });
        if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
        const [node, hook] = process.argv.slice(2);
        runInstall(context, {}, { node, hook }).catch((error) => {
          console.log(JSON.stringify({ error: error.message }));
        });`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    define: { 'import.meta.dirname': '__dirname' },
    mainFields: ['module', 'main'],
    external: ['better-sqlite3'],
    write: false,
  });
  program = outputFiles[0]?.text ?? '';
});

/**
 * Starts an installation in a process of its own. As root, it becomes a user without privileges,
 * who perhaps cannot read this checkout: hence a program of one file, loaded before that, as the
 * native library is.
 */
function startElsewhere() {
  const script = join(box.root, 'package/install.cjs');
  // Others that were started before may be reading it.
  if (!existsSync(script)) {
    box.put('package/package.json', read(join(ROOT, 'package.json')));
    for (const part of ['dist/lanehold-hook.sh', 'hooks/runs-no-release.sh']) {
      box.put(`package/${part}`, read(join(ROOT, part)));
    }
    box.put('package/install.cjs', program);
  }
  const { node, hook } = box.runtime;
  return spawn(process.execPath, [script, node, hook], {
    cwd: box.project,
    env: { HOME: box.home, PATH: process.env.PATH, NODE_PATH: join(ROOT, 'node_modules') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function installElsewhere(): Promise<{ state?: string; error?: string }> {
  const child = startElsewhere();
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on('close', (...end) => {
      if (stdout === '') reject(new Error(`an installation said nothing, and ended with ${end}`));
      else resolve(flat(stdout));
    });
  });
}

/** @returns the exit code, `null` if the process was killed before it was done. */
function installAndKill(delayMs: number): Promise<number | null> {
  const child = startElsewhere();
  const timer = setTimeout(() => child.kill('SIGKILL'), delayMs);
  return new Promise((resolve) => {
    child.on('close', (status) => {
      clearTimeout(timer);
      resolve(status);
    });
  });
}

/** Gives the sandbox to whom `installElsewhere` runs as. */
function giveAway(): void {
  if (process.getuid?.() === 0) spawnSync('chown', ['-R', '65534:65534', box.root]);
}

describe('permissions', () => {
  test('a folder that may not be written', async () => {
    box.put('home/.claude/settings.json', original);
    giveAway();
    chmodSync(join(box.home, '.claude'), 0o500);
    const { error } = await installElsewhere();
    expect(error).toBe(`cannot write ${box.settings}: permission denied`);
    expect(read(box.settings)).toBe(original);
  });

  test('a file that may not be read', async () => {
    box.put('home/.claude/settings.json', original);
    giveAway();
    chmodSync(box.settings, 0o000);
    const { error } = await installElsewhere();
    expect(error).toBe(`cannot read ${box.settings}: permission denied`);
  });

  test('records that may not be written', async () => {
    mkdirSync(box.laneholdHome, { mode: 0o500 });
    giveAway();
    const { error } = await installElsewhere();
    const lock = join(box.laneholdHome, 'install.lock');
    expect(error).toMatch(`${lock} cannot be locked: EACCES: permission denied`);
  });

  test('a home that may not be written', async () => {
    giveAway();
    chmodSync(box.home, 0o500);
    const { error } = await installElsewhere();
    expect(error).toMatch(/permission denied$/);
    expect(readdirSync(box.home)).toEqual([]);
  });
});

test('many at once install once, and one uninstall ends where all began', async () => {
  box.put('home/.claude/settings.json', original);
  giveAway();
  const states = await Promise.all(Array.from({ length: 6 }, installElsewhere));
  expect(states.map(({ state }) => state).sort()).toEqual([...Array(5).fill('current'), 'new']);
  expect(events(box.settings)).toHaveLength(10);
  expect(await uninstall()).toEqual([{ file: box.settings, state: 'restored' }]);
  expect(read(box.settings)).toBe(original);
  expect(readdirSync(box.laneholdHome).sort()).toEqual(['backups', 'manifest.json']);
});

describe('an installation that is killed', () => {
  test('leaves the settings whole, and can be repeated and undone', async () => {
    box.put('home/.claude/settings.json', original);
    giveAway();
    const killed: (number | null)[] = [];
    for (let delayMs = 60; killed.at(-1) !== 0; delayMs = Math.ceil(delayMs * 1.15)) {
      killed.push(await installAndKill(delayMs));
      expect([original, installedText()]).toContain(read(box.settings));
      await uninstall();
      expect(read(box.settings)).toBe(original);
    }
    expect(killed).toContain(null);
    await install();
    await uninstall();
    expect(readdirSync(join(box.home, '.claude'))).toEqual(['settings.json']);
    expect(read(box.settings)).toBe(original);
  });

  /** What a whole installation makes of `original`. */
  function installedText(): string {
    const place = { env: { HOME: box.home }, cwd: box.project };
    const [hooks] = claudeCodeInstall.files('user', place, box.start);
    return hooks?.editor.plan('', { current: original, bare: original }).text ?? '';
  }

  test('leaves drafts that the next one sweeps up', async () => {
    const draft = box.put('home/.claude/.lanehold-draft-1', '{');
    box.put('home/.lanehold/.lanehold-draft-2', '{');
    await install();
    expect(existsSync(draft)).toBe(false);
    expect(readdirSync(box.laneholdHome).sort()).toEqual(['lanehold-hook.sh', 'manifest.json']);
  });
});

describe('the lock', () => {
  test('that a killed process left behind stops nobody', async () => {
    box.put('home/.lanehold/install.lock', '');
    expect((await install()).state).toBe('new');
    expect(readdirSync(box.laneholdHome).sort()).toEqual(['lanehold-hook.sh', 'manifest.json']);
  });

  test('is one process’s at a time', async () => {
    const args = [box.laneholdHome, join(box.home, 'mark')];
    const start = { cwd: box.home, env: { PATH: process.env.PATH } };
    const told = await Promise.all(
      Array.from({ length: 6 }, () => runNode(fixture('proc-race-install.mjs'), args, start)),
    );
    expect(told.map(({ stdout, stderr }) => stderr + stdout)).toEqual(
      told.map(() => '{"turns":10,"clashes":0}\n'),
    );
  });

  test('is waited for before an uninstallation reads what was installed', async () => {
    const home = homeOf({ HOME: box.home });
    const file = join(box.home, 'hooks.json');
    const row = { file, what: 'hooks', editor: ownFile('{}') };
    const known = { agent: 'claude-code', scope: 'user', version: '1', installedAt: '' } as const;
    const written = { target: file, before: null, after: sha256('{}'), madeFolders: [] };
    const record = { ...known, ...written, file, what: row.what, runtime: box.runtime };
    const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>();
    const installing = exclusively(home, async () => {
      await isAsked;
      writeFileSync(file, '{}');
      changeManifest(home, { installations: [record] });
    });
    const request = { home, rowOf: () => row, files: [record], isMeant: () => true };
    const removing = removeFiles(request, false);
    ask();
    await installing;
    expect(await removing).toEqual([{ file, state: 'deleted' }]);
    expect(installManifest(home).installations).toEqual([]);
  });

  test('is given back after a failure', async () => {
    box.put('home/.claude/settings.json', '{');
    await expect(install()).rejects.toThrow('not plain JSON');
    expect(readdirSync(box.laneholdHome)).toEqual(['lanehold-hook.sh']);
  });
});

test('an installation that cannot be written leaves no record', async () => {
  const editor = { plan: () => ({ state: 'new', text: 'x' }) as const, withoutOurs: () => '' };
  const what = { agent: 'claude-code', scope: 'user', version: '1' } as const;
  const file = '/proc/none/settings.json';
  const to = { home: homeOf({ HOME: box.home }), runtime: box.runtime, now: new Date() };
  const row = { file, what: 'hooks', editor: { ...editor, find: () => [] } };
  await expect(applyInstall({ ...what, ...to }, row)).rejects.toThrow(file);
  expect(JSON.parse(read(join(box.laneholdHome, 'manifest.json'))).installations).toEqual([]);
});
