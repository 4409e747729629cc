/** Reduces commands and edits to what is recorded of them. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { attempt } from '../base/errors.ts';
import { redact } from '../base/text/redact/redact.ts';

/** The fields that most observations leave empty. */
export const EMPTY_OBSERVATION = {
  name: null,
  category: null,
  text: null,
  rules: null,
  files: [],
  outcome: null,
  outputBytes: null,
};

/** A command may contain a file of any size in a here document; what it runs is at its beginning. */
const MOST_CHARACTERS = 10_000;

/** Only the name of the program is kept, without secrets: other words of a command may be some. */
export function commandSeen(text: string): { name: string; category: string } {
  const command = text.slice(0, MOST_CHARACTERS);
  const words = command
    .replace(/^(?:\s*cd\s+[^;&|]+(?:&&|;))+/, '')
    .trim()
    .split(/\s+/);
  const first = words.find((it) => !/^\w+=/.test(it)) ?? '';
  const name = attempt(() => basename(redact(first))) ?? '';
  const category = CATEGORIES.find(([, pattern]) => pattern.test(command))?.[0] ?? 'other';
  return { name: /^[\w.+-]{1,40}$/.test(name) ? name : 'shell', category };
}

/** The first pattern that matches counts. */
const CATEGORIES: readonly (readonly [string, RegExp])[] = [
  ['test', /\b(?:vitest|jest|pytest|mocha|rspec|phpunit|ctest|tests?)\b/],
  ['lint', /\b(?:eslint|biome|prettier|ruff|clippy|lint|tsc|mypy|fmt)\b/],
  ['build', /\b(?:build|make|webpack|vite|compile|gradle|mvn|cmake)\b/],
  ['install', /\b(?:install|npm ci|pip|bundle)\b/],
  ['git', /\bgit\b/],
  ['search', /^\s*(?:grep|rg|find|fd|ls|tree)\b/],
  ['read', /^\s*(?:cat|head|tail|sed -n|less|wc)\b/],
];

const MOST_FILES = 50;

export interface Kept {
  /** Its path without links. */
  readonly root: string;
  /** @param path relative to the root. */
  readonly ignores: (path: string) => boolean;
}

/** Paths relative to the root; files of other projects are left out. */
export function editedFiles(paths: readonly string[], { root, ignores }: Kept): string[] {
  const files = paths.flatMap((it) => pathIn(root, it) ?? []).filter((it) => !ignores(it));
  return files.slice(0, MOST_FILES);
}

/** The path in the project, also of a file that the tool names by a link. */
function pathIn(root: string, file: string): string | undefined {
  const real = () => attempt(() => join(realpathSync(dirname(file)), basename(file)));
  const inside = file.startsWith(root + sep) ? file : real();
  if (!inside?.startsWith(root + sep)) return undefined;
  return relative(root, inside).split(sep).join('/');
}
