/** Which files of a repository need which others of it, as far as their texts tell without running anything. */
import type { Imports, Sources } from './manifest.ts';
import { isSource } from './source-tree.ts';

/** Reading more would take minutes. */
const MOST_READ = 20_000;

/** @returns the imports, and how many files of source were not read for them. */
export async function projectImports(
  sources: Sources,
): Promise<{ readonly imports: Imports; readonly unread: number }> {
  const [{ javaScriptImports }, { namedFiles }] = await Promise.all([
    import('./javascript-imports.ts'),
    import('./named-files.ts'),
  ]);
  const all = sources.paths.filter(isSource);
  const read = all.slice(0, MOST_READ);
  const imported = await javaScriptImports(sources, read);
  const named = namedFiles(sources, read);
  const imports = read.map((path) => {
    const found = new Set([...(imported.get(path) ?? []), ...(named.get(path) ?? [])]);
    return [path, [...found]] as const;
  });
  return { imports: new Map(imports), unread: all.length - read.length };
}
