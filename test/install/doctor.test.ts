import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { ExitCode } from '../../src/base/errors.ts';
import { shellQuoted } from '../../src/base/text/shell-quote.ts';
import { runDoctor, runFix, runRepair } from '../../src/fronts/cli/commands/doctor.ts';
import { runInstall } from '../../src/fronts/cli/commands/install.ts';
import type { Finding } from '../../src/install/verify.ts';
import { answering, type Sandbox, sandbox } from './sandbox.ts';

let box: Sandbox;
let path: string;
beforeEach(() => {
  box = sandbox();
  path = dirname(box.put('bin/node', ''));
});

async function installed(): Promise<void> {
  await runInstall(box.context().context, {}, box.runtime);
}

async function doctor(env: Readonly<Record<string, string>> = {}) {
  const { context, said } = box.context({ json: true }, { PATH: path, ...env });
  const exitCode = await runDoctor(context);
  const { ok, findings } = JSON.parse(said.stdout) as { ok: boolean; findings: Finding[] };
  const facts = (state: Finding['state']) =>
    findings.filter((it) => it.state === state).map(({ fact }) => fact);
  return { exitCode, ok, findings, broken: facts('broken'), warnings: facts('warning') };
}

type Settings = { hooks: Record<string, unknown> };

/** As an earlier version wrote it: no prompts, no tasks. */
function withoutNewMoments({ hooks }: Settings): void {
  for (const event of ['UserPromptSubmit', 'TaskCreated', 'TaskCompleted']) delete hooks[event];
}

/** Changes what the installed settings say. */
function edit(change: (settings: Settings) => void): void {
  const settings = JSON.parse(readFileSync(box.settings, 'utf8'));
  change(settings);
  writeFileSync(box.settings, JSON.stringify(settings));
}

test('finds nothing wrong with a fresh installation', async () => {
  await installed();
  const { exitCode, ok, broken, findings } = await doctor();
  expect({ exitCode, ok, broken }).toEqual({ exitCode: ExitCode.done, ok: true, broken: [] });
  const facts = findings.map(({ fact }) => fact);
  expect(facts).toContain('the PreToolUse hook answers');
  expect(facts).toContain('the SessionStart hook answers');
  expect(facts).toContain(`the database opens: ${join(box.laneholdHome, 'lanehold.db')}`);
});

test('the script that the settings start has to be the one that was written', async () => {
  await installed();
  const script = join(box.laneholdHome, 'lanehold-hook.sh');
  const fact = `${script}, which the hooks in ${box.settings} start, is gone, changed or of another version`;
  writeFileSync(script, '#!/bin/sh\nexit 0\n');
  expect((await doctor()).broken).toContain(fact);
  await installed();
  expect((await doctor()).broken).toEqual([]);
  chmodSync(script, 0o755);
  expect((await doctor()).broken).toContain(fact);
  rmSync(script);
  expect((await doctor()).broken).toContain(fact);
});

test('says once that settings cannot be read', async () => {
  await installed();
  writeFileSync(box.settings, '{"hooks": ');
  const { findings } = await doctor();
  expect(findings.filter(({ fact }) => fact.includes(box.settings))).toMatchObject([
    { state: 'broken', fact: expect.stringContaining('JSON') },
  ]);
});

test('says the verdict first, then a line per check, with hints', async () => {
  await installed();
  const { context, said } = box.context({}, { PATH: path, LANEHOLD_DISABLE: '1' });
  expect(await runDoctor(context)).toBe(ExitCode.failed);
  const [verdict, ...lines] = said.stdout.trimEnd().split('\n');
  expect(verdict).toBe('broken: 1 check failed');
  for (const line of lines) expect(line).toMatch(/^(ok|warning|broken): |^ {2}hint: /);
  const at = lines.indexOf('broken: LANEHOLD_DISABLE=1 is set: the hooks do nothing');
  expect(lines[at + 1]).toBe('  hint: unset LANEHOLD_DISABLE');
});

test('as JSON it says the same in a fixed shape', async () => {
  await installed();
  const { context, said } = box.context({ json: true }, { PATH: path });
  await runDoctor(context);
  const { ok, findings, agents, ...rest } = JSON.parse(said.stdout);
  expect({ ok, rest }).toEqual({ ok: true, rest: {} });
  for (const { check, state, fact, agent = '', hint = '', commands, ...more } of findings) {
    expect({ more, commands }).toEqual({ more: {}, commands: expect.any(Array) });
    for (const it of [check, fact, agent, hint]) expect(it).toEqual(expect.any(String));
    expect(['ok', 'warning', 'broken']).toContain(state);
  }
  expect(agents).toEqual([
    {
      agent: 'claude-code',
      title: 'Claude Code',
      foundBy: join(box.home, '.claude'),
      installed: ['user'],
      plugins: [],
      enforcement: { holds: true, gaps: expect.any(Array) },
      capabilities: expect.objectContaining({ denies: expect.any(Array) }),
    },
  ]);
});

test('looks only at what it is given', async () => {
  const { context, said } = box.context();
  const check = async (): Promise<Finding[]> => [{ check: 'x', state: 'ok', fact: 'fine' }];
  expect(await runDoctor(context, [check])).toBe(ExitCode.done);
  expect(said.stdout).toBe('works\nok: fine\n');
});

test('without an installation says that nothing is held', async () => {
  const { exitCode, broken } = await doctor();
  expect(exitCode).toBe(ExitCode.failed);
  expect(broken).toEqual(['no hooks of agents are installed: no command of theirs is held']);
});

test('runs the hooks as they are written, and leaves no trace of it', async () => {
  const log = join(box.root, 'log');
  box.put(
    'package/hooks/lanehold-hook.cjs',
    answering(`const fs = require('node:fs');
     const { LANEHOLD_HOME, LANEHOLD_DISABLE, HOME } = process.env;
     const payload = JSON.parse(fs.readFileSync(0, 'utf8'));
     fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify(
       { args: process.argv.slice(2), payload, cwd: process.cwd(), LANEHOLD_HOME, LANEHOLD_DISABLE, HOME },
     ) + '\\n');`),
  );
  await installed();
  expect((await doctor()).broken).toEqual([]);
  const [tool, start] = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(tool).toMatchObject({
    args: ['before-tool', '--agent', 'claude-code', 'lanehold'],
    payload: { tool_name: 'Bash', tool_input: { command: 'git status' } },
    HOME: box.home,
  });
  expect(start.args[0]).toBe('session-start');
  expect(tool.payload.cwd).toBe(tool.cwd);
  expect(tool.LANEHOLD_HOME).toBe(join(tool.cwd, 'home'));
  expect(existsSync(tool.cwd)).toBe(false);
  // Other tests run a doctor at the same time.
  expect(readdirSync(tmpdir())).not.toContain(basename(tool.cwd));
});

describe('a hook that does not work', () => {
  test.each([
    ['fails', 'console.error("cannot find it"); process.exit(1)', 'exits with 1: cannot find it'],
    ['refuses everything', 'console.log("{}"); process.exit(2)', 'exits with 2: {}'],
    ['prints no JSON', 'console.log("hello")', 'prints what the agent cannot read'],
    ['prints more than JSON', 'console.log("{} {}")', 'prints what the agent cannot read'],
    ['is killed', 'process.kill(process.pid, "SIGKILL")', 'ended with 137 and without an answer'],
  ])('%s', async (_, code, why) => {
    box.put('package/hooks/lanehold-hook.cjs', answering(code));
    await installed();
    const { exitCode, broken } = await doctor();
    expect(exitCode).toBe(ExitCode.failed);
    expect(broken).toHaveLength(2);
    for (const fact of broken) expect(fact).toContain(why);
  });

  test('hangs', async () => {
    box.put('package/hooks/lanehold-hook.cjs', 'setInterval(() => {}, 1e6)');
    await installed();
    const text = readFileSync(box.settings, 'utf8').replaceAll(/"timeout": \d+/g, '"timeout": 0.3');
    writeFileSync(box.settings, text);
    const { broken } = await doctor();
    expect(broken.filter((fact) => fact.includes('timed out after 0.3 s'))).toHaveLength(2);
  });

  test('leads nowhere', async () => {
    await installed();
    rmSync(box.runtime.hook);
    const { broken } = await doctor({ PATH: '/usr/bin:/bin' });
    expect(broken).toEqual([
      `the hooks in ${box.settings} lead nowhere: ${box.runtime.hook} is gone`,
    ]);
  });
});

describe('settings', () => {
  test.each([
    ['an entry is missing', (settings: Settings) => delete settings.hooks.Stop],
    ['it is of a version that knew fewer moments', withoutNewMoments],
    ['all entries are gone', (settings: Settings) => Object.assign(settings, { hooks: {} })],
  ])('%s', async (_, change) => {
    await installed();
    edit(change);
    const { exitCode, broken } = await doctor();
    expect(exitCode).toBe(ExitCode.failed);
    expect(broken[0]).toMatch(/incomplete, changed or of another version|are gone/);
  });

  test('an entry that makes the client drop the file', async () => {
    await installed();
    edit((settings) => {
      Object.assign(settings.hooks, { Notification: [{ hooks: [{ type: 'shell' }] }] });
    });
    const [fact] = (await doctor()).broken;
    expect(fact).toContain(`ignores all of ${box.settings}: hooks.Notification[0].hooks[0].type`);
  });

  test('a file that is no JSON any more', async () => {
    await installed();
    writeFileSync(box.settings, '{');
    expect((await doctor()).broken[0]).toContain(`${box.settings} is not plain JSON`);
  });

  test.each([
    'home/.claude/settings.json',
    'project/.claude/settings.json',
    'project/.claude/settings.local.json',
  ])('`disableAllHooks` in %s', async (file) => {
    await installed();
    if (existsSync(join(box.root, file)))
      edit((it) => Object.assign(it, { disableAllHooks: true }));
    else box.put(file, '\uFEFF{"disableAllHooks": true}');
    const { exitCode, broken } = await doctor();
    expect(exitCode).toBe(ExitCode.failed);
    expect(broken).toEqual([`\`disableAllHooks\` in ${join(box.root, file)} turns the hooks off`]);
  });

  test('a broken file of somebody else is only a warning', async () => {
    await installed();
    const file = box.put('project/.claude/settings.json', '{');
    const { broken, warnings } = await doctor();
    expect(broken).toEqual([]);
    expect(warnings).toContainEqual(expect.stringContaining(`${file} is not plain JSON`));
  });
});

describe('the client', () => {
  const client = (script: string) => {
    chmodSync(box.put('bin/claude', `#!/bin/sh\n${script}\n`), 0o755);
  };

  test.each([
    ['2.1.294', true],
    ['2.1.295', false],
    ['2.1.330', false],
    ['2.0.999', true],
    ['10.0.0', false],
  ])('%s', async (version, old) => {
    await installed();
    client(`echo '${version} (Claude Code)'`);
    const { broken, findings } = await doctor();
    expect(broken).toEqual([]);
    expect(findings.find(({ check }) => check === 'client')).toMatchObject({
      state: old ? 'warning' : 'ok',
      fact: expect.stringContaining(version),
    });
  });

  test.each(['exit 1', 'echo hello', 'kill -9 $$'])(
    'that does not tell is no fault: %s',
    async (it) => {
      await installed();
      client(it);
      expect((await doctor()).findings.find(({ check }) => check === 'client')?.state).toBe('ok');
    },
  );
});

describe('the store', () => {
  test('that cannot be opened', async () => {
    await installed();
    mkdirSync(join(box.laneholdHome, 'lanehold.db'));
    const { exitCode, findings } = await doctor();
    expect(exitCode).toBe(ExitCode.failed);
    expect(findings.find(({ check }) => check === 'store')).toMatchObject({ state: 'broken' });
  });

  test('that is damaged can be quarantined', async () => {
    await installed();
    const damaged = 'this is no database, '.repeat(100);
    const file = box.put('home/.lanehold/lanehold.db', damaged);
    const before = await doctor();
    const finding = before.findings.find(({ check }) => check === 'store');
    expect(finding).toMatchObject({ state: 'broken', fact: `the database ${file} is damaged` });
    expect(finding?.hint).toContain('lanehold doctor --repair');

    const { context, said } = box.context();
    await runRepair(context);
    const kept = /as (.*\.db);/.exec(said.stderr)?.[1] ?? '';
    expect(dirname(kept)).toBe(join(box.laneholdHome, 'backups'));
    expect(readFileSync(kept, 'utf8')).toBe(damaged);
    expect((await doctor()).broken).toEqual([]);

    const again = box.context();
    await runRepair(again.context);
    expect(again.said.stderr).toBe('the database is not damaged: nothing to repair\n');
  });

  test('without a home', async () => {
    const { exitCode, broken } = await doctor({ HOME: 'relative' });
    expect(exitCode).toBe(ExitCode.failed);
    expect(broken).toContain('there is no home folder to keep the database in');
  });
});

describe('--fix', () => {
  async function fix() {
    const { context, said } = box.context({}, { PATH: path });
    await runFix(context, box.runtime);
    return said.stderr;
  }

  test.each([
    ['an entry is missing', () => edit((it) => delete it.hooks.Stop), 'wrote the hooks in'],
    ['the settings were overwritten', () => writeFileSync(box.settings, '{}'), 'wrote the hooks'],
    ['the file is gone', () => rmSync(box.settings), 'wrote the hooks in'],
    ['the package was moved', movedPackage, 'wrote the hooks in'],
    ['Node is gone', nodeGone, 'wrote the hooks in'],
    ['others may read the folder', () => chmodSync(box.laneholdHome, 0o755), 'closed '],
    ['others may write the records', () => chmodSync(own('manifest.json'), 0o666), 'closed '],
    ['others may start the script', () => chmodSync(own('lanehold-hook.sh'), 0o755), 'closed '],
    ['others may read the database', databaseForOthers, 'closed '],
    ['the script is gone', () => rmSync(own('lanehold-hook.sh')), 'lanehold-hook.sh again'],
    ['the script is another', () => writeFileSync(own('lanehold-hook.sh'), ''), 'hook.sh again'],
  ])('%s', async (_, damage, said) => {
    await installed();
    const whole = readFileSync(box.settings, 'utf8');
    await damage();
    const { broken, warnings } = await doctor();
    expect([...broken, ...warnings].join('\n')).toMatch(/gone|incomplete|may read/);
    expect(await fix()).toContain(said);
    expect((await doctor()).broken).toEqual([]);
    expect(JSON.parse(readFileSync(box.settings, 'utf8'))).toEqual(JSON.parse(whole));
    expect(await fix()).toBe('there was nothing to mend\n');
  });

  test('what cannot be mended is said, and left', async () => {
    await installed();
    writeFileSync(box.settings, '{');
    expect(await fix()).toContain(`failed: ${box.settings} is not plain JSON`);
    expect(readFileSync(box.settings, 'utf8')).toBe('{');
  });

  const own = (name: string): string => join(box.laneholdHome, name);

  async function databaseForOthers(): Promise<void> {
    await doctor();
    chmodSync(own('lanehold.db'), 0o644);
  }

  function movedPackage(): void {
    const text = readFileSync(box.settings, 'utf8');
    writeFileSync(
      box.settings,
      text.replaceAll(inLine(box.runtime.hook), inLine(join(box.root, 'old/hook.cjs'))),
    );
  }

  function nodeGone(): void {
    const text = readFileSync(box.settings, 'utf8');
    writeFileSync(
      box.settings,
      text.replaceAll(inLine(box.runtime.node), inLine('/opt/no-such/node')),
    );
  }
});

/** A path as it stands in the line of an entry, in JSON. */
const inLine = (file: string): string => JSON.stringify(shellQuoted(file)).slice(1, -1);

describe('what is on this machine', () => {
  test('without hooks is one line with the way to them; what is not here is none', async () => {
    await installed();
    mkdirSync(join(box.home, '.config/opencode'), { recursive: true });
    const { findings } = await doctor();
    const said = findings.filter(({ fact }) => fact.includes('OpenCode'));
    expect(said).toMatchObject([
      { state: 'ok', hint: expect.stringContaining('lanehold install --agent opencode') },
    ]);
    expect(findings.filter(({ fact }) => fact.includes('Cursor'))).toEqual([]);
  });

  test('the store tells its version and size, and who else may read it', async () => {
    await installed();
    const facts = (await doctor()).findings.map(({ fact }) => fact);
    expect(facts).toContainEqual(expect.stringMatching(/^its schema is version \d+, its size \d/));
    chmodSync(box.laneholdHome, 0o755);
    const { broken, findings } = await doctor();
    expect(broken).toEqual([]);
    expect(findings).toContainEqual(
      expect.objectContaining({ state: 'warning', hint: 'run `lanehold doctor --fix`' }),
    );
    chmodSync(box.laneholdHome, 0o700);
    chmodSync(join(box.laneholdHome, 'lanehold.db'), 0o644);
    expect((await doctor()).broken).toEqual([
      `others may read or change ${join(box.laneholdHome, 'lanehold.db')}`,
    ]);
  });
});
