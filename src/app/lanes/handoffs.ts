/** Handoffs of a run: the facts with which the next coordinator continues. */
import { resolve } from 'node:path';
import { actorOf } from '../../agents/actor.ts';
import { replaceUserFile } from '../../base/files/replace-file.ts';
import { givenInFile, lastGiven, untrueLines } from '../../lanes/look/check.ts';
import { handoff, handoffPage, handoffSince, storeHandoff } from '../../lanes/look/handoff.ts';
import type { PageOptions } from '../../lanes/look/page.ts';
import { noteTakenBack } from '../../lanes/queue/taken-back.ts';
import type { AppContext } from '../context.ts';
import { openRun } from './open-run.ts';
import type { RunWish } from './runs.ts';

/** The form of the page; the data is always complete. */
type PageWish = RunWish & PageOptions;

/** The whole handoff; it is recorded as given out. */
export async function wholeHandoff(context: AppContext, { run: name, ...wish }: PageWish) {
  const { laneContext, run } = await openRun(context, name);
  await noteTakenBack(laneContext, run);
  const { name: agent, session } = actorOf(context);
  const made = storeHandoff(laneContext, run, { agent, session: session ?? '' });
  const untrue = await untrueLines(laneContext, run, made.lines);
  const { text } = handoffPage(made, untrue, wish);
  // The data is complete; the page says itself what it leaves out.
  return { data: { ...made, untrue, left: 0 }, text };
}

export async function newsSince(
  context: AppContext,
  { run: name, cursor, ...wish }: PageWish & { readonly cursor: number },
) {
  const { laneContext, run } = await openRun(context, name);
  const news = handoffSince(laneContext, run, { cursor, ...wish });
  const text = news.text === '' ? `Nothing new since event ${cursor}` : news.text;
  return { data: { since: cursor, ...news }, text };
}

export function writeHandoff({ cwd }: AppContext, name: string, text: string): string {
  const file = resolve(cwd, name);
  replaceUserFile(file, text, { hint: 'make the folder writable, or leave out --write' });
  return file;
}

/** @param wish `file`: the handoff to check; by default the last one that was given out. */
export async function checkHandoff(
  context: AppContext,
  { run: name, file }: RunWish & { readonly file?: string | undefined },
) {
  const { laneContext, run } = await openRun(context, name);
  const given =
    file === undefined
      ? (lastGiven(laneContext, run) ?? handoff(laneContext, run, { agent: '', session: '' }))
      : givenInFile(laneContext, run, resolve(context.cwd, file));
  const untrue = await untrueLines(laneContext, run, given.lines);
  return { ok: untrue.length === 0, handoff: given.id, lines: given.lines.length, untrue };
}
