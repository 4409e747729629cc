/** The page's server and the one command that starts it: a program of its own, so that it needs less memory. */
import { uiCommand } from './cli/commands/ui.ts';
import { runCommandLine } from './cli/program.ts';
import { servePage } from './page/serve.ts';

export const declareUi = uiCommand(servePage);

export const main = (): Promise<number> => runCommandLine({ ui: async () => declareUi });
