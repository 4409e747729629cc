/** How `lanehold gate` says its answer: to people, to programs, to a workflow. */
import { appendFileSync } from 'node:fs';
import { ExplainedError, UsageError } from '../errors.ts';
import type { Context } from './context.ts';
import { githubAnnotations, githubSummary } from './render/github.ts';

export const FORMATS = ['text', 'json', 'github'] as const;
export type Format = (typeof FORMATS)[number];

/** @throws {UsageError} */
export function formatOf(written: string): Format {
  const format = FORMATS.find((it) => it === written);
  if (format !== undefined) return format;
  throw new UsageError(`there is no format \`${written}\``, {
    hint: `one of ${FORMATS.join(', ')}`,
  });
}

export interface Reporter {
  /** `text` has the verdict in its first line. */
  answer(data: object, text: string, held: boolean): void;
  /** Where there is none; the failure itself is for whoever catches it. */
  cannotTell(error: unknown): void;
}

export function reporter(context: Context, format: Format): Reporter {
  if (format === 'github') return githubReporter(context);
  return {
    answer(data, text) {
      context.print(data, format === 'json' ? JSON.stringify(data, null, 2) : text);
    },
    cannotTell: () => undefined,
  };
}

function githubReporter(context: Context): Reporter {
  function say(data: object, text: string, held: boolean): void {
    context.print(data, githubAnnotations(text, held));
    const file = context.env.GITHUB_STEP_SUMMARY;
    if (file) appendFileSync(file, githubSummary(text, held));
  }
  return {
    answer: say,
    cannotTell(error) {
      if (!(error instanceof ExplainedError)) return;
      const { message, hint } = error;
      const text = [`lanehold cannot tell: ${message}`, ...(hint ? [`hint: ${hint}`] : [])];
      say({ error: message }, text.join('\n'), true);
    },
  };
}
