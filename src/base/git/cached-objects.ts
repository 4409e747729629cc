/** Objects from the cache, and others from git: an event that needs no others does not start it. */
import type { FactCache } from '../files/fact-cache.ts';
import { answerAt, type GitObject, type ReadObjects } from './objects.ts';

/** What it leads to never changes; but one that is not there may come. */
const LASTING = /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?:\^\{\w+\}|:.*)?$/;
/** Of files none but the registry: they can hold secrets. */
const isKept = (name: string, { type }: GitObject): boolean =>
  LASTING.test(name) && (type !== 'blob' || name.endsWith(':lanehold.json'));

export function cachedReader(read: ReadObjects, facts: FactCache): ReadObjects {
  const known = (name: string): GitObject | undefined => {
    const answer = LASTING.test(name) ? facts.find(`object ${name}`) : undefined;
    return answer && answerAt(answer, 0).object;
  };
  return async (names) => {
    // git is to be started for questions that come.
    if (names.length === 0) return facts.isEmpty() ? read([]) : [];
    const found = new Map(names.map((name) => [name, known(name)]));
    const unknown = [...found.keys()].filter((name) => found.get(name) === undefined);
    const answers = unknown.length === 0 ? [] : await read(unknown);
    for (const [at, name] of unknown.entries()) {
      const object = answers[at];
      found.set(name, object);
      if (object !== undefined && isKept(name, object)) {
        facts.keep(`object ${name}`, asAnswer(object));
      }
    }
    return names.map((name) => found.get(name));
  };
}

/** As `git cat-file --batch` prints it. */
function asAnswer({ oid, type, content }: GitObject): Buffer {
  const header = Buffer.from(`${oid} ${type} ${content.length}\n`);
  return Buffer.concat([header, content, NEW_LINE]);
}

const NEW_LINE = Buffer.from('\n');
