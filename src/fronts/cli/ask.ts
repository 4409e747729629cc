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
  const { stdin, stderr } = context.streams;
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: stdin, output: stderr });
  const choice = usual === 'yes' ? '[Y/n]' : '[y/N]';
  const answer = await prompt.question(`${question} ${choice} `).finally(() => prompt.close());
  return /^y(?:es)?$/i.test(answer.trim() || usual);
}
