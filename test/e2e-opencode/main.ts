/**
 * `npm run e2e:opencode [-- <part of a story's name>]`: the real OpenCode against a model on this
 * machine. Where the client cannot be had it says why on its last line and ends with 0.
 * `LANEHOLD_E2E_OPENCODE` names a client to use instead of installing one.
 */
import { tellStoriesOf } from '../e2e/story.ts';
import { OPENCODE } from './driver.ts';

await tellStoriesOf(OPENCODE);
