/** What may be recorded of a session: the strictest of the user's and the repository's settings. */
import { homedir } from 'node:os';
import { join, sep } from 'node:path';
import { homeOf } from '../files/home.ts';
import { textIfThere } from '../files/text-if-there.ts';
import { isJsonObject, parsedJson } from '../text/json.ts';
import { REGISTRY_FILE } from './feature.ts';

/** The order is from the loosest to the strictest. */
export const CAPTURES = ['auto', 'suggest', 'off'] as const;

/** Whether the agents' own transcripts are read. `ask`: only after the user has agreed. */
export const TRANSCRIPTS = ['on', 'ask', 'off'] as const;

export interface Capture {
  /** `off`: nothing is recorded. `suggest`: inferred facts wait for a person. */
  readonly mode: (typeof CAPTURES)[number];
  /** @param path relative to the project. */
  readonly ignores: (path: string) => boolean;
}

/** The settings of recording. An unreadable one turns recording off. Files without such a setting are not parsed. */
export async function captureOf(root: string, env: NodeJS.ProcessEnv): Promise<Capture> {
  const { mode, globs } = captureMode(root, env);
  if (mode === 'off') return { mode, ignores: () => true };
  if (globs.length === 0) return { mode, ignores: () => false };
  const { default: picomatch } = await import('picomatch');
  return { mode, ignores: picomatch([...globs], { dot: true }) };
}

/** The mode of a project, and the globs of its files about which nothing is recorded. */
export function captureMode(root: string, env: NodeJS.ProcessEnv) {
  const { capture, ignore } = recallSettings(root, env);
  const globs = ignore.value;
  return { mode: globs.some((it) => isProject(it, root, env)) ? 'off' : capture.value, globs };
}

type Source = 'default' | 'you' | 'lanehold.json';

/** The settings in force, and who has set each. */
export function recallSettings(root: string, env: NodeJS.ProcessEnv) {
  const you = writtenIn(homeOf(env).config);
  const repository = writtenIn(join(root, REGISTRY_FILE));
  const modes = [you, repository].flatMap((it) =>
    it.capture === undefined ? [] : CAPTURES.indexOf(it.capture),
  );
  const strictest = modes.length === 0 ? 'suggest' : CAPTURES[Math.max(...modes)];
  const sourceOf = (name: keyof Written, isYours: boolean): Source => {
    if (you[name] !== undefined && isYours) return 'you';
    return repository[name] === undefined ? 'default' : 'lanehold.json';
  };
  const wished = [you.briefing, repository.briefing].filter((it) => it !== undefined);
  return {
    /** The most tokens; the smaller of two settings counts. */
    briefing: {
      value: wished.length === 0 ? BRIEFING_TOKENS : Math.min(...wished),
      source: sourceOf('briefing', you.briefing === Math.min(...wished)),
    },
    capture: { value: strictest ?? 'off', source: sourceOf('capture', you.capture === strictest) },
    // A repository may forbid reading them, but cannot turn it on.
    transcripts:
      repository.transcripts === 'off'
        ? { value: 'off' as const, source: 'lanehold.json' as const }
        : {
            value: you.transcripts ?? ('ask' as const),
            source:
              sourceOf('transcripts', true) === 'you' ? ('you' as const) : ('default' as const),
          },
    ignore: {
      value: [...(you.ignore ?? []), ...(repository.ignore ?? [])],
      source: sourceOf('ignore', you.ignore !== undefined),
    },
  };
}

function writtenIn(file: string): Written {
  const text = textOf(file);
  return text?.includes('"recall"') ? settingsIn(text) : {};
}

/** The limit of the text that a session gets when it starts, without the handoff of an open run. */
const BRIEFING_TOKENS = 600;
export const MOST_BRIEFING_TOKENS = 5_000;

interface Written {
  readonly briefing?: number;
  readonly capture?: Capture['mode'];
  readonly transcripts?: (typeof TRANSCRIPTS)[number];
  readonly ignore?: readonly string[];
}

/** The text of a file. One that cannot be read could forbid recording. */
function textOf(file: string): string | undefined {
  try {
    return textIfThere(file);
  } catch {
    return '"recall"';
  }
}

const OFF: Written = { capture: 'off', transcripts: 'off' };

function settingsIn(text: string): Written {
  const file = parsedJson(text);
  if (!isJsonObject(file)) return OFF;
  const { recall = {} } = file;
  if (!isJsonObject(recall)) return OFF;
  const { briefing = 0, capture, transcripts, ignore = [] } = recall;
  const known =
    (capture === undefined || CAPTURES.some((it) => it === capture)) &&
    (transcripts === undefined || TRANSCRIPTS.some((it) => it === transcripts));
  const isList = Array.isArray(ignore) && ignore.every((it) => typeof it === 'string');
  const isCount = Number.isInteger(briefing) && Number(briefing) >= 0;
  return known && isList && isCount ? (recall as Written) : OFF;
}

/** Whether an entry means the project: a folder, written from `/` or `~`, means the projects in it. */
function isProject(entry: string, root: string, env: NodeJS.ProcessEnv): boolean {
  if (!/^(?:[/~]|[A-Za-z]:)/.test(entry)) return false;
  const folder = entry.replace(/^~/, env.HOME ?? homedir()).replace(/(?:\/\*+)?\/?$/, '');
  return root === folder || root.startsWith(folder + sep);
}
