/**
 * The skills of this package as files of an agent. They are copies: a link would lead nowhere after the package is
 * moved, some clients do not follow links, and editing the copy must not change the package.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { packageRoot } from '../../base/files/package.ts';
import type { InstallFile } from '../install.ts';
import { OWN_FILE_MARK, ownFile } from './own-file.ts';

const MARK = `<!-- ${OWN_FILE_MARK}, which writes it anew; \`lanehold uninstall\` removes it. -->`;

const SHARED = '.agents/skills';

/** The folders that many agents read. */
export const SKILLS = { user: `~/${SHARED}`, project: `{root}/${SHARED}` };

/** @param folder absolute; the agent reads `<folder>/<name>/SKILL.md`. */
export function skillFiles(folder: string): readonly InstallFile[] {
  return skills().map(({ name, text }) => ({
    file: join(folder, name, 'SKILL.md'),
    what: `skill ${name}`,
    extra: 'skills',
    editor: ownFile(text),
    ...(folder.endsWith(SHARED) && { shared: true }),
  }));
}

/** The skills, sorted by name; none if the package has lost them. */
function skills(): readonly { readonly name: string; readonly text: string }[] {
  const folder = join(packageRoot(), 'skills');
  const names = attempt(() => readdirSync(folder)) ?? [];
  return names.sort().flatMap((name) => {
    const text = attempt(() => readFileSync(join(folder, name, 'SKILL.md'), 'utf8'));
    return text === undefined ? [] : [{ name, text: text.replace(/\n---\n/, `\n---\n${MARK}\n`) }];
  });
}

/** Adds the mark after the lines between `---`, which clients read only at the start. */
