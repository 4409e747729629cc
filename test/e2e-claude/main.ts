/**
 * `npm run e2e:claude [-- <part of a story's name>]`: proves the hold with the real Claude Code,
 * against a model server on this machine. Prints one line per check. Where the client cannot be had
 * it says why on its last line and ends with 0. `LANEHOLD_E2E_CLAUDE` names a client to use instead
 * of installing one.
 */
import { findClient } from '../e2e/client.ts';
import { tellStories } from '../e2e/story.ts';
import { CLIENT } from './client.ts';
import { STORIES } from './stories.ts';

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

await tellStories('e2e:claude', () => findClient(CLIENT, print), STORIES);
