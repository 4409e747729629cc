import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkAgents } from '../../../src/app/setup/doctor-agents.ts';
import { installHooks, uninstallHooks } from '../../../src/app/setup/installation.ts';
import { mend } from '../../../src/app/setup/mend.ts';
import { installers } from '../../../src/install/targets.ts';
import { type Sandbox, sandbox } from '../../install/sandbox.ts';

const ALL = await installers();
const SKILLS = readdirSync(join(import.meta.dirname, '../../../skills')).sort();

const install = async (box: Sandbox, agent: string, scope: 'user' | 'project' = 'user') => {
  const wish = { agents: [agent], scope, dryRun: false };
  return (await installHooks(box.context().context, wish, box.runtime)).agents[0];
};
const uninstall = (box: Sandbox, agents?: readonly string[]) =>
  uninstallHooks(box.context().context, { agents, dryRun: false });
const skillsOf = (box: Sandbox, agent: string, scope: 'user' | 'project' = 'user') => {
  const { context } = box.context();
  const installer = ALL.find(({ name }) => name === agent);
  const files = installer?.files(scope, context, box.start) ?? [];
  return files.filter(({ extra }) => extra === 'skills').map(({ file }) => file);
};
const found = async (box: Sandbox) => {
  const findings = await checkAgents(box.context().context);
  return findings.filter(({ check }) => check === 'skills').map(({ state, fact }) => [state, fact]);
};

describe.each(ALL.map(({ name }) => name))('%s', (agent) => {
  test.each(['user', 'project'] as const)('reads every skill, for the %s', async (scope) => {
    const box = sandbox();
    await install(box, agent, scope);
    const files = skillsOf(box, agent, scope);
    expect(files.map((file) => file.split('/').at(-2))).toEqual(SKILLS);
    for (const file of files) {
      const own = readFileSync(
        join(import.meta.dirname, '../../../skills', file.split('/').at(-2) ?? '', 'SKILL.md'),
        'utf8',
      );
      const lines = readFileSync(file, 'utf8').split('\n');
      // Clients want the lines between `---` first, and read only `name` and `description` there.
      expect(lines.filter((it) => !it.startsWith('<!-- Written by')).join('\n')).toBe(own);
      expect(lines.indexOf('---', 1)).toBe(own.split('\n').indexOf('---', 1));
    }
  });
});

test('a skill of the user that has the same name stays, and the hooks are installed', async () => {
  const box = sandbox();
  const file = box.put('home/.claude/skills/lanehold-verify/SKILL.md', 'mine\n');
  const { files, warnings } = await install(box, 'claude-code');
  expect(files.map(({ what }) => what)).toEqual([
    'hooks',
    ...SKILLS.filter((it) => it !== 'lanehold-verify').map((it) => `skill ${it}`),
  ]);
  expect(warnings.join('\n')).toContain(
    `without the skill lanehold-verify: ${file} is there already`,
  );
  expect(await found(box)).toEqual([
    ['ok', `${SKILLS.length - 1} skills in ${join(box.home, '.claude/skills')}`],
    ['ok', `the skill lanehold-verify is not lanehold’s, and stays: ${file}`],
  ]);
  await uninstall(box);
  expect(readFileSync(file, 'utf8')).toBe('mine\n');
  expect(existsSync(join(box.home, '.claude/skills/lanehold-lanes'))).toBe(false);
});

test('one that is changed or gone is told by doctor, and mended', async () => {
  const box = sandbox();
  await install(box, 'claude-code');
  const [gone = '', ...others] = skillsOf(box, 'claude-code');
  const changed = others.at(-1) ?? '';
  const text = readFileSync(changed, 'utf8');
  rmSync(dirname(gone), { recursive: true });
  writeFileSync(changed, text.replace('Before you push', 'After you push'));
  expect(await found(box)).toEqual([
    ['ok', `1 skill in ${join(box.home, '.claude/skills')}`],
    ['warning', `the skill lanehold-lanes is gone, changed or of another version: ${gone}`],
    ['warning', `the skill lanehold-verify is gone, changed or of another version: ${changed}`],
  ]);
  await mend(box.context().context, box.runtime);
  expect(await found(box)).toEqual([
    ['ok', `${SKILLS.length} skills in ${join(box.home, '.claude/skills')}`],
  ]);
  expect(readFileSync(changed, 'utf8')).toBe(text);
});

test('mending writes none where none were installed', async () => {
  const box = sandbox();
  const { context } = box.context();
  const wish = { agents: ['claude-code'], scope: 'user', dryRun: false, extras: [] } as const;
  await installHooks(context, wish, box.runtime);
  await mend(context, box.runtime);
  expect(existsSync(join(box.home, '.claude/skills'))).toBe(false);
  expect(await found(box)).toEqual([['ok', 'Claude Code has no skills of lanehold']]);
});

test('a folder that several agents read goes with the last of them', async () => {
  const box = sandbox();
  const shared = ALL.filter(({ name }) =>
    skillsOf(box, name).some((it) => it.includes('/.agents/')),
  ).map(({ name }) => name);
  expect(shared.length).toBeGreaterThan(2);
  for (const agent of shared) await install(box, agent);
  for (const agent of shared) {
    for (const file of skillsOf(box, agent)) expect(existsSync(file)).toBe(true);
    await uninstall(box, [agent]);
  }
  expect(existsSync(join(box.home, '.agents'))).toBe(false);
});
