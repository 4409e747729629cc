/** Which files a lane may write: globs in the syntax of features. */
import { matcher } from '../../features/match.ts';
import { globsIntersect } from './glob-intersection.ts';

/** Paths that match none of the globs. Both sides of a rename count. */
export function outsideTouches(paths: readonly string[], touches: readonly string[]): string[] {
  const { matches } = matcher(named(touches));
  return paths.filter((path) => !matches(path));
}

/**
 * Whether some path may match both lists; yes where that cannot be decided. Files are not consulted,
 * since lanes may create new ones. A lane that declares no files overlaps with none.
 */
export function touchesOverlap(a: readonly string[], b: readonly string[]): boolean {
  const covered = [...a, ...b].flatMap((glob) => coveredFolder(glob) ?? []);
  const [ours, theirs] = [a, b].map((globs) =>
    named(globs).filter((glob) => !glob.startsWith('!')),
  );
  return (ours ?? []).some((one) =>
    (theirs ?? []).some(
      (other) =>
        globsIntersect(one, other) && !isCovered(one, covered) && !isCovered(other, covered),
    ),
  );
}

/** Without empty globs. */
const named = (globs: readonly string[]): readonly string[] =>
  globs.filter((glob) => glob !== '' && glob !== '!');

/** The folder that an exclusion covers completely (`!src/api/**`); other exclusions are ignored. */
function coveredFolder(glob: string): string | undefined {
  return /^!([\w.-]+(?:\/[\w.-]+)*)\/(?:\*\*)?$/.exec(glob)?.[1];
}

/** Whether all matches of the glob are in such a folder. */
function isCovered(glob: string, folders: readonly string[]): boolean {
  return folders.some((folder) => glob.startsWith(`${folder}/`));
}
