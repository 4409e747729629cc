import { expect, test } from 'vitest';
import { actorOf, unmarked } from '../../../src/agents/actor.ts';
import { workerEnvironment } from '../../../src/agents/worker/environment.ts';

const PLACE = {
  attempt: 'a1',
  stage: 'worker',
  lane: 'l1',
  run: 'r1',
  worktree: '/trees/api',
  home: '/home/ada/.lanehold',
  ports: [4100, 4200],
} as const;

const of = (env: Record<string, string | undefined>) => workerEnvironment(env, PLACE);

test('says which attempt it belongs to', () => {
  expect(of({ LANEHOLD_ATTEMPT: 'outer', LANEHOLD_PORT_7: '1', LANEHOLD_PROJECT: 'x' })).toEqual({
    LANEHOLD_ATTEMPT: 'a1',
    LANEHOLD_STAGE: 'worker',
    LANEHOLD_LANE: 'l1',
    LANEHOLD_RUN: 'r1',
    LANEHOLD_WORKTREE: '/trees/api',
    LANEHOLD_HOME: '/home/ada/.lanehold',
    LANEHOLD_PORT_0: '4100',
    LANEHOLD_PORT_1: '4200',
    PWD: '/trees/api',
  });
});

test.each([
  ['PATH', '/usr/bin'],
  ['HOME', '/home/ada'],
  ['ANTHROPIC_API_KEY', 'key'],
  ['CLAUDE_CODE_OAUTH_TOKEN', 'token'],
  ['CLAUDE_CODE_USE_BEDROCK', '1'],
  ['CLAUDE_CONFIG_DIR', '/c'],
  ['CODEX_HOME', '/c'],
  ['GEMINI_API_KEY', 'key'],
  ['GH_TOKEN', 'token'],
  ['GIT_SSH_COMMAND', 'ssh -i key'],
  ['GIT_CONFIG_GLOBAL', '/c'],
  ['GIT_AUTHOR_NAME', 'Ada'],
  ['HTTPS_PROXY', 'http://proxy'],
  ['npm_config_cache', '/c'],
])('keeps %s', (name, value) => {
  expect(of({ [name]: value })).toMatchObject({ [name]: value });
});

test.each([
  'CLAUDECODE',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_PROJECT_DIR',
  'CODEX_THREAD_ID',
  'CODEX_SANDBOX_NETWORK_DISABLED',
  'OPENCODE',
  'AI_AGENT',
  'GIT_DIR',
  'GIT_INDEX_FILE',
  'GIT_WORK_TREE',
  'GIT_CONFIG_COUNT',
  'GIT_CONFIG_KEY_0',
  'LANEHOLD_AGENT',
  'npm_package_name',
  'INIT_CWD',
])('drops %s', (name) => {
  expect(Object.keys(of({ [name]: '1' }))).not.toContain(name);
});

test('leaves no sign of an agent, whichever it was', () => {
  const signs = ['CLAUDECODE', 'COPILOT_CLI', 'CURSOR_AGENT', 'GEMINI_CLI', 'CODEX_CI', 'OPENCODE'];
  const env = Object.fromEntries(signs.map((name) => [name, '1']));
  expect(actorOf({ env: { USER: 'ada', ...of(env) } }).agent).toBeUndefined();
  expect(actorOf({ env: { USER: 'ada', ...of({ LANEHOLD_AGENT: 'codex' }) } }).name).toBe(
    'person ada',
  );
});

test('a test is run as for a person, and still knows which agent has started it', () => {
  const env = unmarked({
    CLAUDECODE: '1',
    AI_AGENT: '1',
    CLAUDE_CODE_SESSION_ID: 's1',
    USER: 'ada',
  });
  expect(env).toEqual({ LANEHOLD_AGENT: 'claude-code', CLAUDE_CODE_SESSION_ID: 's1', USER: 'ada' });
  expect(actorOf({ env })).toEqual({
    name: 'agent claude-code',
    agent: 'claude-code',
    session: 's1',
  });
  expect(unmarked({ USER: 'ada' })).toEqual({ USER: 'ada' });
});

test('what is not set stays so', () => {
  expect(Object.values(of({ NOTHING: undefined }))).not.toContain('undefined');
});
