/** Reads handoffs that were given out: stored ones, and files, whose content is not trusted. */
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { ExplainedError, UsageError } from '../../../errors.ts';
import { handoffStore, type StoredHandoff } from '../../../store/handoffs.ts';
import type { Run } from '../../../store/runs.ts';
import { parsedJson } from '../../../text/json.ts';
import type { LaneContext } from '../../model/context.ts';

const text = z.string();

/** What a line claims, in a form that can be checked again. */
const Claim = z.discriminatedUnion('kind', [
  /** The run has this intent. */
  z.object({ kind: z.literal('run'), intent: text }),
  /** The lane has this spec, and is in this state. */
  z.object({
    kind: z.literal('state'),
    lane: text,
    state: text,
    specRev: z.number(),
    specHash: text,
  }),
  z.object({ kind: z.literal('ref'), ref: text, sha: text }),
  /** The ref contains this commit; newer commits may follow. */
  z.object({ kind: z.literal('contains'), ref: text, sha: text }),
  z.object({ kind: z.literal('worktree'), path: text }),
  /** The log of a validation is there, unchanged. */
  z.object({ kind: z.literal('log'), validationId: text, path: text, sha256: text }),
  z.object({ kind: z.literal('question'), id: text }),
  z.object({
    kind: z.literal('conflict'),
    lane: text,
    with: z.nullish(text),
    shas: z.readonly(z.array(text)),
  }),
]);
export type Claim = z.infer<typeof Claim>;

const Given = z.object({
  id: text,
  at: z.catch(text, ''),
  lines: z.readonly(z.array(z.object({ about: text, text, claims: z.readonly(z.array(Claim)) }))),
});
export type Given = z.infer<typeof Given>;

/** The last one given out; `undefined` if there is none. */
export function lastGiven({ store }: LaneContext, run: Run): Given | undefined {
  const kept = handoffStore(store).last(run.id);
  return kept === undefined ? undefined : givenOf(kept);
}

/**
 * A handoff in a file: its JSON, or a page that names a stored one.
 *
 * @throws {UsageError} if it is neither.
 */
export function givenInFile({ store }: LaneContext, run: Run, file: string): Given {
  const text = textOf(file);
  const whole = parsed(text);
  if (whole !== undefined) return whole;
  const id = /\bHandoff ([0-9a-f-]{36})\b/.exec(text)?.[1];
  const kept = id === undefined ? undefined : handoffStore(store).byId(id);
  if (kept === undefined || kept.runId !== run.id) {
    throw new UsageError(`${file} is no handoff of run ${run.name} that is known here`, {
      hint: 'give one that `lanehold orchestrate handoff --write` or `--json` has made',
    });
  }
  return givenOf(kept);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`cannot read ${file}: ${why}`, { hint: 'give a handoff file', cause });
  }
}

function givenOf(kept: StoredHandoff): Given {
  const given = parsed(kept.body);
  if (given !== undefined) return given;
  throw new ExplainedError(`the handoff ${kept.id} that is kept cannot be read`, {
    hint: 'make a new one with `lanehold orchestrate handoff`',
  });
}

function parsed(json: string): Given | undefined {
  return z.safeParse(Given, parsedJson(json)).data;
}
