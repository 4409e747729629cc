/** What a worker must not write, through the tools that its hook sees. */
import { expect, test } from 'vitest';
import { laneWorker } from '../../support/lane-worker.ts';
import { beforeCommand, beforeEdit } from '../../support/payloads.ts';

const NOT_ITS_OWN = [
  'REPO/.git/config',
  'REPO/.git/hooks/pre-commit',
  'REPO/.git/info/attributes',
  'REPO/.git/refs/heads/main',
  'REPO/.git/worktrees/api/config.worktree',
  'REPO/.git/objects/info/alternates',
  'TREE/.git',
  'HOME/lanehold.db',
  'HOME/config.json',
  'ATTEMPT/main-checkout',
  'ATTEMPT/exit.json',
  'ATTEMPT/settings.json',
  'ATTEMPT/../../../worktrees/x/other/file',
];

const WAYS: Readonly<Record<string, (file: string) => string>> = {
  redirection: (file) => `echo x > ${file}`,
  appending: (file) => `printf x >>"${file}"`,
  tee: (file) => `cat README.md | tee ${file}`,
  copying: (file) => `cp README.md ${file}`,
  moving: (file) => `mv ${file} gone`,
  removing: (file) => `rm -f ${file}`,
  linking: (file) => `ln -sf /tmp/x ${file}`,
  'editing in place': (file) => `sed -i s/a/b/ ${file}`,
  'a shell': (file) => `sh -c 'echo x > ${file}'`,
  'git config': (file) => `git config --file ${file} core.hooksPath x`,
};

async function worker() {
  const { box, tree, env, dir, repo } = await laneWorker();
  const named = (text: string): string =>
    text
      .replace('REPO', repo)
      .replace('TREE', tree)
      .replace('HOME', box.laneholdHome)
      .replace('ATTEMPT', dir);
  const decide = async (payload: Parameters<typeof box.hook>[1]) => {
    const { stdout } = await box.hook('before-tool', payload, { env });
    return stdout === '' ? 'none' : JSON.parse(stdout).hookSpecificOutput.permissionDecision;
  };
  return {
    named,
    edit: (path: string) => decide(beforeEdit(tree, named(path))),
    run: (command: string) => decide(beforeCommand(tree, named(command))),
  };
}

test.each(NOT_ITS_OWN)('%s is not edited', async (path) => {
  expect(await (await worker()).edit(path)).toBe('deny');
});

test.each(Object.entries(WAYS))('is not written by %s', async (_, way) => {
  const { run } = await worker();
  const passed: string[] = [];
  for (const file of NOT_ITS_OWN) if ((await run(way(file))) !== 'deny') passed.push(way(file));
  expect(passed).toEqual([]);
});

test.each([
  'rm -rf HOME/runs',
  'sqlite3 HOME/lanehold.db "delete from lanes"',
  'echo x > "$LANEHOLD_HOME/config.json"',
  'chmod 000 REPO/.git',
  'git config core.fsmonitor x',
  'git -C REPO config core.fsmonitor x',
  'git config --worktree core.hooksPath x',
  'git config --file=REPO/.git/config alias.x y',
  'git worktree prune',
  "python3 -c \"open('HOME/lanehold.db', 'w')\"",
  'lanehold uninstall',
  'lanehold config set lanes.accept proof-changed --user',
])('%s is refused', async (command) => {
  expect(await (await worker()).run(command)).toBe('deny');
});

test.each([
  'git config --file settings.ini a.b c',
  'cat REPO/.git/config HOME/config.json',
  'git config --get user.name',
  'cp REPO/README.md README.md',
  'git commit --no-verify -m x',
  'git -c core.hooksPath=/dev/null commit -m x',
])('%s is let through', async (command) => {
  expect(await (await worker()).run(command)).toBe('none');
});
