/** What smoke tests get of the user's environment. */
import { expect, test } from 'vitest';
import { cleanEnvironment } from '../../../src/base/process/clean-environment.ts';

const AROUND = { root: '/home/ada/shop', before: undefined, scriptShell: undefined };

test.each([
  'BASH_ENV ENV PROMPT_COMMAND SHELLOPTS PS4 ZDOTDIR BASH_FUNC_npm%%'.split(' '),
  'LD_PRELOAD DYLD_INSERT_LIBRARIES NODE_OPTIONS NODE_TEST_CONTEXT'.split(' '),
  'PYTHONSTARTUP PYTEST_ADDOPTS RUBYOPT SPEC_OPTS PERL5OPT PHPRC'.split(' '),
  'JAVA_TOOL_OPTIONS GOFLAGS RUSTC_WRAPPER CARGO_TARGET_X86_64_RUNNER MAKEFLAGS'.split(' '),
  'GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE npm_config_if_present NPM_CONFIG_SCRIPT_SHELL'.split(' '),
])('%s is left out, and others', (...names) => {
  const env = Object.fromEntries(names.map((name) => [name, '/tmp/stub']));
  const clean = cleanEnvironment({ ...env, HOME: '/home/ada', CI: '1' }, AROUND);
  expect(clean.env).toEqual({
    HOME: '/home/ada',
    CI: '1',
    npm_config_script_shell: '/bin/sh',
    npm_config_node_options: ' ',
    npm_config_yes: 'false',
  });
});

test.each([
  ['NODE_OPTIONS', '--max-old-space-size=8192 --experimental-vm-modules', true],
  ['NODE_OPTIONS', '--max-old-space-size=8192 --require /tmp/stub.js', false],
  ['NODE_OPTIONS', '--import=/tmp/stub.js', false],
  ['JAVA_TOOL_OPTIONS', '-Xmx2g -Dhttps.proxyHost=proxy', true],
  ['JAVA_TOOL_OPTIONS', '-Xmx2g -javaagent:/tmp/stub.jar', false],
  ['MAVEN_OPTS', '-DskipTests', false],
  ['GOFLAGS', '-mod=vendor -buildvcs=false', true],
  ['GOFLAGS', '-mod=vendor -run=^$', false],
])('%s=%s is kept: %s', (name, value, kept) => {
  expect(cleanEnvironment({ [name]: value }, AROUND).env[name]).toBe(kept ? value : undefined);
});

test('the shell of scripts is the one that the project names', () => {
  const { env } = cleanEnvironment({}, { ...AROUND, scriptShell: '/bin/bash' });
  expect(env.npm_config_script_shell).toBe('/bin/bash');
});

const BEFORE = '/home/ada/bin:/usr/bin';
test.each<[string, string, string, string[]]>([
  ['in a temporary folder', '/tmp/stub', BEFORE, ['/tmp/stub']],
  ['in the project', '/home/ada/shop/stub', BEFORE, ['/home/ada/shop/stub']],
  ['relative', 'stub', BEFORE, ['stub']],
  ['empty', '', BEFORE, ['']],
  ['of nvm', '/home/ada/.nvm/versions/node/v22.1.0/bin', BEFORE, []],
  ['of mise', '/home/ada/.local/share/mise/installs/node/22/bin', BEFORE, []],
  ['of volta and asdf', '/home/ada/.volta/bin:/home/ada/.asdf/shims', BEFORE, []],
  ['of a virtual environment', '/home/ada/shop/.venv/bin', BEFORE, []],
  ['of npx', '/home/ada/shop/node_modules/.bin', BEFORE, []],
  ['in the project, as the agent has it', '/home/ada/shop/bin', `/home/ada/shop/bin:${BEFORE}`, []],
])('a folder in front of PATH that is %s', (_, folder, before, left) => {
  const around = { ...AROUND, before: [{ PATH: before }, { PATH: '/usr/bin' }] };
  const clean = cleanEnvironment({ PATH: `${folder}:${BEFORE}` }, around);
  expect(clean.leftOut).toEqual(left.map((it) => `PATH: ${it}`));
  expect(clean.env.PATH).toBe(left.length === 0 ? `${folder}:${BEFORE}` : BEFORE);
  expect(cleanEnvironment({ PATH: `${folder}:${BEFORE}` }, AROUND).leftOut).toEqual([]);
});
