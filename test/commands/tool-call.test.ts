/** Tools of MCP servers: what they send is judged by name, server and arguments. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/text/json.ts';
import { commandOfTool, toolCallBoundary } from '../../src/commands/tool-call.ts';

const call = (tool: string, input: JsonObject = {}) => {
  const [server = '', name = ''] = tool.split(' ');
  return { server, name, input };
};
const boundary = (tool: string, input?: JsonObject) =>
  toolCallBoundary(call(tool, input), '/repo', []);

test.each<[tool: string, kind: string, carries?: 'content']>([
  ['github push_files', 'push', 'content'],
  ['github create_or_update_file', 'push', 'content'],
  ['gitlab create_commit', 'push', 'content'],
  ['github create_pull_request', 'pull-request'],
  ['github merge_pull_request', 'pull-request'],
  ['gitlab create_merge_request', 'pull-request'],
  ['azure-devops repo_create_pull_request', 'pull-request'],
  ['github update_pull_request_branch', 'push'],
  ['github create_release', 'release'],
  ['git git_push', 'push'],
  ['vercel deploy_to_vercel', 'deploy'],
  ['netlify netlify-deploy-services-updater', 'deploy'],
  ['supabase deploy_edge_function', 'deploy'],
  ['supabase apply_migration', 'deploy'],
  ['cloudflare create_deployment', 'deploy'],
  ['render trigger_deploy', 'deploy'],
  ['kubernetes kubectl_apply', 'deploy'],
  ['k8s resources_apply', 'deploy'],
  ['kubernetes install_helm_chart', 'deploy'],
  ['aws s3_put_object', 'deploy'],
  ['npm npm_publish', 'publish'],
  ['docker push_image', 'image-push'],
])('%s is a %s', (tool, kind, carries) => {
  expect(boundary(tool)).toMatchObject({
    kind,
    rule: `mcp ${tool}`,
    toolCall: carries ? 'carries-content' : 'names-content',
  });
});

test.each([
  'github get_file_contents',
  'github list_pull_requests',
  'github create_pull_request_review',
  'github pull_request_review_write',
  'github add_issue_comment',
  'github create_issue',
  'github get_latest_release',
  'github create_branch_label',
  'github actions_run_logs',
  'filesystem write_file',
  'filesystem create_file',
  'filesystem edit_file',
  'git git_commit',
  'git git_status',
  'playwright browser_file_upload',
  'vercel list_deployments',
  'vercel get_deployment',
  'supabase list_migrations',
  'kubernetes kubectl_get',
  'kubernetes kubectl_delete',
  'memory create_entities',
  'slack post_message',
  'redis publish',
  'mini echo',
])('%s is none', (tool) => {
  expect(boundary(tool, { text: 'git push' })).toBeUndefined();
});

test('arguments tell a repository elsewhere, a workflow that releases, and the folder', () => {
  const repository = { owner: 'a', repo: 'b' };
  expect(boundary('hub create_file', repository)).toMatchObject({ kind: 'push' });
  expect(boundary('github run_workflow', { workflow_id: 'release.yml' })?.kind).toBe('deploy');
  expect(boundary('github run_workflow', { workflow_id: 'test.yml' })).toBeUndefined();
  expect(boundary('git git_push', { repo_path: '/other' })?.directory).toBe('/other');
});

test('settings can name more, by server and tool', () => {
  const added = [{ name: 'ship', argv: ['mcp', 'acme', '*'], kind: 'deploy' as const }];
  const found = toolCallBoundary(call('acme do_it'), '/repo', added);
  expect(found).toMatchObject({ rule: 'ship', kind: 'deploy', leaves: 'worktree' });
  expect(toolCallBoundary(call('other do_it'), '/repo', added)).toBeUndefined();
});

test.each([
  ['shell run_command', { command: 'git push' }, 'git push'],
  ['desktop start_process', { cmd: 'npm test' }, 'npm test'],
  ['shell execute', { command: 'git', args: ['push', "it's"] }, "git push 'it'\\''s'"],
  ['github get_me', { command: 'git push' }, undefined],
  ['shell run_command', { command: 7 }, undefined],
])('%s %j runs %s', (tool, input, command) => {
  expect(commandOfTool(call(tool, input))).toBe(command);
});

test.each([
  ['desktop execute', { argv: ['git', 'push', 'origin'] }, 'git push origin'],
  ['desktop run', { command: ['npm', 'publish'] }, 'npm publish'],
  ['desktop start_process', { program: 'git', args: ['push'] }, 'git push'],
  ['shell run_many', { commands: ['npm test', 'git push'] }, 'npm test\ngit push'],
  ['tmux send_keys', { keys: 'git push Enter' }, 'git push Enter'],
  ['iterm write_to_terminal', { text: 'git push\n' }, 'git push\n'],
  ['iterm write_to_terminal', { text: 'git push --no-verify\r' }, 'git push --no-verify\n'],
  ['ide executeCode', { code: 'import os' }, "python3 -c 'import os'"],
  ['runner execute_code', { code: 'x()', language: 'javascript' }, "node -e 'x()'"],
  ['runner run_code', { code: 'x', language: 'bash' }, 'x'],
  ['sandbox run_code', { code: 'x()' }, "python3 -c 'x()'\nnode -e 'x()'"],
  ['kubernetes kubectl', { args: 'apply -f k8s' }, 'kubectl apply -f k8s'],
  ['git git_command', { command: 'push' }, 'push\ngit push'],
  ['shell run_command', { command: 'git push', cwd: '/other repo' }, "cd '/other repo'\ngit push"],
  ['slack post_message', { text: 'git push' }, undefined],
  ['playwright browser_run_code', { code: 'x()' }, undefined],
  ['notes read_file', { command: 'git push' }, undefined],
])('%s %j stands for %s', (tool, input, command) => {
  expect(commandOfTool(call(tool, input))).toBe(command);
});

test.each([
  ['ado run_pipeline', { pipelineId: 7, project: 'web' }],
  ['ci run_pipeline', { name: 'release' }],
  ['infra apply', { stack: 'prod' }],
])('%s is a deployment by what its input says', (tool, input) => {
  expect(boundary(tool, input)?.kind).toBe('deploy');
});

test.each([
  ['ci run_pipeline', { name: 'unit tests' }],
  ['editor apply', { edits: [] }],
])('%s is none by what its input says', (tool, input) => {
  expect(boundary(tool, input)).toBeUndefined();
});
