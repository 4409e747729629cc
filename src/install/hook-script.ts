/**
 * The script in LANEHOLD_HOME that the settings of agents start: POSIX sh between an agent and the hook program.
 * It answers itself what only reads (`quick-answer.ts`), and starts the program for all else.
 */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runsNoRelease } from '../agents/kit/hook-shim.ts';
import { AGENTS, agentsWith } from '../agents/registry.ts';
import type { Home } from '../base/files/home.ts';
import { readText, writeTarget } from '../base/files/user-files.ts';
import { installManifest } from './manifest.ts';
import { type QuickAgent, quickAnswer } from './quick-answer.ts';

const PRIVATE_PROGRAM = 0o700;

export function hookScriptFile(home: Pick<Home, 'root'>): string {
  return join(home.root, 'lanehold-hook.sh');
}

/** Callers hold the lock. */
export function writeHookScript(home: Home): void {
  const file = hookScriptFile(home);
  if (!isCurrentScript(file)) writeTarget(file, hookScript(), PRIVATE_PROGRAM);
}

/** If no settings that lanehold knows of start it any more. */
export function removeHookScript(home: Home): void {
  if (installManifest(home).installations.length === 0)
    rmSync(hookScriptFile(home), { force: true });
}

export function isCurrentScript(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && (stats.mode & 0o077) === 0 && readText(file) === hookScript();
}

/** Arguments: Node, the hook program, the settings file of the agent, and what the hook program gets. */
function hookScript(): string {
  return `#!/bin/sh
# Made by \`lanehold install\`, which writes it anew; the settings of agents start it.
node=$1 hook=$2 settings=$3
shift 3
[ -f "$node" ] && [ -x "$node" ] || node=node
# Entries of this version have looked before. Those of earlier ones leave it to this script.
if ! [ -f "$hook" ] || ! command -v "$node" >/dev/null; then
  [ "$1" = before-tool ] || exit 0
  PATH=$PATH:/usr/bin:/bin
  ${runsNoRelease()} && exit 0
  printf '%s\\n' "held: this cannot be checked, because Node or the program of lanehold ($hook) is gone. Repair it: npm install -g lanehold && lanehold install; or take its hooks out of $settings" >&2
  exit 2
fi
${quickAnswer(quickAgents())}`;
}

/** What the script has to know of all agents. */
export function quickAgents(): readonly QuickAgent[] {
  return agentsWith('install').flatMap(({ name, hooks, guards }) => {
    if (hooks === undefined) return [];
    return [
      {
        name,
        guards,
        quickTools: [
          ...(hooks.quickShellTools ?? []).map((it) => [it, 'command'] as const),
          ...(hooks.quickEdits ?? []),
          ...(hooks.quickPrompts ? [['', 'prompt'] as const] : []),
        ],
        foreign: AGENTS.filter((it) => it.name !== name).flatMap(({ marks }) => [
          ...marks.present,
          ...(marks.session ? [marks.session] : []),
          ...(marks.others ?? []),
        ]),
      },
    ];
  });
}
