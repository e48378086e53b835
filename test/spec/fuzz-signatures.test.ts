/** A quick run of `npm run fuzz:signatures`: of 3,000 forged requests none is taken for another event. */

import t from 'tap'
import { runFuzz } from '../../tools/fuzz/run.ts'

t.test('no forged request is taken', async (t) => {
  const found = await runFuzz({ seed: 1, requests: 3_000, presets: [] })
  t.same(found, [], 'the seed of each finding makes it again: npm run fuzz:signatures -- --seed N --presets SENDER --requests 5')
})
