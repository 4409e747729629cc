/**
 * Compares the commands that an agent says it ran with those that its hook was asked about before. Only
 * boundaries count: for others a hook leaves no trace of its own.
 */
import type { RanCommand, TranscriptEntry } from '../../agents/definition.ts';
import { AGENTS } from '../../agents/registry.ts';
import { projectPlace } from '../../base/git/project.ts';
import { beginning, redact } from '../../base/text/redact/redact.ts';
import { hasReleaseWord } from '../../base/text/release-words.ts';
import { unseenCommandStore } from '../../store/unseen-commands.ts';
import { leaveTrace, type Trace, tracesOf, wasLookedAt } from '../watch/trace.ts';
import { type Caller, orLogged } from './handler.ts';
import { workspaceAt } from './workspace-at.ts';

/** Reads what is new in the session's transcript. Never throws: it must not fail the hook. */
export async function compareTranscript(
  session: string,
  transcript: string | undefined,
  caller: Caller,
): Promise<void> {
  if (transcript === undefined) return;
  await orLogged(caller, 'transcript', undefined, () => compare(session, transcript, caller));
}

async function compare(session: string, transcript: string, caller: Caller): Promise<void> {
  const { agent, env, now, afterwards } = caller;
  const transcripts = await AGENTS.find(({ name }) => name === agent)?.transcripts?.();
  if (transcripts === undefined) return;
  const traces = tracesOf(env, { agent, session });
  // Commands from before the first hook of the session are older than the installation.
  const began = traces[0]?.at ?? now();
  for (const file of transcripts.files(transcript)) {
    const from = readBefore(traces, file);
    const { commands, end } = commandsIn(transcripts.entries(file, from, 'commands'));
    if (end !== from) {
      const read = { at: now(), moment: 'read', detail: `${end} ${file}` } as const;
      afterwards(() => leaveTrace(env, { agent, session }, read));
    }
    const later = commands.filter(({ done }) => !(done < began));
    await noteUnseen(await unseenOf(later, traces, caller), session, caller);
  }
}

function readBefore(traces: readonly Trace[], file: string): number {
  const last = traces.findLast(
    ({ moment, detail }) => moment === 'read' && detail.endsWith(` ${file}`),
  );
  return last === undefined ? 0 : Number.parseInt(last.detail, 10);
}

function commandsIn(entries: Generator<TranscriptEntry, number>) {
  const commands: RanCommand[] = [];
  for (;;) {
    const { done, value } = entries.next();
    if (done) return { commands, end: value };
    if (value.kind === 'command') commands.push(value);
  }
}

/** Release words are tried first: the search is fast, and nearly every boundary has one. */
async function unseenOf(
  commands: readonly RanCommand[],
  traces: readonly Trace[],
  { env }: Caller,
): Promise<RanCommand[]> {
  const unseen = commands.filter(
    ({ text, at: from, done: to }) =>
      hasReleaseWord(text) && !wasLookedAt(text, traces, { from, to }),
  );
  if (unseen.length === 0) return [];
  const { isLookedAt } = await import('./before-command.ts');
  return unseen.filter((it) => isLookedAt(it.text, { cwd: it.cwd, env, at: it.at }));
}

async function noteUnseen(
  commands: readonly RanCommand[],
  session: string,
  caller: Caller,
): Promise<void> {
  const { agent, now } = caller;
  if (commands.length === 0) return;
  const opened = await caller.store();
  for (const { text, cwd, done } of commands) {
    const { projectId } = await workspaceAt(projectPlace(cwd), caller);
    const at = Number.isNaN(done.getTime()) ? now() : done;
    const command = redact(beginning(text, MAX_COMMAND_CHARS));
    const found = { projectId, agent, session, moment: 'before-tool', command, at } as const;
    opened.write(() => unseenCommandStore(opened).add({ ...found, foundBy: 'transcript' }));
  }
}

const MAX_COMMAND_CHARS = 2_000;
