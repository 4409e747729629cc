/** Questions to the person at the terminal. */
import type { Context } from './command.ts';

/** A person is at the terminal. */
export function canAnswer({ streams: { stdin, stderr }, json }: Context): boolean {
  return !json && 'isTTY' in stdin && stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks the person at the terminal; without one the answer is no. */
export async function agrees(
  context: Context,
  question: string,
  usual: 'yes' | 'no' = 'yes',
): Promise<boolean> {
  if (!canAnswer(context)) return false;
  const choice = usual === 'yes' ? '[Y/n]' : '[y/N]';
  return /^y(?:es)?$/i.test((await lineOf(context, `${question} ${choice} `)) || usual);
}

/** The line that the person answers with. */
export async function lineOf({ streams }: Context, question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: streams.stdin, output: streams.stderr });
  return (await prompt.question(question).finally(() => prompt.close())).trim();
}
