/** A push is held in each agent's own form, whoever of its agents makes it, and goes through verified. */
import { expect, test } from 'vitest';
import { sandbox } from '../../support/sandbox.ts';
import { shop } from '../../support/shop.ts';

const COMMAND = 'git push origin main';

const opencode = (directory: string, session: string) => ({
  hook: 'tool.execute.before',
  directory,
  session,
  tool: 'bash',
  args: { command: COMMAND },
});
const grok = (cwd: string, more: object = {}) => ({
  hookEventName: 'pre_tool_use',
  sessionId: 's',
  cwd,
  workspaceRoot: cwd,
  toolName: 'run_terminal_command',
  toolInput: { command: COMMAND },
  ...more,
});
const antigravity = (Cwd: string, conversationId: string) => ({
  conversationId,
  workspacePaths: [],
  toolCall: { name: 'run_command', args: { CommandLine: COMMAND, Cwd } },
  stepIdx: 1,
});

const CALLS: readonly (readonly [string, string, (repo: string) => object])[] = [
  ['opencode', 'a session', (repo) => opencode(repo, 'ses_1')],
  ['opencode', 'a sub-agent', (repo) => opencode(repo, 'ses_child')],
  ['grok', 'a session', (repo) => grok(repo)],
  ['grok', 'a sub-agent', (repo) => grok(repo, { subagentType: 'explore' })],
  ['antigravity', 'a session', (repo) => antigravity(repo, 'c')],
  ['antigravity', 'a sub-agent', (repo) => antigravity(repo, 'c-child')],
];
const REASON: Readonly<Record<string, string>> = { opencode: 'deny' };

test('held, and through once verified', async () => {
  const box = sandbox();
  const { repo, change, verify } = shop(box);
  change('src/cart/add.ts');
  const answers = () =>
    Promise.all(
      CALLS.map(async ([agent, who, payload]) => {
        const ran = await box.hook('before-tool', { ...payload(repo) }, { agent, cwd: box.home });
        return [`${agent}, ${who}`, REASON[agent] ?? 'reason', ran] as const;
      }),
    );
  for (const [who, reason, { stdout }] of await answers())
    expect(JSON.parse(stdout)[reason], who).toContain('feature verify cart');
  await verify('cart');
  for (const [who, , ran] of await answers())
    expect(ran, who).toMatchObject({ stdout: '', stderr: '', exitCode: 0 });
});
