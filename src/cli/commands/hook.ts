import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { agentsWith } from '../../agents/registry.ts';
import { EVENT_NAMES } from '../../agents/types.ts';
import { ExplainedError } from '../../errors.ts';
import { packageRoot } from '../../package.ts';
import { examples } from '../render/examples.ts';

type Options = { readonly agent: string };

export function declareHook(parent: Command): void {
  const agents = agentsWith('hooks').map(({ name }) => name);
  parent
    .command('hook')
    .argument('<event>', EVENT_NAMES.join(', '))
    .description('Answer one hook event of an agent: payload on stdin, answer on stdout')
    .requiredOption('--agent <name>', agents.join(', '))
    .addHelpText(
      'after',
      examples([
        `lanehold hook before-tool --agent ${agents[0]} < payload.json`,
        'what the installed hook does, without the way through the settings',
      ]),
    )
    .action((event: string, options: Options) => runHook(event, options));
}

/** Hands over to the hook program, which ends the process with its own exit code. */
export async function runHook(event: string, { agent }: Options): Promise<void> {
  const program = join(packageRoot(), 'hooks', 'lanehold-hook.cjs');
  if (!existsSync(program)) {
    throw new ExplainedError('the hook program is not built', { hint: 'run `npm run build`' });
  }
  process.argv = [process.execPath, program, event, '--agent', agent];
  await import(pathToFileURL(program).href);
}
