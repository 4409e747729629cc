/**
 * The files in which agents keep memory, plans and lists of tasks. They are read and never written; each section of a
 * file is an item whose source is the file.
 */
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import type { AgentDefinition, MemoryFiles } from '../agents/definition.ts';
import { listedFiles } from '../agents/kit/json-lines.ts';
import { mainCheckout } from '../agents/kit/places.ts';
import { AGENTS } from '../agents/registry.ts';
import { attempt } from '../base/errors.ts';
import { readPlainFile } from '../base/files/plain-file.ts';
import type { ProjectPlace } from '../base/git/project.ts';
import { redact } from '../base/text/redact/redact.ts';
import { sha256 } from '../base/text/sha256.ts';
import type { Workspace } from '../features/workspace.ts';
import { type RecallItem, recallStore } from '../store/recall.ts';
import { withoutPrivate } from './prompts.ts';
import { EMPTY_FIELDS, replaceItems } from './put-item.ts';

/** The `source` of an item; its links name the file. */
export const FROM_FILE = 'file';

/** The newest files that are read for one row of a definition. */
const MOST_FILES = 100;
const LARGEST = 512_000;
const LONGEST_BODY = 4_000;

interface Reading {
  readonly env: NodeJS.ProcessEnv;
  /** @param path relative to the root. */
  readonly ignores: (path: string) => boolean;
}

/** Adds what has changed, and removes what is gone. @returns the number of changed items. */
export function refreshMemory(workspace: Workspace, reading: Reading): number {
  const { store, projectId } = workspace;
  const found = AGENTS.flatMap((agent) =>
    (agent.memory ?? []).flatMap((row) => itemsOf(agent, row, workspace, reading)),
  );
  const known = recallStore(store).list(projectId);
  return replaceItems(
    store,
    known.filter(({ source }) => source === FROM_FILE),
    // If two rows contain the same section, the last one counts.
    [...new Map(found.map((it) => [it.uid, it])).values()],
  );
}

function itemsOf(
  agent: AgentDefinition,
  row: MemoryFiles,
  { place, projectId }: Workspace,
  { env, ignores }: Reading,
): RecallItem[] {
  const home = env.HOME || homedir();
  return filesOf(agent, row, place, { ...env, HOME: home }).flatMap(({ file, changed }) => {
    const isOwn = file.startsWith(place.root + sep);
    if (isOwn && ignores(relative(place.root, file).split(sep).join('/'))) return [];
    const text = attempt(() => readPlainFile(file)) ?? '';
    const shown = isOwn ? relative(place.root, file) : file.replace(`${home}${sep}`, '~/');
    const given = sectionsOf(text, basename(file), row.section);
    const wanted = given.filter((it) => isMeant(row, text, it.body, place.root));
    return wanted.map((section, at): RecallItem => {
      const scope = row.of === 'everything' ? null : projectId;
      const title = redact(withoutPrivate(section.title)).slice(0, 200);
      const body = redact(withoutPrivate(section.body)).slice(0, LONGEST_BODY);
      return {
        ...EMPTY_FIELDS,
        uid: `lm-${digestOf([agent.name, file, scope, at]).slice(0, 8)}`,
        projectId: scope,
        kind: row.kind,
        title,
        body,
        links: [`file:${shown}`],
        source: FROM_FILE,
        agent: agent.name,
        at: new Date(changed),
        digest: digestOf([row.kind, title, body]),
      };
    });
  });
}

const digestOf = (parts: readonly unknown[]): string => sha256(JSON.stringify(parts)).slice(0, 16);

/** True for those parts of a file for all projects that name this one; memory is divided into sections first. */
function isMeant({ of, kind }: MemoryFiles, text: string, body: string, root: string): boolean {
  if (of !== 'projects that it names') return true;
  const whole = kind === 'memory' ? body : text;
  for (let at = whole.indexOf(root); at !== -1; at = whole.indexOf(root, at + 1)) {
    // `/home/ada/shop` does not occur in `/home/ada/shop-two`.
    if (!/[\w.-]/.test(whole.charAt(at + root.length))) return true;
  }
  return false;
}

function filesOf(
  agent: AgentDefinition,
  row: MemoryFiles,
  place: ProjectPlace,
  env: NodeJS.ProcessEnv,
) {
  const { base, paths } = placesOf(agent, row, place, env);
  const files = paths.flatMap((it) => expanded(base, it.split('/')));
  return listedFiles(base, [...new Set(files)])
    .filter(({ size }) => size > 0 && size <= LARGEST)
    .sort((one, other) => other.changed - one.changed || (one.file < other.file ? -1 : 1))
    .slice(0, MOST_FILES);
}

/** The folder that no link may leave, and the paths below it. */
function placesOf(
  { guards }: AgentDefinition,
  { files }: MemoryFiles,
  place: ProjectPlace,
  env: NodeJS.ProcessEnv,
): { base: string; paths: string[] } {
  if (!files.startsWith('~/')) return { base: place.root, paths: [files] };
  const [, folder = '', ...rest] = files.split('/');
  const moved = guards?.folderVariable;
  const given = moved?.folder === folder ? env[moved.name] : undefined;
  const base = resolve(given || join(env.HOME ?? '', folder));
  const path = rest.join('/');
  const roots = [place.root, mainCheckout({ cwd: place.root })];
  const names = roots.map((it) => path.replace('{root}', it.replaceAll(/[^A-Za-z0-9]/g, '-')));
  return { base, paths: [...new Set(names)] };
}

/** A `*` stands for any part of one name. */
function expanded(folder: string, [name = '', ...rest]: readonly string[]): string[] {
  const paths = name.includes('*') ? matching(folder, name) : [join(folder, name)];
  return rest.length === 0 ? paths : paths.flatMap((it) => expanded(it, rest));
}

function matching(folder: string, pattern: string): string[] {
  const [start = '', end = ''] = pattern.split('*');
  return (attempt(() => readdirSync(folder)) ?? [])
    .filter((it) => it.startsWith(start) && it.endsWith(end) && !it.startsWith('.'))
    .map((it) => join(folder, it));
}

const MOST = 60;
const LONGEST_HEADING = 300;
const FRONT_MATTER = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/;

/**
 * Sections in their order; those without text are left out.
 *
 * @param name of the file: the title of the text before the first heading.
 * @param only the section with this heading.
 */
function sectionsOf(text: string, name: string, only: string | undefined) {
  const head = FRONT_MATTER.exec(text);
  const told = ['description', 'title', 'name']
    .map((it) => fieldOf(head?.[1] ?? '', it))
    .find((it) => it !== undefined);
  const sections: { title: string; lines: string[] }[] = [{ title: told ?? name, lines: [] }];
  let isCode = false;
  for (const line of text.slice(head?.[0].length ?? 0).split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    const isHeading = !isCode && line.length < LONGEST_HEADING;
    const heading = isHeading ? /^#{1,3}\s+(.+?)\s*#*$/.exec(line)?.[1] : undefined;
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ title: heading, lines: [] });
  }
  return sections
    .filter(({ title }) => only === undefined || title === only)
    .map(({ title, lines }) => ({ title, body: lines.join('\n').trim() }))
    .filter(({ body }) => body !== '')
    .slice(0, MOST);
}

const fieldOf = (head: string, name: string): string | undefined =>
  new RegExp(`^${name}:[ \\t]*(["']?)(.+?)\\1[ \\t]*\\r?$`, 'm').exec(head)?.[2];
