/**
 * `npm run e2e:gemini [-- <part of a story's name>]`: the real Gemini CLI against a model on this
 * machine. Where the client cannot be had it says why on its last line and ends with 0.
 * `LANEHOLD_E2E_GEMINI` names a client to use instead of installing one.
 */
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { tellStoriesOf } from '../e2e/story.ts';
import { GEMINI } from './driver.ts';

// Gemini CLI ignores system settings, with which workers are armed, below a folder that others may
// write, as the machine's temp folder is.
const temp = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'lanehold-e2e', 'tmp');
mkdirSync(temp, { recursive: true, mode: 0o700 });
process.env.TMPDIR = temp;

await tellStoriesOf(GEMINI);
