/**
 * Git settings that were added to the repository after the run began, as a worker could do. Lanehold's own git does not
 * use them, and they are reported. Files in the home folder that configure runners are watched as well.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJsonFile, writeJsonFile } from '../../base/files/json-file.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { SETTINGS_VARIABLE } from '../../base/git/git.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { localSettings, overridden } from '../../base/git/local-settings.ts';
import type { Run } from '../../store/lanes.ts';
import type { LaneContext } from '../spec/context.ts';
import { laneDir } from '../spec/paths.ts';

const Known = z.record(z.string(), z.string());

/**
 * The settings; those at the first reading count as known.
 *
 * @param worktree a tree with settings of its own; by default the main checkout.
 */
export async function gitSettings(
  { store, env }: Pick<LaneContext, 'store' | 'env'>,
  { id, repository, commonDir }: Run,
  worktree = repository,
) {
  const { [SETTINGS_VARIABLE]: _, ...clean } = env;
  const none = { env: clean as NodeJS.ProcessEnv, planted: [] as readonly string[], now: {} };
  if (!existsSync(commonDir)) return none;
  const git = gitIn(existsSync(worktree) ? worktree : repository, clean);
  const settings = await localSettings(git, commonDir, settingsOutside(clean).git);
  const outer = [...settings.outer].map(([name, value]) => [`${name} of the user`, value]);
  const now = { ...settings.own, ...Object.fromEntries(outer) };
  const dir = laneDir(store.home, id);
  const file = join(dir, 'git-settings.json');
  const known = readJsonFile(file, Known);
  if (known === 'none') {
    makePrivateFolder(dir);
    writeJsonFile(file, settings.own);
    return { ...none, now };
  }
  const before = known === 'unreadable' ? {} : known;
  const planted = Object.keys(settings.own)
    .filter((name) => before[name] !== settings.own[name])
    .sort();
  const values = planted
    .map((name) => [name, overridden(name, settings)])
    .filter(([, value]) => value !== undefined);
  if (values.length === 0) return { env: clean as NodeJS.ProcessEnv, planted, now };
  return { env: { ...clean, [SETTINGS_VARIABLE]: JSON.stringify(values) }, planted, now };
}

/**
 * Reads the settings before a command that is not trusted. `changed`, called after it, returns those that it has
 * changed. `converted`: attributes that are newer than the run change every checkout, and no setting can replace them.
 */
export async function watchedSettings(context: Pick<LaneContext, 'store' | 'env'>, run: Run) {
  const { env, planted, now: before } = await gitSettings(context, run);
  const attributes = join(run.commonDir, 'info/attributes');
  const converted =
    planted.includes('info/attributes') && CONVERTS.test(readPlainFile(attributes) ?? '');
  const outside = settingsOutside(env);
  const atHome = AT_HOME.map((name) => `~/${name}`);
  const gitFiles = ['config', 'info/attributes'].map((name) => join(run.commonDir, name));
  const textsOf = (files: readonly string[]) =>
    files.map((file) => (readPlainFile(file) ?? '').replaceAll(LOGIN, ''));
  const texts = textsOf(outside.home);
  const git = () => textsOf([...gitFiles, ...outside.git]).join('\0');
  const gitTexts = git();
  return {
    env,
    converted,
    async changed(): Promise<string[]> {
      const files = textsOf(outside.home).flatMap((text, at) =>
        text === texts[at] ? [] : (atHome[at] ?? []),
      );
      if (git() === gitTexts) return files;
      const { now } = await gitSettings(context, run);
      const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
      return [...names.filter((it) => before[it] !== now[it] && SEEN.test(it)), ...files];
    },
  };
}

/** The user's files: git's own settings, and those of other programs. */
function settingsOutside(env: NodeJS.ProcessEnv) {
  const { HOME = '', XDG_CONFIG_HOME: config = join(HOME, '.config') } = env;
  const { GIT_CONFIG_GLOBAL: global = join(HOME, '.gitconfig') } = env;
  return {
    git: [global, join(config, 'git/config'), '/etc/gitconfig'],
    home: AT_HOME.map((name) => join(HOME, name).replace(join(HOME, '.config'), config)),
  };
}

/** Settings that affect a checkout or a merge. A person may change identity, logins, aliases and hooks at any time. */
const SEEN =
  /^(?:filter|merge|diff|attr|include(?:if)?|info\/attributes)\b|^core\.(?:autocrlf|eol|safecrlf|symlinks|filemode|attributesfile|fsmonitor)\b/;
/** Lines of `.npmrc` with logins. */
const LOGIN = /^\s*\/\/.*$\n?/gm;
/** Attributes with which a checkout writes other bytes without a program. */
const CONVERTS = /(?:^|\s)[-!]?(?:text|eol|crlf|ident|binary|working-tree-encoding|\[attr\])/;
/** Files in the home folder that package managers, runners and git read, and that no git setting names. */
const AT_HOME = [
  ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.bunfig.toml', '.config/pnpm/rc', '.config/go/env'],
  ...['.config/pip/pip.conf', '.pip/pip.conf', '.cargo/config', '.cargo/config.toml', '.rspec'],
  '.config/git/attributes',
];
