/** The prompts, files and commands before which a note is shown. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { attempt } from '../base/errors.ts';
import { matcher } from '../features/match.ts';
import { codeStore } from '../store/code-index.ts';
import type { Store } from '../store/open.ts';
import type { RecallItem } from '../store/recall.ts';
import { declarationsIn } from './code/declarations.ts';
import { formsIn } from './query.ts';

/** A glob only says where a note is shown; a path also binds the note to the file's content. */
export const isGlob = (file: string): boolean =>
  file.endsWith('/') || file.startsWith('!') || picomatch.scan(file).isGlob;

/** @param paths relative to the project. */
export function isNoteOf({ files }: Pick<RecallItem, 'files'>, paths: readonly string[]): boolean {
  if (paths.some((path) => files.includes(path))) return true;
  const globs = files.filter(isGlob);
  if (globs.length === 0) return false;
  const { matches } = matcher(globs);
  return paths.some(matches);
}

const WORKING =
  /^(?:when )?(?:(?:you|i|we)(?: are|['\u2019]re)? )?(?:working|editing) (?:on|in|at) /i;

/**
 * Whether one of the phrases or globs of a note's conditions (`rate limit, src/auth/**`) is met, by a form of each word
 * of the phrase or by a path.
 *
 * @param words as `formsIn` gives them.
 */
export function isMet(
  conditions: string,
  { words, paths }: { readonly words: ReadonlySet<string>; readonly paths: readonly string[] },
): boolean {
  const parts = conditions.split(/[,;\n]/).map((it) => it.trim().replace(WORKING, ''));
  const isPath = (it: string): boolean => it.includes('/') || isGlob(it);
  const globs = parts.filter((it) => it !== '' && isPath(it));
  if (globs.length > 0 && paths.some(matcher(globs).matches)) return true;
  return parts.some((it) => {
    const wanted = formsIn(isPath(it) ? '' : it);
    return wanted.size > 0 && wanted.isSubsetOf(words);
  });
}

const IMPORTS = /^\s*(?:import|from|use|using|#?include)\b.*|\brequire\(.*/gm;

/** The words that describe a file: of its path, its imports and declarations, and the commits that changed it. */
export function wordsAbout(store: Store, projectId: number, root: string, path: string) {
  const text = attempt(() => readFileSync(join(root, path), 'utf8')) ?? '';
  const commits = codeStore(store).commitsOfFile(projectId, JSON.stringify(path));
  const said = [
    path,
    ...declarationsIn(path, text).map(({ name }) => name),
    ...(text.match(IMPORTS) ?? []),
    ...commits.flatMap(({ title }) => title ?? []),
  ];
  return formsIn(said.join('\n'));
}

/**
 * `npm publish` matches each command that begins with these words; `*` stands for any characters.
 *
 * @param lines the commands that run, each as its words with a space between.
 */
export function isCommandOf(pattern: string, lines: readonly string[]): boolean {
  const [first = '', ...rest] = pattern.trim().split('*');
  return lines.some((line) => {
    const text = `${line.slice(0, LONGEST).trim()} `;
    if (rest.length === 0) return text.startsWith(`${first} `);
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const [index, piece] of rest.entries()) {
      const isLast = index === rest.length - 1 && piece !== '';
      const found = text.indexOf(isLast ? `${piece} ` : piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return true;
  });
}

const LONGEST = 10_000;
