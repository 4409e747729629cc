/** As in `mutation.test.ts`, in other languages. */
import { testKinds } from './kinds-are-held.ts';

testKinds('Python, tests inside', 'C, include and make');
