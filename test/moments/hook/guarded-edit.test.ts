import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeCodeHooks } from '../../../src/agents/claude-code/hooks.ts';
import { sandbox } from '../../support/sandbox.ts';

const {
  tools: { edit: EDIT_TOOLS },
} = claudeCodeHooks;

function edit(cwd: string, file: string, tool = 'Edit') {
  const field = tool === 'NotebookEdit' ? 'notebook_path' : 'file_path';
  return {
    session_id: 'session-1',
    cwd,
    hook_event_name: 'PreToolUse',
    tool_name: tool,
    tool_input: { [field]: file, old_string: 'a', new_string: 'git push' },
  };
}

function world() {
  const box = sandbox();
  const repo = box.repo();
  box.write('repo/.git/hooks/pre-push', '#!/bin/sh\n# lanehold holds here what is pushed\n');
  mkdirSync(box.laneholdHome);
  symlinkSync(box.laneholdHome, join(repo, 'link'));
  mkdirSync(join(box.home, 'config'));
  return { box, repo };
}

test.each([
  'repo/.claude/settings.json',
  'repo/.claude/settings.local.json',
  'repo/packages/a/.claude/settings.json',
  'home/.claude/settings.json',
  'home/config/settings.json',
  'home/.lanehold/config.json',
  'home/.lanehold/lanehold.db',
  'repo/link/lanehold.db',
  'repo/../home/.lanehold/new/x',
  'home/.lanehold/worktrees/repo-1/billing',
  'home/.lanehold/worktrees/repo-1/billing/api',
  'home/.lanehold/worktrees/repo-1/billing/api/../../../../config.json',
  'repo/link/worktrees/../lanehold.db',
  'repo/.git/hooks/pre-push',
])('an edit of %s is asked', async (path) => {
  const { box, repo } = world();
  const env = { CLAUDE_CONFIG_DIR: join(box.home, 'config') };
  for (const tool of EDIT_TOOLS) {
    const payload = edit(repo, `${box.root}/${path}`, tool);
    const said = await box.startHook('before-tool', payload, { env });
    expect(said).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(said.stdout).hookSpecificOutput).toMatchObject({
      permissionDecision: 'ask',
      permissionDecisionReason: expect.stringMatching(/^lanehold asks: this edit would change/),
    });
  }
});

test.each([
  'repo/lanehold.json',
  'repo/src/settings.json',
  'repo/.claude/commands/push.md',
  'repo/.claude/skills/x/settings.json',
  'repo/.git/hooks/pre-commit',
  'repo/hooks/pre-push',
  'home/.bashrc',
  'home/.lanehold-notes.md',
  'home/.lanehold/worktrees/repo-1/billing/api/src/a.ts',
  'repo/link/worktrees/repo-1/billing/api/.env',
])('an edit of %s is not answered', async (path) => {
  const { box, repo } = world();
  const said = await box.startHook('before-tool', edit(repo, `${box.root}/${path}`));
  expect(said).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
});

test('a failure lets an edit through, whatever words it contains', async () => {
  const { box, repo } = world();
  const broken = JSON.stringify(edit(repo, '/x')).slice(0, -5);
  expect(await box.startHook('before-tool', broken)).toMatchObject({ exitCode: 0, stdout: '' });
});

test('a link that leads nowhere is no way around', async () => {
  const { box, repo } = world();
  symlinkSync(join(box.laneholdHome, 'config.json'), join(repo, 'innocent.json'));
  chmodSync(repo, 0o755);
  const said = await box.startHook('before-tool', edit(repo, join(repo, 'innocent.json')));
  expect(said.stdout).toContain('"ask"');
});

test('a configuration that git reads is asked about where git is to hold pushes', async () => {
  const { box, repo } = world();
  const answers = async (path: string) =>
    (await box.hook('before-tool', edit(repo, `${box.root}/${path}`))).stdout.includes('"ask"');
  const read = ['repo/.git/config', 'repo/.git/config.worktree', 'home/.gitconfig'];
  for (const path of read) expect(await answers(path), path).toBe(false);
  const record = { version: 1, installations: [], gitHooks: [join(repo, '.git/hooks')] };
  box.write(join(box.laneholdHome, 'manifest.json'), JSON.stringify(record));
  for (const path of read) expect(await answers(path), path).toBe(true);
  for (const path of ['repo/test/fixtures/.gitconfig', 'repo/.gitconfig', 'repo/git/config'])
    expect(await answers(path), path).toBe(false);
});
