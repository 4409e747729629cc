import { ExplainedError } from '../base/errors.ts';

/** What a command would make leave cannot be told; at a boundary that is denied. */
export class CannotTellError extends ExplainedError {
  override readonly code = 'CANNOT_TELL';

  /** What cannot be told: what leaves, or from where. */
  readonly about: 'content' | 'place';

  constructor(message: string, hint: string, about: 'content' | 'place' = 'content') {
    super(message, { hint });
    this.about = about;
  }
}

/** What a `pre-push` hook was given is not what git writes. */
export class MalformedPushError extends ExplainedError {
  override readonly code = 'MALFORMED_PUSH';

  constructor(line: string) {
    super(`\`${line.slice(0, 200)}\` is not a line that git writes to a pre-push hook`, {
      hint: 'push with git itself; a hook that calls this one has to hand on all of its input',
    });
  }
}
