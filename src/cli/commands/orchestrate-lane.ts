import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { declareLaneAdd } from './orchestrate-lane-add.ts';
import { declareLaneAdopt } from './orchestrate-lane-adopt.ts';
import { declareLaneEdit, declareLaneWiden } from './orchestrate-lane-edit.ts';
import { declareLaneBlock, declareLaneCancel, declareLaneOpen } from './orchestrate-lane-hold.ts';

export function declareOrchestrateLane(parent: Command, context: () => Context): void {
  const lane = parent
    .command('lane')
    .description('Add lanes and change them: one bounded piece of the work each');
  declareLaneAdd(lane, context);
  declareLaneEdit(lane, context);
  declareLaneWiden(lane, context);
  declareLaneBlock(lane, context);
  declareLaneCancel(lane, context);
  declareLaneOpen(lane, context);
  declareLaneAdopt(lane, context);
}
