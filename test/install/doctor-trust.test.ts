/** What `doctor` says of an agent that asks about hooks before it runs them; the agent is made up. */
import { describe, expect, test } from 'vitest';
import type { Scope, Trust } from '../../src/agents/install.ts';
import { checkAgents } from '../../src/app/setup/doctor-agents.ts';
import { ExitCode } from '../../src/base/errors.ts';
import { homeOf } from '../../src/base/files/home.ts';
import { runDoctor } from '../../src/fronts/cli/commands/doctor.ts';
import { install } from '../../src/install/apply.ts';
import { hookScriptFile, writeHookScript } from '../../src/install/hook-script.ts';
import type { Installer } from '../../src/install/targets.ts';
import { checkSwitches } from '../../src/install/verify.ts';
import { quill } from '../fixtures/agents/quill/agent.ts';
import { quillInstall } from '../fixtures/agents/quill/install.ts';
import { type Sandbox, sandbox } from './sandbox.ts';

const { name, title, hooks } = quill;
const HOW = 'start `quill`, and answer `y`';

function agent(trust?: Trust): Installer {
  if (hooks === undefined) throw new Error('it has no hooks');
  const known = { ...quillInstall, name, title, capabilities: hooks.capabilities };
  return trust === undefined ? known : { ...known, trust: async () => trust };
}

async function installed(box: Sandbox, scope: Scope = 'user'): Promise<void> {
  const { context } = box.context();
  const home = homeOf(context.env);
  writeHookScript(home);
  const start = { ...box.runtime, script: hookScriptFile(home) };
  const fixed = { agent: name, scope, version: '1.0.0', folder: context.cwd };
  for (const row of quillInstall.files(scope, context, start)) {
    await install({ ...fixed, home, runtime: box.runtime, now: new Date() }, row);
  }
}

async function diagnosed(box: Sandbox, installer: Installer) {
  const { context, said } = box.context({ verbose: true });
  const exitCode = await runDoctor(context, [
    (it) => checkAgents(it, [installer]),
    async (it) => checkSwitches(it, [installer]),
  ]);
  return { exitCode, said: said.stdout };
}

describe('trust', () => {
  const states: readonly (readonly [Trust['state'], boolean, number, string])[] = [
    ['trusted', true, ExitCode.done, 'ok: Quill trusts the hooks'],
    ['untrusted', true, ExitCode.failed, 'broken: Quill does not trust the hooks, and it skips'],
    ['untrusted', false, ExitCode.done, 'warning: Quill does not trust the hooks, and it will ask'],
    ['modified', true, ExitCode.failed, 'broken: .* skips them: they were changed since'],
    ['modified', false, ExitCode.done, 'warning: .* will ask: they were changed since'],
    ['unknown', true, ExitCode.done, 'warning: whether Quill trusts the hooks cannot be told'],
  ];

  test.each(states)('that is %s (skips: %s) ends with %i', async (state, skips, code, line) => {
    const box = sandbox();
    await installed(box);
    const { exitCode, said } = await diagnosed(box, agent({ state, skips, how: HOW }));
    expect(exitCode).toBe(code);
    expect(said).toMatch(new RegExp(line));
    expect(said.includes(`hint: ${HOW}`)).toBe(state !== 'trusted');
    expect(said.split('\n')[0]).toMatch(code === ExitCode.done ? /^works/ : /^broken: 1 check/);
  });

  test('is not asked of an agent without hooks of ours, nor of one that asks nobody', async () => {
    const box = sandbox();
    const untrusted = agent({ state: 'untrusted', skips: true, how: HOW });
    expect((await diagnosed(box, untrusted)).said).not.toContain('trust');
    await installed(box);
    expect(await diagnosed(box, agent())).toMatchObject({
      exitCode: ExitCode.done,
      said: expect.not.stringContaining('trust'),
    });
  });
});

test('workers that would be without the hooks of a project are told of', async () => {
  const box = sandbox();
  const worker = { ...quill.worker, lacksProjectHooks: true } as const;
  const { context } = box.context({ verbose: true });
  const said = async (scope: Scope) => {
    await installed(box, scope);
    const findings = await checkAgents(context, [{ ...agent(), worker } as Installer]);
    return findings.filter(({ check }) => check === 'workers');
  };
  expect(await said('project')).toMatchObject([
    {
      state: 'warning',
      fact: expect.stringContaining('run without hooks in lanes'),
      hint: expect.stringContaining('lanehold install --agent quill'),
    },
  ]);
  expect(await said('user')).toEqual([]);
});

test('hooks that are switched off are broken, however much they are trusted', async () => {
  const box = sandbox();
  const file = box.put('home/.quill/quill.json', '{"hooksOff": true}');
  await installed(box);
  const { exitCode, said } = await diagnosed(
    box,
    agent({ state: 'trusted', skips: true, how: HOW }),
  );
  expect(exitCode).toBe(ExitCode.failed);
  expect(said).toContain(`broken: \`hooksOff\` in ${file} turns the hooks off`);
  expect(said).toContain(`hint: remove \`hooksOff\` from ${file}`);
});
