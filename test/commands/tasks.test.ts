import { describe, expect, test } from 'vitest';
import { recognise } from '../../src/commands/recognise.ts';
import { boundaries, contextOf, opaques, verdict } from './reading.ts';

type Files = Readonly<Record<string, string>>;

const RELEASE = 'import subprocess\nsubprocess.run(["git", "push"])\n';
const WORKSPACE: Files = {
  'package.json': '{"workspaces":["packages/*"],"scripts":{"ship":"echo root"}}',
  'packages/api/package.json': '{"name":"@acme/api","scripts":{"ship":"npm publish","test":"t"}}',
  'packages/web/package.json': '{"name":"@acme/web","scripts":{"ship":"tsc","test":"t"}}',
};

describe('a script in packages of a workspace', () => {
  test.each([
    'npm run ship -w @acme/api',
    'npm -w packages/api run ship',
    'npm run ship --workspaces --if-present',
    'npm run ship -ws',
    'pnpm --filter "@acme/*" run ship',
    'pnpm -F ...@acme/web ship',
    'pnpm -r ship',
    'yarn workspace @acme/api ship',
    'yarn workspaces run ship',
    'yarn workspaces foreach -A --topological run ship',
    'bun run --filter @acme/api ship',
    'npx lerna run ship --scope @acme/api',
    'turbo ship',
    'npx turbo run test ship --filter=@acme/api',
    'turbo run @acme/api#ship',
    'nx run @acme/api:ship',
    'nx ship api',
    'npx nx run-many -t test,ship',
    'nx affected --target ship',
  ])('%s', (command) => {
    expect(boundaries(command, { files: WORKSPACE })[0]?.directory).toBe('/repo/packages/api');
  });

  test.each([
    'npm run ship',
    'npm run ship -w @acme/web',
    'pnpm --filter web ship',
    'pnpm -w run ship',
    'yarn workspace @acme/web ship',
    'turbo ship --filter web',
    'turbo run ship --dry',
    'nx run web:ship',
    'nx affected -t test',
    'pnpm -r test',
  ])('none: %s', (command) => {
    expect(verdict(command, { files: WORKSPACE })).toBe('none');
  });

  test('where folders cannot be listed, in the folder of its name', () => {
    const { list: _, ...context } = contextOf({ files: WORKSPACE });
    expect(recognise('pnpm --filter @acme/api ship', context)).toHaveLength(1);
  });

  test('of more packages than are read is opaque', () => {
    const many = Array.from({ length: 700 }, (_, at) => [`packages/p${at}/package.json`, '{}']);
    const files = { ...WORKSPACE, ...Object.fromEntries(many) };
    expect(opaques('pnpm -r ship', { files })[0]).toMatchObject({ why: /more folders/ });
  });
});

const toml = (section: string, entry: string): string => `[${section}]\n${entry}\n`;

/** A command that finds a push, the same for another task that does not, and the files of both. */
test.each<readonly [string, string, Files]>([
  [
    'go run ./cmd/a',
    'go run b.go',
    { 'cmd/a/x.go': 'exec.Command("git", "push")\n', 'b.go': 'x()\n' },
  ],
  [
    'pnpm run "/^ship:/"',
    'pnpm run "/^test/"',
    { 'package.json': '{"scripts":{"ship:a":"git push","test":"t"}}' },
  ],
  [
    'python a.py',
    'python b.py',
    {
      'a.py': 'def sh(cmd):\n  return subprocess.run(cmd, shell=True)\nsh("git push")\n',
      'b.py': 'def sh(cmd):\n  print(cmd)\nsh("git push")\n',
    },
  ],
  [
    'node a.js',
    'node b.js',
    {
      'a.js': 'const run = (cmd) => execSync(cmd, {});\nrun("git push");\n',
      'b.js': 'const run = (cmd) => console.log(cmd);\nrun("git push");\n',
    },
  ],
  [
    'node a.js',
    'node b.js',
    {
      'a.js': 'ship("git", "push");\nfunction ship(cmd, ...args) { return spawn(cmd, args); }\n',
      'b.js': 'function ship(name) { return execSync("ls " + name); }\nship("git push");\n',
    },
  ],
  [
    'perl a.pl',
    'perl b.pl',
    {
      'a.pl': 'sub ship { system(@_) }\nship("git", "push");\n',
      'b.pl': 'sub ship { print(@_) }\nship("git", "push");\n',
    },
  ],
  [
    'mise run ship',
    'mise run test',
    { 'mise.toml': '[tasks.ship]\nrun = ["x", "git push"]\n[tasks.test]\nrun = "t"\n' },
  ],
  [
    'mise all',
    'mise test',
    { '.mise.toml': toml('tasks', 'all = { depends = ["ship"] }\nship = "git push"\ntest = "t"') },
  ],
  [
    'mise r a:ship',
    'mise r a:test',
    { '.mise/tasks/a/ship': '#!/bin/sh\ngit push\n', '.mise/tasks/a/test': 't\n' },
  ],
  [
    'tox -e ship',
    'tox',
    {
      'tox.ini':
        '[tox]\nenvlist = py3\n[testenv]\ncommands = pytest\n[testenv:ship]\ncommands =\n  build\n  twine upload dist/*\n',
    },
  ],
  [
    'tox run -e ship',
    'tox -e py3',
    { 'tox.toml': toml('env.ship', 'commands = [["git", "push"]]') },
  ],
  [
    'tox -e ship',
    'tox -e x',
    {
      'pyproject.toml':
        '[tool.tox]\nlegacy_tox_ini = """\n[testenv:ship]\ncommands = git push\n"""\n',
    },
  ],
  [
    'poe all',
    'uv run poe test',
    {
      'pyproject.toml': toml(
        'tool.poe.tasks',
        'all = ["test", "ship"]\nship = { shell = "git push" }\ntest = "t"',
      ),
    },
  ],
  [
    'pdm ship',
    'pdm run test',
    { 'pyproject.toml': toml('tool.pdm.scripts', 'ship = { cmd = ["git", "push"] }\ntest = "t"') },
  ],
  [
    'hatch run docs:ship',
    'hatch run docs:test',
    { 'hatch.toml': toml('envs.docs.scripts', 'ship = ["git push"]\ntest = "t"') },
  ],
  [
    'pipenv run ship',
    'pipenv run test',
    { Pipfile: toml('scripts', 'ship = "git push"\ntest = "t"') },
  ],
  [
    'pixi run -e a ship',
    'pixi run test',
    { 'pixi.toml': toml('feature.a.tasks', 'ship = { cmd = "git push" }\ntest = "t"') },
  ],
  [
    'cargo make all',
    'makers test',
    {
      'Makefile.toml':
        '[tasks.all]\ndependencies = ["ship"]\n[tasks.ship]\ncommand = "cargo"\nargs = ["publish"]\n[tasks.test]\nscript = "t"\n',
    },
  ],
  [
    'cargo pub',
    'cargo t2',
    { '.cargo/config.toml': toml('alias', 'pub = ["publish"]\nt2 = "test"') },
  ],
  [
    'task rel:ship',
    'task test',
    {
      'Taskfile.yml': 'includes: {rel: ./rel}\ntasks:\n  test: t\n',
      'rel/Taskfile.yml': 'tasks:\n  ship:\n    cmds:\n      - defer: git push\n',
    },
  ],
  [
    'go-task ship',
    'task test',
    {
      'Taskfile.yml':
        'vars: {V: push}\ntasks:\n  ship:\n    cmds:\n      - for: [a]\n        cmd: git {{.V}}\n  test: t\n',
    },
  ],
  [
    'deno task all',
    'deno task test',
    {
      'deno.jsonc':
        '{ // tasks\n"tasks":{"all":{"dependencies":["ship"]},"ship":"git push","test":"t",}}',
    },
  ],
  [
    'composer all',
    'composer test',
    { 'composer.json': '{"scripts":{"all":["@ship"],"ship":"git push","test":"t"}}' },
  ],
  [
    'lefthook run ship',
    'lefthook run test',
    {
      'lefthook.yml':
        'ship:\n  commands:\n    a:\n      run: git push\ntest:\n  jobs:\n    - run: t\n',
    },
  ],
  [
    'just rel::ship',
    'just test',
    { justfile: 'mod rel\ntest:\n  t\n', 'rel.just': 'ship:\n  git push\n' },
  ],
  [
    'just ship',
    'just test',
    {
      justfile:
        'ship:\n  #!/usr/bin/env python3\n  import os\n  os.system("git push")\ntest:\n  t\n',
    },
  ],
  [
    'make ship',
    'make test',
    { Makefile: 'define GO\ntrue\ngit push\nendef\nship:\n\t$(GO)\ntest:\n\tt\n' },
  ],
  [
    'nox -s ship',
    'nox -s tests',
    {
      'noxfile.py':
        'def tests(session):\n  session.run("t")\ndef ship(session):\n  session.run("git", "push")\n',
    },
  ],
  [
    'inv rel-all',
    'inv test',
    {
      'tasks.py':
        '@task\ndef test(c):\n  c.run("t")\ndef helper(c):\n  c.run("git push")\n@task\ndef rel_all(c):\n  helper(c)\n',
    },
  ],
  [
    'doit ship',
    'doit test',
    {
      'dodo.py':
        'def task_ship():\n  return {"actions": ["git push"]}\ndef task_test():\n  return {"actions": ["t"]}\n',
    },
  ],
  [
    'rake gem:ship',
    'rake test',
    {
      Rakefile:
        "namespace :gem do\n  task ship: [:go] do\n  end\n  task :go do\n    sh 'git push'\n  end\nend\ntask :test do\n  sh 't'\nend\n",
    },
  ],
  [
    './gradlew ship',
    './gradlew test',
    { 'build.gradle': "tasks.register('ship', Exec) {\n  commandLine 'git', 'push'\n}\n" },
  ],
  [
    'npx gulp ship',
    'npx gulp test',
    {
      'gulpfile.js':
        "const cp = require('child_process');\nexports.ship = () => cp.execSync('git push');\nexports.test = () => 1;\n",
    },
  ],
  [
    'mage ship',
    'mage test',
    { 'magefile.go': 'func Ship() error {\n  return sh.Run("git", "push")\n}\nfunc Test() {}\n' },
  ],
  [
    'npm run ship',
    'npm run test',
    {
      'package.json':
        '{"scripts":{"ship":"wireit","test":"wireit"},"wireit":{"ship":{"command":"git push"},"test":{"command":"t"}}}',
    },
  ],
  [
    "run-p 'ship:*'",
    'run-p test',
    { 'package.json': '{"scripts":{"ship:a":"git push","test":"t"}}' },
  ],
  [
    "concurrently 'npm:ship:*'",
    'concurrently npm:test',
    { 'package.json': '{"scripts":{"ship:a":"git push","test":"t"}}' },
  ],
  [
    'node --run ship',
    'node --run test',
    { 'package.json': '{"scripts":{"ship":"git push","test":"t"}}' },
  ],
  [
    'nx ship api',
    'nx test api',
    {
      'nx.json': '{}',
      'libs/api/project.json':
        '{"name":"api","targets":{"ship":{"options":{"commands":["git push"]}},"test":{}}}',
    },
  ],
  [
    'python -m tools.ship',
    'python -m tools.test',
    { 'tools/ship.py': RELEASE, 'tools/test.py': 'x\n' },
  ],
  ['uv run -m ship', 'uv run pytest -m ship', { 'ship/__main__.py': RELEASE }],
  [
    'python a.py',
    'python b.py',
    { 'a.py': 'from lib.go import go\n', 'lib/go.py': RELEASE, 'b.py': 'import json\n' },
  ],
  [
    'node a.mjs',
    'node b.mjs',
    {
      'a.mjs': "import { go } from './go.js';\n",
      'go.ts': "execSync('git push')\n",
      'b.mjs': "import 'node:fs';\n",
    },
  ],
  [
    'ruby a.rb',
    'ruby b.rb',
    {
      'a.rb': "require_relative 'go'\n",
      'go.rb': "system('git push')\n",
      'b.rb': "require 'json'\n",
    },
  ],
])('%s releases, %s does not', (releases, harmless, files) => {
  expect(verdict(releases, { files })).toBe('boundary');
  expect(verdict(harmless, { files })).toBe('none');
});

test('a broken task file runs nothing', () => {
  expect(verdict('mise run ship', { files: { 'mise.toml': '[tasks\nship = "git push"' } })).toBe(
    'none',
  );
  expect(verdict('task ship', { files: { 'Taskfile.yml': 'tasks: [\n' } })).toBe('none');
});
