/** How a tool is declared: what it takes, and which use case it calls. */
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/mini';
import type { AppContext } from '../../app/context.ts';
import { readInput } from '../../app/inputs.ts';
import { isJsonObject, type JsonObject } from '../../base/text/json.ts';

/** The context of a call, for the folder that it names. */
export interface CallContext extends AppContext {
  readonly signal: AbortSignal;
}

interface ToolResult {
  /** The data that `--json` prints. */
  readonly data: object;
  readonly text: string;
}

/** A result, and what is said of it. */
export const said = <T extends object>(data: T, text: (data: T) => string): ToolResult => ({
  data,
  text: text(data),
});

interface Shape<Input extends z.ZodMiniObject> {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly input: Input;
  readonly annotations: ToolAnnotations;
  readonly run: (context: CallContext, input: z.output<Input>) => Promise<ToolResult>;
  /** Words of the command line that does the same, where a person may have to type it. */
  readonly words?: (given: JsonObject) => readonly string[];
}

export interface Tool extends Omit<Shape<z.ZodMiniObject>, 'run' | 'about' | 'words'> {
  readonly description: string;
  /** Words of the command line that does the same, where that is asked about by its words. */
  readonly words: (given: unknown) => readonly string[];
  /** @throws {UsageError} if the input is not as the tool takes it. */
  readonly run: (context: CallContext, given: unknown) => Promise<ToolResult>;
}

export function tool<Input extends z.ZodMiniObject>(shape: Shape<Input>): Tool {
  const { about, run, input, words = () => [], ...rest } = shape;
  return {
    ...rest,
    description: about,
    input: z.extend(input, CWD),
    words: (given) => (isJsonObject(given) ? words(given) : []),
    run(context, given) {
      const { cwd: _, ...own } = isJsonObject(given) ? given : {};
      return run(context, readInput(input, isJsonObject(given) ? own : given));
    },
  };
}

const CWD = {
  cwd: z.optional(
    z
      .string()
      .check(z.describe('Folder of the project; by default the one that the client works in')),
  ),
};

export function folderIn(given: unknown): string | undefined {
  const { cwd } = isJsonObject(given) ? given : {};
  return readInput(z.object(CWD), { cwd }).cwd;
}

export const READS = { readOnlyHint: true } as const;
export const ADDS = { readOnlyHint: false, destructiveHint: false } as const;
