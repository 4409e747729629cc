/** Where OpenCode looks for plugins, and lanehold's. */
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { attempt, ExplainedError } from '../../base/errors.ts';
import { packageRoot } from '../../base/files/package.ts';
import { isJsonObject, parsedJson } from '../../base/text/json.ts';
import type { AgentInstall, FileEditor, InstalledHook, Place, Sample, Scope } from '../install.ts';
import {
  type HookStart,
  lineOf,
  runsNoRelease,
  shimArguments,
  shimInLine,
} from '../kit/hook-shim.ts';
import { OWN_FILE_MARK, ownFile } from '../kit/own-file.ts';
import { placed } from '../kit/places.ts';
import { SKILLS, skillFiles } from '../kit/skills.ts';
import { opencodeHooks } from './hooks.ts';
import type { PluginPayload } from './payload.ts';

const NAME = 'lanehold.js';

const FOLDERS = {
  kept: 'the plugins of OpenCode',
  user: { name: 'XDG_CONFIG_HOME', folder: '.config' },
};

export const opencodeInstall: AgentInstall = {
  signs: (place) => ({ folders: [configFolder(place)], programs: ['opencode'] }),
  files(scope, place, start) {
    const file = hooksFile(scope, place);
    const skills = placed(SKILLS[scope], place, FOLDERS);
    return [{ file, what: 'hooks', editor: pluginFile(start, file) }, ...skillFiles(skills)];
  },
  settingsFilesInForce: (place) => [hooksFile('user', place), hooksFile('project', place)],
  samples,
  client: { program: 'opencode' },
};

/** The path of the plugin. The client finds the project's plugins from all of its folders. */
export function hooksFile(scope: Scope, place: Place): string {
  if (scope === 'user') return join(configFolder(place), 'plugins', NAME);
  return placed(`{root}/.opencode/plugins/${NAME}`, place, FOLDERS);
}

/** The configuration folder; a path that is not absolute is ignored. */
function configFolder({ env, cwd }: Place): string {
  const { XDG_CONFIG_HOME: folder = '' } = env;
  const known = isAbsolute(folder) ? env : { ...env, XDG_CONFIG_HOME: undefined };
  return placed('{user}/opencode', { env: known, cwd }, FOLDERS);
}

/** The line from which the plugin reads what to start. */
const START = /^const START = (\{.*\});$/m;

function pluginFile(start: HookStart, file: string): FileEditor {
  const starts = {
    program: '/bin/sh',
    args: shimArguments(start, file, { given: [], adapter: opencodeHooks.adapter }),
    runsNoRelease: runsNoRelease(),
  };
  const text = `// ${OWN_FILE_MARK}, which writes it anew.
const START = ${JSON.stringify(starts)};
${pluginCode()}`;
  return { ...ownFile(text), find: (_file, found) => hooksIn(found) };
}

/** @throws {ExplainedError} if it was not built. */
function pluginCode(): string {
  const file = join(packageRoot(), 'hooks', 'opencode-plugin.js');
  const code = attempt(() => readFileSync(file, 'utf8'));
  if (code !== undefined) return code;
  throw new ExplainedError(`there is no plugin at ${file}`, {
    hint: 'run `npm run build`, or install lanehold again',
  });
}

/** The hooks of the plugin: the command before a tool stands for all of them. */
function hooksIn(text: string): InstalledHook[] {
  const starts = parsedJson(START.exec(text)?.[1] ?? '');
  const given = isJsonObject(starts) && Array.isArray(starts.args) ? starts.args.map(String) : [];
  const line = lineOf([...given, 'before-tool', '--agent', 'opencode']);
  const shim = shimInLine(line);
  return shim === undefined
    ? []
    : [{ event: 'tool.execute.before', line, shim, timeout: undefined }];
}

function samples(directory: string): Sample[] {
  const payload: PluginPayload = {
    hook: 'tool.execute.before',
    directory,
    session: 'doctor',
    tool: 'bash',
    args: { command: 'git status' },
  };
  return [{ event: payload.hook, as: 'before-tool', payload }];
}
