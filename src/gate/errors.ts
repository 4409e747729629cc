import { ExplainedError } from '../base/errors.ts';

/** What a command would send is unknown; at a boundary that is denied. */
export class CannotTellError extends ExplainedError {
  override readonly code = 'CANNOT_TELL';

  /** The unknown: the content that leaves, or the place that it leaves from. */
  readonly about: 'content' | 'place';

  constructor(message: string, hint: string, about: 'content' | 'place' = 'content') {
    super(message, { hint });
    this.about = about;
  }
}

/** A `pre-push` hook was given other input than git writes. */
export class MalformedPushError extends ExplainedError {
  override readonly code = 'MALFORMED_PUSH';

  constructor(line: string) {
    super(`\`${line.slice(0, 200)}\` is not a line that git writes to a pre-push hook`, {
      hint: 'push with git itself; a hook that calls this one has to hand on all of its input',
    });
  }
}

/** Thrown for work that the helper process does not do and the hook's own process does: asking a remote. */
export class OwnProcessNeeded extends Error {}

/** The result of `work`, or `otherwise` if it fails. */
export async function orElse<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error) return otherwise;
    throw error;
  }
}
