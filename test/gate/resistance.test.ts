/**
 * Attempts to lift a hold by other means, in several spellings, and what looks like them. The rows
 * are the list of what is answered: `docs/resistance.md` tells it in prose.
 */
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { shop } from '../support/shop.ts';

const box = sandbox(afterAll);
const project = shop(box);
const { repo, judge } = project;
const HOOK = join(repo, '.git/hooks/pre-push');
box.write(
  HOOK,
  '#!/bin/sh\n# lanehold holds here what is pushed before its features are verified.\n',
);
chmodSync(HOOK, 0o755);
box.write(join(repo, '.git/hooks/post-merge'), '#!/bin/sh\n');
box.write(join(repo, '.claude/settings.local.json'), '{"hooks":{}}');
box.write(join(repo, '.claude/commands/x.md'), 'x');
box.write(join(box.home, '.claude/settings.json'), '{"hooks":{}}');
box.write(join(box.laneholdHome, 'config.json'), '{}');
box.write(join(repo, 'aliases.gitconfig'), '[alias]\n st = status\n');
box.write(join(box.home, 'off.config'), '[core]\n hooksPath = /dev/null\n');
box.write(join(repo, 'package.json'), '{"scripts":{"prepare":"husky"}}');
mkdirSync(join(box.root, 'links'));
symlinkSync(box.laneholdHome, join(box.root, 'links/records'));

const DB = '~/.lanehold/lanehold.db';

describe('beside a boundary that would pass, a person is asked', () => {
  test.each([
    'git push --no-verify',
    'git push --no-verif origin main',
    'git push origin main --no-verify',
    'cd src && git -C .. push --no-verify',
    'sh -c "git push --no-verify"',
    "git -c alias.p='push --no-verify' p",
    'git -c core.hooksPath=/dev/null push',
    'git -c core.hookspath= push',
    'git -c core.hooksPath="$NOWHERE" push',
    'git --config-env=core.hooksPath=EMPTY push',
    'git -c include.path=/tmp/x push',
    'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null git push',
    'export GIT_CONFIG_PARAMETERS="\'core.hooksPath=/dev/null\'"; git push',
    'GIT_CONFIG_GLOBAL=/tmp/x git push',
    'LANEHOLD_DISABLE=1 git push',
    'env LANEHOLD_DISABLE=1 git push',
    'export LANEHOLD_DISABLE=1 && git push',
    'LANEHOLD_HOME=/elsewhere git push',
    'sudo LANEHOLD_HOME=/elsewhere git push',
    'HUSKY=0 git push',
    'LEFTHOOK=0 git push',
    'LANEHOLD_DISABLE=1 gh pr create',
  ])('%s', async (text) => {
    const said = await judge(text);
    expect(said).toMatchObject({ decision: 'ask', exitCode: 3 });
    expect(said.reason).toMatch(/^lanehold asks before `/);
  });

  test.each([
    'git push',
    'git push --verify',
    'git push -o --no-verify',
    'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=http.extraHeader GIT_CONFIG_VALUE_0=x git push',
    'GIT_SSH_COMMAND="ssh -i key" git push',
    'LANEHOLD_DISABLE=0 git push',
    'HUSKY=1 git push',
    'git -c user.name=x push',
    'LANEHOLD_DISABLE= git push',
  ])('as without it: %s', async (text) => {
    expect(await judge(text)).toMatchObject({ decision: 'pass' });
  });

  test('and what is held stays held', async () => {
    const held = shop(sandbox());
    held.change('src/cart/add.ts');
    const ways = [
      'git push --no-verify',
      'LANEHOLD_DISABLE=1 git push',
      'printf "[alias]\\n p = push --no-verify\\n" >> .git/config; git p origin HEAD:leak',
      "git config core.fsmonitor 'git push --no-verify origin HEAD:leak;:' && git status",
      "git -c protocol.ext.allow=always ls-remote 'ext::git push --no-verify origin HEAD:leak'",
      "printf '[core]\\n fsmonitor = git push --no-verify origin HEAD:leak;:\\n' >> .git/config; git status",
      'printf \'[diff "z"]\\n textconv = git push --no-verify origin HEAD:leak\\n\' >> .git/config',
      "echo '[core] pager = git push --no-verify origin HEAD:leak' > ~/.gitconfig; git log",
    ];
    for (const text of ways) {
      expect(await held.judge(text)).toMatchObject({ decision: 'deny', held: ['cart'] });
    }
    const harmless = "printf '[core]\\n fsmonitor = true\\n' >> .git/config; git status";
    expect(await held.judge(harmless)).toMatchObject({ decision: 'none' });
  });

  test('where a configuration was written unseen, before a subcommand that nobody knows', async () => {
    const write = "sed -i '$a[alias]p=push' .git/config";
    const held = shop(sandbox());
    held.change('src/cart/add.ts');
    expect(await held.judge(`${write}; git p`)).toMatchObject({ decision: 'ask' });
    expect(await held.judge(`${write}; git log`)).toMatchObject({ decision: 'none' });
    expect(await held.judge('git p')).toMatchObject({ decision: 'none' });
  });

  test('where nothing can be held, nothing is asked', async () => {
    const other = sandbox();
    const folder = other.repo();
    other.commit(folder);
    const bare = shop(other, { features: {} });
    expect(await bare.judge('git push --no-verify')).toMatchObject({ decision: 'ask' });
    other.git(bare.repo, 'rm', '-q', '--cached', 'lanehold.json');
    expect(await bare.judge('git config core.hooksPath x', folder)).toMatchObject({
      decision: 'none',
    });
  });
});

const PACKAGE = join(import.meta.dirname, '../..');

const ATTEMPTS: Readonly<Record<string, readonly string[]>> = {
  'the program': [
    'npm uninstall -g lanehold',
    'sudo npm -g rm lanehold',
    'pnpm remove --global lanehold',
    'yarn global remove lanehold',
    'volta uninstall lanehold',
    `rm -rf ${PACKAGE}`,
    `rm -rf ${PACKAGE}/hooks`,
    `cd ${PACKAGE} && rm hooks/*.cjs`,
    `echo 'process.exit(0)' > ${PACKAGE}/hooks/lanehold-hook.cjs`,
    `sed -i s/deny/allow/ ${PACKAGE}/dist/cli.cjs`,
    `mv ${PACKAGE}/bin/lanehold.js /tmp/`,
    'rm ~/.lanehold/lanehold-hook.sh',
    'rm -rf ~/.lanehold/cache',
    'rm -rf ~/.lanehold/resident',
    'mv ~/.lanehold/resident/_opt_hook_cjs /tmp',
    "echo '1 4242 a b 1' > ~/.lanehold/resident/_opt_hook_cjs",
    `rm ${PACKAGE}/hooks/lanehold-hook.sh`,
    `echo exit 0 > ${PACKAGE}/dist/lanehold-hook.sh`,
    'echo exit 0 > ~/.lanehold/lanehold-hook.sh',
  ],
  'the folder of git’s hooks': [
    'git config core.hooksPath /dev/null',
    'git config --local core.hookspath .none',
    'git config --global core.hooksPath ~/none',
    'git -C . config set core.hooksPath x',
    'git config --unset core.hooksPath',
    'git config unset core.hooksPath',
    'git config --unset-all --local core.hooksPath',
    'git config --add core.hooksPath x',
    'git config --remove-section core',
    'git config --file .git/config core.hooksPath x',
    'npm test; git config core.hooksPath x',
    "printf '[core]\\n hooksPath = /dev/null\\n' >> .git/config",
    "sed -i '/hookspath/Id' .git/config",
  ],
  'the hook of git’s configuration': [
    'git config --global --unset hook.lanehold.command',
    'git config --global --remove-section hook.lanehold',
    'git config --global --rename-section hook.lanehold hook.off',
    'git config HOOK.lanehold.ENABLED false',
    'git config set --global hook.lanehold.event ""',
    'git config hook.pre-push.enabled false',
    'git config "hook.$(name).enabled" false',
    'printf \'[hook "lanehold"]\n enabled = false\n\' >> .git/config',
    "sed -i '/hook/,$d' ~/.gitconfig",
  ],
  'what is known of a remote': [
    'git update-ref refs/remotes/origin/main HEAD',
    'git -C . update-ref -d refs/remotes/origin/main',
    'echo "update refs/remotes/origin/main HEAD" | git update-ref --stdin',
    'git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/topic',
    'git remote set-head origin topic',
    'git fetch . HEAD:refs/remotes/origin/main',
    'git fetch . +main:remotes/origin/main',
    'git fetch /tmp/other main:refs/remotes/origin/main',
    'git fetch origin topic:refs/remotes/origin/main',
    "git config --add remote.origin.fetch '+refs/heads/topic:refs/remotes/origin/main'",
    'git rev-parse HEAD > .git/refs/remotes/origin/main',
    "sed -i 's/a/b/' .git/packed-refs",
  ],
  'the git hook': [
    'rm .git/hooks/pre-push',
    'rm -f ./.git/hooks/pre-push',
    'rm -rf .git/hooks',
    'rm -f .git/hooks/*',
    'rm .git/hooks/pre-p*',
    'cd .git/hooks && rm -f pre-push',
    'mv .git/hooks/pre-push /tmp/',
    'mv .git/hooks .git/hooks.off',
    'chmod -x .git/hooks/pre-push',
    'chmod -R a-x .git/hooks',
    'echo "exit 0" > .git/hooks/pre-push',
    ': > .git/hooks/pre-push',
    ': 2> .git/hooks/pre-push',
    "printf '#!/bin/sh\\nexit 0\\n' | tee .git/hooks/pre-push",
    'cat > .git/hooks/pre-push <<EOF\nexit 0\nEOF',
    'cp /bin/true .git/hooks/pre-push',
    'ln -sf /bin/true .git/hooks/pre-push',
    'install -m 755 /bin/true .git/hooks/pre-push',
    'truncate -s 0 .git/hooks/pre-push',
    "sed -i 's/exit 1/exit 0/' .git/hooks/pre-push",
    "perl -pi -e 's/x/y/' .git/hooks/pre-push",
    'dd if=/dev/null of=.git/hooks/pre-push',
    'find .git/hooks -name pre-push -delete',
    'find .git/hooks -name pre-push -exec rm {} +',
    'find -name "pre-p*" -delete',
    'cp /tmp/pre-push .git/hooks',
    "python3 -c \"open('.git/hooks/pre-push','w').write('')\"",
    'lanehold git-hook remove',
  ],
  'lanehold’s own records': [
    'rm -rf ~/.lanehold',
    'rm -rf "$HOME/.lanehold"',
    'rm -rf $HOME/.lanehold/',
    'rm -r ~/.lane*',
    `rm ${DB}*`,
    'sudo rm -rf ~/.lanehold',
    'find ~ -maxdepth 1 -name .lanehold | xargs rm -rf ~/.lanehold',
    'mv ~/.lanehold ~/.lanehold.off',
    `mv ${DB} /tmp/x`,
    'chmod -R 000 ~/.lanehold',
    `echo > ${DB}`,
    `cp /tmp/empty.db ${DB}`,
    'cp /tmp/lanehold.db ~/.lanehold/',
    'rsync -a --delete /tmp/empty/ ~/.lanehold/',
    `sqlite3 ${DB} "DELETE FROM evidence"`,
    `sqlite3 "file:$HOME/.lanehold/lanehold.db?mode=rwc" "INSERT INTO evidence VALUES (1)"`,
    'sqlite3 "$(somewhere)/lanehold.db" .dump',
    `echo '{"gate":{"kinds":{"push":"off"}}}' > ~/.lanehold/config.json`,
    `python3 - <<'EOF'\nimport sqlite3\nsqlite3.connect('${box.laneholdHome}/lanehold.db').execute('DELETE FROM evidence')\nEOF`,
    `node -e "require('fs').rmSync(process.env.HOME + '/.lanehold', {recursive: true})"`,
    `python3 -c "import shutil,os; shutil.rmtree(os.path.expanduser('~/.lanehold'))"`,
    `bash -c 'rm -rf ~/.lanehold'`,
    'rm -rf ../links/records/lanehold.db',
    'lanehold config set gate.kinds.push off',
    'lanehold config set lanes.agent codex gate.kinds.push off',
    'lanehold config set gate.kinds.push off lanes.agent -- --help',
    'lanehold config set gate.kinds.push off -- lanes.agent --dry-run',
    'lanehold config unset gate.kinds.push',
    'npx lanehold config set gate.waive agent',
  ],
  'the settings of an agent': [
    'echo \'{"disableAllHooks":true}\' > .claude/settings.json',
    'echo \'{"disableAllHooks":true}\' > .claude/settings.local.json',
    'rm .claude/settings.local.json',
    'rm -rf .claude',
    'rm -rf ~/.claude',
    'mv ~/.claude/settings.json /tmp',
    "jq '.disableAllHooks=true' ~/.claude/settings.json | sponge ~/.claude/settings.json",
    "jq 'del(.hooks)' .claude/settings.local.json > /tmp/x && mv /tmp/x .claude/settings.local.json",
    "sed -i '/lanehold/d' ~/.claude/settings.json",
    'cat > .claude/settings.json <<EOF\n{}\nEOF',
    "python3 -c \"import json; json.dump({}, open('.claude/settings.json', 'w'))\"",
    "node -e \"fs.writeFileSync('.claude/settings.json', '{}')\"",
    'claude --settings \'{"disableAllHooks":true}\' -p "push it"',
    'claude --bare -p "git push"',
    'CLAUDE_CODE_SIMPLE=1 claude -p x',
    'lanehold uninstall',
    'lanehold --project . uninstall',
    'sudo tee /etc/claude-code/managed-settings.json < x',
  ],
  'the process that answers hooks': [
    'node /opt/lanehold/hooks/lanehold-hook.cjs resident',
    'lanehold resident stop; NODE_OPTIONS=--require=/tmp/x.cjs node ~/hooks/lanehold-hook.cjs resident &',
    'setsid node --require /tmp/x.cjs hooks/lanehold-hook-main.cjs resident --idle-ms=9',
    'echo "1 80 x x 1" > ~/.lanehold/resident/hook_cjs',
    'ln -sfn /tmp/x ~/.lanehold/resident',
    'cp /tmp/x ~/.lanehold/cache/before-tool.1',
  ],
  'a program that puts its hooks in the place of others': [
    'npx husky init',
    'pnpm exec husky',
    'yarn husky install',
    'npx lefthook install',
    'lefthook install -f',
    'npx simple-git-hooks',
    'overcommit --install',
    'pre-commit install --overwrite -t pre-push',
    'git lfs install --force',
    'git -C src lfs update -f',
  ],
  'a switch for all that a program starts': [
    'LANEHOLD_DISABLE=1 ./bin/go',
    'LANEHOLD_DISABLE=1 node go.js',
    'env LANEHOLD_DISABLE=1 make go',
    'export LANEHOLD_DISABLE=1',
    'LANEHOLD_DISABLE=1; export LANEHOLD_DISABLE',
    'declare -x LANEHOLD_DISABLE=1; ./bin/go',
    'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0= ./bin/go',
    'export GIT_CONFIG_PARAMETERS="\'core.hooksPath=/dev/null\'"',
    "git -c core.hooksPath=/dev/null rebase -x './bin/go' main",
  ],
  'what another file sets': [
    'git config include.path /tmp/unknown',
    'git config --global include.path ~/off.config',
    'git config includeIf.onbranch:main.path /tmp/unknown',
    "printf '[include]\\n path = /tmp/x\\n' >> .git/config",
  ],
  'a switch for later': [
    "echo 'export LANEHOLD_DISABLE=1' >> ~/.bashrc",
    "sed -i '1i export LANEHOLD_DISABLE=1' ~/.zshenv",
  ],
};

describe.each(Object.entries(ATTEMPTS))('%s', (_, attempts) => {
  test.each(attempts)('%s', async (text) => {
    const said = await judge(text);
    expect(said).toMatchObject({ decision: 'ask', exitCode: 3 });
    expect(said.reason).toMatch(
      /^lanehold asks: this command would .*\. Only a person may do that/,
    );
  });
});

describe('what only looks like it', () => {
  test.each([
    'cat ~/.claude/settings.json',
    'jq .hooks .claude/settings.local.json',
    'grep -r lanehold .claude ~/.lanehold/logs',
    'ls -la ~/.lanehold .git/hooks',
    'cat .git/hooks/pre-push',
    'head -5 .git/hooks/pre-push | tee /tmp/pre-push',
    'cp ~/.lanehold/lanehold.db /tmp/backup.db',
    'cp .git/hooks/pre-push /tmp/',
    `sqlite3 -readonly ${DB} 'SELECT count(*) FROM evidence'`,
    'git config core.hooksPath',
    'git config --get core.hooksPath',
    'git config get core.hooksPath',
    'git config --list',
    'git config user.name x',
    "printf '[user]\\n name = x\\n' >> .git/config",
    'git config --unset user.name',
    'git config --get hook.lanehold.command',
    'git config hook.lint.command ./lint.sh',
    'git fetch origin main:refs/remotes/origin/main',
    "git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'",
    'git remote set-head origin -a',
    'git symbolic-ref refs/remotes/origin/HEAD',
    'git fetch . main:topic && git update-ref refs/heads/topic HEAD',
    'git config core.autocrlf input',
    'git commit --no-verify -m "wip"',
    'git commit -m "never rm -rf ~/.lanehold"',
    'echo "rm .git/hooks/pre-push"',
    'grep -rn disableAllHooks .',
    'rm -rf node_modules dist',
    'rm -f dist/settings.json src/settings.json',
    'rm .git/hooks/post-merge',
    'echo "exit 0" > .git/hooks/post-commit',
    'rm -rf .claude/commands',
    'echo x > .claude/commands/y.md',
    'mkdir -p .claude/skills && cp -r skills/x .claude/skills/',
    'chmod +x scripts/deploy.sh',
    'find . -name "*.tmp" -delete',
    'find . -name pre-push.sample -delete',
    'find src -type f -exec chmod 644 {} +',
    'git checkout .',
    'git restore --staged .',
    'git stash && git checkout main -- .',
    'mv a.txt .',
    'chmod -R u+rw .',
    'sudo chown -R me .',
    'cp -r x .',
    'rsync -a a/ .',
    'rm -rf ./*',
    'git clean -fd',
    'npx prettier --write .claude/settings.json.bak',
    'sed -i s/a/b/ lanehold.json',
    'echo "{}" > lanehold.json',
    'git checkout -- lanehold.json',
    'git checkout main',
    'git rm src/cart/add.ts',
    'npm install -g lanehold',
    'npm ls -g lanehold',
    'npm uninstall lodash',
    `rm -rf ${PACKAGE}/docs/old && sed -i s/a/b/ ${PACKAGE}/src/cli/main.ts`,
    'lanehold status',
    'lanehold doctor',
    'lanehold config get gate.opaque',
    'lanehold config list',
    'lanehold uninstall --help',
    'lanehold uninstall --dry-run',
    'lanehold feature verify cart',
    'lanehold git-hook status',
    'claude --help',
    'claude mcp list',
    'python3 -c "print(open(\'.claude/settings.json\').read())"',
    "node -e \"console.log(require('fs').readFileSync('.git/hooks/pre-push', 'utf8'))\"",
    "echo 'export PATH=$PATH:~/bin' >> ~/.bashrc",
    'export LANEHOLD_DISABLE=0 HUSKY=0; npm ci',
    'HUSKY=0 npm ci && LEFTHOOK=0 git commit -m x',
    'GIT_CONFIG_GLOBAL=/dev/null npm test',
    'GIT_CONFIG_PARAMETERS="\'user.name=x\'" ./bin/go',
    'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=x make test',
    'LANEHOLD_DISABLE=1 git commit -m x',
    'git -c core.hooksPath=/dev/null commit -m x',
    'git config include.path ../aliases.gitconfig',
    'git config -f test/fixtures/.gitconfig core.hooksPath x',
    "printf '[core]\\n hooksPath = x\\n' > test/fixtures/.gitconfig",
    'git lfs install',
    'git lfs update',
    'lefthook run pre-commit',
    'pre-commit install',
    'npx husky add .husky/pre-commit "npm test"',
    'npm install',
    'npm run prepare',
    'npm test 2>&1 | tee test.log',
    'tar czf /tmp/x.tgz .claude',
    'diff .claude/settings.json ~/.claude/settings.json',
  ])('%s', async (text) => {
    expect(await judge(text)).toMatchObject({ decision: 'none', exitCode: 0 });
  });
});
