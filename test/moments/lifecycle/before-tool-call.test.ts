/** The answer of the hook to tools of MCP servers. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { beforeServerTool } from '../../support/payloads.ts';
import { installGitHook } from '../../support/pushing.ts';
import { sandbox } from '../../support/sandbox.ts';
import { shop } from '../../support/shop.ts';

function project() {
  const box = sandbox();
  const work = shop(box);
  const call = async (tool: string, input: object = {}) => {
    const ran = await box.hook('before-tool', beforeServerTool(work.repo, tool, input));
    const said = ran.stdout === '' ? {} : JSON.parse(ran.stdout).hookSpecificOutput;
    return { decision: said.permissionDecision ?? 'none', reason: said.permissionDecisionReason };
  };
  return { ...work, call };
}

test('what a tool names is judged as the command for it', async () => {
  const { call, change, verify } = project();
  const create = () => call('github__create_pull_request', { owner: 'a', repo: 'b', head: 'x' });
  expect((await create()).decision).toBe('none');
  change('src/cart/add.ts');
  const { decision, reason } = await create();
  expect(decision).toBe('deny');
  expect(reason).toContain('lanehold holds `mcp github create_pull_request`: 1 feature is');
  expect(reason).toMatch(/^Verify, then run the command again: .* feature verify cart$/m);
  await verify('cart');
  expect((await create()).decision).toBe('none');
});

test('what a tool carries in its call is for a person, and git is the other way', async () => {
  const { call } = project();
  const files = [{ path: 'src/cart/add.ts', content: 'two' }];
  const pushed = await call('github__push_files', { owner: 'a', repo: 'b', files });
  expect(pushed.decision).toBe('ask');
  expect(pushed.reason).toContain('feature verify --pending && git push');
  expect((await call('github__get_file_contents', { path: 'git push' })).decision).toBe('none');
});

test('a shell behind a server is a shell', async () => {
  const { call, change } = project();
  change('src/cart/add.ts');
  expect((await call('shell__run_command', { command: 'git push' })).decision).toBe('deny');
  expect((await call('shell__run_command', { command: 'git status' })).decision).toBe('none');
});

test('a server that is named like lanehold gains nothing, and the tools of its own are no boundary', async () => {
  const { call, change } = project();
  change('src/cart/add.ts');
  expect((await call('lanehold__run_command', { command: 'git push' })).decision).toBe('deny');
  expect((await call('lanehold__push_files')).decision).toBe('ask');
  for (const tool of ['status', 'gate', 'verify', 'recall', 'note'])
    expect((await call(`lanehold__${tool}`, { command: 'git push' })).decision, tool).toBe('none');
});

test('settings switch a tool off and add one', async () => {
  const { call, register, change } = project();
  const boundaries = [{ name: 'ship', argv: ['mcp', 'acme', 'do_it'], kind: 'deploy' }];
  register({ cart: { files: ['src/cart/**'], smoke: ['true'] } }, { boundaries });
  change('src/cart/add.ts');
  expect((await call('acme__do_it')).reason).toContain('lanehold holds `ship`');
});

test('what a tool of a server changes is guarded as what an edit does', async () => {
  const box = sandbox();
  const { repo } = shop(box);
  await installGitHook(box, repo);
  box.write(join(repo, '.claude/settings.json'), '{}');
  box.write(join(repo, 'test/fixtures/.gitconfig'), '');
  const decided = async (tool: string, input: object) => {
    const { stdout } = await box.hook('before-tool', beforeServerTool(repo, tool, input));
    return stdout === '' ? 'none' : JSON.parse(stdout).hookSpecificOutput.permissionDecision;
  };
  const rcFile = { path: '~/.bashrc', content: 'export LANEHOLD_DISABLE=1\n' };
  for (const [tool, input] of [
    ['filesystem__write_file', { path: join(repo, '.claude/settings.json'), content: '{}' }],
    ['filesystem__edit_file', { path: '.git/hooks/pre-push', edits: [{ oldText: 'a' }] }],
    ['filesystem__move_file', { source: '.git/hooks', destination: '/tmp/x' }],
    ['fs__writeFiles', { files: [{ name: 'a' }, { name: 'file://~/.gitconfig' }] }],
    ['editor__str_replace', { cwd: join(repo, '.git'), file: 'config', new: 'x' }],
    ['fs__delete_directory', { path: '.claude' }],
    ['git__config_set', { repo_path: repo, key: 'core.hooksPath', value: '' }],
    ['fs__append', rcFile],
  ] as const)
    expect(await decided(tool, input), tool).toBe('ask');
  for (const [tool, input] of [
    ['filesystem__read_text_file', { path: '.claude/settings.json' }],
    ['filesystem__search_files', { path: '.git/hooks', pattern: 'pre-push' }],
    ['filesystem__write_file', { path: 'test/fixtures/.gitconfig', content: 'x' }],
    ['filesystem__write_file', { path: 'src/a.ts', content: '.git/hooks/pre-push\n' }],
    ['filesystem__delete_file', { root: repo, path: 'src/old.ts' }],
    ['filesystem__create_directory', { path: '.claude/skills' }],
    ['fs__append', { ...rcFile, content: 'export PATH=x\n' }],
    ['git__config_set', { key: 'user.name', value: 'x' }],
    ['tracker__create_issue', { title: 'git config core.hooksPath is empty' }],
  ] as const)
    expect(await decided(tool, input), `${tool} ${JSON.stringify(input)}`).toBe('none');
});
