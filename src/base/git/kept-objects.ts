/** Objects that a process keeps: what the name of one leads to never changes. */
import { statSync } from 'node:fs';
import { boundedCache } from '../bounded-cache.ts';
import type { GitObject, ReadObjects } from './objects.ts';
import { projectPlace } from './project.ts';

const MOST_BYTES = 48 * 1024 * 1024;
/** Files are read once or twice, trees again and again. */
const MOST_FILE_BYTES = 64 * 1024;

const kept = boundedCache<GitObject>(MOST_BYTES, ({ content }) => content.length);

const LASTING = /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?:\^\{\w+\}|:.*)?$/;

/** @param directory where `read` looks. */
export function keptObjects(read: ReadObjects, directory: string): ReadObjects {
  return async (names) => {
    // git is to be started for questions that come.
    if (names.length === 0) return kept.isEmpty() ? read([]) : [];
    const repository = repositoryAt(directory);
    const found = names.map((name) => kept.find(`${repository} ${name}`));
    const unknown = names.filter((_, at) => found[at] === undefined);
    const answers = unknown.length === 0 ? [] : await read(unknown);
    for (const [at, name] of unknown.entries()) keep(repository, name, answers[at]);
    let next = 0;
    return found.map((it) => it ?? answers[next++]);
  };
}

/** What is not there is not kept, for it may come. */
function keep(repository: string, name: string, object: GitObject | undefined): void {
  if (object === undefined || !LASTING.test(name)) return;
  if (object.type === 'blob' && object.content.length > MOST_FILE_BYTES) return;
  // As it was read, its content is a part of a larger buffer.
  kept.keep(`${repository} ${name}`, { ...object, content: Buffer.from(object.content) });
}

/** A repository that was deleted and made again at the same path is another one. */
function repositoryAt(directory: string): string {
  const { identity } = projectPlace(directory);
  const { dev, ino, birthtimeMs } = statSync(identity);
  return `${dev} ${ino} ${birthtimeMs} ${identity}`;
}
