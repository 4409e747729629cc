/** What agents were recorded to send is answered with the same bytes both ways, and leaves the same rows. */
import { testBothWays } from './play.ts';
import { recordedStories } from './stories.ts';

testBothWays(recordedStories());
