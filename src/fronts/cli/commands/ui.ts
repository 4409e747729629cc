import { createInterface } from 'node:readline';
import { given } from '../../../app/values.ts';
import { attempt, ExitCode, UsageError } from '../../../base/errors.ts';
import { onPath } from '../../../base/files/executable.ts';
import { spawnDetached } from '../../../base/process/run.ts';
import { printableLine } from '../../../base/text/printable.ts';
import { type Context, command, interruptible } from '../command.ts';

const NOTES = `

It is reached from this machine alone, and by the address that it prints, once;
press enter for another one. It ends with Ctrl-C, or after an hour in which
nobody has looked. What needs a person's word is shown there as a command.`;

const HOW = `It opens once: press Enter here for another one, and Ctrl-C to end.`;

export const declareUi = command({
  name: 'ui',
  about: 'Show in the browser who needs you, and lanes, hold, sessions, memory and health',
  options: [
    ['--no-open', 'only print the address'],
    ['--port <number>', 'this one; by default, or with 0, one that is free'],
    ['--all', 'every project of this machine, with a switch between them'],
  ],
  examples: [
    ['lanehold ui', 'of the project here'],
    ['lanehold ui --all --no-open --port 4600', 'of all, on this port'],
  ],
  notes: NOTES,
  run: (context, { open, port, all = false }) =>
    interruptible(async (signal) => {
      const { servePage } = await import('../../page/serve.ts');
      const page = await servePage(context, {
        all,
        signal,
        port: given(portOf, port) ?? 0,
        onDefect: (stack) => void context.streams.stderr.write(`${stack}\n`),
      });
      const { readOnly } = page;
      const show = (): string => {
        const address = page.address();
        const how = context.streams.stdout.isTTY ? `\n${HOW}` : '';
        const only = readOnly === null ? '' : `\nIt only shows things: ${readOnly}`;
        context.print(
          { address, port: page.port, readOnly },
          `${address}${how}${only}`,
          ExitCode.done,
          'as it is',
        );
        return address;
      };
      const address = show();
      if (open && !context.json) openBrowser(context, address);
      const stopAsking = onEnter(context, show);
      await page.ended.finally(stopAsking);
      return ExitCode.done;
    }),
});

function portOf(written: string): number {
  const port = Number(written);
  if (/^\d+$/.test(written) && port < 65_536) return port;
  throw new UsageError(`${printableLine(written)} is no port`, {
    hint: 'give a number from 1 to 65535, or 0 for one that is free',
  });
}

/** Opens the page, if there is a screen and a program that opens addresses. */
function openBrowser({ env, cwd }: Context, address: string): void {
  const isMac = process.platform === 'darwin';
  const hasScreen = isMac || (env.DISPLAY ?? env.WAYLAND_DISPLAY ?? '') !== '';
  const program = onPath(isMac ? 'open' : 'xdg-open', env);
  if (!hasScreen || program === undefined) return;
  const stdio = ['ignore', 'ignore', 'ignore'] as const;
  attempt(() => spawnDetached(program, [address], { cwd, env, stdio }));
}

/** Lets the person at the terminal admit another browser. @returns a function that stops it. */
function onEnter({ streams: { stdin } }: Context, show: () => void): () => void {
  if (stdin.isTTY !== true) return () => undefined;
  const lines = createInterface({ input: stdin }).on('line', show);
  return () => lines.close();
}
