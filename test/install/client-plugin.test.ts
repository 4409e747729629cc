/** This package as a plugin that the client of an agent installs itself. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pluginFiles } from '../../scripts/client-plugins.ts';
import { PLUGIN_SCRIPT } from '../../src/agents/kit/client-plugin.ts';
import { agentsWith } from '../../src/agents/registry.ts';
import type { EventName } from '../../src/agents/types.ts';
import { homeOf } from '../../src/base/files/home.ts';
import { openStore } from '../../src/store/open.ts';
import { command } from '../support/command.ts';
import { answerInProcess } from '../support/hook-in-process.ts';
import { beforeCommand, sessionStart } from '../support/payloads.ts';
import { sandbox } from '../support/sandbox.ts';
import { shop } from '../support/shop.ts';

const PACKAGE = resolve(import.meta.dirname, '../..');
const PUSH = 'git push origin main';
const ID = 'lanehold@lanehold';

describe('the package', () => {
  test('has what its definitions say, with its own version', async () => {
    const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
    const { kept, built } = await pluginFiles();
    const files = { ...kept, ...built };
    for (const [path, text] of Object.entries(files)) {
      const written = readFileSync(join(PACKAGE, path), 'utf8');
      expect(written, `npm run ${path in kept ? 'generate' : 'build'}: ${path}`).toBe(text);
    }
    const manifests = Object.keys(files).filter((it) =>
      /\/(?:plugin|gemini-extension)\.json$/.test(it),
    );
    expect(manifests).toContain('.claude-plugin/plugin.json');
    expect(manifests).toContain('gemini-extension/gemini-extension.json');
    for (const it of manifests) expect(JSON.parse(files[it] ?? '').version).toBe(version);
  });

  test('ships all of it', async () => {
    const npm = join(dirname(process.execPath), 'npm');
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
    const packed = execFileSync(existsSync(npm) ? npm : 'npm', args, { cwd: PACKAGE });
    const [first] = Object.values<{ files: { path: string }[] }>(JSON.parse(String(packed)));
    const paths = first?.files.map(({ path }) => path) ?? [];
    const { kept, built } = await pluginFiles();
    const scripts = [PLUGIN_SCRIPT, 'hooks/runs-no-release.sh'];
    expect(Object.keys(built)).toEqual(
      expect.arrayContaining(scripts.map((it) => `gemini-extension/${it}`)),
    );
    expect(paths).toEqual(
      expect.arrayContaining([
        ...Object.keys({ ...kept, ...built }),
        ...scripts,
        'skills/lanehold-verify/SKILL.md',
      ]),
    );
  });
});

/** A folder as a client has it from a repository: nothing in it was built. */
function clone() {
  const box = sandbox();
  const root = join(box.root, 'a plugin');
  mkdirSync(join(root, 'hooks'), { recursive: true });
  for (const it of [PLUGIN_SCRIPT, 'hooks/runs-no-release.sh']) {
    cpSync(join(PACKAGE, it), join(root, it));
  }
  const bin = join(box.root, 'bin');
  mkdirSync(bin);
  const link = (name: string, to: string) => symlinkSync(to, join(bin, name));
  return {
    box,
    root,
    withNode: () => link('node', process.execPath),
    withLanehold: () => link('lanehold', join(PACKAGE, 'bin/lanehold.js')),
    /** A package manager's own script in place of a link. */
    withWrapper: () => {
      const program = join(PACKAGE, 'bin/lanehold.js');
      writeFileSync(join(bin, 'lanehold'), `#!/bin/sh\nexec node '${program}' "$@"\n`, {
        mode: 0o755,
      });
    },
    run(
      words: readonly string[],
      payload: object = {},
      env: Readonly<Record<string, string>> = {},
    ) {
      return spawnSync('/bin/sh', [join(root, PLUGIN_SCRIPT), ...words], {
        cwd: box.root,
        env: { ...box.env, PATH: `${bin}:${pathWithout(box.root)}`, ...env },
        input: JSON.stringify(payload),
        encoding: 'utf8',
      });
    },
  };
}

/** The programs of sh that the script needs, and neither Node nor lanehold. */
function pathWithout(root: string): string {
  const folder = join(root, 'tools');
  if (!existsSync(folder)) {
    mkdirSync(folder);
    for (const name of ['readlink', 'cat', 'env', 'git', 'grep', 'sed', 'sh', 'tr']) {
      const found = ['/usr/bin', '/bin'].map((it) => join(it, name)).find((it) => existsSync(it));
      if (found !== undefined) symlinkSync(found, join(folder, name));
    }
  }
  return folder;
}

const installers = await Promise.all(
  agentsWith('install').map(async ({ name, install }) => ({ name, ...(await install()) })),
);
const withPlugin = installers.flatMap(({ name, plugin }) => (plugin ? [{ name, plugin }] : []));

describe.each(withPlugin)('the plugin of $name', ({ name, plugin }) => {
  test('refuses what releases where there is no lanehold, and says so', () => {
    const it = clone();
    it.withNode();
    const words = ['before-tool', '--agent', name];
    const held = it.run(words, beforeCommand(it.root, PUSH));
    // All of these clients take this for a denial, and show the model what is on stderr.
    expect(held).toMatchObject({ status: 2, stdout: '' });
    expect(held.stderr).toMatch(/lanehold itself is not on PATH.*npm install -g/s);
    expect(held.stderr).toContain(`${plugin.commands.remove} ${plugin.id}`);
    expect(it.run(words, beforeCommand(it.root, 'git status'))).toMatchObject({
      stdout: '',
      status: 0,
    });
    const off = it.run(words, beforeCommand(it.root, PUSH), { LANEHOLD_DISABLE: '1' });
    expect(off).toMatchObject({ stdout: '', stderr: '', status: 0 });
    const start = it.run(['session-start', '--agent', name], sessionStart(it.root));
    expect(JSON.parse(start.stdout).hookSpecificOutput.additionalContext).toContain(
      'is refused in this session: its plugin is installed, and lanehold itself is not on PATH',
    );
    expect(it.run(['stop', '--agent', name])).toMatchObject({ stdout: '', status: 0 });
    expect(it.run(['which']).status).toBe(1);
  });
});

describe('beside the hooks in settings', () => {
  async function both() {
    const box = sandbox();
    const { repo, change } = shop(box);
    change('src/cart/add.ts');
    await command(box, repo, ['install', '--agent', 'claude-code', '--no-git-hook']);
    const hook = (event: EventName, payload: object, ...more: string[]) =>
      answerInProcess({
        args: [event, '--agent', 'claude-code', ...more],
        cwd: repo,
        env: box.env,
        input: JSON.stringify(payload),
      });
    return {
      box,
      repo,
      bySettings: (event: EventName, payload: object) => hook(event, payload),
      byPlugin: (event: EventName, payload: object) => hook(event, payload, '--plugin'),
      decisions: async () => {
        const store = await openStore(homeOf(box.env));
        const rows = store.db.prepare('SELECT count(*) AS rows FROM decisions').get();
        store.close();
        return (rows as { rows: number }).rows;
      },
    };
  }

  test('each event is judged once', async () => {
    const it = await both();
    const start = sessionStart(it.repo);
    expect((await it.byPlugin('session-start', start)).stdout).toBe('');
    expect((await it.bySettings('session-start', start)).stdout).toContain('cart');
    const push = beforeCommand(it.repo, PUSH);
    expect((await it.byPlugin('before-tool', push)).stdout).toBe('');
    expect((await it.bySettings('before-tool', push)).stdout).toContain('deny');
    expect(await it.decisions()).toBe(1);
  });

  test.each([
    ['they have not run in this session', async () => undefined],
    [
      'they were taken out since',
      async (it: Awaited<ReturnType<typeof both>>) => {
        await it.bySettings('session-start', sessionStart(it.repo));
        const text = '{"enabledPlugins": {"lanehold@lanehold": true}}';
        writeFileSync(join(it.box.home, '.claude/settings.json'), text);
      },
    ],
  ])('the plugin judges where %s', async (_, prepare) => {
    const it = await both();
    await prepare(it);
    expect((await it.byPlugin('before-tool', beforeCommand(it.repo, PUSH))).stdout).toContain(
      'deny',
    );
  });

  test('the plugin refuses what it cannot read', async () => {
    const it = await both();
    await it.bySettings('session-start', sessionStart(it.repo));
    const cut = { session_id: 'session-1', tool_input: `{"command":"${PUSH}` };
    expect((await it.byPlugin('before-tool', cut)).stdout).toContain('deny');
  });
});

describe('doctor, install and uninstall', () => {
  /** What the client writes as it installs a plugin from a folder. */
  function installed(root = PACKAGE, enabled = true) {
    const box = sandbox();
    box.write('home/.claude/settings.json', JSON.stringify({ enabledPlugins: { [ID]: enabled } }));
    box.write(
      'home/.claude/plugins/known_marketplaces.json',
      JSON.stringify({ lanehold: { source: { source: 'directory', path: root } } }),
    );
    const copy = { plugins: { [ID]: [{ scope: 'user', installPath: root, version: '0.1.0' }] } };
    box.write('home/.claude/plugins/installed_plugins.json', JSON.stringify(copy));
    const repo = box.repo();
    const run = (...argv: string[]) => command(box, repo, argv);
    const about = async () => {
      const { findings, agents } = JSON.parse((await run('doctor', '--json')).stdout);
      const told = findings.filter((it: { check: string; agent: string }) =>
        ['plugin', 'hook', 'settings', 'agent'].includes(it.check),
      );
      return {
        agents,
        told: told.map(({ check, state, fact, hint }: Record<string, string>) =>
          [check, state, fact, hint].filter(Boolean).join(' | '),
        ),
      };
    };
    return { box, repo, run, about };
  }

  test('a plugin alone holds', async () => {
    const { about, run } = installed();
    expect(await about()).toMatchObject({
      told: [
        `plugin | ok | the plugin ${ID} is run from ${PACKAGE}, and starts ${PACKAGE}`,
        'hook | ok | the PreToolUse hook answers',
        'hook | ok | the SessionStart hook answers',
      ],
      agents: [{ agent: 'claude-code', installed: [], plugins: [ID] }],
    });
    expect((await run('doctor')).exitCode).toBe(0);
    const { stdout } = await run('uninstall');
    expect(stdout).toBe(
      `left: the plugin ${ID} of Claude Code, which its own command removes: \`claude plugin uninstall ${ID}\`\n`,
    );
  });

  test('beside hooks in the settings it is one too many', async () => {
    const { about, run } = installed();
    const { stdout, stderr } = await run('install', '--agent', 'claude-code', '--no-git-hook');
    expect(stdout + stderr).toContain(
      `has lanehold twice, in its settings and as the plugin ${ID}`,
    );
    expect((await about()).told).toContainEqual(
      expect.stringMatching(/^plugin \| warning .*twice.*claude plugin uninstall/),
    );
    expect((await run('doctor')).exitCode).toBe(0);
  });

  test('one that is switched off, gone, changed or removed holds nothing', async () => {
    const off = installed(PACKAGE, false);
    expect((await off.about()).told[0]).toMatch(/^plugin \| broken .*switched off.*plugin enable/);
    const gone = installed('/nowhere/lanehold');
    expect((await gone.about()).told[0]).toMatch(/^plugin \| broken .*hooks.json is gone/);

    const { box, repo, about, run } = installed();
    const args = ['session-start', '--agent', 'claude-code', '--plugin'];
    const input = JSON.stringify(sessionStart(repo));
    await answerInProcess({ args, cwd: repo, env: box.env, input });
    box.write('home/.claude/settings.json', '{"enabledPlugins": {}}');
    expect((await about()).told[0]).toMatch(
      /^plugin \| broken \| Claude Code has no hooks of lanehold any more; the last ran just now/,
    );
    expect((await run('doctor')).exitCode).toBe(1);
    // Settings that cannot be read tell of no plugin that was removed.
    box.write('home/.claude/settings.json', '{"enabledPlugins": ');
    const { told } = await about();
    expect(told.filter((it: string) => /JSON/.test(it))).toHaveLength(1);
    expect(told.join()).not.toContain('any more');
    box.write('home/.claude/settings.json', '{"enabledPlugins": {}}');
    await run('uninstall', '--agent', 'claude-code');
    expect((await about()).told[0]).toMatch(/^agent \| ok/);
  });
});

test('an extension that is copied, linked, or switched off', async () => {
  const box = sandbox();
  const repo = box.repo();
  const extensions = 'home/.gemini/extensions';
  const doctor = async () => (await command(box, repo, ['doctor', '--verbose'])).stdout;
  const linked = { type: 'link', source: join(PACKAGE, 'gemini-extension') };
  box.write(`${extensions}/lanehold-plugin/.gemini-extension-install.json`, JSON.stringify(linked));
  expect(await doctor()).toContain(`lanehold-plugin is run from ${linked.source}`);
  const off = { 'lanehold-plugin': { overrides: ['!/home/dev/*'] } };
  box.write(`${extensions}/extension-enablement.json`, JSON.stringify(off));
  expect(await doctor()).toMatch(
    /the plugin lanehold-plugin is switched off in .*enablement.json\n.*gemini extensions enable lanehold-plugin/,
  );
  box.write(`${extensions}/extension-enablement.json`, '{}');
  box.write(`${extensions}/lanehold-plugin/.gemini-extension-install.json`, '{}');
  expect(await doctor()).toContain('lanehold-plugin leads nowhere');
});

describe('what a plugin starts', () => {
  const words = ['before-tool', '--agent', 'claude-code'];

  test('itself, where it was built and has its packages and none is on PATH', () => {
    const it = clone();
    it.withNode();
    const { stdout } = spawnSync('/bin/sh', [join(PACKAGE, PLUGIN_SCRIPT), 'which'], {
      env: { ...it.box.env, PATH: join(it.box.root, 'bin') },
      encoding: 'utf8',
    });
    expect(stdout).toBe(`${PACKAGE}\n`);
  });

  test.each(['withLanehold', 'withWrapper'] as const)('the one on PATH: %s', (how) => {
    const it = clone();
    it.withNode();
    it[how]();
    expect(it.run(['which']).stdout).toMatch(how === 'withLanehold' ? PACKAGE : '/bin/lanehold');
    const { repo, change } = shop(it.box);
    change('src/cart/add.ts');
    const held = it.run(words, beforeCommand(repo, PUSH));
    expect(JSON.parse(held.stdout).hookSpecificOutput.permissionDecisionReason).toContain('cart');
  });

  test.each(['withLanehold', 'withWrapper'] as const)('a Node that cannot start: %s', (how) => {
    const it = clone();
    it.withNode();
    it[how]();
    const env = { NODE_OPTIONS: '--no-such-flag' };
    const held = it.run(words, beforeCommand(it.root, PUSH), env);
    expect(held.status).toBe(2);
    expect(held.stdout + held.stderr).toMatch(/held: this cannot be checked.*without an answer/);
    expect(it.run(words, beforeCommand(it.root, 'git status'), env).status).toBe(0);
  });

  test('nothing without Node', () => {
    const it = clone();
    it.withLanehold();
    const held = it.run(words, beforeCommand(it.root, PUSH));
    expect(held).toMatchObject({ status: 2, stdout: '' });
    expect(held.stderr).toContain('there is no Node on PATH');
  });
});
