/** Proposed features hold what breaks the tests of a project. `npm run test:discovery` tries all kinds. */
import { testKinds } from './kinds-are-held.ts';

testKinds('dynamic imports, barrels');
