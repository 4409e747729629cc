/** Reads what a project's history says of its changes: from the ChangeLogs of a folder, or from a git repository. */
import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gitIn } from '../src/base/git/git-in.ts';
import { commitsOf, recentCommits } from '../src/base/git/history.ts';
import { isIndexable, isReadable } from '../src/recall/code/indexable.ts';
import { isTestFile } from '../src/recall/code/search-code.ts';

export interface Change {
  readonly id: string;
  /** Seconds. */
  readonly time: number;
  readonly subject: string;
  /** The rest of the message, without what it says file by file. */
  readonly body: string;
  readonly files: readonly string[];
  /** All of it, as it was written. */
  readonly text: string;
}

export interface History {
  readonly name: string;
  /** The oldest first. */
  readonly changes: readonly Change[];
  /** How many of them the files below `root` already hold. */
  readonly base: number;
  readonly root: string;
  /** Files of `root` that are worth finding, relative to it. */
  readonly paths: readonly string[];
}

/** The newest changes are read. */
const MOST_CHANGES = 6_000;
/** Of a history: what comes later is asked. */
const BASE = 0.6;

/** Files that nobody asks for by a change. */
export const isSource = (path: string): boolean => !isTestFile(path) && !NO_SOURCE.test(path);
const NO_SOURCE =
  /(?:^|\/)(?:change-?log|news|readme|authors|thanks|configure|makefile|todo)|(?:^|\/)po\/|\.(?:md|lock|json|snap|svg|png|am|ac|in|m4|texi|txt|info|org)$/i;

/** A git repository: its files as they were before the changes that are asked. Its copy is made in `folder`. */
export async function gitHistory(repo: string, folder: string): Promise<History> {
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-checkout', resolve(repo), folder]);
  const git = gitIn(folder, process.env);
  const commits = (await commitsOf(git, await recentCommits(git, MOST_CHANGES))).reverse();
  const changes = commits.map(({ oid, at, subject, body, files }) => {
    return { id: oid, time: at.getTime() / 1_000, subject, body, files, text: body };
  });
  const base = Math.floor(changes.length * BASE);
  execFileSync('git', ['-C', folder, 'checkout', '--quiet', '--detach', changes[base]?.id ?? '']);
  const paths = (await git.text(['ls-files', '-z'])).split('\0').filter((it) => it !== '');
  return {
    name: basename(resolve(repo)),
    changes,
    base,
    root: folder,
    paths: readable(folder, paths),
  };
}

/** A folder with ChangeLogs. Its files are those of today: what is asked has happened already. */
export function changeLogHistory(root: string): History {
  const logs = readdirSync(root).filter((it) => /^ChangeLog(?:[.-]\d+)?$/.test(it));
  const all = logs.flatMap((it) => changesIn(readFileSync(join(root, it), 'utf8')));
  const changes = all.sort((a, b) => a.time - b.time).slice(-MOST_CHANGES);
  // They hold the questions themselves.
  const isLog = (path: string) => /(?:^|\/)(?:change-?log|news)[^/]*$/i.test(path);
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((it) => !isLog(it));
  const base = Math.floor(changes.length * BASE);
  return { name: basename(resolve(root)), changes, base, root, paths: readable(root, paths) };
}

const readable = (root: string, paths: readonly string[]): string[] =>
  paths.filter(
    (it) =>
      isIndexable(it) &&
      lstatSync(join(root, it)).isFile() &&
      isReadable(readFileSync(join(root, it))),
  );

/** `2022-03-02 09:39:30 -0500 Name <address> (9e7503d439)`; the clock and the id may be missing. */
const HEADER =
  /^(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d:\d\d) [+-]\d{4})?[ \t][^\n]*?(?:\(([0-9a-f]{7,40})\))?$/gm;

function changesIn(log: string): Change[] {
  const heads = [...log.matchAll(HEADER)];
  return heads.flatMap((head, number) => {
    const [whole, day, clock = '00:00:00', id] = head;
    const entry = log.slice(head.index + whole.length, heads[number + 1]?.index);
    // The newest entry comes first, also of those of one day.
    const time = Date.parse(`${day}T${clock}Z`) / 1_000 + (head[2] ? 0 : 1 - number / heads.length);
    return entriesOf(entry).flatMap((lines, at) => {
      const change = changeOf(lines, time);
      return change === undefined
        ? []
        : [{ ...change, id: change.id || id || `${day}-${number}-${at}` }];
    });
  });
}

/** Under one name and date there may be several changes: each begins with its id, or with `subject: `. */
function entriesOf(entry: string): string[][] {
  const entries: string[][] = [];
  for (const paragraph of entry.replaceAll('\r', '').split(/\n[ \t]*\n/)) {
    const lines = paragraph.split('\n').filter((it) => it.trim() !== '');
    const [first = ''] = lines;
    const last = entries.at(-1);
    const begins =
      lines.some((it) => COMMIT.test(it)) ||
      (/^\t[\w,+./[\] -]{2,40}: \S/.test(first) && last?.some((it) => NAMES_FILES.test(it)));
    if (last === undefined || (begins && !entry.startsWith(paragraph)))
      entries.push([...lines, '']);
    else last.push(...lines, '');
  }
  return entries;
}

const COMMIT = /^\s*\+ commit ([0-9a-f]{7,40})/;
/** `* file, file (function): what changed`, or as git lists them. */
const NAMES_FILES = /^\s*\* ([^:([{<]+?)\s*[:([{<]|^[AMDR]\d*\t(?:.*\t)?(.+)$/;

function changeOf(lines: readonly string[], time: number): Change | undefined {
  const id = lines.flatMap((it) => COMMIT.exec(it)?.[1] ?? [])[0]?.slice(0, 12) ?? '';
  const text = lines.filter((it) => !COMMIT.test(it)).map((it) => it.trim());
  const [subject = '', ...body] = proseOf(lines).join('\n').trim().split('\n');
  if (subject === '' || subject.startsWith('Merge')) return undefined;
  const files = lines.flatMap((line) => {
    const [, listed, one = ''] = NAMES_FILES.exec(line) ?? [];
    return (listed ?? one).split(',').flatMap((it) => it.trim() || []);
  });
  return { id, time, subject, body: body.join('\n').trim(), files, text: text.join('\n') };
}

/** The message without what it says of single files: that ends at an empty line, or at one that is indented further. */
function proseOf(lines: readonly string[]): string[] {
  let isOfFile = false;
  return lines.flatMap((line) => {
    const namesFiles = NAMES_FILES.test(line);
    if (line === '' || /^\t {2}/.test(line)) isOfFile = false;
    else if (namesFiles || /^\s*\(/.test(line)) isOfFile = true;
    return isOfFile || namesFiles || COMMIT.test(line) ? [] : [line.trim()];
  });
}
