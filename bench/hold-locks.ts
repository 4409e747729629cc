/** Takes the locks that are named, says so, and keeps them until its input ends. */
import { takeLock } from '../src/base/process/held-lock.ts';

const locks = process.argv.slice(2).map((file) => takeLock(file));
if (locks.includes(undefined)) throw new Error('somebody holds one of them');
process.stdout.write('held\n');
process.stdin.resume().on('end', () => {
  for (const lock of locks) lock?.release();
});
