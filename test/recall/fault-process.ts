/**
 * A process of its own, LANEHOLD_HOME set, in a folder of a project: `fault-process.ts write <session> <prompts>`
 * says each prompt whose hook has answered; `lock` keeps the database locked for some time, again and again, and says
 * each time; `live <name> <sessions> <prompts>` is a client with several sessions, which write and read side by side.
 */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { homeOf } from '../../src/base/files/home.ts';
import { openStore } from '../../src/store/open.ts';
import { answerInProcess } from '../support/hook-in-process.ts';
import { promptSubmit, stop } from '../support/payloads.ts';

const [mode = '', name = '', count = '0', prompts = '0'] = process.argv.slice(2);
const cwd = process.cwd();

const hook = (event: string, payload: object) =>
  answerInProcess({
    args: [event, '--agent', 'claude-code'],
    cwd,
    env: process.env,
    input: JSON.stringify(payload),
  });
const prompt = (session: string, text: string) =>
  hook('prompt-submit', { ...promptSubmit(cwd), session_id: session, prompt: text });

if (mode === 'write') {
  for (let at = 0; at < Number(count); at += 1) {
    await prompt(name, `${name} prompt ${at}`);
    writeSync(1, `${at}\n`);
  }
}
if (mode === 'lock') {
  const { db } = await openStore(homeOf(process.env));
  for (;;) {
    db.exec('BEGIN IMMEDIATE');
    writeSync(1, 'locked\n');
    // Longer than an event tries.
    await sleep(2_000);
    db.exec('ROLLBACK');
    await sleep(200);
  }
}
if (mode === 'live') {
  for (let at = 0; at < Number(prompts); at += 1) {
    for (let session = 0; session < Number(count); session += 1) {
      const id = `${name}-${session}`;
      await prompt(id, `prepare invoice ${at} of ${id} please`);
      if (at % 5 === 4) await hook('stop', { ...stop(cwd), session_id: id });
    }
  }
  writeSync(1, 'done\n');
}
