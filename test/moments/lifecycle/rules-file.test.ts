/** Agents that are told by a file what is held, and that pushes are held in each until they are verified. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findHookAgent } from '../../../src/agents/registry.ts';
import { homeOf } from '../../../src/base/files/home.ts';
import { projectPlace } from '../../../src/base/git/project.ts';
import type { JsonObject } from '../../../src/base/text/json.ts';
import { removeRules, writeRules } from '../../../src/install/rules-files.ts';
import { sandbox } from '../../support/sandbox.ts';
import { shop } from '../../support/shop.ts';

const PUSH = 'git push origin main';

/** What each sends before a push in a folder, and after an edit of a file there. */
const cursor = (cwd: string, fields: object) => ({
  conversation_id: 'parent',
  generation_id: 'turn',
  cursor_version: '3.20.17',
  workspace_roots: [cwd],
  ...fields,
});
const beforeShell = { hook_event_name: 'beforeShellExecution', command: PUSH, cwd: '' };
const PUSHES: readonly (readonly [string, string, (cwd: string) => JsonObject, string])[] = [
  ['cursor', 'cursor', (cwd) => cursor(cwd, beforeShell), '{"permission":"allow"}'],
  [
    'cursor, a sub-agent',
    'cursor',
    (cwd) => cursor(cwd, { ...beforeShell, conversation_id: 'child', generation_id: 'child' }),
    '{"permission":"allow"}',
  ],
  [
    'cursor, by the hooks of another client',
    'claude-code',
    (cwd) =>
      cursor(cwd, {
        hook_event_name: 'preToolUse',
        tool_name: 'Shell',
        tool_input: { command: PUSH, cwd: '' },
      }),
    '{"permission":"allow"}',
  ],
  [
    'windsurf',
    'windsurf',
    (cwd) => ({
      agent_action_name: 'pre_run_command',
      trajectory_id: 's',
      tool_info: { command_line: PUSH, cwd },
    }),
    '',
  ],
  [
    'windsurf, Devin Local',
    'windsurf',
    (cwd) => ({
      hook_event_name: 'PreToolUse',
      session_id: 's',
      cwd,
      tool_name: 'exec',
      tool_input: { command: PUSH },
    }),
    '',
  ],
  [
    'kiro',
    'kiro',
    (cwd) => ({
      hook_event_name: 'preToolUse',
      session_id: 's',
      cwd,
      tool_name: 'execute_bash',
      tool_input: { command: PUSH },
    }),
    '',
  ],
  [
    'vscode-copilot',
    'vscode-copilot',
    (cwd) => ({
      timestamp: '2026-10-14T09:30:00.000Z',
      hook_event_name: 'PreToolUse',
      session_id: 's',
      cwd,
      tool_name: 'run_in_terminal',
      tool_input: { command: PUSH },
    }),
    '',
  ],
];

test('a push is held in each agent’s own form, and goes through when it is verified', async () => {
  const box = sandbox();
  const it = shop(box);
  it.change('src/cart/add.ts');
  const ask = (agent: string, payload: JsonObject) => box.hook('before-tool', payload, { agent });
  for (const [name, agent, payload] of PUSHES) {
    const { stdout, stderr, exitCode } = await ask(agent, payload(it.repo));
    const isDenied = exitCode === 2 || /"(?:permission|decision)":"(?:deny|block)"/.test(stdout);
    expect({ name, isDenied }).toEqual({ name, isDenied: true });
    expect(`${stdout}${stderr}`).toContain('feature verify');
  }
  await it.verify('cart');
  for (const [name, agent, payload, allowed] of PUSHES) {
    const { stdout, stderr, exitCode } = await ask(agent, payload(it.repo));
    expect({ name, stdout, stderr, exitCode }).toEqual({
      name,
      stdout: allowed,
      stderr: '',
      exitCode: 0,
    });
  }
});

describe('the rules file', () => {
  const agent = 'windsurf';
  const rules = findHookAgent(agent)?.rules;
  const prompt = { agent_action_name: 'pre_user_prompt', trajectory_id: 's', tool_info: {} };

  function project() {
    const box = sandbox();
    const it = shop(box);
    const file = join(it.repo, rules?.file ?? '');
    const moment = (event: 'prompt-submit' | 'stop' | 'after-tool', payload: JsonObject = prompt) =>
      box.hook(event, payload, { agent, cwd: it.repo });
    return { box, it, file, moment, text: () => readFileSync(file, 'utf8') };
  }

  test('says what is held, follows each moment, is in no commit, and goes without a trace', async () => {
    const { box, it, file, moment, text } = project();
    const exclude = join(it.repo, '.git/info/exclude');
    const before = existsSync(exclude) ? readFileSync(exclude, 'utf8') : undefined;
    await moment('prompt-submit');
    expect(existsSync(file)).toBe(false);

    it.write('src/cart/add.ts', 'two\n');
    const edited = {
      ...prompt,
      agent_action_name: 'post_write_code',
      tool_info: { file_path: join(it.repo, 'src/cart/add.ts'), edits: [] },
    };
    await moment('after-tool', edited);
    expect(text()).toMatch(/^---\ntrigger: always_on\n---\n<!-- Written by lanehold/);
    expect(text()).toMatch(/1 feature is changed/);
    expect(text()).toContain('- cart: true');
    expect(text()).not.toContain('checkout');
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const { ino } = statSync(file);
    await moment('prompt-submit');
    expect(statSync(file).ino).toBe(ino);

    it.write('src/checkout/pay.ts', 'two\n');
    await moment('after-tool', edited);
    await moment('stop', { ...prompt, agent_action_name: 'post_cascade_response' });
    expect(text()).toContain('- checkout: true');
    expect(it.git('status', '--porcelain', '--untracked-files=all')).not.toContain('.windsurf');

    await it.verify('--pending');
    await moment('prompt-submit');
    expect(existsSync(file)).toBe(false);

    it.write('src/cart/add.ts', 'three\n');
    await moment('after-tool', edited);
    await moment('prompt-submit');
    expect(text()).toContain('- cart: true');
    const home = homeOf(box.env);
    expect(removeRules(home, { agents: ['another'], dryRun: false })).toEqual([]);
    expect(removeRules(home, { dryRun: true })).toEqual([file]);
    expect(existsSync(file)).toBe(true);
    expect(removeRules(home, { agents: [agent], dryRun: false })).toEqual([file]);
    expect(existsSync(join(it.repo, '.windsurf'))).toBe(false);
    expect(existsSync(exclude) ? readFileSync(exclude, 'utf8') : undefined).toBe(before);
    expect(existsSync(join(home.root, 'rules-files'))).toBe(false);
  });

  test('a file that is the user’s, a folder that is a link, and a project without features are left alone', async () => {
    const { box, it, file, moment, text } = project();
    it.write('src/cart/add.ts', 'two\n');
    it.write(rules?.file ?? '', 'mine\n');
    await moment('after-tool', {
      ...prompt,
      agent_action_name: 'post_write_code',
      tool_info: { file_path: join(it.repo, 'src/cart/add.ts') },
    });
    await moment('prompt-submit');
    expect(text()).toBe('mine\n');

    rmSync(join(it.repo, '.windsurf'), { recursive: true });
    box.write('elsewhere/notes.md', 'mine\n');
    symlinkSync(join(box.root, 'elsewhere'), join(it.repo, '.windsurf'));
    await moment('prompt-submit');
    expect(existsSync(file)).toBe(false);

    const other = box.repo('other');
    await box.hook('prompt-submit', prompt, { agent, cwd: other });
    expect(existsSync(join(other, '.windsurf'))).toBe(false);
    expect(removeRules(homeOf(box.env), { dryRun: false })).toEqual([]);
  });

  test('is no longer than the agent reads', () => {
    const box = sandbox();
    const repo = box.repo();
    const reader = { agent, rules: { file: 'rules/lanehold.md', head: '---\n---', maxUnits: 300 } };
    mkdirSync(box.laneholdHome);
    writeRules(homeOf(box.env), projectPlace(repo), reader, 'x'.repeat(5_000));
    const text = readFileSync(join(repo, 'rules/lanehold.md'), 'utf8');
    expect(text).toHaveLength(300);
    expect(text).toMatch(/^---\n---\n<!-- .* -->\nx+\n… \(cut short\)\n$/);
  });
});
