/** Which commands there are. */
import type { Host } from './cli/command.ts';
import { allOf, type Commands, runCommandLine } from './cli/program.ts';

const COMMANDS: Commands = {
  feature: async () => (await import('./cli/commands/feature.ts')).declareFeature,
  gate: async () => (await import('./cli/commands/gate.ts')).declareGate,
  evidence: async () => (await import('./cli/commands/evidence.ts')).declareEvidence,
  status: async () => (await import('./cli/commands/status.ts')).declareStatus,
  statusline: async () => (await import('./cli/commands/hook.ts')).declareStatusline,
  log: async () => (await import('./cli/commands/status.ts')).declareLog,
  // The built program has it apart, with a command line of this command alone (`ui.ts`).
  ui: async () => (await import('./ui.ts')).declareUi,
  orchestrate: async () => (await import('./cli/commands/orchestrate.ts')).declareOrchestrate,
  note: async () => (await import('./cli/commands/note.ts')).declareNote,
  guard: async () => (await import('./cli/commands/guard.ts')).declareGuard,
  recall: async () => (await import('./cli/commands/recall.ts')).declareRecall,
  session: async () => (await import('./cli/commands/session.ts')).declareSession,
  dream: async () => (await import('./cli/commands/dream.ts')).declareDream,
  index: async () => (await import('./cli/commands/recall.ts')).declareIndex,
  scan: async () => (await import('./cli/commands/recall.ts')).declareScan,
  export: async () => (await import('./cli/commands/recall.ts')).declareExport,
  forget: async () => (await import('./cli/commands/forget.ts')).declareForget,
  prune: async () => (await import('./cli/commands/forget.ts')).declarePrune,
  project: async () => (await import('./cli/commands/project.ts')).declareProject,
  init: async () => (await import('./cli/commands/init.ts')).declareInit,
  install: async () => (await import('./cli/commands/install.ts')).declareInstall,
  uninstall: async () => (await import('./cli/commands/install.ts')).declareUninstall,
  doctor: async () => (await import('./cli/commands/doctor.ts')).declareDoctor,
  'git-hook': async () => (await import('./cli/commands/git-hook.ts')).declareGitHook,
  config: async () => (await import('./cli/commands/config.ts')).declareConfig,
  resident: async () => (await import('./cli/commands/resident.ts')).declareResident,
  // The command line does not know the server.
  mcp: async () =>
    (await import('./cli/commands/mcp.ts')).mcpCommand(
      async () => (await import('./mcp/server.ts')).serve,
    ),
  hook: async () => (await import('./cli/commands/hook.ts')).declareHook,
};

/** Runs what was typed and returns the exit code; never throws. */
export const main = (host?: Host, commands = COMMANDS): Promise<number> =>
  runCommandLine(commands, host);

/** All of them, for who looks at the whole command line. */
export const allCommands = () => allOf(COMMANDS);
