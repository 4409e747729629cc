import { ExitCode, ExplainedError } from '../../errors.ts';
import { printable } from '../../text/printable.ts';
import type { Host } from '../context.ts';
import { painter } from './colour.ts';

interface Failure {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

const REPORT = 'this is a defect in lanehold: please report it together with the lines above';

/**
 * An explained failure is a fact and a hint; anything else is a defect and shows its stack. Under
 * `--json` stdout carries `{"error": {code, message, hint}}`, because that is where JSON is read.
 */
export async function renderFailure(error: unknown, host: Host): Promise<Failure> {
  // What was typed, because misuse is found before the options are read.
  const end = host.argv.indexOf('--');
  const typed = end < 0 ? host.argv : host.argv.slice(0, end);
  const asked = (flag: string) => typed.includes(flag);
  const explained = error instanceof ExplainedError;
  const facts = explained
    ? { code: error.code, message: error.message, hint: error.hint }
    : { code: 'UNEXPECTED', message: String(error), hint: REPORT };
  const exitCode = explained ? error.exitCode : ExitCode.failed;
  const stack = explained ? '' : `${stackOf(error)}\n`;
  if (asked('--json')) {
    return { stdout: `${JSON.stringify({ error: facts }, null, 2)}\n`, stderr: stack, exitCode };
  }

  const paint = await painter(host, 'stderr');
  const lines = explained ? [`${paint.bad('error:')} ${printable(facts.message)}`] : [];
  if (facts.hint !== undefined) lines.push(`${paint.hint('hint:')} ${printable(facts.hint)}`);
  if (explained && error.cause !== undefined && asked('--verbose')) {
    lines.push(`cause: ${printable(stackOf(error.cause))}`);
  }
  return { stdout: '', stderr: `${stack}${lines.join('\n')}\n`, exitCode };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}
