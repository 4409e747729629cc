/**
 * What a lane has added that belongs into no commit: markers of an open merge, tokens and keys, and symbolic
 * links that lead out of the tree. What the base has, also in a file that was moved, is not the lane's.
 */
import { posix } from 'node:path';
import type { Git } from '../../base/git/git.ts';
import { type Change, changedTexts, changesBetween } from '../../base/git/paths.ts';
import { isOid, LINK } from '../../base/git/tree-entry.ts';
import { secretsIn } from '../../base/text/redact/redact.ts';
import { flagText } from '../spec/flags.ts';
import { bagOf, take } from './removed-tests.ts';

/** A line of `=` alone may underline a heading. */
const MARKER = /^(?:<{7}|>{7})(?: |\r?$)|^\|{7} [^|]*$/;

/** No text that somebody wrote is larger. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Flags that name files and lines, never what stands there. */
export async function strayFlags(git: Git, base: string, sha: string): Promise<string[]> {
  const { markers, secrets, links } = await strayIn(git, base, sha);
  const found = [
    ['conflict-markers', markers],
    ['secrets-added', secrets],
    ['links-outside', links],
  ] as const;
  return found.flatMap(([kind, data]) => (data.length === 0 ? [] : flagText(kind, data)));
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
  for (const [at, { path, after = '' }] of texts.entries()) {
    if (changes[at]?.mode === LINK) {
      if (leadsOut(path, after)) links.push(`${path} -> ${after}`);
      continue;
    }
    const added = after.split('\n').flatMap((text, n) => (take(old, text) ? [] : { text, n }));
    const placeOf = (n: number) => `${path}:${(added[n]?.n ?? 0) + 1}`;
    const isText = !after.includes('\0');
    for (const [n, { text }] of added.entries()) {
      if (isText && MARKER.test(text)) markers.push(placeOf(n));
    }
    const text = added.map((it) => it.text).join('\n');
    for (const { kind, at: index } of secretsIn(text)) {
      secrets.push(`${placeOf(text.slice(0, index).split('\n').length - 1)} (${kind})`);
    }
  }
  return { markers, secrets, links };
}

/** A commit of a submodule is no object of this repository. */
async function readable(git: Git, changes: readonly Change[]): Promise<Change[]> {
  const oids = changes.flatMap(({ before, after }) => [before, after]).filter(isOid);
  if (oids.length === 0) return [];
  const asked = ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)'];
  const lines = (await git.text(asked, `${oids.join('\n')}\n`)).split('\n');
  const small = lines.flatMap((line) => {
    const [oid = '', type, size] = line.split(' ');
    return type === 'blob' && Number(size) <= MOST_BYTES ? oid : [];
  });
  const isSmall = new Set(small);
  return changes.filter(({ after }) => isSmall.has(after) || !isOid(after));
}

/** Also where `..` follows a name, which may be a link itself. */
const leadsOut = (path: string, target: string): boolean =>
  target.startsWith('/') ||
  posix.join(posix.dirname(path), target, '/').startsWith('../') ||
  /[^/.][^/]*\/(?:.*\/)?\.\.(?:\/|$)/.test(target);
