/**
 * `npm run e2e:gemini [-- <part of a story's name>]`: the real Gemini CLI against a model on this
 * machine. Where the client cannot be had it says why on its last line and ends with 0.
 * `LANEHOLD_E2E_GEMINI` names a client to use instead of installing one.
 */
import { tellStoriesOf } from '../e2e/story.ts';
import { GEMINI } from './driver.ts';

await tellStoriesOf(GEMINI);
