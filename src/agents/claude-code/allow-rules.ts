/** Permission rules of Claude Code for what a worker has to be able to do without being asked. */
import { REPORTING } from '../worker/permitted-commands.ts';
import { simpleCommands } from '../worker/simple-commands.ts';

const TOOLS = ['Read', 'Glob', 'Grep', 'Edit', 'Write', 'NotebookEdit', 'TodoWrite'];

/** The client itself lets pass what only looks, and knows the options with which it does not. */
const COMMANDS = REPORTING.flatMap((it) => [it, `${it} *`]);

/**
 * A command line is matched whole, and by its parts where it has several. One that is a single
 * command may be given further arguments (`npm test -- one.test.ts`).
 */
export function allowRules(commandLines: readonly string[]): readonly string[] {
  const commands = commandLines.flatMap((line) => {
    const parts = simpleCommands(line);
    const [only] = parts;
    return only !== undefined && parts.length === 1 ? [only, `${only} *`] : [line.trim(), ...parts];
  });
  const rules = [...COMMANDS, ...commands].filter(isRule).map((command) => `Bash(${command})`);
  return [...new Set([...TOOLS, ...rules])];
}

/** What the syntax of a rule can hold: a slip would make the client drop the whole file. */
function isRule(command: string): boolean {
  return command !== '' && !/[\p{Cc}()]|:\*/u.test(command) && command.length <= 1_000;
}
