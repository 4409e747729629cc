/** The files that a lane's worker may write: those in its own worktree that match its declared globs. */
import { relative, sep } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { realPath } from '../../base/files/real-path.ts';
import { projectPlace } from '../../base/git/project.ts';
import { isWithin } from '../../base/git/tree-entry.ts';
import { enumerated, printableLine } from '../../base/text/printable.ts';
import { outsideTouches } from '../spec/touches.ts';
import type { LaneDenial } from './command-rules.ts';

export interface LaneFiles {
  readonly worktree: string;
  /** Globs; empty: the whole tree. */
  readonly touches: readonly string[];
}

/** @param paths absolute; the files may not exist yet, and links in the paths are resolved. */
export function refusedEdit(paths: readonly string[], files: LaneFiles): LaneDenial | undefined {
  return paths.map((path) => refusedFile(path, files)).find((it) => it !== undefined);
}

function refusedFile(path: string, { worktree, touches }: LaneFiles): LaneDenial | undefined {
  const shown = printableLine(path, 160);
  const real = realPath(path);
  const inTree = relative(worktree, real).split(sep).join('/');
  if (!isWithin(worktree, real) || real === worktree) {
    return {
      what: `write ${shown}: it lies outside of its working tree`,
      instead: `Work in ${printableLine(worktree, 160)} only. If something else has to change, say so: lanehold orchestrate ask 'QUESTION'`,
    };
  }
  if (inTree === '.git' || inTree.startsWith('.git/')) {
    return { what: `write ${shown}: git's own files`, instead: 'Use git for what git keeps.' };
  }
  if (touches.length === 0 || outsideTouches([inTree], touches).length === 0) return undefined;
  return {
    what: `write ${printableLine(inTree)}: this lane touches ${enumerated(touches, 5)} only`,
    instead: `Find a way within these, or ask for more: lanehold orchestrate ask 'I need ${printableLine(inTree, 80)}, because REASON'`,
  };
}

/**
 * Whether the file is in another worktree of the same project, or in its git directory. False for files in the worker's
 * own tree, and for files outside of any.
 */
export function isForeignFile(path: string, worktree: string): boolean {
  const real = realPath(path);
  if (isWithin(worktree, real)) return real === `${worktree}/.git`;
  return identityAt(real) === identityAt(worktree);
}

/** The project that a path is in; the path itself need not exist. */
export function identityAt(path: string): string | undefined {
  for (let folder = path; ; folder = folder.slice(0, folder.lastIndexOf('/'))) {
    if (folder === '') return undefined;
    const identity = attempt(() => projectPlace(folder).identity);
    if (identity !== undefined) return identity;
  }
}
