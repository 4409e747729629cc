/** Reads git's aliases from its configuration files, without starting git. */
import { dirname, resolve } from 'node:path';
import type { Frame, Reader } from '../reader.ts';
import { lookUp } from '../shell/parameter.ts';
import { isKnown } from '../shell/unknown.ts';

/**
 * The alias that git would use: from the command line, the environment, an earlier `git config` in
 * the command, or the files.
 */
export function aliasOf(
  name: string,
  config: readonly string[],
  frame: Frame,
  reader: Reader,
): string | undefined {
  const key = `alias.${name.toLowerCase()}`;
  const given = config.findLast((it) => it.toLowerCase().startsWith(`${key}=`));
  if (given !== undefined) return given.slice(key.length + 1);
  const set = fromEnvironment(key, frame, reader) ?? reader.gitConfig.get(key);
  if (set !== undefined) return set;
  for (const path of configFiles(frame, reader)) {
    const found = fromFile(path, key, reader, 0);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fromEnvironment(key: string, frame: Frame, reader: Reader): string | undefined {
  const text = (name: string): string | undefined => {
    const value = lookUp(name, frame, reader)[0]?.[0];
    return value !== undefined && isKnown(value) ? value : undefined;
  };
  for (const [, entry = ''] of (text('GIT_CONFIG_PARAMETERS') ?? '').matchAll(/'([^']*)'/g)) {
    if (entry.toLowerCase().startsWith(`${key}=`)) return entry.slice(key.length + 1);
  }
  const count = Math.min(Number(text('GIT_CONFIG_COUNT') ?? 0) || 0, 32);
  for (let at = 0; at < count; at += 1) {
    if (text(`GIT_CONFIG_KEY_${at}`)?.toLowerCase() === key) return text(`GIT_CONFIG_VALUE_${at}`);
  }
  return undefined;
}

function configFiles(frame: Frame, reader: Reader): readonly string[] {
  const { HOME: home, GIT_CONFIG_GLOBAL: global, XDG_CONFIG_HOME } = reader.context.env;
  const files = frame.state.directories.flatMap((it) =>
    it === undefined ? [] : localFiles(it, reader),
  );
  if (global) files.push(global);
  else if (home) files.push(`${home}/.gitconfig`);
  const xdg = XDG_CONFIG_HOME ?? (home && `${home}/.config`);
  if (xdg) files.push(`${xdg}/git/config`);
  files.push('/etc/gitconfig');
  return files;
}

function localFiles(directory: string, reader: Reader): string[] {
  const root = reader.context.toplevel(directory);
  if (root === undefined) return [];
  // In a linked worktree `.git` is a file that names its folder, two below the common one.
  const link = reader.context.readFile(`${root}/.git`);
  if (!link?.startsWith('gitdir:')) return [`${root}/.git/config`];
  const own = resolve(root, link.slice('gitdir:'.length).trim());
  return [`${dirname(dirname(own))}/config`, `${own}/config`];
}

const MOST_INCLUDES = 3;

function fromFile(path: string, key: string, reader: Reader, depth: number): string | undefined {
  const text = reader.context.readFile(path);
  if (text === undefined || depth > MOST_INCLUDES) return undefined;
  let section = '';
  let found: string | undefined;
  for (const line of logicalLines(text)) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"([^"]*)")?\s*\]/.exec(line);
    const body = header ? line.slice(header[0].length) : line;
    if (header) section = [header[1], header[2]].filter(Boolean).join('.').toLowerCase();
    const entry = /^\s*([\w-]+)\s*=\s*(.*)$/.exec(body);
    if (!entry) continue;
    const [, name = '', value = ''] = entry;
    const full = `${section}.${name.toLowerCase()}`;
    if (full === key) found = configValue(value);
    else if (full === 'include.path') {
      found = fromFile(resolve(dirname(path), configValue(value)), key, reader, depth + 1) ?? found;
    }
  }
  return found;
}

function logicalLines(text: string): readonly string[] {
  return text.replace(/\\\r?\n/g, '').split('\n');
}

/** A value without its quotes, escapes and comment. */
function configValue(source: string): string {
  let value = '';
  let inQuotes = false;
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at] as string;
    if (char === '"') inQuotes = !inQuotes;
    else if (char === '\\') {
      at += 1;
      value += { n: '\n', t: '\t' }[source[at] ?? ''] ?? source[at] ?? '';
    } else if (!inQuotes && (char === '#' || char === ';')) break;
    else value += char;
  }
  return value.trim();
}
