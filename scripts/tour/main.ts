/**
 * `npm start`: the hold from end to end, played for real in a throw-away folder. Ends with 1, and
 * names the step, if anything does not come out as the step says.
 */
import { withStage } from '../stage/stage.ts';
import { Narrator, StepFailure } from './narrator.ts';
import { STEPS, setUp } from './story.ts';

const started = performance.now();
const narrator = new Narrator(process.stdout);

try {
  await withStage('tour', async (stage) => {
    const scene = await setUp(stage, narrator);
    for (const step of STEPS) {
      narrator.heading(step.title);
      await step.play(scene);
    }
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  narrator.closing(`The tour is over: ${STEPS.length} steps came out as said, in ${seconds} s.`);
} catch (error) {
  narrator.failed(error instanceof StepFailure ? error.message : String((error as Error).stack));
  process.exitCode = 1;
}
