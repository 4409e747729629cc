/**
 * The parts of a repository that make git start programs, act as somebody else, or check out other content: its
 * settings (with their includes, and those of one working tree), and its hooks and attributes outside of any commit.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../errors.ts';
import { startOfFile } from '../files/plain-file.ts';
import { sha256 } from '../text/sha256.ts';
import type { Git } from './git.ts';
import { projectPlace } from './project.ts';

export interface LocalSettings {
  /** A digest of the values for each name. */
  readonly own: Readonly<Record<string, string>>;
  /** The values of the user and of the machine. */
  readonly outer: ReadonlyMap<string, string>;
}

const KINDS = [
  /^core\.(?:hookspath|fsmonitor|sshcommand|gitproxy|askpass|editor|pager|attributesfile)$/,
  // With these settings, a checkout writes other content.
  /^core\.(?:autocrlf|eol|safecrlf|symlinks|filemode)$|^attr\./,
  /^(?:filter|alias|includeif|credential|gpg|protocol|url|trailer)\./,
  /^(?:diff\.external|diff\..+\.(?:command|textconv)|merge\..+\.driver|include\.path)$/,
  /^(?:user|author|committer)\.(?:name|email|signingkey)$|^commit\.gpgsign$/,
];

/**
 * @param commonDir the git directory that all working trees share.
 * @param outerFiles settings of the user and of the machine.
 */
export async function localSettings(
  git: Git,
  commonDir: string,
  outerFiles: readonly string[],
): Promise<LocalSettings> {
  const fields = (await listing(git, [join(commonDir, 'config'), ...outerFiles])).split('\0');
  const own = new Map<string, string>();
  const outer = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope, text = ''] = fields.slice(at, at + 2);
    const [name = ''] = text.split('\n', 1);
    if (!KINDS.some((it) => it.test(name))) continue;
    if (scope === 'local' || scope === 'worktree') own.set(name, `${own.get(name) ?? ''}${text}\0`);
    else if (scope !== 'command') outer.set(name, text.slice(name.length + 1));
  }
  const digests = [...own].map(([name, values]) => [name, digest(values)]);
  return { own: { ...Object.fromEntries(digests), ...filesIn(commonDir) }, outer };
}

let known: Readonly<{ stamp: string; text: string }> | undefined;
/** Two changes of a file within this time may leave the same stamp. */
const SETTLED_MS = 100;

/** What git lists, which is asked again only after one of the files has changed; always where they include others. */
async function listing(git: Git, files: readonly string[]): Promise<string> {
  const { gitDir = '' } = projectPlace(git.directory);
  const all = [...files, join(gitDir, 'config.worktree')];
  const stats = all.map((file) => statSync(file, { throwIfNoEntry: false }));
  const stamp = stats
    .map((it, at) => it && [all[at], it.ino, it.size, it.mtimeMs, it.ctimeMs].join(' '))
    .join('\n');
  if (known?.stamp === stamp) return known.text;
  const newest = Math.max(...stats.map((it) => it?.ctimeMs ?? 0));
  const isSettled = Math.abs(Date.now() - newest) > SETTLED_MS;
  const text = await git.text(['config', '--list', '-z', '--show-scope']);
  if (isSettled && !/\0include/.test(text)) known = { stamp, text };
  return text;
}

function filesIn(commonDir: string): Record<string, string> {
  const hooks = (attempt(() => readdirSync(join(commonDir, 'hooks'))) ?? [])
    .filter((name) => !name.endsWith('.sample'))
    .map((name) => `hooks/${name}`);
  const files = [...hooks, 'info/attributes'].flatMap((name) => {
    const bytes = startOfFile(join(commonDir, name), MOST_BYTES);
    return bytes.length === 0 ? [] : [[name, digest(bytes)]];
  });
  return Object.fromEntries(files);
}

const MOST_BYTES = 1024 * 1024;

const digest = (content: string | Buffer): string => sha256(content).slice(0, 16);

const DEFAULTS: Readonly<Record<string, string>> = {
  'core.attributesfile': '~/.config/git/attributes',
  'core.autocrlf': 'false',
  'core.eol': 'native',
  'core.safecrlf': 'warn',
  'core.symlinks': 'true',
  'core.filemode': 'true',
  'attr.tree': '',
};

/** The value to set for one command, so that a setting of the repository starts nothing. */
export function overridden(name: string, { outer }: LocalSettings): string | undefined {
  const otherwise = DEFAULTS[name];
  const isUsed = /^(?:filter|credential)\.|^merge\..+\.driver$|^core\.(?:ssh|gitp|ask)/.test(name);
  // The other settings are switched off for every git that is started.
  if (!isUsed && otherwise === undefined) return undefined;
  const known = outer.get(name) ?? otherwise;
  if (known !== undefined) return known;
  if (name.endsWith('.required')) return 'false';
  // An empty driver would merge everything; this program ends like a driver that finds a conflict.
  return name.startsWith('merge.') ? 'false' : '';
}
