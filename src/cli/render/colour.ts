/** The one place that decides about colour. Colour never carries a meaning that words do not. */
import type { Context } from '../context.ts';

type Where = Pick<Context, 'env' | 'streams'>;
export type Paint = (text: string) => string;

export interface Painter {
  readonly good: Paint;
  readonly bad: Paint;
  readonly warn: Paint;
  readonly hint: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
}

/** Loads chalk only when it is about to print. */
export async function painter(where: Where, stream: 'stdout' | 'stderr'): Promise<Painter> {
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: wantsColour(where, stream) ? 1 : 0 });
  return {
    good: chalk.green,
    bad: chalk.red,
    warn: chalk.yellow,
    hint: chalk.cyan,
    strong: chalk.bold,
    faint: chalk.dim,
  };
}

/** @see https://no-color.org and https://force-color.org: an empty value counts as not set. */
function wantsColour({ env, streams }: Where, stream: 'stdout' | 'stderr'): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return streams[stream].isTTY === true && env.TERM !== 'dumb';
}
