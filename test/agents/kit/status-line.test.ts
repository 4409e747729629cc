import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { statusLineIn } from '../../../src/agents/kit/status-line.ts';
import { checkAgents } from '../../../src/app/setup/doctor-agents.ts';
import { installHooks, uninstallHooks } from '../../../src/app/setup/installation.ts';
import { mend } from '../../../src/app/setup/mend.ts';
import { runInstall } from '../../../src/fronts/cli/commands/install.ts';
import { hasEntries } from '../../../src/moments/watch/gaps.ts';
import { type Sandbox, sandbox } from '../../install/sandbox.ts';
import { HOOK_PROGRAM } from '../../support/sandbox.ts';

const THEIRS = "printf 'it'\\''s \\033[1mmine\\n'";
const WITH_OWN = `{\n\t"statusLine": {"padding":1, "type":"command",\n   "command": ${JSON.stringify(THEIRS)} },\n\t"model": "opus"}`;
const read = (box: Sandbox) => readFileSync(box.settings, 'utf8');

const install = async (
  box: Sandbox,
  extras: readonly ('skills' | 'statusline')[] = ['statusline'],
  runtime = box.runtime,
) => {
  const wish = { agents: ['claude-code'], scope: 'user', dryRun: false, extras } as const;
  return (await installHooks(box.context().context, wish, runtime)).agents[0];
};
const uninstall = (box: Sandbox) => uninstallHooks(box.context().context, { dryRun: false });
const told = async (box: Sandbox) => {
  const findings = await checkAgents(box.context().context);
  return findings.filter(({ check }) => check === 'statusline').map(({ fact }) => fact);
};
const line = (box: Sandbox) => JSON.parse(read(box)).statusLine;

describe.each([
  ['none', '{ "model": "opus" }', 'lanehold’s'],
  ['no settings', undefined, 'lanehold’s'],
  ['one of their own', WITH_OWN, 'lanehold’s, below your own'],
])('a user who has %s', (_, text, what) => {
  test('gets it, sees it in doctor, and has all as it was in the end', async () => {
    const box = sandbox();
    if (text !== undefined) box.put('home/.claude/settings.json', text);
    const { files } = await install(box);
    expect(files.at(-1)).toMatchObject({ what: 'statusline', state: 'new' });
    expect(await told(box)).toEqual([`Claude Code: the status line is ${what}`]);
    const once = read(box);
    expect((await install(box)).files.every(({ state }) => state === 'current')).toBe(true);
    expect(read(box)).toBe(once);
    const { removed } = await uninstall(box);
    expect(removed.map(({ file }) => file)).toEqual([box.settings]);
    if (text === undefined) expect(existsSync(box.settings)).toBe(false);
    else expect(read(box)).toBe(text);
  });
});

test('doctor tells of a status line of the project that hides it, and of none that shows it', async () => {
  const box = sandbox();
  await install(box);
  const project = (command: string) =>
    box.put(
      'project/.claude/settings.json',
      JSON.stringify({ statusLine: { type: 'command', command } }),
    );
  const file = project("echo 'it'");
  expect(await told(box)).toEqual([
    `Claude Code: the status line in ${file} takes the place of lanehold’s here`,
  ]);
  project("lanehold statusline --wrap 'echo it'");
  expect(await told(box)).toEqual(['Claude Code: the status line is lanehold’s']);
});

test('their own runs first, without lanehold, too, and keeps its other settings', async () => {
  const box = sandbox();
  box.put('home/.claude/settings.json', WITH_OWN);
  await install(box, ['statusline'], { ...box.runtime, hook: HOOK_PROGRAM });
  expect(line(box)).toMatchObject({ padding: 1, type: 'command' });
  expect(statusLineIn(read(box))).toMatchObject({ kind: 'ours', theirs: THEIRS });
  const { command } = line(box);
  const shown = (it: string) =>
    spawnSync('/bin/sh', ['-c', it], {
      input: JSON.stringify({ cwd: box.project }),
      env: { HOME: box.home, PATH: process.env.PATH, LANEHOLD_RESIDENT: 'off' },
      encoding: 'utf8',
    }).stdout;
  const mine = "it's \u001b[1mmine\n";
  expect(shown(command)).toBe(`${mine}\u001b[0mlanehold: nothing to verify\n`);
  expect(shown(command)).toBe(shown(command.replaceAll('.lanehold/', '.gone/')));
  expect(shown(command.replaceAll('lanehold-hook', 'gone'))).toBe(mine);
});

test('without the hooks beside it, it is seen that they are gone', async () => {
  const box = sandbox();
  await install(box);
  const { statusLine } = JSON.parse(read(box));
  expect(hasEntries(read(box))).toBe(true);
  expect(hasEntries(JSON.stringify({ statusLine }))).toBe(false);
});

test('it is named beside the hooks of the same file', async () => {
  const box = sandbox();
  const { context, said } = box.context();
  await runInstall(context, { yes: true }, box.runtime);
  expect(said.stdout).toContain(`installed the 10 hooks for claude-code in ${box.settings}\n`);
  expect(said.stdout).toContain(`installed the status line for claude-code in ${box.settings}\n`);
});

test('without consent there is none', async () => {
  const box = sandbox();
  box.put('home/.claude/settings.json', WITH_OWN);
  await install(box, ['skills']);
  expect(line(box).command).toBe(THEIRS);
  expect(await told(box)).toEqual(['Claude Code: a status line of your own']);
});

test('one that the user changed since stays, at a repair and in the end', async () => {
  const box = sandbox();
  box.put('home/.claude/settings.json', WITH_OWN);
  await install(box);
  const settings = { ...JSON.parse(read(box)), statusLine: { type: 'command', command: 'new' } };
  writeFileSync(box.settings, JSON.stringify(settings));
  await mend(box.context().context, box.runtime);
  expect(line(box).command).toBe('new');
  await uninstall(box);
  expect(JSON.parse(read(box))).toEqual({
    statusLine: { type: 'command', command: 'new' },
    model: 'opus',
  });
});
