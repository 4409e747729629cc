/** What comes back: the last work and notes at the start, a note at the prompt that it is about, a brief after a compaction. */
import { join } from 'node:path';
import type { DemoProject } from '../../scripts/demo/demo-project.ts';
import type { Speaking } from './driver.ts';
import type { Turn } from './model.ts';
import { SOURCE, setUpProject, succeed } from './project.ts';
import { install, runTurns } from './stories.ts';
import type { Check, Story } from './story.ts';

const EARLIER = 'Move the server to port 4000.';
const NOTE = 'Refund amounts are in cents';
const QUESTION = 'Are the refund amounts in cents or in dollars?';
const RULE = 'Never touch src/port/limits.js.';
const TASK = `Change the port to 5000. ${RULE}`;
const DREAMT = 'The server listens on port 4000';
const DONE: Turn = { say: 'Done.' };

export function recallStory(driver: Speaking): Story {
  return {
    name: 'what is remembered comes back',
    run: async (client, demo, check) => {
      await setUpProject(demo);
      await install(driver, demo);
      await writeNotes(demo);
      const say = (prompt: string, goesOn = true, turns: readonly Turn[] = [DONE]) =>
        runTurns(driver, client, demo, turns, { prompt, goesOn });

      const edited = await say(EARLIER, false, [
        ...driver.edit(demo, SOURCE, '3000', '4000'),
        DONE,
      ]);
      check('the client ends normally', edited.code === 0, edited.stderr);
      const { openRequest, files } = await lastSession(demo);
      check(
        'the first prompt is recorded, in the words of the user',
        openRequest === EARLIER,
        openRequest,
      );
      check('and what was edited', files.includes(SOURCE), files.join());

      const opening = (await say('Hello!', false)).shown[0] ?? '';
      check(
        'a new session is told the last work',
        opening.includes(`asked "${EARLIER}`) && opening.includes(SOURCE),
        opening,
      );
      check('and the newest notes', opening.includes('is warmed when the server starts'), opening);
      check('not one that nothing is about', !opening.includes(NOTE), opening);
      const asked = (await say(QUESTION)).shown[0] ?? '';
      check('a prompt brings the note that it is about', asked.includes(NOTE), asked);
      const again = (await say(QUESTION)).shown[0] ?? '';
      check('once', !again.includes(NOTE), again);
      const thanks = (await say('Thanks, that helped!')).shown[0] ?? '';
      check('small talk brings nothing', !thanks.includes('recalls'), thanks);
      await checkDream(driver, client, demo, check);
      await checkCompaction(driver, client, demo, check);
    },
  };
}

/** The client reads the sessions by itself and proposes a note, and one that nobody said. */
async function checkDream(
  { answering, headless, startModel }: Speaking,
  client: string,
  demo: DemoProject,
  check: Check,
): Promise<void> {
  if (answering === undefined) return;
  let read = '';
  const model = await startModel(async ({ shown }) => {
    const session = /^session (\S+)\nRequest: .*port 4000/m.exec(shown)?.[1];
    if (session === undefined) return DONE;
    read = shown;
    const propose = (title: string, quote: string) => ({
      operation: { op: 'create', kind: 'decision', title, files: [SOURCE] },
      why: 'It was decided.',
      evidence: [{ session, quote }],
    });
    const changes = [propose(DREAMT, EARLIER), propose('Made up', 'Nobody has ever said this')];
    return { say: `\`\`\`json\n${JSON.stringify({ changes })}\n\`\`\`` };
  });
  try {
    const program = [client, ...answering(model)].map((it) => `'${it}'`).join(' ');
    const { env } = headless(demo, model, { prompt: '', goesOn: false });
    const dreamed = await demo.run('lanehold', ['dream', '--program', program], {
      env: { ...demo.env, ...env },
      limitMs: 120_000,
    });
    const said = dreamed.stdout + dreamed.stderr;
    check('dreaming starts the client, which reads the sessions', read.includes(EARLIER), said);
    const listed = await succeed(demo, 'lanehold', ['dream', 'list']);
    check('what it finds in them is proposed', listed.includes(DREAMT), said + listed);
    check('what nobody said is not', !listed.includes('Made up'), listed);
  } finally {
    await model.close();
  }
}

/** The user asks, the context is emptied, and the work goes on. */
async function checkCompaction(
  driver: Speaking,
  client: string,
  demo: DemoProject,
  check: Check,
): Promise<void> {
  const { compaction } = driver;
  if (compaction === undefined) return;
  const look = (inputTokens?: number): Turn => ({
    say: 'I look at it.',
    use: [driver.shell(`cat ${SOURCE}`)],
    ...(inputTokens === undefined ? {} : { inputTokens }),
  });
  const say = (prompt: string, turns: readonly Turn[]) =>
    runTurns(driver, client, demo, turns, { prompt, goesOn: true });
  const { fullTokens, turns = 1 } = 'fullTokens' in compaction ? compaction : {};
  const looks = Array.from({ length: turns }, () => look(fullTokens));
  const runs = [await say(TASK, [...looks, DONE])];
  if ('prompt' in compaction) runs.push(await say(compaction.prompt, []));
  // Some clients can be told only with a prompt.
  runs.push(await say('Go on.', [DONE]));
  const told = runs.flatMap(({ shown, standing }) => [...shown, ...standing]).join('\n---\n');
  check(
    'after a compaction it is told what the user asked',
    told.includes(`- The user asked last: "`) && told.includes(TASK),
    told,
  );
  check('and what the user does not want', told.includes(`- The user stated: "${RULE}"`), told);
}

async function lastSession(demo: DemoProject): Promise<{ openRequest?: string; files: string[] }> {
  const shown = await succeed(demo, 'lanehold', ['session', 'show', '--json']);
  return JSON.parse(shown).summary;
}

/** One that a prompt will be about, and so many newer ones that a session does not start with it. */
async function writeNotes(demo: DemoProject): Promise<void> {
  const note = (name: string, title: string, created: string): void => {
    const header = `id: lh-${name}\nkind: fact\ntitle: ${title}\nstatus: active\ncreated: ${created}\nsource: person`;
    demo.write(`../notes/project/facts/${name}.md`, `---\n${header}\n---\n\nIt takes a minute.\n`);
  };
  note('000000', NOTE, '2026-01-05');
  for (const name of ['111111', '222222', '333333', '444444', '555555', '666666', '777777']) {
    note(name, `The table ${name} is warmed when the server starts`, '2026-02-06');
  }
  await succeed(demo, 'lanehold', ['note', 'import', join(demo.root, 'notes')]);
}
