/**
 * Part of `npm run bench:lanes`: what a lane takes on the disk beside others, in a project with the packages that this
 * checkout has installed, and by which way lanes share these here. Root can write to each file, so it measures as an
 * ordinary user. Exits with 0 whatever the figures are, and with 1 if nothing could be measured.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { type Dirent, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withDemoProject } from '../scripts/demo/demo-project.ts';
import { homeOf } from '../src/base/files/home.ts';
import { sharing } from '../src/checkout/copy-folder.ts';
import { attemptStore } from '../src/store/attempts.ts';
import { openStore } from '../src/store/open.ts';

const MOST_MB = 5;
const TIMEOUT_MS = 300_000;
const MB = 1024 * 1024;
/** The first one copies, and its packages become those that the others share. */
const KEYS = ['first', 'second', 'third'] as const;

const WORDS = {
  blocks: 'reflinks',
  links: 'hard links to files that cannot be written to',
} as const;

if (process.getuid?.() === 0) {
  const own = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath];
  const { status } = spawnSync('setpriv', [...own, ...process.argv.slice(1)], { stdio: 'inherit' });
  process.exit(status ?? 1);
}

await withDemoProject('bench-disk', async (demo) => {
  const checkout = join(import.meta.dirname, '..');
  demo.write('package.json', readFileSync(join(checkout, 'package.json'), 'utf8'));
  // What is installed, also where the lock file here asks for something newer.
  const installed = join(checkout, 'node_modules');
  demo.write('package-lock.json', readFileSync(join(installed, '.package-lock.json'), 'utf8'));
  demo.write('.gitignore', 'node_modules\n');
  const worker = { adapter: 'command', command: ['/bin/sh', '-c', 'exec sleep 600'] };
  demo.write('lanehold.json', JSON.stringify({ lanes: { workers: { local: worker } } }));
  await demo.git('add', '--all');
  await demo.git('commit', '--quiet', '--message', 'Start');
  execFileSync('cp', ['-a', installed, demo.project]);
  const lanehold = async (...args: string[]): Promise<void> => {
    const ran = await demo.run('lanehold', ['orchestrate', ...args], { limitMs: TIMEOUT_MS });
    if (ran.code !== 0) throw new Error(`lanehold ${args.join(' ')} failed:\n${ran.stderr}`);
  };
  await lanehold('init', 'Measure');
  const store = await openStore(homeOf(demo.env));
  let tree = '';
  for (const key of KEYS) {
    const options = ['--desc', 'Wait', '--agent', 'local', '--validate', 'true'];
    await lanehold('lane', 'add', key, ...options);
    await lanehold('spawn', key);
    for (const end = performance.now() + TIMEOUT_MS; ; await delay(250)) {
      const found = attemptStore(store)
        .live()
        .find(({ worktree, state }) => state === 'running' && worktree.endsWith(key));
      tree = found?.worktree ?? tree;
      if (found !== undefined) break;
      if (performance.now() > end) throw new Error('not measured: the lane did not start');
    }
  }
  const shared = join(store.home.root, 'cache', 'shared');
  mkdirSync(shared, { recursive: true });
  const way = await sharing(shared, join(tree, '..'));
  store.close();
  await lanehold('cancel');
  const { folders, files } = diskOf(tree);
  // Which blocks of a file are its own, only the file system knows.
  const said = typeof way === 'string' ? WORDS[way] : `copies, as ${way.why}`;
  const mb = (folders + (way === 'blocks' ? 0 : files)) / MB;
  const packages = readdirSync(join(tree, 'node_modules')).length;
  const figures = `${mb.toFixed(1).padStart(6)} MB  of ${MOST_MB} MB ${mb <= MOST_MB ? 'ok' : 'OVER'}`;
  process.stdout.write(
    `${`disk of a lane beside others, ${packages} packages`.padEnd(50)} ${figures}\n`,
  );
  process.stdout.write(`  ${(folders / MB).toFixed(1)} MB of it are folders; by ${said}\n`);
});

/** Bytes on the disk that no other tree has a name for. */
function diskOf(folder: string): { readonly folders: number; readonly files: number } {
  const sum = { folders: lstatSync(folder).blocks * 512, files: 0 };
  const entries: Dirent[] = readdirSync(folder, { withFileTypes: true, recursive: true });
  for (const { parentPath, name } of entries) {
    const stats = lstatSync(join(parentPath, name));
    if (stats.isDirectory()) sum.folders += stats.blocks * 512;
    else if (stats.nlink === 1) sum.files += stats.blocks * 512;
  }
  return sum;
}
