/**
 * Rules files: texts of lanehold that agents give their model, in working trees of the user. LANEHOLD_HOME has a list
 * of the written files, one JSON object in a line, so that each can be removed.
 */
import { appendFileSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentRules } from '../agents/definition.ts';
import { clippedText } from '../agents/kit/hooks.ts';
import { attempt } from '../base/errors.ts';
import type { Home } from '../base/files/home.ts';
import { linkOnTheWay } from '../base/files/inside.ts';
import { makeFolders } from '../base/files/private-folder.ts';
import { modeOf, PRIVATE, replaceFile } from '../base/files/replace-file.ts';
import type { ProjectPlace } from '../base/git/project.ts';
import { at, jsonLine } from '../base/text/json.ts';

const NOTE =
  '<!-- Written by lanehold, anew in each session. Not committed; `lanehold uninstall` removes it. -->';

interface RulesFile {
  readonly agent: string;
  readonly file: string;
  /** Folders that were made for it, outermost first. */
  readonly folders: readonly string[];
  /** The file that tells git to ignore it, and the line there. */
  readonly exclude: string;
  readonly pattern: string;
}

interface Reader {
  readonly agent: string;
  readonly rules: AgentRules;
}

/**
 * Brings a rules file up to date. A file that lanehold did not write is left alone, and so is one
 * whose folder is a link.
 *
 * @param text the text for the agent; `undefined` if the file is to be removed.
 * @throws what the file system throws.
 */
export function writeRules(
  home: Home,
  place: ProjectPlace,
  { agent, rules }: Reader,
  text: string | undefined,
): void {
  const file = join(place.root, rules.file);
  const current = textOf(file);
  const isKnown = rulesFiles(home).some((it) => it.file === file);
  if (current !== undefined && !isKnown) return;
  if (text === undefined) {
    if (current !== undefined) rmSync(file);
    return;
  }
  const wanted = worded(rules, text);
  if (current === wanted || linkOnTheWay(place.root, dirname(file)) !== undefined) return;
  const folders = makeFolders(dirname(file));
  if (!isKnown) {
    const exclude = join(place.identity, 'info/exclude');
    // The pattern also matches drafts of the file.
    const written: RulesFile = { agent, file, folders, exclude, pattern: `/${rules.file}*` };
    appendFileSync(listOf(home), `${JSON.stringify(written)}\n`, { mode: PRIVATE });
    leaveOut(written);
  }
  replaceFile(file, wanted, { mode: PRIVATE });
}

function worded({ head, maxUnits }: AgentRules, text: string): string {
  const before = [...(head === undefined ? [] : [head]), NOTE, ''].join('\n');
  return `${before}${clippedText(text, maxUnits - before.length - 1)}\n`;
}

/** Makes git ignore the file in all working trees of the repository, without a committed file. */
function leaveOut({ exclude, pattern }: RulesFile): void {
  const text = textOf(exclude) ?? '';
  if (text.split('\n').includes(pattern)) return;
  makeFolders(dirname(exclude));
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  replaceFile(exclude, `${text}${gap}${pattern}\n`, { mode: modeOf(exclude) });
}

/**
 * Removes the rules files of these agents, in all working trees.
 *
 * @param agents all of them if it is absent.
 * @returns those that were there; with `dryRun` they still are.
 */
export function removeRules(
  home: Home,
  { agents, dryRun }: { readonly agents?: readonly string[] | undefined; readonly dryRun: boolean },
): string[] {
  const all = rulesFiles(home);
  const isMeant = ({ agent }: RulesFile): boolean => agents?.includes(agent) ?? true;
  const meant = all.filter(isMeant);
  const there = meant.filter(({ file }) => textOf(file) !== undefined).map(({ file }) => file);
  if (dryRun || meant.length === 0) return there;
  const left = all.filter((it) => !isMeant(it));
  for (const it of meant) {
    rmSync(it.file, { force: true });
    // A folder is kept if others have put something into it.
    for (const folder of it.folders.toReversed()) attempt(() => rmdirSync(folder));
    if (!left.some(({ exclude, pattern }) => exclude === it.exclude && pattern === it.pattern)) {
      takeBack(it);
    }
  }
  if (left.length === 0) rmSync(listOf(home), { force: true });
  else {
    const lines = left.map((it) => `${JSON.stringify(it)}\n`);
    replaceFile(listOf(home), lines.join(''), { mode: PRIVATE });
  }
  return there;
}

function takeBack({ exclude, pattern }: RulesFile): void {
  const text = textOf(exclude);
  if (text === undefined) return;
  const kept = text.replace(`${pattern}\n`, '');
  if (kept === text) return;
  if (kept === '') rmSync(exclude, { force: true });
  else replaceFile(exclude, kept, { mode: modeOf(exclude) });
}

const listOf = (home: Home): string => join(home.root, 'rules-files');

function rulesFiles(home: Home): RulesFile[] {
  return (textOf(listOf(home)) ?? '').split('\n').flatMap((line) => {
    const object = jsonLine(line);
    const [agent, file, exclude, pattern] = ['agent', 'file', 'exclude', 'pattern'].map((key) =>
      at.text(object, key),
    );
    if (!agent || !file || !exclude || !pattern) return [];
    const { folders } = object ?? {};
    const made = Array.isArray(folders) ? folders.filter((it) => typeof it === 'string') : [];
    return [{ agent, file, folders: made, exclude, pattern }];
  });
}

const textOf = (file: string): string | undefined => attempt(() => readFileSync(file, 'utf8'));
