import type { Command } from 'commander';
import { UsageError } from '../../errors.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { declareOrchestrateRetry } from './orchestrate-again.ts';
import { declareOrchestrateAnswer } from './orchestrate-answer.ts';
import { declareOrchestrateAsk } from './orchestrate-ask.ts';
import { declareOrchestrateGc } from './orchestrate-gc.ts';
import { declareOrchestrateHandoff } from './orchestrate-handoff.ts';
import { declareOrchestrateInit } from './orchestrate-init.ts';
import { declareOrchestrateIntegrate } from './orchestrate-integrate.ts';
import {
  declareOrchestrateCancel,
  declareOrchestratePause,
  declareOrchestrateResume,
} from './orchestrate-intent.ts';
import { declareOrchestrateLand } from './orchestrate-land.ts';
import { declareOrchestrateLane } from './orchestrate-lane.ts';
import { declareOrchestrateLogs } from './orchestrate-logs.ts';
import { declareOrchestrateReport } from './orchestrate-report.ts';
import { declareOrchestrateSpawn } from './orchestrate-spawn.ts';
import { declareOrchestrateStatus } from './orchestrate-status.ts';
import { declareOrchestrateSync } from './orchestrate-sync.ts';
import { declareOrchestrateVerify } from './orchestrate-verify.ts';

const SUBCOMMANDS: readonly ((parent: Command, context: () => Context) => void)[] = [
  declareOrchestrateInit,
  declareOrchestrateLane,
  declareOrchestrateSpawn,
  declareOrchestrateStatus,
  declareOrchestrateLogs,
  declareOrchestrateSync,
  declareOrchestrateRetry,
  declareOrchestrateVerify,
  declareOrchestrateIntegrate,
  declareOrchestrateLand,
  declareOrchestratePause,
  declareOrchestrateResume,
  declareOrchestrateCancel,
  declareOrchestrateAsk,
  declareOrchestrateAnswer,
  declareOrchestrateReport,
  declareOrchestrateHandoff,
  declareOrchestrateGc,
];

export function declareOrchestrate(parent: Command, context: () => Context): void {
  const orchestrate = parent
    .command('orchestrate')
    .description('Split broad work into lanes: workers, worktrees, validations, one integration')
    .addHelpText(
      'after',
      examples(
        ["lanehold orchestrate init 'Move billing to the new API'", 'begin a run'],
        [
          "lanehold orchestrate lane add api --desc '…' --touches 'src/api/**' --validate 'npm test'",
          'add a lane',
        ],
        ['lanehold orchestrate spawn --ready', 'start what can start'],
        ['lanehold orchestrate status', 'where everything stands'],
        ['lanehold orchestrate integrate && lanehold orchestrate land', 'bring it home'],
      ),
    );
  for (const declare of SUBCOMMANDS) declare(orchestrate, context);
  orchestrate.hook('preAction', (_, action) => refuseWorker(action, context()));
}

/** Below `orchestrate`: what the worker of a lane says and reads. */
const WORKERS = new Set(['ask', 'report', 'status', 'handoff', 'logs']);

/** A lane is not widened, verified or given another validation by whoever works on it. */
function refuseWorker(action: Command, { env }: Context): void {
  if (!env.LANEHOLD_ATTEMPT || !env.LANEHOLD_STAGE) return;
  const verb = verbOf(action);
  if (WORKERS.has(verb)) return;
  throw new UsageError(
    `\`orchestrate ${verb}\` is the coordinator's, and this is a lane's worker`,
    {
      hint: 'report, ask and read: `lanehold orchestrate report|ask|status|handoff`',
    },
  );
}

/** `lane` of `orchestrate lane add`. */
function verbOf(action: Command): string {
  const { parent } = action;
  return parent === null || parent.name() === 'orchestrate' ? action.name() : verbOf(parent);
}
