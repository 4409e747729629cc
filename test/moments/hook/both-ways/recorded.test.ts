/** What agents were recorded to send is answered with the same bytes both ways, and leaves the same rows. */
import { testBothWays } from './play.ts';
import { inShort, RECORDED_STORIES } from './stories.ts';

testBothWays(RECORDED_STORIES.filter(inShort));
