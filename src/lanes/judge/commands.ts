/** The validation of a lane as commands of a shell, to repeat it by hand. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from '../../base/errors.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { enumerated } from '../../base/text/count.ts';
import { shellQuoted, shellWord } from '../../base/text/shell-quote.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import type { LaneView } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneSettings } from '../settings/settings.ts';
import type { LaneContext } from '../spec/context.ts';
import { laneSetups } from '../tree/setup.ts';
import { changedProof } from './proof.ts';

const MOST_NAMES = 10;

/**
 * For `sh`, in order. Copies of dependencies from a cache are left out: the setup makes the same.
 *
 * @throws {ExplainedError} if the lane has no commit yet.
 */
export async function commandsOf(
  context: LaneContext,
  run: Run,
  lane: LaneView,
  settings: LaneSettings,
): Promise<string[]> {
  const { key, headSha: sha, validateCmd: cmd, validateCwd: cwd, spec } = lane;
  if (sha === null || cmd === null) {
    throw new ExplainedError(`lane ${key} has no commit to validate yet`, {
      hint: `see \`lanehold orchestrate status --run ${run.name}\``,
    });
  }
  const { repository, commonDir } = run;
  const worktree = lane.worktree && existsSync(lane.worktree) ? lane.worktree : repository;
  const tree = { worktree, commit: sha, cwd, setup: spec.setup };
  const setups = await laneSetups(tree, run, settings, context.env);
  const base = lane.baseSha ?? run.baseSha;
  const git = gitIn(repository, context.env);
  const { ran } = await changedProof(context, { run, git, base, sha, command: { cmd, cwd } });
  const from = shellWord(repository);
  const inTree = (folder: string, command: string) => {
    const path = folder === '' ? '"$tree"' : `"$tree"/${shellWord(folder)}`;
    return `(cd ${path} && sh -c ${shellQuoted(command)}) </dev/null`;
  };
  const included =
    repository !== commonDir && existsSync(join(repository, '.worktreeinclude'))
      ? [
          `(cd ${from} && git ls-files -z --others --ignored --exclude-from=.worktreeinclude | tar -c --null -T - | tar -x -C "$tree")`,
        ]
      : [];
  const old = `git -C "$tree" restore --source=${base} --staged --worktree -- ${ran.map(shellWord).join(' ')}`;
  const { oldFailures } = laneValidationStore(context.store).byId(lane.validationId ?? '') ?? {};
  const names = enumerated(oldFailures ?? [], MOST_NAMES);
  const proof = `${inTree(cwd, cmd)}${names && ` || true # does not count, since it fails on the base as well: ${names}`}`;
  return [
    `tree=$(mktemp -d)/${key}`,
    `git -C ${from} worktree add --detach "$tree" ${sha}`,
    ...included,
    ...setups.flatMap((it) => (it.command === undefined ? [] : [inTree(it.cwd, it.command)])),
    proof,
    // The command runs again with the proof of the base, if the lane has changed its own.
    ...(ran.length === 0 ? [] : [old, proof]),
    `git -C ${from} worktree remove --force "$tree"`,
  ];
}
