/**
 * What hostile requests get from the plain forms of all that leans on Node's insides (src/node-internals/). The fast forms run in
 * hostile.test.ts.
 */

import t from 'tap'

process.env.HEADGATE_PLAIN = 'all'
const { formNames, isFast } = await import('../../src/node-internals/forms.ts')
t.same(formNames.filter(isFast), [], 'all forms are plain')
await import('./hostile.test.ts')
