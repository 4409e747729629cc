/** The folders that the source of one package is divided into. */
import { baseName, isSource, type SourceTree } from './source-tree.ts';

/** Folders that contain parts of a program and are none themselves. */
const CONTAINERS = new Set(
  `src source sources lib libs app apps packages crates services modules components features plugins
  cmd internal pkg cli tools`.split(/\s+/),
);
const MAX_DESCENT = 8;

export function sourceFolders(tree: SourceTree): readonly string[] {
  const top = tree.sourceFolders('');
  const containers = top.filter((folder) => isContainer(tree, folder));
  const isDivided = (folder: string) => containers.includes(folder) || top.length === 1;
  return top.flatMap((folder) => (isDivided(folder) ? foldersOf(tree, folder) : folder));
}

/** True for a folder with a container's name, and for a Python package with subfolders at the root. */
function isContainer(tree: SourceTree, folder: string): boolean {
  return (
    CONTAINERS.has(folder.toLowerCase()) ||
    (tree.files(folder).includes(`${folder}/__init__.py`) && tree.sourceFolders(folder).length > 1)
  );
}

/** The folders of a container. Files directly in it belong to the folders that need them. */
function foldersOf(tree: SourceTree, top: string): readonly string[] {
  const container = descended(tree, top);
  const children = tree.sourceFolders(container);
  const nested = children.filter((it) => CONTAINERS.has(baseName(it).toLowerCase()));
  if (children.length === 0) return [container];
  return children.flatMap((it) => (nested.includes(it) ? foldersOf(tree, it) : it));
}

/** Skips folders that contain only one other, as in src/main/java/com/acme. */
function descended(tree: SourceTree, top: string): string {
  let folder = top;
  for (let depth = 0; depth < MAX_DESCENT; depth += 1) {
    const [child, ...others] = tree.sourceFolders(folder);
    const loose = tree.files(folder).some(isSource);
    if (child === undefined || others.length > 0 || loose) return folder;
    folder = child;
  }
  return folder;
}
