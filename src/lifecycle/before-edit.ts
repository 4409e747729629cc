/** Before an edit: a person has to agree to a change of lanehold's own files. */
import type { Reply } from '../agents/types.ts';
import { tamperingText } from '../recognise/guard/tampering-text.ts';
import { guardedFiles } from './guarded-files.ts';
import { type Caller, NO_OPINION } from './handler.ts';

export function beforeEdit(paths: readonly string[], { env }: Pick<Caller, 'env'>): Reply {
  const guarded = guardedFiles(env);
  for (const path of paths) {
    const noun = guarded(path, 'file');
    if (noun === undefined) continue;
    const reason = tamperingText({ what: `change or remove ${noun}`, where: path }, 'edit');
    return { decision: 'ask', reason };
  }
  return NO_OPINION;
}
