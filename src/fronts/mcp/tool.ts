/** How a tool is declared: its input, and the use case that it calls. */
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/mini';
import type { AppContext } from '../../app/context.ts';
import { readInput } from '../../app/input.ts';
import { UsageError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/text/json.ts';

export interface CallContext extends AppContext {
  readonly signal: AbortSignal;
}

export interface ToolResult {
  /** The data that `--json` prints. */
  readonly data: object;
  readonly text: string;
}

export const said = <T extends object>(data: T, text: (data: T) => string): ToolResult => ({
  data,
  text: text(data),
});

interface Shape<Input extends z.ZodMiniObject> {
  readonly name: string;
  /** One sentence, because it is in the context of each session. */
  readonly description: string;
  readonly input: Input;
  readonly annotations: ToolAnnotations;
  readonly run: (context: CallContext, input: z.output<Input>) => Promise<ToolResult>;
}

export interface Tool extends Omit<Shape<z.ZodMiniObject>, 'run'> {
  /** @throws {UsageError} if the input is invalid. */
  readonly run: (context: CallContext, given: unknown) => Promise<ToolResult>;
}

export function tool<Input extends z.ZodMiniObject>({ run, input, ...rest }: Shape<Input>): Tool {
  return {
    ...rest,
    input: z.extend(input, COMMON),
    run(context, given) {
      const { cwd: _, json: __, ...own } = isJsonObject(given) ? given : {};
      return run(context, readInput(input, isJsonObject(given) ? own : given));
    },
  };
}

/** The input of every tool; the server's instructions explain it. */
const COMMON = { cwd: z.optional(z.string()), json: z.optional(z.boolean()) };

export function commonInput(given: unknown) {
  const { cwd, json } = isJsonObject(given) ? given : {};
  return readInput(z.object(COMMON), { cwd, json });
}

/** @param use what needs it. @throws {UsageError} if it is missing. */
export function needed(value: string | undefined, key: string, use: string): string {
  if (value !== undefined) return value;
  throw new UsageError(`\`${key}\` is missing`, { hint: `\`${use}\` needs it` });
}

export const READS = { readOnlyHint: true } as const;
export const ADDS = { destructiveHint: false } as const;

/** A text of the input, with what the model is told of it. */
export const text = (about: string) => z.string().check(z.describe(about));

/** This is a check of its own, because its JSON Schema would be sent to every model. */

export const names = (about?: string) => {
  const list = z.array(
    z
      .string()
      .check(z.refine((it: string) => it.length <= 1_000, 'is longer than 1,000 characters')),
  );
  return about === undefined ? list : list.check(z.describe(about));
};
