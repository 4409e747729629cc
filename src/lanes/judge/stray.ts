/**
 * Additions of a lane that belong into no commit: markers of an open merge, tokens and keys, symbolic links that lead
 * out of the tree, and code that detects its test run. Content of the base, even in a moved file, does not count.
 */
import { posix } from 'node:path';
import type { Git } from '../../base/git/git.ts';
import { smallBlobs } from '../../base/git/objects.ts';
import { type Change, changedTexts, changesBetween } from '../../base/git/paths.ts';
import { commitTexts, parentsIn } from '../../base/git/plumbing.ts';
import { isOid, LINK } from '../../base/git/tree-entry.ts';
import { secretsIn } from '../../base/text/redact/redact.ts';
import { flagText } from '../spec/flags.ts';
import { isSource } from './proof.ts';
import { bagOf, minus, take } from './removed-tests.ts';

/** A line of `=` alone may underline a heading. */
const MARKER = /^(?:<{7}|>{7})(?: |\r?$)|^(?:<{8,}|>{8,}) \S|^\|{7} [^|]*$/;
const MIDDLE = /^={7}\r?$/;

/** The largest text that is searched; hand-written files are smaller. */
const MOST_BYTES = 4 * 1024 * 1024;

/** The flags, which name files and lines, never their content. */
export async function strayFlags(git: Git, base: string, sha: string): Promise<string[]> {
  const { markers, secrets, links, reaching } = await strayIn(git, base, sha);
  const found = [
    ['conflict-markers', markers],
    ['secrets-added', secrets.length > 0 ? secrets : await secretsInHistory(git, base, sha)],
    ['links-outside', links],
    ['runner-in-code', reaching],
  ] as const;
  return found.flatMap(([kind, data]) => (data.length === 0 ? [] : flagText(kind, data)));
}

/** The most history that is read. */
const MOST_HISTORY = 8 * 1024 * 1024;

/**
 * Tokens and keys that one commit has added and a later one has removed: a merge would publish them all the same.
 * Commits that others have merged into the lane are not the lane's.
 */
async function secretsInHistory(git: Git, base: string, sha: string): Promise<string[]> {
  // The content of the last commit is checked by its files.
  const [last] = await commitTexts(git, [sha]);
  if (`${parentsIn(last)}` === base) return [];
  const shown = ['--unified=0', '--no-renames', '--no-color', '--no-ext-diff', '--no-textconv'];
  const range = [
    '--first-parent',
    '--diff-merges=off',
    '--max-count=500',
    '--format=%x00%h',
    `${base}..${sha}`,
    '--',
  ];
  const args = ['-c', `core.bigFileThreshold=${MOST_BYTES}`, 'log', '-p', ...shown, ...range];
  const commits = (await git.text(args)).slice(0, MOST_HISTORY).split('\0').slice(1);
  if (commits.length < 2) return [];
  return commits.flatMap((text) => {
    const [commit = '', ...lines] = text.split('\n');
    const bodies = (sign: string) =>
      lines.flatMap((line) =>
        line.startsWith(sign) && !line.startsWith(sign.repeat(3)) ? line.slice(1) : [],
      );
    const added = minus(bodies('+'), bodies('-')).join('\n');
    return secretsIn(added).map(
      ({ kind }) => `commit ${commit} (${kind}); \`land --squash\` leaves its history out`,
    );
  });
}

/** Whether a merge has markers that neither of its sides has. */
export async function leavesMarkers(git: Git, sides: readonly string[], tree: string) {
  const [ours, theirs] = await Promise.all(sides.map((side) => strayIn(git, side, tree)));
  return ours?.markers.some((it) => theirs?.markers.includes(it)) === true;
}

async function strayIn(git: Git, base: string, sha: string) {
  const changes = await readable(git, await changesBetween(git, base, sha));
  const texts = await changedTexts(git, changes);
  const old = bagOf(texts.flatMap(({ before = '' }) => before.split('\n')));
  const markers: string[] = [];
  const secrets: string[] = [];
  const links: string[] = [];
  const reaching: string[] = [];
  for (const [at, { path, after = '' }] of texts.entries()) {
    const change = changes[at];
    if (change?.mode === LINK) {
      if (leadsOut(path, after)) links.push(`${path} -> ${after}`);
      continue;
    }
    const added = after.split('\n').flatMap((text, n) => (take(old, text) ? [] : { text, n }));
    const placeOf = (n: number) => `${path}:${(added[n]?.n ?? 0) + 1}`;
    const placesOf = (...patterns: readonly RegExp[]): string[] =>
      added.flatMap((it, n) => (patterns.some((one) => one.test(it.text)) ? placeOf(n) : []));
    const isOpen = !after.includes('\0') && placesOf(MARKER).length > 0;
    if (isOpen) markers.push(...placesOf(MARKER, MIDDLE));
    if (change && isSource(change)) reaching.push(...placesOf(...REACHES));
    // Every other byte of UTF-16 is a NUL.
    const text = added.map((it) => it.text.replaceAll('\0', '')).join('\n');
    for (const { kind, at: index } of secretsIn(text)) {
      secrets.push(`${placeOf(text.slice(0, index).split('\n').length - 1)} (${kind})`);
    }
  }
  return { markers, secrets, links, reaching };
}

/** Code that detects a test run, reaches into the runner, or prints and exits like one. */
const REACHES: readonly RegExp[] = [
  /\b(?:NODE_TEST_CONTEXT|NODE_OPTIONS|JEST_WORKER_ID|VITEST\w*|PYTEST_\w+|LANEHOLD_\w+)\b/,
  /\b(?:NODE_ENV|MODE|APP_ENV)\b['"\])]*\s*[=!]==?\s*['"]test/,
  /['"](?:vitest|@vitest\/[\w-]+|@jest\/[\w-]+|node:test|mocha|chai)['"]/,
  /\bassert(?:\.\w+|\[[^\]]+\])\s*=[^=]|\bsyncBuiltinESMExports\b|\bexpect\.extend\b/,
  /\b(?:import|from)\s+_?(?:pytest|unittest)\b|['"]_?pytest\b/,
  /\bos\._exit\b|\breallyExit\b|\bsyscall\.Exit\b/,
  /^\s*"testing"$|^import "testing"|\btesting\.Testing\(|\bcfg!\((?:\w+\()*test\b|\bcfg\(not\(test\b|"test\.\w+"/,
  /--- (?:PASS|FAIL)\b|\btest result: |<testcase\b|\.stack\b.*\b(?:test|spec)\b/,
];

/** The changes with a readable object: a submodule's commit is none of this repository. */
async function readable(git: Git, changes: readonly Change[]): Promise<Change[]> {
  const oids = changes.flatMap(({ before, after }) => [before, after]).filter(isOid);
  if (oids.length === 0) return [];
  const isSmall = await smallBlobs(git, oids, MOST_BYTES);
  return changes.filter(({ after }) => isSmall.has(after) || !isOid(after));
}

/** Whether a link leads out of the tree, even where `..` follows a name, which may itself be a link. */
const leadsOut = (path: string, target: string): boolean =>
  target.startsWith('/') ||
  posix.join(posix.dirname(path), target, '/').startsWith('../') ||
  /[^/.][^/]*\/(?:.*\/)?\.\.(?:\/|$)/.test(target);
