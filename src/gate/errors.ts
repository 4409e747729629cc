import { ExplainedError } from '../errors.ts';

/** The gate cannot tell what a command would make leave; at a boundary that means no. */
export class CannotTellError extends ExplainedError {
  override readonly code = 'CANNOT_TELL';

  constructor(message: string, hint: string) {
    super(message, { hint });
  }
}
