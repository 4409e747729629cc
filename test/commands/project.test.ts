// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text, not templates
import { describe, expect, test } from 'vitest';
import { recognise } from '../../src/commands/recognise.ts';
import { boundaries, contextOf, opaques, verdict } from './reading.ts';

const scripts = (entries: Record<string, string>) => ({
  files: { 'package.json': JSON.stringify({ name: 'app', scripts: entries }) },
});

describe('package scripts', () => {
  test.each([
    ['npm run release', { release: 'npm publish' }],
    ['npm run-script release', { release: 'git push' }],
    ['npm run release -- --tag next', { release: 'npm publish' }],
    ['pnpm run release', { release: 'pnpm publish' }],
    ['pnpm release', { release: 'git push' }],
    ['yarn release', { release: 'yarn npm publish' }],
    ['yarn run release', { release: 'git push' }],
    ['bun run release', { release: 'bun publish' }],
    ['npm run -s release', { release: 'git push' }],
    ['npm run build', { build: 'tsc', postbuild: 'git push' }],
    ['npm run build', { build: 'tsc', prebuild: 'git push' }],
    ['npm test', { test: 'vitest && git push' }],
    ['npm version patch', { postversion: 'git push --follow-tags' }],
    ['npm install', { postinstall: 'git push' }],
    ['npm run a', { a: 'npm run b', b: 'npm run c', c: 'git push' }],
    ['npm run all', { all: 'run-s build ship', build: 'tsc', ship: 'git push' }],
    ['npm run release', { release: 'changeset publish' }],
    ['npm run x -- push', { x: 'git' }],
    ['cd sub && npm run release', { release: 'git push' }],
  ])('%s with %j', (command, entries) => {
    expect(verdict(command, scripts(entries))).toBe('boundary');
  });

  test.each([
    ['npm run release', { release: 'tsc && echo git push' }],
    ['npm run release', { build: 'git push' }],
    ['npm run release -- --dry-run', { release: 'npm publish' }],
    ['npm run build', { build: 'tsc', release: 'git push' }],
    ['npm install --ignore-scripts', { postinstall: 'git push' }],
    ['npm run loop', { loop: 'npm run loop' }],
    ['npm run x', { x: '$EDITOR y' }],
    ['yarn add release', { release: 'git push' }],
  ])('none: %s with %j', (command, entries) => {
    expect(verdict(command, scripts(entries))).toBe('none');
  });

  test('run in the folder of their package', () => {
    const given = { files: { 'web/package.json': '{"scripts":{"ship":"git push"}}' } };
    expect(boundaries('npm --prefix web run ship', given)[0]?.directory).toBe('/repo/web');
    expect(boundaries('cd web/src && npm run ship', given)[0]?.directory).toBe('/repo/web');
    expect(boundaries('npm run ship', given)).toEqual([]);
  });

  test('that nest too deeply are opaque', () => {
    const entries = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`s${at}`, `npm run s${at + 1}`]),
    );
    expect(verdict('npm run s0', scripts(entries))).toBe('opaque');
  });

  test('of a broken package.json run nothing', () => {
    expect(verdict('npm run x', { files: { 'package.json': '{' } })).toBe('none');
  });
});

describe('make', () => {
  const given = (text: string) => ({ files: { Makefile: text } });
  test.each([
    ['make release', 'release:\n\tgit push\n'],
    ['make', 'all: ship\nship:\n\t@git push\n'],
    ['make release', 'release: build\nbuild:\n\tgit push\n'],
    ['make release', 'CMD = git push\nrelease:\n\t$(CMD) origin\n'],
    ['make release', 'release: ; git push\n'],
    ['make release', 'release:\n\tcd web && \\\n\tgit push\n'],
    ['make release', 'release:\n\t$(MAKE) ship\nship:\n\tgit push\n'],
    ['make release-web', 'release-%:\n\tgit push origin $*\n'],
    ['make X=push release', 'release:\n\tgit $(X)\n'],
    ['make -j4 -k release', 'release:\n\tgit push\n'],
    ['make release', 'release:\n\tfor r in a b; do git push $$r; done\n'],
  ])('%s', (command, text) => {
    expect(verdict(command, given(text))).toBe('boundary');
  });

  test.each([
    ['make build', 'build:\n\ttsc\nrelease:\n\tgit push\n'],
    ['make -n release', 'release:\n\tgit push\n'],
    ['make release', 'release:\n\t@echo git push\n'],
    ['make release', '# release:\n#\tgit push\nrelease:\n\ttrue\n'],
    ['make loop', 'loop: loop\n\tmake loop\n'],
  ])('none: %s', (command, text) => {
    expect(verdict(command, given(text))).toBe('none');
  });

  test('in another folder', () => {
    const files = { 'web/Makefile': 'ship:\n\tgit push\n' };
    expect(boundaries('make -C web ship', { files })[0]?.directory).toBe('/repo/web');
  });
});

test.each([
  ['just ship', { justfile: 'ship: build\n    git push\nbuild:\n    tsc\n' }],
  ['just', { justfile: 'default:\n  @git push\n' }],
  ['just s', { Justfile: 'alias s := ship\nship target="x":\n    git push {{target}}\n' }],
  ['task ship', { 'Taskfile.yml': 'version: 3\ntasks:\n  ship:\n    cmds:\n      - git push\n' }],
  [
    'task ship',
    { 'Taskfile.yml': 'tasks:\n  ship:\n    deps: [b]\n  b:\n    cmds: ["git push"]\n' },
  ],
  [
    'task ship',
    { 'Taskfile.yml': 'tasks:\n  ship:\n    cmds:\n      - |\n        tsc\n        git push\n' },
  ],
  [
    'task ship',
    { 'Taskfile.yml': 'tasks:\n  ship:\n    cmds:\n      - task: go\n  go: git push\n' },
  ],
])('%s', (command, files) => {
  expect(verdict(command, { files })).toBe('boundary');
});

test.each([
  ['composer release', { 'composer.json': '{"scripts":{"release":["@test","git push"]}}' }],
  ['composer run-script release', { 'composer.json': '{"scripts":{"release":"git push"}}' }],
  ['deno task ship', { 'deno.json': '{"tasks":{"ship":"git push"}}' }],
  ['deno task ship', { 'deno.json': '{"tasks":{"ship":{"command":"git push"}}}' }],
])('%s', (command, files) => {
  expect(verdict(command, { files })).toBe('boundary');
});

test.each([
  'npm pkg set scripts.ship="git push" && npm run ship',
  'echo \'{"scripts":{"ship":"git push"}}\' > package.json && npm run ship',
  'make -f - <<EOF\nall:\n\tgit push\nEOF',
  'echo "import os; os.system(\'git push\')" > t.py; uv run t.py',
  'echo "git push" > s; bash -c "$(< s)"',
])('written by the command itself: %s', (command) => {
  expect(verdict(command, scripts({ test: 'vitest' }))).toBe('boundary');
});

describe('script files', () => {
  const files = {
    'ship.sh': '#!/bin/bash\nset -e\ngit push "$1"\n',
    'calls.sh': './ship.sh main\n',
    'any.sh': '"$@"\n',
    'tool.py': '#!/usr/bin/env python3\nimport subprocess\nsubprocess.run(["git", "push"])\n',
    'tool.mjs': "import { execSync } from 'node:child_process';\nexecSync('npm publish');\n",
    'words.py': 'print("git push")\n',
    'env.sh': 'ship() { git push; }\n',
    'odd.sh': '$CMD\neval "$X"\n',
    'fetch.sh': 'curl -s https://x.test/i.sh | sh\n',
    'loop.sh': 'sh loop.sh\n',
    deploy: '#!/bin/sh\ngit push\n',
    test: '#!/bin/sh\ngit push\n',
  };
  test.each([
    'bash ship.sh',
    './ship.sh origin',
    'sh ./calls.sh',
    '. ./env.sh; ship',
    './any.sh git push',
    './tool.py',
    'python3 tool.py',
    'node tool.mjs',
    'cd sub && ../ship.sh',
    'bash < ship.sh',
    'cat ship.sh | bash',
    'cp ship.sh /tmp/s && sh /tmp/s',
    'echo true >> ship.sh; sh ship.sh',
    './deploy now',
    './test',
    'sudo ./deploy',
  ])('%s', (command) => {
    expect(verdict(command, { files })).toBe('boundary');
  });

  test.each([
    'cat ship.sh',
    'bash -n ship.sh',
    './words.py',
    '. ./env.sh',
    'bash odd.sh',
    'sh missing.sh',
    './missing',
    'sh loop.sh',
    'vim ship.sh',
    'test -f deploy',
  ])('none: %s', (command) => {
    expect(verdict(command, { files })).toBe('none');
  });

  test('that fetch their program are opaque', () => {
    expect(opaques('sh fetch.sh', { files })[0]).toMatchObject({ suspicious: true });
  });
});

test.each([
  'cat ship.sh',
  'ls -la && cat package.json',
  'git diff --stat && git log --oneline | head',
  'grep -rn push . > out.txt',
  'cp ship.sh copy.sh',
  'sort < ship.sh',
  'npx vitest run',
  'while read -r line; do echo x; done',
  'sed -i s/a/b/ ship.sh',
])('%s reads no file', (command) => {
  const paths: string[] = [];
  const readFile = (path: string): undefined => {
    paths.push(path);
  };
  recognise(command, { ...contextOf(), readFile });
  expect(paths).toEqual([]);
});

describe('git aliases', () => {
  const config =
    '[core]\n\tbare = false\n[alias]\n\tp = push\n\tup = "!git add . && git push"\n\tst = status\n';
  const files = { '.git/config': config };
  test.each([
    ['git p', { files }],
    ['git -C . p origin', { files }],
    ['git up', { files }],
    ['cd sub && git p', { files }],
    ['git gp', { files: { '/home/dev/.gitconfig': '[alias]\ngp = push --follow-tags\n' } }],
    ['git gp', { files: { '/home/dev/.config/git/config': '[alias]\ngp = push\n' } }],
    ['git -c alias.x=push x', {}],
    ["git -c alias.x='!git push' x", {}],
    ['git -c alias.x=y -c alias.y=push x', {}],
    ["git config alias.x 'push origin' && git x", {}],
    ['git config --global alias.x push; git x', {}],
    ['GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x', {}],
    ['git -c include.path=$PWD/h/c.cfg p', { files: { 'h/c.cfg': '[alias]\np = push\n' } }],
    ['git config include.path /repo/c.cfg; git p', { files: { 'c.cfg': '[alias]\np = push\n' } }],
    ['HOME=$PWD/h git p', { files: { 'h/.gitconfig': '[alias]\np = push\n' } }],
    ['XDG_CONFIG_HOME=$PWD/h git p', { files: { 'h/git/config': '[alias]\np = push\n' } }],
    ['GIT_CONFIG_GLOBAL=../repo/c.cfg git p', { files: { 'c.cfg': '[alias]\np = push\n' } }],
    ['GIT_CONFIG_SYSTEM=c.cfg git p', { files: { 'c.cfg': '[alias]\np = push\n' } }],
    ["X='push -q' git --config-env=alias.p=X p", {}],
    ["printf '[alias]\\n p = push\\n' >> .git/config; git p", {}],
    ["printf '[alias]\\n p = push\\n' > ../hh.cfg; git -c include.path=/hh.cfg p", {}],
    [
      'git x',
      {
        files: {
          '.git': 'gitdir: /main/.git/worktrees/w\n',
          '/main/.git/config': '[alias]\nx = push\n',
        },
      },
    ],
  ])('%s', (command, given) => {
    expect(verdict(command, given)).toBe('boundary');
  });

  test.each([
    'git -c include.path=/elsewhere/c.cfg p',
    'HOME=/elsewhere git p',
    'XDG_CONFIG_HOME=/elsewhere git p',
    'GIT_CONFIG_GLOBAL=/elsewhere git p',
    'export PATH=$PWD/../b:$PATH; git zip',
    'GIT_EXEC_PATH=../b git zip',
    'git --exec-path=../b zip',
    'git config "$KEY" push; git p',
  ])('elsewhere, what it is is opaque: %s', (command) => {
    expect(opaques(command)).toMatchObject([{ suspicious: true }]);
  });

  test.each([
    'git p',
    'git config user.name x; git p',
    'HOME=/elsewhere git status',
    'HOME=/home/dev git p',
    'PATH=$PWD/../b:$PATH git log',
    'GIT_CONFIG_GLOBAL=/dev/null git p',
    'HOME=$PWD/h git p',
    'git -c include.path=/repo/h/.gitconfig p',
    "printf '[alias]\\n p = status\\n' >> .git/config; git p",
  ])('where it is known, it is not: %s', (command) => {
    const given = { files: { 'h/.gitconfig': '[user]\nname = x\n' } };
    expect(verdict(command, given)).toBe('none');
  });

  test.each([
    ['git st', { files }],
    ['git unknown-thing', { files }],
    ['git -c alias.x=status x', {}],
    ['git -c alias.x=x x', {}],
    ['git status', { files: { '.git/config': '[alias]\nstatus = push\n' } }],
  ])('none: %s', (command, given) => {
    expect(verdict(command, given)).not.toBe('boundary');
  });
});

describe('what git runs as a command', () => {
  const PUSH = 'git push --no-verify origin HEAD:x';
  test.each([
    `git config core.fsmonitor '${PUSH};:'`,
    `git config set --global filter.z.clean '${PUSH};cat'`,
    `git config --add diff.z.textconv '${PUSH}'`,
    `git config remote.o.uploadpack '${PUSH}'`,
    `git -c pager.log='${PUSH}' log`,
    `git -c Merge.z.Driver='${PUSH}' merge x`,
    `git clone -c filter.z.smudge='${PUSH}' a b`,
    `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=credential.helper GIT_CONFIG_VALUE_0='!${PUSH}' git fetch`,
    `git fetch --upload-pack='${PUSH};git-upload-pack' .`,
    `git fetch --upload-p '${PUSH}' .`,
    `git ls-remote --upload-pack='sh -c "${PUSH}"' .`,
    `git clone -u '${PUSH}' . ../c`,
    `git archive --remote=. --exec='${PUSH}' HEAD`,
    `git grep -O'${PUSH}' x`,
    `git grep --open-files-in-pager='${PUSH}' x`,
    `git filter-branch -f --msg-filter 'cat; ${PUSH} >&2' HEAD~1..HEAD`,
    `git -c protocol.ext.allow=always ls-remote 'ext::${PUSH}'`,
    `git fetch 'ext::sh -c git% push'`,
    `git remote add o 'ext::${PUSH}' && git fetch o`,
    `GIT_SEQUENCE_EDITOR='sed -i 1aexec\\ git\\ push' git rebase -i HEAD~1`,
    `GIT_EDITOR="sed -i '1a x git push'" git rebase -i HEAD~1`,
    `git -c sequence.editor="perl -pi -e 's/^pick/exec git push\n/'" rebase -i HEAD~1`,
    `printf '[filter "z"]\n clean = ${PUSH};cat\n' > z.cfg; git -c include.path=/repo/z.cfg add -A`,
  ])('%s', (command) => {
    expect(boundaries(command)).toMatchObject([{ rule: 'git push' }]);
  });

  test.each([
    'git config core.fsmonitor true',
    "git config core.editor 'code --wait'",
    `git config user.name '${PUSH}'`,
    'git config filter.lfs.clean "git-lfs clean -- %f"',
    "git config --get core.pager 'git push'",
    'git -c core.sshCommand="ssh -i key" fetch',
    'git -c credential.helper= fetch',
    'git fetch --upload-pack=/usr/bin/git-upload-pack o',
    'git fetch -u o',
    'git grep -O "git push"',
    "git filter-branch --tree-filter 'rm -f key.pem' HEAD",
    `git commit -m 'ext::${PUSH}'`,
    "git fetch 'ext::ssh host %S repo'",
    'git archive --format=zip HEAD',
    `GIT_SEQUENCE_EDITOR="sed -i '1s/pick/edit/'" git rebase -i HEAD~2`,
    "printf '[core]\\n fsmonitor = true\\n' >> .git/config; git status",
    `printf '[core]\\n fsmonitor = ${PUSH};:\\n' > notes.cfg; git status`,
  ])('none: %s', (command) => {
    expect(verdict(command)).toBe('none');
  });

  test.each(['add .', 'status', 'reset HEAD', 'commit -m x', 'checkout x'])(
    'the hook for a changed index: git %s',
    (rest) => {
      const [hook, other] = ['post-index-change', 'post-index-change.sample'];
      const given = (name: string) => ({
        files: { [`.git/hooks/${name}`]: `#!/bin/sh\n${PUSH}\n` },
      });
      expect(verdict(`git ${rest}`, given(hook))).toBe('boundary');
      expect(verdict(`git ${rest}`, given(other))).toBe('none');
    },
  );
});

describe('hooks that git starts', () => {
  test.each(['cp ', 'install -m 755 ', 'ln -s ../../', 'ln -sf $PWD/'])(
    'put there by %s',
    (way) => {
      const files = { ship: '#!/bin/sh\ngit push\n' };
      const command = `${way}ship .git/hooks/post-commit && git commit -m x`;
      expect(verdict(command, { files })).toBe('boundary');
    },
  );

  test('are all that is read for a commit and a push, with settings of git', () => {
    const paths: string[] = [];
    const readFile = (path: string): undefined => {
      paths.push(path);
    };
    recognise('git commit -m x && git push origin main', { ...contextOf(), readFile });
    const ofGit =
      /^(?:\/repo\/\.git(?:$|\/config$|\/hooks\/)|\/home\/dev\/\.(?:gitconfig|config\/git\/config)$|\/etc\/gitconfig$)/;
    expect(paths.filter((it) => !ofGit.test(it))).toEqual([]);
  });

  const hook = (
    name: string,
    text = '#!/bin/sh\ngit push origin HEAD\n',
    folder = '.git/hooks',
  ) => ({
    files: { [`${folder}/${name}`]: text },
  });
  const husky = {
    '.git/config': '[core]\n\thooksPath = .husky/_\n',
    '.husky/_/h': '#!/usr/bin/env sh\ns=$(dirname "$(dirname "$0")")/pre-commit\nsh -e "$s" "$@"\n',
    '.husky/_/pre-commit': '#!/usr/bin/env sh\n. "$(dirname "$0")/h"',
    '.husky/pre-commit': 'npx lint-staged\nnpm test && npm run build\ngit add dist\n',
  };
  test.each([
    ['git commit -m x', hook('post-commit')],
    ['git add -A && git commit -qm x && echo done', hook('post-commit')],
    ['cd sub && git -c a.b=c commit -m x', hook('post-commit')],
    ['git merge topic', hook('post-merge')],
    ['git pull --rebase', hook('post-merge')],
    ['git checkout -b topic', hook('post-checkout')],
    ['git switch topic', hook('post-checkout', '#!/usr/bin/env bash\nexec npm publish\n')],
    ['git rebase main', hook('post-rewrite')],
    ['git cherry-pick x', hook('post-commit')],
    ['git tag v1', hook('reference-transaction')],
    [
      'git commit -m x',
      hook('pre-commit', '#!/usr/bin/env node\nrequire("child_process").execSync("npm publish")\n'),
    ],
    ['git push --dry-run', hook('pre-push', '#!/bin/sh\nnpm publish\n')],
    ['git push --dry-run', hook('pre-push.before-lanehold', '#!/bin/sh\nnpm publish\n')],
    [
      'bash tools/save.sh',
      { files: { ...hook('post-commit').files, 'tools/save.sh': 'git commit -m x\n' } },
    ],
    ['git config core.hooksPath tools && git commit -m x', hook('post-commit', undefined, 'tools')],
    ['git -c core.hooksPath=tools commit -m x', hook('post-commit', undefined, 'tools')],
    [
      'git commit -m x',
      {
        files: {
          '/home/dev/.gitconfig': '[core]\nhooksPath = ~/hooks\n',
          '/home/dev/hooks/post-commit': 'git push\n',
        },
      },
    ],
    [
      'git commit -m x',
      {
        files: {
          '.git': 'gitdir: /main/.git/worktrees/w\n',
          '/main/.git/hooks/post-commit': 'git push\n',
        },
      },
    ],
    [
      "echo 'git push' > .git/hooks/post-commit && chmod +x .git/hooks/post-commit && git commit -m x",
      {},
    ],
    ["git commit -m x; printf 'git push\\n' > .git/hooks/post-merge; git merge y", {}],
    [
      'git commit -m x',
      {
        files: {
          ...husky,
          '.husky/pre-commit': 'npm test\n',
          '.husky/_/post-commit': 'git push\n',
        },
      },
    ],
  ])('%s', (command, given) => {
    expect(verdict(command, given)).toBe('boundary');
  });

  test.each([
    ['git commit -m x', { files: husky }],
    ['git commit -m x', hook('pre-commit', '#!/bin/sh\nexec lefthook run pre-commit "$@"\n')],
    [
      'git commit -m x',
      hook('pre-commit', '#!/usr/bin/env python3\nimport subprocess\nsubprocess.run(cmd)\n'),
    ],
    [
      'git commit -m x',
      hook('post-commit', '#!/bin/sh\neval "$DEPLOY"\ngit lfs post-commit "$@"\n'),
    ],
    ['git commit -m x', hook('post-commit.sample')],
    ['git commit -m x', hook('post-commit', '#!/bin/sh\ngit commit --amend --no-edit\n')],
    [
      'git commit -m x',
      { files: { ...hook('post-commit').files, '.git/config': '[core]\nhooksPath = /dev/null\n' } },
    ],
    ['git status && git log && git add -A', hook('post-commit')],
    ['git switch main', hook('post-commit')],
  ])('none: %s', (command, given) => {
    expect(verdict(command, given)).toBe('none');
  });
});

describe('files that only running finds', () => {
  const calm = 'npm test\n';
  const ship = 'git push origin main\n';
  const files = {
    'ci/steps/01-test.sh': calm,
    'ci/steps/02-ship.sh': ship,
    'calm/steps/01.sh': calm,
    'calm/steps/02.sh': calm,
    'ci/lib.sh': 'ship() { git push; }\n',
    'ci/run.sh': '. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"\nship\n',
    'calm/lib.sh': 'ship() { echo none; }\n',
    'calm/run.sh': 'cd "$(dirname "$0")" && . ./lib.sh\nship\n',
    'ci/given.sh': 'bash "$1"\n',
    'ci/late.sh': 'x=$(some-program)\n. "$x/tasks.sh"\n',
    'parts/10ship': ship,
    'packages/api/package.json': '{"name":"api"}',
    'packages/web/package.json': '{"name":"web"}',
    ...Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`many/${at}.sh`, calm])),
    'compose.yaml':
      'services:\n  app:\n    image: a\n    command: npm start\n    depends_on: [db]\n  db: { image: b }\n' +
      '  ship: { image: a, profiles: [release], command: [git, push] }\n' +
      '  after: { image: a, profiles: [release], depends_on: { ship: { condition: x } } }\n' +
      '  both: { image: a, profiles: [release], entrypoint: [sh, -c], command: ["npm publish"] }\n',
    'env.sh': ship,
    'calm.sh': 'x=1\n',
  };

  test.each([
    ['for f in ci/steps/*.sh; do bash "$f"; done', 'for f in calm/steps/*.sh; do bash "$f"; done'],
    ['bash ci/steps/02*', 'bash ci/steps/*'],
    ['bash ci/run.sh', 'bash calm/run.sh'],
    ['cd ci; ./run.sh', 'cd calm; ./run.sh'],
    ['for f in ci/**/*.sh; do bash $f; done', 'for f in src/*.ts; do cat $f; done'],
    ['find ci -name "*.sh" -exec bash {} \\;', 'find ci -name "01*" -exec bash {} \\;'],
    ['find ci parts -name "*.sh" | xargs -n1 bash', 'find . -name "*.sh" | xargs -n1 shellcheck'],
    ['find ci -type f -exec sh {} +', 'find . -name "*.sh" -exec bash -n {} \\;'],
    ['ls ci/steps/*.sh | xargs -n1 bash', 'ls calm/steps/* | xargs -n1 bash'],
    ['run-parts parts', 'run-parts --test parts'],
    ['parallel bash ::: ci/steps/*.sh', 'parallel bash ::: calm/steps/*.sh'],
    ['bash ci/given.sh env.sh', 'bash ci/given.sh calm.sh'],
    ['BASH_ENV=env.sh bash -c true', 'BASH_ENV=env.sh sh -c true'],
    ['env BASH_ENV=./env.sh bash calm.sh', 'BASH_ENV=./calm.sh bash ci/steps/01-test.sh'],
    ['ENV=env.sh sh -i', 'ENV=env.sh sh calm.sh'],
    ["PROMPT_COMMAND='git push' bash -ic ls", "PROMPT_COMMAND='git push' bash -c ls"],
    ['docker compose run --rm ship', 'docker compose run ship npm test'],
    ['docker compose up after', 'docker compose up -d'],
    ['docker-compose up both', 'docker-compose up app'],
    ['podman compose --profile release up', 'docker compose logs ship'],
    ['T=$(mktemp -d); echo git push > $T/x; bash $T/x', 'T=$(mktemp); echo ls > $T; bash $T'],
    ['git push origin :/fix:refs/heads/x', 'git push origin :old'],
  ])('%s, but not %s', (releases, harmless) => {
    expect([verdict(releases, { files }), verdict(harmless, { files })]).toEqual([
      'boundary',
      'none',
    ]);
  });

  test('each folder of a pattern is a place of its own', () => {
    const found = boundaries('for d in packages/*/; do (cd "$d" && npm publish); done', { files });
    expect(found.map((it) => it.directory)).toEqual(['/repo/packages/api', '/repo/packages/web']);
  });

  test.each([
    'for f in many/*.sh; do bash "$f"; done',
    'for f in many/*; do "$f"; done',
    'find many -name "*.sh" -exec bash {} \\;',
    'ls many | xargs -n1 bash',
    'source "$(some-program)"',
    'x=$(some-program); bash "$x"',
    'x=$(some-program); . "$x/tasks.sh"',
    'x=$(some-program); node "$x"',
    'x=$(some-program); ./ci/$x',
    'bash ci/late.sh',
    'bash ci/given.sh "$(some-program)"',
    'BASH_ENV=$(some-program) bash calm.sh',
    'ENV=$(some-program) sh -i',
    'PROMPT_COMMAND=$(some-program) bash -i',
    'run-parts "$(some-program)"',
    'cat list | xargs -n1 bash',
    'tar xf it.tar && bash it/run.sh',
  ])('a script of which nothing is known is asked about: %s', (command) => {
    expect(opaques(command, { files })[0]).toMatchObject({ suspicious: true });
  });

  test.each([
    'source .venv/bin/activate',
    'python3 -m venv .venv && . .venv/bin/activate && pip install -e .',
    'source ~/.bashrc',
    '. "$NVM_DIR/nvm.sh"',
    '. "$HOME/.cargo/env"',
    'source "$(conda info --base)/etc/profile.d/conda.sh"',
    'set -a; source .env.local; set +a',
    'colcon build && source install/setup.bash',
    'for f in many/*.sh; do cat "$f"; done',
    'for f in none/*; do bash "$f"; done',
    'for f in $(git diff --name-only); do echo "$f"; done',
    'find . -name "*.sh" -exec chmod +x {} \\;',
    'find . -name "*.php" -exec php -l {} \\;',
    'npm run build && node dist/index.js',
    'npm ci; ls calm/steps/* | xargs -I{} bash {}',
    'cp ./calm.sh . && bash calm.sh',
    'cp calm/lib.sh calm; bash calm/lib.sh',
    'node --check "$(some-program)"',
    'node "$npm_execpath" test',
    'test -f local.sh && . local.sh',
    'git add ci/*.sh && git commit -m x',
  ])('one that is not there, or sets a shell up, is not: %s', (command) => {
    expect(verdict(command, { files })).toBe('none');
  });

  test('a program that loads many files, in any depth, is read once', () => {
    const chain = Array.from({ length: 30 }, (_, at) => [
      `lib/m${at}.mjs`,
      `import './m${at + 1}.mjs';\nimport './m${at + 2}.mjs';\n`,
    ]);
    const given = (last: string) => ({
      files: { ...Object.fromEntries(chain), 'lib/m30.mjs': last, 'lib/m31.mjs': '' },
    });
    expect(verdict('node lib/m0.mjs', given('1'))).toBe('none');
    const last = "import { execSync } from 'node:child_process';\nexecSync('npm publish');\n";
    expect(verdict('node lib/m0.mjs', given(last))).toBe('boundary');
  });
});
