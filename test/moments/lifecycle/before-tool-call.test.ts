/** The answer of the hook to tools of MCP servers. */
import { expect, test } from 'vitest';
import { beforeServerTool } from '../../support/payloads.ts';
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
