/** Whether the sessions that agents have recorded may be read is asked once, at a terminal. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { type InstallOptions, runInstall } from '../../src/fronts/cli/commands/install.ts';
import { sandbox } from './sandbox.ts';

/** @param answers what the person types, by a word of the question. */
async function install(
  box: ReturnType<typeof sandbox>,
  answers?: Readonly<Record<string, string>>,
  options: InstallOptions = {},
) {
  const { context, said } = box.context();
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  let asked = '';
  const stderr = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        const question = /[^\n]*\? \[[yYnN]\/[yYnN]\] $/.exec(String(chunk))?.[0];
        if (question !== undefined) {
          asked += `${question}\n`;
          const [, answer = ''] =
            Object.entries(answers ?? {}).find(([word]) => question.includes(word)) ?? [];
          stdin.write(`${answer}\n`);
        }
        done();
      },
    }),
    { isTTY: true },
  );
  const streams =
    answers === undefined
      ? context.streams
      : ({ ...context.streams, stdin, stderr } as unknown as typeof context.streams);
  const wish = { agent: ['claude-code'], gitHook: false, onHold: 'deny', ...options };
  await runInstall({ ...context, streams }, wish, box.runtime);
  const file = join(box.laneholdHome, 'config.json');
  const settings = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  return { asked, stdout: said.stdout, transcripts: settings.recall?.transcripts };
}

test.each([
  ['y', 'on'],
  ['n', 'off'],
  ['', 'off'],
])('"%s" sets it to %s, and nobody is asked again', async (answer, value) => {
  const box = sandbox();
  const first = await install(box, { 'Read them': answer });
  expect(first).toMatchObject({ asked: expect.stringContaining('Read them'), transcripts: value });
  expect(first.stdout).toContain(`set recall.transcripts: ${value}`);
  const second = await install(box, { 'Read them': answer });
  expect(second).toMatchObject({ asked: '', transcripts: value });
});

test.each([
  ['without a terminal', undefined, {}],
  ['with --yes, and no terminal', undefined, { yes: true }],
] as const)('%s it stays as it is, and is named', async (_, answers, options) => {
  const { stdout, transcripts } = await install(sandbox(), answers, options);
  expect(transcripts).toBeUndefined();
  expect(stdout).toContain('lanehold config set recall.transcripts on');
});

test('--yes is no answer to it at a terminal', async () => {
  const { asked, transcripts } = await install(sandbox(), { 'Read them': '' }, { yes: true });
  expect(asked).toContain('Read them');
  expect(transcripts).toBe('off');
});

test('a dry run, and an agent that records nothing, ask nothing', async () => {
  const dry = await install(sandbox(), { 'Read them': 'y' }, { dryRun: true });
  const other = await install(sandbox(), { 'Read them': 'y' }, { agent: ['cursor'] });
  for (const { asked, transcripts } of [dry, other]) {
    expect(asked).not.toContain('Read them');
    expect(transcripts).toBeUndefined();
  }
});
