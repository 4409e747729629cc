/**
 * `npm run e2e:codex [-- <part of a story's name>]`: the real Codex against a model on this machine.
 * Where the client cannot be had it says why on its last line and ends with 0. `LANEHOLD_E2E_CODEX`
 * names a client to use instead of installing one.
 */
import { tellStoriesOf } from '../e2e/story.ts';
import { CODEX } from './driver.ts';

await tellStoriesOf(CODEX);
