/** Decides where colour is used. It only repeats what the words say. */
import type { Context } from '../context.ts';

type Output = Pick<Context, 'env' | 'streams'>;
export type Paint = (text: string) => string;

export interface Painter {
  readonly good: Paint;
  readonly bad: Paint;
  readonly warn: Paint;
  readonly hint: Paint;
  readonly faint: Paint;
}

/** Loads chalk only when it is about to print. */
export async function painter(output: Output, stream: 'stdout' | 'stderr'): Promise<Painter> {
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: wantsColour(output, stream) ? 1 : 0 });
  return {
    good: chalk.green,
    bad: chalk.red,
    warn: chalk.yellow,
    hint: chalk.cyan,
    faint: chalk.dim,
  };
}

/** @see https://no-color.org and https://force-color.org: an empty value counts as not set. */
function wantsColour({ env, streams }: Output, stream: 'stdout' | 'stderr'): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return streams[stream].isTTY === true && env.TERM !== 'dumb';
}
