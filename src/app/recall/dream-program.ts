/** Starts the program that reads what sessions did, within its limits of tokens and time. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownRecall } from '../../base/config/own-recall.ts';
import type { Environment } from '../../base/environment.ts';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { failureOf, runShell } from '../../base/process/program.ts';
import { redact } from '../../base/text/redact/redact.ts';
import type { Workspace } from '../../features/workspace.ts';
import { type NoteLine, promptFor, readAnswer } from '../../recall/dream/by-program.ts';
import type { ProposalDraft } from '../../recall/dream/rules.ts';
import { DAY_MS } from '../../recall/search.ts';
import { summaryOf } from '../../recall/summaries.ts';
import { observationStore } from '../../store/observations.ts';
import { dreamRunStore } from '../../store/proposals.ts';
import { NOTE_KINDS, recallStore } from '../../store/recall.ts';
import { agentOf } from '../agreement.ts';
import type { AppContext } from '../context.ts';

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
const MOST_OUTPUT_BYTES = 1_000_000;
/** The most sessions in one prompt. */
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
  const { output, problem } = await answerOf(workspace, context.env, program, { text, signal });
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

const tokensIn = (text: string): number => Math.ceil(text.length / 4);

function notesOf({ store, projectId }: Workspace): NoteLine[] {
  return recallStore(store)
    .list(projectId)
    .flatMap(({ uid, path, title, body, kind, status, projectId: of }) =>
      path !== null && of !== null && status === 'active' && NOTE_KINDS.some((it) => it === kind)
        ? [{ id: uid, kind, text: redact(`${title} ${body}`).slice(0, NOTE_CHARS).trim() }]
        : [],
    );
}

/** Runs the program in an empty folder, which is then removed. */
async function answerOf(
  { store }: Workspace,
  env: Environment,
  program: string,
  { text, signal }: { readonly text: string; readonly signal: AbortSignal },
): Promise<{ readonly output: string; readonly problem?: string }> {
  const folder = mkdtempSync(join(store.home.root, 'dream-'));
  try {
    const cwd = join(folder, 'empty');
    mkdirSync(cwd);
    writeFileSync(join(folder, 'prompt'), text, { mode: 0o600 });
    const outputFile = join(folder, 'answer');
    const outcome = await runShell({
      command: `exec <../prompt 2>../errors\n${program}`,
      // Pushes of the program are held, but it is no session of the project.
      env: { ...env, LANEHOLD_RECALL: 'off' },
      cwd,
      outputFile,
      signal,
      timeoutMs: TIME_LIMIT_MS,
      maxOutputBytes: MOST_OUTPUT_BYTES,
    });
    const output = readFileSync(outputFile, 'utf8').slice(0, MOST_OUTPUT_BYTES);
    const failure = failureOf(outcome, TIME_LIMIT_MS);
    if (failure === undefined) return { output };
    const errors = readFileSync(join(folder, 'errors'), { encoding: 'utf8', flag: 'a+' });
    return { output, problem: `it ${failure}${lastLine(errors)}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function lastLine(text: string): string {
  const line = redact(text).trim().split('\n').at(-1) ?? '';
  return line === '' ? '' : `: ${line.slice(0, 200)}`;
}
