/**
 * Takes what hooks wrote to spool files over into the database.
 *
 * A file is renamed first, so that new lines begin another one. How many of its bytes were taken over is
 * stored in the same transaction as the rows, so a part that is met again adds nothing twice. It is
 * deleted by a later call: a hook that opened it before it was renamed may still write to it.
 */
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { captureMode } from '../base/config/capture.ts';
import { attempt } from '../base/errors.ts';
import type { Home } from '../base/files/home.ts';
import { isNoProject, projectPlace } from '../base/git/project.ts';
import { type JsonObject, jsonLine } from '../base/text/json.ts';
import { randomHex } from '../base/text/random-hex.ts';
import { OBSERVATION_KINDS, type Observation, observationStore } from '../store/observations.ts';
import type { Store } from '../store/open.ts';
import { projectStore } from '../store/projects.ts';
import { sessionStore } from '../store/sessions.ts';
import { EMPTY_OBSERVATION, editedFiles } from './actions.ts';
import { lastPromptAt, SPOOL_END, type SpoolLine, spoolName } from './spool.ts';

const PART = /^(.+)\.(\d{6})-[0-9a-f]{8}\.part$/;
/** A hook has written its line long before this. */
const SETTLED_MS = 60_000;

/** @param only the session whose spool is taken over; else those of all. */
export function foldSpool(
  store: Store,
  now: Date,
  only?: { readonly agent: string; readonly session: string },
): void {
  const folder = store.home.spool;
  const names = attempt(() => readdirSync(folder)) ?? [];
  const own = only && spoolName(only);
  const parts = names.filter((it) => PART.test(it));
  for (const name of names.filter((it) => it.endsWith(SPOOL_END))) {
    if (own === undefined || own === name) {
      const part = `${name}.${nextNumber(parts, name)}-${randomHex(8)}.part`;
      // Another process may have taken it meanwhile.
      if (attempt(() => renameSync(join(folder, name), join(folder, part)) ?? true))
        parts.push(part);
    }
  }
  for (const part of parts.sort()) {
    if (own === undefined || PART.exec(part)?.[1] === own)
      foldPart(store, join(folder, part), part, now);
  }
}

/**
 * Writes line ends over what was taken over: a part stays until no hook can still write to it, its words need
 * not. What a hook adds meanwhile stands behind.
 */
export function blankFolded(store: Store): void {
  const folder = store.home.spool;
  for (const part of (attempt(() => readdirSync(folder)) ?? []).filter((it) => PART.test(it))) {
    attempt(() => {
      const folded = observationStore(store).partBytes(part) ?? 0;
      const file = openSync(join(folder, part), 'r+');
      try {
        writeSync(file, Buffer.alloc(folded, 10), 0, folded, 0);
      } finally {
        closeSync(file);
      }
    });
  }
}

function nextNumber(parts: readonly string[], name: string): string {
  const numbers = parts.flatMap((it) => {
    const [, of, number] = PART.exec(it) ?? [];
    return of === name ? [Number(number)] : [];
  });
  return String(Math.max(0, ...numbers) + 1).padStart(6, '0');
}

function foldPart(store: Store, file: string, name: string, now: Date): void {
  const content = attempt(() => readFileSync(file));
  if (content === undefined) return;
  const observations = observationStore(store);
  const end = content.lastIndexOf(10) + 1;
  if (end > (observations.partBytes(name) ?? 0)) {
    store.write(() => {
      // Another process may have taken them over since.
      const from = observations.partBytes(name) ?? 0;
      if (from >= end) return;
      const lines = reader(store, attempt(() => statSync(file).mtimeMs) ?? now.getTime());
      const texts = content.toString('utf8', from, end).split('\n');
      addLines(store, texts.flatMap(lines));
      observations.notePart(name, end, now);
    });
    return;
  }
  const changed = attempt(() => statSync(file).mtimeMs) ?? 0;
  if (Date.now() - changed < SETTLED_MS) return;
  attempt(() => rmSync(file, { force: true }));
  store.write(() => observations.forgetPart(name));
}

/**
 * Reads one line after the other; what an older or newer version has written in another way is left out. The
 * script that answers without Node knows a folder for the project, whole paths for its files, and no time: then it
 * is that of the line before, or of the file.
 */
function reader({ home }: Store, fileChangedAt: number): (text: string) => SpoolLine[] {
  let last = fileChangedAt;
  const places = new Map<string, ReturnType<typeof recordedPlace>>();
  const placeAt = (cwd: string) => {
    if (!places.has(cwd)) places.set(cwd, recordedPlace(cwd, home));
    return places.get(cwd);
  };
  /** Adds the project, files and time that the script does not know. */
  const whole = ({ cwd, paths, ...line }: JsonObject): object => {
    if (!isText(cwd)) return line;
    const place = placeAt(cwd);
    if (place === undefined) return {};
    const at =
      (line.kind === 'prompt' ? lastPromptAt(home, line as unknown as SpoolLine) : undefined) ??
      last;
    const files = Array.isArray(paths) && editedFiles(paths.filter(isText), place.kept);
    if (files && files.length === 0) return {};
    return { at, ...place.named, ...line, ...(files ? { files } : {}) };
  };
  return (text) => {
    const line = whole(jsonLine(text) ?? {}) as SpoolLine;
    const known = OBSERVATION_KINDS.includes(line.kind);
    const isWhole = [line.agent, line.session, line.project, line.root].every(isText);
    if (!known || !isWhole || !Number.isFinite(line.at)) return [];
    last = line.at;
    return [line];
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

function recordedPlace(cwd: string, home: Home) {
  const place = attempt(() => projectPlace(cwd));
  if (place === undefined || isNoProject(place, homedir())) return undefined;
  const { mode, globs } = captureMode(place.root, { LANEHOLD_HOME: home.root });
  if (mode === 'off') return undefined;
  const ignores = globs.length === 0 ? () => false : picomatch([...globs], { dot: true });
  return {
    named: { project: place.identity, root: place.root },
    kept: { root: place.root, ignores },
  };
}

function addLines(store: Store, lines: readonly SpoolLine[]): void {
  const observations = observationStore(store);
  const projects = projectStore(store);
  const sessions = sessionStore(store);
  for (const { project, root, settles, at: ms, ...line } of lines) {
    const at = new Date(ms);
    const projectId = projects.find(project) ?? projects.ensure(project, at);
    const { agent, session, kind } = line;
    const seen = { ...EMPTY_OBSERVATION, source: null, ...line, at, projectId } as Observation;
    const open = settles && observations.openCall(agent, session, kind, seen.name ?? '');
    if (open === undefined) observations.add(seen);
    else observations.settle(open as number, seen.outcome, seen.outputBytes);
    if (kind === 'end') sessions.end(agent, session, seen.name ?? '', at);
    else sessions.seen({ agent, id: session, projectId, worktree: root, head: undefined }, at);
  }
}
