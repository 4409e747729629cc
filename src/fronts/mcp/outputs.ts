/**
 * What tools give out, under the keys that `--json` prints. Each key of a result is named here, and none
 * that it does not have; what lies deeper may grow.
 */
import * as z from 'zod/mini';
import type { FeatureList } from '../../app/hold/features.ts';
import type { GateData } from '../../app/hold/gate.ts';
import type { GuardView } from '../../app/hold/guards.ts';
import type { PendingData } from '../../app/hold/holds.ts';
import type { VerificationReport, Waived } from '../../app/hold/verification.ts';
import type { AnsweredQuestion, AskedQuestion } from '../../app/lanes/lane-messages.ts';
import type { BoardData, RunOver } from '../../app/lanes/runs.ts';
import type { Briefing } from '../../app/recall/briefing.ts';
import type { ProposalList } from '../../app/recall/dream.ts';
import type { Note, NoteList, SuggestedNote } from '../../app/recall/notes.ts';
import type { SearchResult } from '../../app/recall/recall.ts';
import type { Scanned } from '../../app/recall/scan.ts';
import type { TimelineEntry } from '../../app/recall/sessions.ts';
import type { ProjectStatus } from '../../app/setup/status.ts';

type ShapeOf<Data> = { readonly [Key in keyof Data]-?: z.ZodMiniType };

const text = z.string();
const texts = z.array(text);
const nullable = z.nullable(text);
const thing = z.looseObject({});
const things = z.array(thing);
const verdict = z.enum(['pass', 'ask', 'held']);
const about = <T extends z.ZodMiniType>(what: string, schema: T) => schema.check(z.describe(what));

const HELD = z.array(
  z.looseObject({ feature: text, reason: text, at: text, changedFiles: z.optional(texts) }),
);
const HOLD = { verdict, held: HELD, verified: texts, uncovered: z.unknown() };

export const PENDING_OUTPUT = z.looseObject({
  ...HOLD,
  pushes: about('Other pushes that were held, and would be still', things),
} satisfies ShapeOf<PendingData>);

export const STATUS_OUTPUT = z.looseObject({
  project: text,
  root: text,
  features: texts,
  hold: PENDING_OUTPUT,
  pending: things,
  decisions: about('What the gate answered, newest first', things),
  disabled: z.boolean(),
  installed: about('Hooks of agents are installed', z.boolean()),
  gitHook: z.boolean(),
  gitHookGone: nullable,
  gaps: about('Hooks that no longer do their work', things),
  proposals: about('How many changes of notes and rules wait for a person', z.number()),
} satisfies ShapeOf<ProjectStatus['data']>);

export const FEATURES_OUTPUT = z.looseObject({
  features: z.array(
    z.looseObject({
      name: text,
      state: z.enum(['verified', 'attested', 'waived', 'failed', 'not verified']),
      origin: z.enum(['local', 'shared']),
      at: nullable,
      fingerprint: text,
      fileCount: z.number(),
      files: texts,
      smoke: things,
      dependsOn: texts,
      description: text,
      always: z.optional(texts),
    } satisfies ShapeOf<FeatureList['features'][number]>),
  ),
} satisfies ShapeOf<FeatureList>);

export const VERIFY_OUTPUT = z.looseObject({
  verified: about(
    'All of it passed; an empty list: nothing was held',
    z.union([z.boolean(), texts]),
  ),
  features: z.optional(z.array(z.looseObject({ feature: text, result: text }))),
} satisfies ShapeOf<VerificationReport>);

export const WAIVE_OUTPUT = z.looseObject({
  waived: texts,
  reason: text,
  expiresAt: nullable,
  evidence: about('Ids of the records', z.array(z.number())),
} satisfies ShapeOf<Waived>);

export const GATE_OUTPUT = z.looseObject({
  decision: z.enum(['none', 'pass', 'deny', 'ask']),
  ...HOLD,
  rule: nullable,
  reason: nullable,
  undecided: nullable,
  cannotTell: z.boolean(),
  findings: things,
  refusedEvidence: things,
} satisfies ShapeOf<GateData>);

/** `run` is `null` if none is open any more; then there is `last` alone. */
export const LANES_OUTPUT = z.looseObject({
  run: z.nullable(thing),
  lanes: z.optional(z.array(z.looseObject({ key: text, state: text, note: text, help: texts }))),
  questions: z.optional(things),
  states: z.optional(thing),
  last: z.optional(z.looseObject({ name: text, intent: text })),
} satisfies Partial<ShapeOf<Omit<BoardData, 'run'> & RunOver>>);

export const ANSWER_OUTPUT = z.looseObject({
  lane: text,
  question: z.number(),
  id: text,
  body: text,
  answer: text,
  outcome: text,
} satisfies ShapeOf<AnsweredQuestion>);

export const ASK_OUTPUT = z.looseObject({
  lane: nullable,
  question: z.nullable(z.number()),
  id: text,
  body: text,
} satisfies ShapeOf<AskedQuestion>);

export const BRIEFING_OUTPUT = z.looseObject({
  text,
  tokens: z.number(),
  most: about('Tokens that the settings allow', z.number()),
  parts: things,
} satisfies ShapeOf<Briefing>);

/** The answer to an `id` has `item` alone. */
export const RECALL_OUTPUT = z.looseObject({
  terms: z.optional(about('Stems that were searched for', texts)),
  hits: z.optional(
    z.array(z.looseObject({ id: text, kind: text, title: text, at: z.optional(text) })),
  ),
  told: z.optional(about('Ids that a prompt with these words would bring by itself', texts)),
  item: z.optional(z.looseObject({ uid: text, kind: text, title: text, body: text, files: texts })),
} satisfies ShapeOf<SearchResult> & { item: z.ZodMiniType });

export const TIMELINE_OUTPUT = z.looseObject({
  entries: z.array(
    z.looseObject({
      at: text,
      session: text,
      agent: text,
      kind: text,
      name: z.optional(text),
      category: z.optional(text),
      text: z.optional(text),
      files: z.optional(texts),
      outcome: z.optional(nullable),
      outputBytes: z.optional(z.number()),
    } satisfies ShapeOf<TimelineEntry>),
  ),
});

export const NOTES_OUTPUT = z.looseObject({
  notes: z.optional(z.array(z.looseObject({ id: text, path: text, kind: text, title: text }))),
  broken: z.optional(things),
  suggestions: z.optional(
    z.array(z.looseObject({ id: text, kind: text, title: text, why: nullable })),
  ),
} satisfies ShapeOf<NoteList> & { suggestions: z.ZodMiniType });

export const NOTE_OUTPUT = z.looseObject({
  id: text,
  path: text,
  kind: text,
  status: text,
  title: text,
  body: text,
  when: z.optional(text),
  files: texts,
  commands: texts,
  links: texts,
  created: text,
  checked: z.optional(text),
  source: text,
  file: text,
  shared: z.boolean(),
  outdated: thing,
} satisfies ShapeOf<Note>);

export const JUDGE_OUTPUT = z.looseObject({
  id: text,
  path: about('`null` for a proposal', nullable),
  verdict: z.enum(['confirm', 'reject']),
} satisfies ShapeOf<Pick<SuggestedNote, 'id' | 'path'>> & { verdict: z.ZodMiniType });

export const OVERVIEW_OUTPUT = z.looseObject({
  root: text,
  markdown: text,
  name: text,
  about: text,
  languages: things,
  packages: things,
  commands: things,
  entryPoints: things,
  folders: things,
  changed: thing,
  features: things,
  saved: z.nullable(thing),
} satisfies ShapeOf<Scanned>);

export const PROPOSALS_OUTPUT = z.looseObject({
  proposals: z.array(z.looseObject({ id: text, why: text, status: text, operation: thing })),
} satisfies ShapeOf<ProposalList>);

export const GUARD_OUTPUT = z.looseObject({
  id: text,
  files: text,
  rule: text,
  reason: nullable,
  denies: z.boolean(),
  by: text,
  at: text,
} satisfies ShapeOf<GuardView>);
