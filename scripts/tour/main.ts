/**
 * `npm start`: the hold from end to end, run in a temporary folder. Ends with 1, and
 * names the step, if anything does not come out as the step says.
 */
import { withDemoProject } from '../demo/demo-project.ts';
import { Narrator, StepFailure } from './narrator.ts';
import { STEPS, setUp } from './story.ts';

const started = performance.now();
const narrator = new Narrator(process.stdout);

try {
  await withDemoProject('tour', async (demo) => {
    const tour = await setUp(demo, narrator);
    for (const step of STEPS) {
      narrator.heading(step.title);
      await step.run(tour);
    }
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  narrator.closing(`The tour is over: ${STEPS.length} steps came out as said, in ${seconds} s.`);
} catch (error) {
  narrator.failed(error instanceof StepFailure ? error.message : String((error as Error).stack));
  process.exitCode = 1;
}
