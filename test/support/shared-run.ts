/** A run of a member whose lane is an adopted worktree: it can ask without a worker. */
import { join } from 'node:path';
import { command } from './command.ts';
import type { Sandbox } from './sandbox.ts';
import type { Member } from './team.ts';

const treeOf = (box: Sandbox, member: Member, key: string): string =>
  join(box.root, `${member.env.USER}-${key}`);

/** Begins the run `move` with a lane. */
export async function adopts(box: Sandbox, member: Member, key: string): Promise<void> {
  const tree = treeOf(box, member, key);
  await member.done('orchestrate', 'init', 'Move', '--name', 'move');
  member.git('worktree', 'add', '--quiet', '-b', key, tree);
  const spec = ['--worktree', tree, '--desc', 'Work', '--validate', 'true'];
  await member.done('orchestrate', 'lane', 'adopt', key, ...spec);
}

export async function asks(box: Sandbox, member: Member, key: string, question: string) {
  const asking = ['orchestrate', 'ask', question];
  const run = await command(box, treeOf(box, member, key), asking, { env: member.env });
  if (run.exitCode !== 0) throw new Error(run.stderr);
}
