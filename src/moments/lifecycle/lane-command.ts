/** Finds what a lane's worker must not do in a command that it is about to run. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { folderWithin, gitCommand } from '../../base/git/command-line.ts';
import { printableLine } from '../../base/text/printable.ts';
import type { Finding, ReadingContext, VisitedCommand } from '../../commands/finding.ts';
import { recognise } from '../../commands/recognise.ts';
import { type LaneDenial, refusedGit } from '../../lanes/tree/command-rules.ts';
import { identityAt, isForeignFile } from '../../lanes/tree/edit-rules.ts';

/** @param worktree the lane's worktree by its mark; not checked yet. */
export function readLaneCommand(command: string, context: ReadingContext, worktree: string) {
  const commands: VisitedCommand[] = [];
  const foreign: string[] = [];
  const findings = recognise(command, {
    ...context,
    visit: (it) => commands.push(it),
    guarded(path, use) {
      if (isForeignFile(path, worktree)) foreign.push(path);
      return context.guarded?.(path, use);
    },
  });
  return {
    findings,
    commands,
    /** The first thing in the command that a worker must not do. */
    refusal: (): LaneDenial | undefined =>
      refusedRelease(findings) ??
      refusedTampering(findings) ??
      refusedWrite(foreign, worktree) ??
      commands
        .values()
        .map((it) => refusedCommand(it, worktree, context))
        .find((it) => it !== undefined),
  };
}

/** Refuses a worker's release, even if the gate would pass it: only integrated lanes leave. */
function refusedRelease(findings: readonly Finding[]): LaneDenial | undefined {
  const boundary = findings.find((it) => it.verdict === 'boundary');
  if (boundary === undefined) return undefined;
  return {
    what: `release (\`${printableLine(boundary.rule)}\`)`,
    instead:
      'Leave the work in the working tree, committed or not, and end your turn: lanehold validates it, and it leaves once the lanes are brought together.',
  };
}

/** Refuses a worker's attempt to lift holds: elsewhere a person is asked, and a worker has none. */
function refusedTampering(findings: readonly Finding[]): LaneDenial | undefined {
  const found = findings.flatMap((it) => (it.verdict === 'tampering' ? [it] : []));
  const first = found.find(({ reach }) => reach === 'machine');
  if (first === undefined) return undefined;
  return {
    what: `${first.what} (${printableLine(first.where, 160)})`,
    instead: "If it has to be done, say so: lanehold orchestrate ask 'QUESTION'",
  };
}

function refusedWrite([path]: readonly string[], worktree: string): LaneDenial | undefined {
  if (path === undefined) return undefined;
  return {
    what: `write ${printableLine(path, 160)}: it belongs to another working tree of this project`,
    instead: `Work in ${printableLine(worktree, 160)} only. If something else has to change, say so: lanehold orchestrate ask 'QUESTION'`,
  };
}

function refusedCommand(
  command: VisitedCommand,
  worktree: string,
  context: ReadingContext,
): LaneDenial | undefined {
  const git = gitCommand(command.argv);
  if (git?.subcommand === undefined) return undefined;
  // Git may run in any of these: `-C` is resolved from each possible working directory.
  const folders = git.elsewhere
    ? [undefined]
    : command.directories.map((it) => folderWithin(it, git.directories));
  if (!folders.some((it) => isLaneFolder(it, worktree, command))) return undefined;
  const isFile = (name: string): boolean =>
    folders.some((it) => it !== undefined && existsSync(join(it, name)));
  const isForeign = (name: string): boolean =>
    folders.some((it) => {
      const path = it && resolve(it, name);
      if (path === undefined) return true;
      return isForeignFile(path, worktree) || context.guarded?.(path, 'file') !== undefined;
    });
  return refusedGit({ subcommand: git.subcommand, words: git.words, isFile, isForeign });
}

/**
 * Whether git runs in the lane. Repositories of other projects do not count, because tests create them. If the text
 * does not show the folder, a command of the worker counts as one in the lane; a command in a script of the project
 * does not, because most scripts change to a folder of their own.
 */
function isLaneFolder(
  folder: string | undefined,
  worktree: string,
  { inFile }: VisitedCommand,
): boolean {
  if (folder === undefined) return !inFile;
  return identityAt(folder) === identityAt(worktree);
}
