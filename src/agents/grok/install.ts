/** Where Grok Build keeps its hooks, and what lanehold puts there. */
import { join } from 'node:path';
import type { AgentInstall, Place, Sample, Scope } from '../install.ts';
import { settingsHooks } from '../kit/entries.ts';
import { scriptCommandLine } from '../kit/hook-shim.ts';
import { afterProject, homeFolder, inBothScopes, projectRoot, userFolder } from '../kit/places.ts';
import { sharedSkillFiles } from '../kit/skills.ts';
import { FOLDER, grokHooks, OLDEST_CLIENT } from './hooks.ts';

const { shell: SHELL_TOOLS, edit: EDIT_TOOLS } = grokHooks.tools;

const hooks = settingsHooks({
  agent: 'grok',
  hooks: grokHooks,
  // The client lets a tool run if a command has a `$` that it cannot fill in, so the lines have none.
  line: scriptCommandLine,
  // A matcher with other characters than these would be a regular expression that may match a part.
  matchers: {
    'before-tool': `^(${[...SHELL_TOOLS, ...EDIT_TOOLS].join('|')}|.+__.+)$`,
    'after-tool': EDIT_TOOLS.join('|'),
    'after-tool-failure': [...SHELL_TOOLS, ...EDIT_TOOLS].join('|'),
  },
});

export const grokInstall: AgentInstall = {
  signs: (place) => ({ folders: [folderOf('user', place)], programs: ['grok'] }),
  files(scope, place, start) {
    const root = scope === 'user' ? homeFolder(place, KEPT, FOLDER.name) : projectRoot(place);
    return [hooks.row(hooksFile(scope, place), start), ...sharedSkillFiles(root)];
  },
  settingsFilesInForce: (place) => [
    ...inBothScopes(hooksFile, place),
    '/etc/grok/requirements.toml',
    '/etc/grok/managed_config.toml',
    join(folderOf('user', place), 'managed_config.toml'),
  ],
  offSwitches: (_file, text) =>
    /^\s*allow_managed_hooks_only\s*=\s*true/m.test(text) ? ['allow_managed_hooks_only'] : [],
  afterwards: afterProject(
    'start `grok` in this folder, and type `/hooks-trust`: else its hooks do not run',
  ),
  samples,
  client: {
    program: 'grok',
    minimum: {
      version: OLDEST_CLIENT,
      weakness: 'shows its model nothing of what hooks say after a tool',
      update: 'grok update',
    },
  },
};

const KEPT = 'the hooks of Grok Build';

const folderOf = (scope: Scope, place: Place): string =>
  scope === 'user' ? userFolder(place, FOLDER, KEPT) : join(projectRoot(place), FOLDER.folder);

const hooksFile = (scope: Scope, place: Place): string =>
  join(folderOf(scope, place), 'hooks/lanehold.json');

function samples(cwd: string): readonly Sample[] {
  const common = { hookEventName: 'pre_tool_use', sessionId: 'doctor', cwd, workspaceRoot: cwd };
  const tried = { toolName: SHELL_TOOLS[0], toolInput: { command: 'git status' } };
  return hooks.samples(common, { 'before-tool': tried }, { GROK_HOOK_EVENT: 'PreToolUse' });
}
