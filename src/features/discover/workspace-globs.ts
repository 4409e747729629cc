import picomatch from 'picomatch';
import { type SourceTree, within } from './source-tree.ts';

/** Limits on folders and globs; more would add little to a draft. */
const MAX_FOLDERS = 500;
const MAX_GLOBS = 200;

/**
 * The folders that a list of workspace globs names and that have a manifest; `!` excludes.
 *
 * The globs come from files of the repository. Those that could make matching slow are left out.
 */
export function workspaceFolders(
  tree: SourceTree,
  globs: readonly string[],
  manifest: string,
): readonly string[] {
  const simple = globs
    .slice(0, MAX_GLOBS)
    .map((glob) => glob.replace(/^(!?)(?:\.\/)?/, '$1').replace(/\/{1,9}$/, ''))
    .filter((glob) => /^!?[\w@./*{}, -]{1,200}$/.test(glob) && glob.split('*').length <= 6);
  const include = simple.filter((glob) => !glob.startsWith('!'));
  if (include.length === 0) return [];
  const ignore = simple.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const matches = picomatch(include, { ignore });
  return tree
    .allFolders()
    .filter((folder) => tree.isOwn(folder) && matches(folder))
    .filter((folder) => tree.files(folder).includes(within(folder, manifest)))
    .slice(0, MAX_FOLDERS);
}
