/** Starts the program that reads what sessions did, within its limits of tokens and time. */
import { ownRecall } from '../../base/config/own-recall.ts';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { redact } from '../../base/text/redact/redact.ts';
import type { Workspace } from '../../features/workspace.ts';
import { type NoteLine, promptFor, readAnswer } from '../../recall/dream/by-program.ts';
import type { ProposalDraft } from '../../recall/dream/rules.ts';
import { DAY_MS } from '../../recall/search.ts';
import { summaryOf } from '../../recall/summaries.ts';
import { observationStore } from '../../store/observations.ts';
import { dreamRunStore } from '../../store/proposals.ts';
import { isNote, recallStore } from '../../store/recall.ts';
import { agentOf } from '../agreement.ts';
import type { AppContext } from '../context.ts';
import { askProgram, tokensIn } from './ask-program.ts';

/** The result; with a `problem` its output was not used, and the sessions count as unread. */
export interface ProgramReport {
  readonly sessions: number;
  /** The number of sessions that are left for the next time. */
  readonly left: number;
  /** Estimated at four characters for a token. */
  readonly tokens: number;
  readonly refused: readonly { readonly what: string; readonly why: string }[];
  readonly problem?: string;
}

interface Thought {
  readonly found: readonly ProposalDraft[];
  readonly report: ProgramReport | undefined;
  /** Call it in the transaction that stores the results. */
  readonly keep: () => void;
}

const NOTHING: Thought = { found: [], report: undefined, keep: () => undefined };

const TIME_LIMIT_MS = 10 * 60_000;
const MOST_SESSIONS = 300;
const NOTE_CHARS = 500;

/**
 * @param typed the typed command; by default that of the settings. `false`: none is started.
 * @throws {ExplainedError} where an agent runs it, or the tokens of a day are spent.
 */
export async function thinkByProgram(
  context: AppContext,
  workspace: Workspace,
  typed: string | false | undefined,
  { dryRun, signal }: { readonly dryRun: boolean; readonly signal: AbortSignal },
): Promise<Thought> {
  const program = typed ?? ownRecall(context.env, 'dreamer').value;
  if (!program) return NOTHING;
  const agent = agentOf(context);
  if (agent !== undefined) {
    if (typed === undefined) return NOTHING;
    throw new UsageError(`an agent (${agent}) does not start a program to dream with`, {
      hint: 'run `lanehold dream` without `--program`, or ask the user to run it',
    });
  }
  const { store, projectId } = workspace;
  const runs = dreamRunStore(store);
  const observations = observationStore(store);
  const readUntil = runs.readUntil(projectId) ?? 0;
  const unread = observations
    .sessions(projectId, -1)
    .filter(({ last }) => last > readUntil)
    .sort((one, other) => one.last - other.last);
  if (unread.length === 0) {
    return { ...NOTHING, report: { sessions: 0, left: 0, tokens: 0, refused: [] } };
  }
  const notes = notesOf(workspace);
  const first = unread.slice(0, MOST_SESSIONS).map(({ agent, session, last }) => {
    return { session, last, summary: summaryOf(observations.ofSession(agent, session)) };
  });
  const { text, sessions } = promptFor(first, notes);
  const now = context.now();
  const spent = runs.tokensSince(new Date(now.getTime() - DAY_MS)) ?? 0;
  const { value: most } = ownRecall(context.env, 'dreamTokens');
  if (spent + tokensIn(text) > most) {
    throw new ExplainedError(
      `the program would be given ${tokensIn(text)} tokens; ${spent} of ${most} were used in the last 24 hours`,
      { hint: 'wait, or raise the limit: lanehold config set recall.dreamTokens <number>' },
    );
  }
  // A run counts from its start, because a killed one has cost tokens too.
  const id = store.write(() => {
    runs.add({ projectId, at: now, tokens: tokensIn(text), readUntil: null });
    return runs.last(projectId) ?? 0;
  });
  context.progress(`${program}: reading ${sessions.length} sessions`);
  const asking = { text, signal, timeoutMs: TIME_LIMIT_MS };
  const { output, problem } = await askProgram(store.home, context.env, program, asking);
  const answer = readAnswer(output, sessions, notes);
  const tokens = tokensIn(text) + tokensIn(output);
  store.write(() => runs.end(id, tokens, null));
  const wrong =
    problem ?? (answer === undefined ? 'it answered no JSON of the asked form' : undefined);
  const report: ProgramReport = {
    sessions: sessions.length,
    left: unread.length - sessions.length,
    tokens,
    refused: answer?.refused ?? [],
    ...(wrong === undefined ? {} : { problem: wrong }),
  };
  if (wrong !== undefined || answer === undefined) return { ...NOTHING, report };
  const until = new Date(Math.max(...sessions.map(({ last }) => last)));
  const keep = () => (dryRun ? false : runs.end(id, tokens, until));
  return { found: answer.found, report, keep };
}

function notesOf({ store, projectId }: Workspace): NoteLine[] {
  return recallStore(store)
    .list(projectId)
    .filter((it) => it.path !== null && it.projectId !== null && it.status === 'active')
    .filter(isNote)
    .map(({ uid: id, kind, title, body }) => {
      return { id, kind, text: redact(`${title} ${body}`).slice(0, NOTE_CHARS).trim() };
    });
}
