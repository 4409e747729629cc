/**
 * `npm start`: shows the hold from end to end in a temporary folder. Exits with 1 and names the step
 * if its outcome is not the announced one.
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
