/** Examples at the end of a command's help, each with why one would type it. */
export function examples(...lines: readonly (readonly [command: string, why: string])[]): string {
  const widest = Math.max(...lines.map(([command]) => command.length));
  const body = lines.map(([command, why]) => `  ${command.padEnd(widest)}  ${why}`);
  return `\nExamples:\n${body.join('\n')}`;
}
