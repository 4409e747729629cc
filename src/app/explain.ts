/** Failures as every front shows them. */
import { codeOf, ExplainedError } from '../base/errors.ts';

const REPORT = 'this is a defect in lanehold: please report it together with the lines above';

/** Errors of SQLite (damage, a lock, a full disk) as errors that say what to do. */
export async function explained(error: unknown, env: NodeJS.ProcessEnv): Promise<unknown> {
  const code = codeOf(error);
  if (!code.startsWith('SQLITE_')) return error;
  const [{ explainStoreError }, { homeOf }] = await Promise.all([
    import('../store/errors.ts'),
    import('../base/files/home.ts'),
  ]);
  return explainStoreError(homeOf(env).database, error);
}

/** An error that is not explained is a defect: its stack belongs above the message. */
export function failureOf(error: unknown) {
  if (!(error instanceof ExplainedError)) {
    return { code: 'UNEXPECTED', message: String(error), hint: REPORT };
  }
  const { code, message, hint } = error;
  return { code, message, hint };
}
