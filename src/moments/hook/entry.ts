/**
 * The start of the hook program, in syntax that every Node parses. It runs the rest with V8's compiled code
 * from a cache if there is one: a short process spends most of its time on compiling.
 */
import { basename, dirname, isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';
import { EVENT_NAMES, STATUS_LINE } from '../../agents/types.ts';
import { attempt } from '../../base/errors.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { GIT_PRE_PUSH } from '../../base/text/git-hook.ts';
import { hasReleaseWord } from '../../base/text/release-words.ts';
import { readAll } from './streams.ts';

/** An import of all would first copy each of a hundred names. */
const fs: typeof import('node:fs') = require('node:fs');

const WORDS = process.argv.slice(2);
/** Options of the program come before the event. */
const NAME = WORDS.find((it) => !it.startsWith('--'));
const EVENT = [...EVENT_NAMES, GIT_PRE_PUSH, STATUS_LINE].find((it) => it === NAME);
/** A script that adds a mark gives its whole input, unless it could not read it. */
const IS_WHOLE = WORDS.some((it) => it.startsWith('--mark=')) && !WORDS.includes('--unread');

function runMain(): void {
  const file = join(__dirname, 'lanehold-hook-main.cjs');
  // It is read at once, so that everything is of one build even if the file is replaced. It is ASCII: a byte is a
  // character.
  const source = fs.readFileSync(file, 'latin1');
  const [, build, length] = /^\/\*([0-9a-f]{16}) (\d+)\*\//.exec(source) ?? [];
  if (source.length !== Number(length)) throw new Error(`${file} is not whole`);
  const input = IS_WHOLE ? attempt(readAll) : undefined;
  const cache = cacheFile(build, input);
  const known = cache ? attempt(() => readCache(cache)) : undefined;
  const script = new Script(source, { filename: file, cachedData: known?.compiled });
  const used = script.cachedDataRejected === false ? known : undefined;
  const ran = Buffer.from(used?.ran ?? Buffer.alloc(MOST_PARTS));
  process.on('exit', () => {
    // The cache lacks the parts that ran for the first time.
    if (cache && used?.ran.equals(ran) !== true)
      attempt(() => writeCache(cache, ran, script.createCachedData()));
  });
  const main: typeof import('./main.ts') = script.runInThisContext()(require, __dirname, ran);
  void main.run(input);
}

/**
 * V8's compiled code, one file for each kind of event: it has the functions that such events called. Node's own
 * compile cache has only what is compiled as a file is loaded.
 *
 * @param build part of the name, as Node's version is: compiled code of another build must never be run.
 */
function cacheFile(build: string | undefined, input: Buffer | undefined): string | undefined {
  const { LANEHOLD_HOME, LANEHOLD_DISABLE, HOME } = process.env;
  const home = LANEHOLD_HOME || (HOME && join(HOME, '.lanehold'));
  if (!home || !isAbsolute(home) || EVENT === undefined || LANEHOLD_DISABLE === '1')
    return undefined;
  const kind = kindOf(EVENT, input);
  return join(home, 'cache', `${kind}.${build}.${process.version}-${process.arch}`);
}

/** A command needs code that an edit does not, and a release more. This is a guess: a wrong one costs only time. */
function kindOf(event: string, input: Buffer | undefined): string {
  if (input === undefined || !event.endsWith('-tool')) return event;
  // Folders come before the tool.
  const at = Math.max(0, input.indexOf('"tool'));
  const tool = input.toString('latin1', at, at + 4_096);
  if (hasReleaseWord(tool)) return `${event}-release`;
  return tool.includes('command') ? `${event}-command` : event;
}

/** Of the program, each of which has a byte: 1 if its code is in the cache. V8 copies data that is not aligned to 8. */
const MOST_PARTS = 1_024;

/**
 * The file has its content twice, since V8 checks nothing and one flipped bit would crash every later hook:
 * comparing the halves is faster than any checksum, and needs no wait for the disk.
 */
function readCache(file: string): { compiled: Buffer; ran: Buffer } | undefined {
  if (!isPrivate(dirname(file)) || !isPrivate(file)) return undefined;
  const data = fs.readFileSync(file);
  const content = data.subarray(0, data.length / 2);
  if (!content.equals(data.subarray(content.length))) return undefined;
  return { ran: content.subarray(0, MOST_PARTS), compiled: content.subarray(MOST_PARTS) };
}

/** Whether no other user can have written it. */
function isPrivate(path: string): boolean {
  const { uid, mode } = fs.lstatSync(path);
  return (mode & 0o077) === 0 && uid === process.getuid?.();
}

/** Writes the cache in one step, and removes files of the same kind by older builds. */
function writeCache(file: string, ran: Buffer, compiled: Buffer): void {
  const folder = dirname(file);
  makePrivateFolder(folder);
  if (!isPrivate(folder)) fs.chmodSync(folder, 0o700);
  const draft = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(draft, Buffer.concat([ran, compiled, ran, compiled]), { mode: 0o600 });
  fs.renameSync(draft, file);
  const [kind] = basename(file).split('.');
  for (const name of fs.readdirSync(folder)) {
    const other = join(folder, name);
    if (name.startsWith(`${kind}.`) && other !== file) fs.rmSync(other, { force: true });
  }
}

runMain();
