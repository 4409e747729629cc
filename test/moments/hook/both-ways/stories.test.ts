/** Whatever answers an event, a Node of its own or the resident process: the same bytes, the same rows. */
import { testBothWays } from './play.ts';
import { inShort, STORIES } from './stories.ts';

testBothWays(STORIES.filter(inShort));
