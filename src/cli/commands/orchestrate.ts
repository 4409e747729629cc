import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { declareOrchestrateRetry } from './orchestrate-again.ts';
import { declareOrchestrateInit } from './orchestrate-init.ts';
import { declareOrchestrateIntegrate } from './orchestrate-integrate.ts';
import {
  declareOrchestrateCancel,
  declareOrchestratePause,
  declareOrchestrateResume,
} from './orchestrate-intent.ts';
import { declareOrchestrateLand } from './orchestrate-land.ts';
import { declareOrchestrateLane } from './orchestrate-lane.ts';
import { declareOrchestrateSpawn } from './orchestrate-spawn.ts';
import { declareOrchestrateSync } from './orchestrate-sync.ts';
import { declareOrchestrateVerify } from './orchestrate-verify.ts';

const SUBCOMMANDS: readonly ((parent: Command, context: () => Context) => void)[] = [
  declareOrchestrateInit,
  declareOrchestrateLane,
  declareOrchestrateSpawn,
  declareOrchestrateSync,
  declareOrchestrateRetry,
  declareOrchestrateVerify,
  declareOrchestrateIntegrate,
  declareOrchestrateLand,
  declareOrchestratePause,
  declareOrchestrateResume,
  declareOrchestrateCancel,
];

export function declareOrchestrate(parent: Command, context: () => Context): void {
  const orchestrate = parent
    .command('orchestrate')
    .description('Split broad work into lanes: workers, worktrees, validations, one integration')
    .addHelpText(
      'after',
      examples(
        ["lanehold orchestrate init 'Move billing to the new API'", 'begin a run'],
        ["lanehold orchestrate lane add api --desc '…' --touches 'src/api/**'", 'add a lane'],
        ['lanehold orchestrate spawn --ready', 'start what can start'],
        ['lanehold orchestrate status', 'where everything stands'],
        ['lanehold orchestrate integrate && lanehold orchestrate land', 'bring it home'],
      ),
    );
  for (const declare of SUBCOMMANDS) declare(orchestrate, context);
}
