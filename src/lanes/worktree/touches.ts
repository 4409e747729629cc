/** Which files a lane may write: globs, as features have them. */
import { matcher } from '../../features/match.ts';
import { globsIntersect } from './glob-intersection.ts';

/** Paths that none of the globs allows. A rename counts with both its sides. */
export function outsideTouches(paths: readonly string[], touches: readonly string[]): string[] {
  const { matches } = matcher(named(touches));
  return paths.filter((path) => !matches(path));
}

/**
 * Whether a path could be in both. Where that cannot be told it says yes; no file is looked at, for
 * what two lanes are about to create is not there yet. A lane that declares nothing overlaps nothing.
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

/** Without those that name nothing. */
const named = (globs: readonly string[]): readonly string[] =>
  globs.filter((glob) => glob !== '' && glob !== '!');

/** The folder of which an exclusion takes all, `!src/api/**`; others are not reckoned with. */
function coveredFolder(glob: string): string | undefined {
  return /^!([\w.-]+(?:\/[\w.-]+)*)\/(?:\*\*)?$/.exec(glob)?.[1];
}

/** All that the glob matches lies in such a folder. */
function isCovered(glob: string, folders: readonly string[]): boolean {
  return folders.some((folder) => glob.startsWith(`${folder}/`));
}
