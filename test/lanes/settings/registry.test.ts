import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installed, routeAgent } from '../../../src/lanes/settings/registry.ts';
import { laneSettings } from '../../../src/lanes/settings/settings.ts';
import { sandbox } from '../../support/sandbox.ts';

const SETTINGS = laneSettings(
  {
    workers: {
      careful: { adapter: 'claude-code', model: 'a-model' },
      local: { adapter: 'command', command: ['my-agent', '{worktree}'], account: 'mine' },
      elsewhere: { adapter: 'codex', program: '/nowhere/codex' },
    },
    opposite: { 'gemini-cli': 'local' },
  },
  {},
);

/** A machine on which these programs are installed. */
function machine(...programs: readonly string[]) {
  const box = sandbox();
  mkdirSync(join(box.root, 'bin'));
  for (const program of programs) chmodSync(box.write(`bin/${program}`, '#!/bin/sh\n'), 0o755);
  return { PATH: `relative:${join(box.root, 'bin')}`, bin: join(box.root, 'bin') };
}

const all = () => machine('claude', 'codex', 'my-agent');

test.each([
  ['current', 'claude-code', 'claude-code'],
  ['opposite', 'claude-code', 'codex'],
  ['opposite', 'codex', 'claude-code'],
  ['opposite', 'gemini-cli', 'local'],
  ['codex', 'claude-code', 'codex'],
  ['careful', undefined, 'careful'],
  ['local', undefined, 'local'],
])('%s of %s is %s', (wish, current, name) => {
  expect(routeAgent(wish, current, SETTINGS, all()).name).toBe(name);
});

test('a route has all that a start needs', () => {
  const env = all();
  expect(routeAgent('local', undefined, SETTINGS, env)).toMatchObject({
    name: 'local',
    account: 'mine',
    program: join(env.bin, 'my-agent'),
    adapter: { name: 'command' },
  });
  expect(routeAgent('careful', undefined, SETTINGS, env)).toMatchObject({
    account: 'claude-code',
    settings: { model: 'a-model', permissions: 'edit' },
  });
});

test.each([undefined, 'unknown'])('for %s, `current` is the first agent installed', (current) => {
  expect(routeAgent('current', current, SETTINGS, machine('codex', 'copilot')).name).toBe('codex');
  expect(routeAgent('opposite', current, SETTINGS, all()).name).toBe('codex');
});

const refusal = (wish: string, current: string | undefined, env: { readonly PATH: string }) => {
  try {
    routeAgent(wish, current, SETTINGS, env);
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    return `${message} (${hint})`;
  }
  return undefined;
};

test('names the installed agents if the requested one is not', () => {
  expect(refusal('codex', undefined, machine('claude', 'gemini'))).toBe(
    '`codex`, the program of `codex`, is not on PATH (install it, or choose another with `--agent`; there are: careful, local, elsewhere, claude-code, gemini-cli)',
  );
  expect(refusal('elsewhere', undefined, machine('codex'))).toContain('`/nowhere/codex`');
  expect(refusal('current', undefined, machine())).toBe(
    '`current` cannot be resolved: no agent runs this command (name one with `--agent` or `lanes.agent`; there are: careful, local, elsewhere)',
  );
  const none = laneSettings({}, {});
  expect(() => routeAgent('current', undefined, none, machine())).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('none that lanehold can start') }),
  );
});

test.each([
  ['codx', 'claude-code', 'did you mean `codex`?'],
  ['carefull', undefined, 'did you mean `careful`?'],
  ['windsurf', undefined, 'there are: careful, local, elsewhere, claude-code'],
  ['current', 'windsurf', 'there is no agent and no worker named `windsurf`'],
  ['opposite', 'cursor', '`cursor` has no opposite'],
])('there is no %s of %s', (wish, current, words) => {
  expect(refusal(wish, current, all())).toContain(words);
});

test('folders and files that are not executable are no programs', () => {
  const box = sandbox();
  box.write('bin/claude', 'text');
  mkdirSync(join(box.root, 'bin/codex'));
  expect(installed({ PATH: join(box.root, 'bin') })).toEqual([]);
  expect(installed({})).toEqual([]);
});
