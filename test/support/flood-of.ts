import type { VisitedCommand } from '../../src/commands/finding.ts';
import { type Flood, floodIn } from '../../src/commands/floods.ts';
import { recognise } from '../../src/commands/recognise.ts';
import { readingContext } from '../../src/moments/lifecycle/reading-context.ts';

/** The output of a command line that is larger than a number of bytes. */
export function floodOf(line: string, folder: string, limit: number): Flood | undefined {
  const commands: VisitedCommand[] = [];
  const visit = (it: VisitedCommand): number => commands.push(it);
  recognise(line, { ...readingContext(folder, process.env), visit });
  const flood = floodIn(commands);
  return flood && flood.bytes > limit ? flood : undefined;
}
