/** What a worker plants in git's settings does not run when lanehold runs git, and is told of. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

/** Each program leaves a mark; the worker's own git is not meant, so all is planted with plain tools. */
const PLANT = `
common=$(cd "$(git rev-parse --git-common-dir)" && pwd)
own=$(git rev-parse --absolute-git-dir)
mkdir -p "$HOME/marks" "$HOME/hooks"
mark() {
  printf '#!/bin/sh\\ntouch "%s/marks/%s"\\ncat\\n' "$HOME" "$1" > "$HOME/$1.sh"
  chmod +x "$HOME/$1.sh"
  printf %s "$HOME/$1.sh"
}
for hook in pre-commit post-commit post-checkout post-merge reference-transaction post-index-change pre-auto-gc; do
  cp "$(mark "hook-$hook")" "$HOME/hooks/$hook"
  cp "$HOME/hooks/$hook" "$common/hooks/$hook"
done
cat >> "$common/config" <<END
[core]
  fsmonitor = $(mark fsmonitor)
  hooksPath = $HOME/hooks
[diff]
  external = $(mark diff)
[diff "x"]
  textconv = $(mark textconv)
[merge "x"]
  driver = $(mark merge)
[alias]
  commit = !$(mark alias)
[user]
  name = Somebody Else
[include]
  path = $HOME/included
[filter "x"]
  clean = $(mark clean)
  smudge = $(mark smudge)
  required = true
[extensions]
  worktreeConfig = true
END
printf '[filter "in=cluded"]\\n  clean = %s\\n  smudge = %s\\n' "$(mark included-clean)" "$(mark included-smudge)" > "$HOME/included"
printf '[filter "own"]\\n  process = %s\\n  required = true\\n' "$(mark process)" > "$own/config.worktree"
mkdir -p "$common/info"
echo '*.conf filter=x merge=x diff=x' > "$common/info/attributes"
printf '*.txt filter=x diff=x merge=x\\n*.md filter=in=cluded\\n*.own filter=own\\n' > .gitattributes
echo changed > src/core.txt; echo new > a.txt; echo new > a.md; echo new > a.own; echo new > a.conf
`;

const PLANTED = [
  ...['alias.commit', 'core.fsmonitor', 'core.hookspath', 'diff.external', 'diff.x.textconv'],
  ...['filter.in=cluded.clean', 'filter.in=cluded.smudge', 'filter.own.process'],
  ...['filter.own.required', 'filter.x.clean', 'filter.x.required', 'filter.x.smudge'],
  ...['hooks/post-checkout', 'hooks/post-commit', 'hooks/post-index-change', 'hooks/post-merge'],
  ...['hooks/pre-auto-gc', 'hooks/pre-commit', 'hooks/reference-transaction', 'include.path'],
  ...['info/attributes', 'merge.x.driver', 'user.name'],
];

test('none of it runs, from the commit to the landing', async () => {
  const project = laneProject({
    scenario: {
      lanes: { a: [[{ sh: PLANT }, { sleep: 600 }]], b: [[{ write: { 'b.txt': 'b' } }]] },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn('a');
  await run.reaches('a', 'verified');
  await run.add('b');
  await run.spawn('b');
  await run.reaches('b', 'verified');
  const { json } = await project.orchestrate('status');
  const told = Object.fromEntries(
    json.lanes.map((it: { key: string; flags: readonly object[] }) => [it.key, it.flags]),
  );
  const flag = { kind: 'git-settings', data: PLANTED, stops: false, acceptedBy: null };
  expect(told.a).toContainEqual(flag);
  // The settings of the other working tree are not its own.
  const shared = PLANTED.filter((name) => !name.startsWith('filter.own.'));
  expect(told.b).toContainEqual({ ...flag, data: shared });
  await run.orchestrate('lane', 'diff', 'a');
  await run.orchestrate('handoff');
  await run.orchestrate('integrate', '--accept', 'a');
  expect(run.states()).toEqual({ a: 'integrated', b: 'integrated' });
  await run.orchestrate('land');
  expect(run.states()).toEqual({ a: 'landed', b: 'landed' });
  expect(readdirSync(join(project.box.home, 'marks'))).toEqual([]);
  expect(existsSync(join(project.repo, 'a.txt'))).toBe(true);
  const said = project.box.git(
    project.repo,
    '-c',
    'core.fsmonitor=false',
    'log',
    '--format=%an %cn',
  );
  expect(said).not.toContain('Somebody Else');
});

test('what was there when the run began goes on to run, and is not told of', async () => {
  const project = laneProject({
    files: { '.gitattributes': '*.up filter=up\n' },
    scenario: { lanes: { a: [[{ write: { 'a.up': 'word\n' } }]] } },
  });
  project.git('config', 'filter.up.clean', 'tr a-z A-Z');
  project.git('config', 'filter.up.smudge', 'tr A-Z a-z');
  const run = laneRun(project);
  await run.init();
  await run.add('a', { validate: 'grep -q word a.up' });
  await run.spawn();
  await run.reaches('a', 'verified');
  expect(project.git('show', 'lanehold/try-lanes/a:a.up')).toBe('WORD');
  const { json } = await project.orchestrate('status');
  expect(json.lanes[0].flags).toEqual([]);
});
