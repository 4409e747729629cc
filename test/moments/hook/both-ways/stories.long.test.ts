/** The stories, and what agents were recorded to send, that `npm test` leaves out. */
import { testBothWays } from './play.ts';
import { inShort, RECORDED_STORIES, STORIES } from './stories.ts';

testBothWays([...STORIES, ...RECORDED_STORIES].filter((it) => !inShort(it)));
