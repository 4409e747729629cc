/** Groups of files by CODEOWNERS, for files that belong to no other group. */
import type { Part } from './part.ts';
import { literal, parent } from './source-tree.ts';

const PLACES = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'];
const MAX_RULES = 1000;

export const codeownersPath = (paths: ReadonlySet<string>): string | undefined =>
  PLACES.find((place) => paths.has(place));

/**
 * One part for each owner, with the folders and files that the owner's rules name literally.
 *
 * @param uncovered the files to group; a rule that matches none of them is ignored.
 */
export function ownerGroups(text: string, uncovered: readonly string[]): readonly Part[] {
  const files = new Set(uncovered);
  const folders = new Set(uncovered.flatMap(ancestors));
  const groups = new Map<string, Set<string>>();
  for (const { path, owner } of rules(text)) {
    const glob = folders.has(path)
      ? `${literal(path)}/**`
      : files.has(path)
        ? literal(path)
        : undefined;
    if (glob === undefined) continue;
    groups.set(owner, (groups.get(owner) ?? new Set()).add(glob));
  }
  return [...groups].map(([owner, globs]) => ({
    names: [owner.replace(/^.*\//, ''), owner],
    files: [...globs],
    smoke: [],
    because: `CODEOWNERS gives these files to ${owner}`,
  }));
}

/** Lines such as `/billing/ @acme/payments`; wildcards do not tell where the parts are. */
function rules(text: string): readonly { path: string; owner: string }[] {
  return text
    .split(/\r?\n/)
    .slice(0, MAX_RULES)
    .flatMap((line) => {
      const [pattern = '', owner = ''] = line.replace(/#.*/, '').trim().split(/\s+/);
      const path = pattern.replace(/^\/+/, '').replace(/(?:\/\*{0,2})?$/, '');
      const usable = /^[\w][\w./@+ -]*$/.test(path) && /^@?[\w][\w./@-]*$/.test(owner);
      return usable ? [{ path, owner: owner.replace(/^@/, '') }] : [];
    });
}

function ancestors(path: string): readonly string[] {
  const found: string[] = [];
  for (let folder = parent(path); folder !== ''; folder = parent(folder)) found.push(folder);
  return found;
}
