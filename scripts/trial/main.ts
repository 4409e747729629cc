/**
 * `npm run trial [-- --user <name>] [--log <file>]`: the first five minutes of somebody who has never seen lanehold.
 * Packs it, installs it from the package, and goes on in projects of several kinds to the first held push, through
 * the hooks that were installed; as root and as an ordinary user, where root runs it, each with a home of their own.
 * Prints each command with its seconds, and fails where one does not do what it says.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cleaningUp } from '../demo/interrupt.ts';
import { KINDS } from './kinds.ts';
import { type Entry, play } from './play.ts';

/** Commands of the user to the first held push, and their time beside npm's own. */
const MAX_COMMANDS = 3;
const MAX_SECONDS = 10;

const checkout = join(import.meta.dirname, '../..');

const { values } = parseArgs({
  options: {
    user: { type: 'string', default: 'nobody' },
    kind: { type: 'string', multiple: true, default: Object.keys(KINDS) },
    log: { type: 'string' },
    // Of the process that plays one trial as another user.
    play: { type: 'string' },
    folder: { type: 'string', default: '' },
  },
});

if (values.play === undefined) await playAll();
else console.log(JSON.stringify(await play(values.play, values.folder)));

async function playAll(): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lanehold-trial-')));
  chmodSync(folder, 0o755);
  await cleaningUp(
    () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
    async () => {
      const text = trials(folder).join('\n');
      console.log(text);
      if (values.log !== undefined) writeFileSync(values.log, text);
    },
  );
}

function trials(folder: string): string[] {
  const packed = ['pack', '--silent', '--pack-destination', folder];
  execFileSync('npm', packed, { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] });
  // The folder of a checkout may be closed to other users.
  copyFileSync(process.execPath, join(folder, 'node'));
  const me = process.getuid?.() === 0 ? 'root' : 'an ordinary user';
  const users = me === 'root' ? [me, values.user] : [me];
  const lines: string[] = [];
  for (const kind of values.kind) {
    for (const user of users) {
      const entries = playAs(user, me, kind, folder);
      const own = entries.filter(({ by }) => by === 'user');
      const seconds = entries
        .filter(({ by, isNpm }) => (by === 'user' || by === 'agent') && !isNpm)
        .reduce((sum, it) => sum + it.seconds, 0);
      const load = `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`;
      const verdict = `${own.length} commands, ${seconds.toFixed(1)} s beside npm's own time (${load})`;
      lines.push(
        `## ${kind}, as ${user}: ${verdict}`,
        '',
        '| | command | s |',
        '| --- | --- | --- |',
      );
      lines.push(...entries.map(row), '');
      const isGood = own.length <= MAX_COMMANDS && seconds <= MAX_SECONDS;
      if (!isGood || entries.some(({ problem }) => problem !== undefined)) process.exitCode = 1;
    }
  }
  return lines;
}

function row({ by, command, seconds, said, problem }: Entry): string {
  const wrong = problem === undefined ? '' : ` **${problem}**`;
  const text =
    said === undefined ? '' : `<br>${said.trim().replaceAll('|', '\\|').replaceAll('\n', '<br>')}`;
  return `| ${by} | \`${command}\`${text}${wrong} | ${seconds.toFixed(1)} |`;
}

function playAs(user: string, me: string, kind: string, folder: string): readonly Entry[] {
  const ground = join(folder, `${kind}-${user.replaceAll(' ', '-')}`);
  for (const it of ['', 'home', 'home/.claude', 'bin', 'tmp']) mkdirSync(join(ground, it));
  copyFileSync(join(folder, 'node'), join(ground, 'bin/node'));
  chmodSync(join(ground, 'bin/node'), 0o755);
  const tarball = readdirSync(folder).find((it) => it.endsWith('.tgz')) ?? '';
  copyFileSync(join(folder, tarball), join(ground, 'lanehold.tgz'));
  const script = [import.meta.filename, '--play', kind, '--folder', ground];
  const words = [join(ground, 'bin/node'), ...script];
  const options = { encoding: 'utf8', cwd: ground, maxBuffer: 64 * 1024 * 1024 } as const;
  if (user === me) {
    const [node = '', ...args] = words;
    return JSON.parse(execFileSync(node, args, options));
  }
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  const [uid, gid] = [id('-u'), id('-g')];
  for (const it of readdirSync(ground, { recursive: true, encoding: 'utf8' }))
    chownSync(join(ground, it), uid, gid);
  chownSync(ground, uid, gid);
  const as = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--'];
  return JSON.parse(execFileSync('setpriv', [...as, ...words], options));
}
