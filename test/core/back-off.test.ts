import t from 'tap'
import { backOff } from '../../src/core/turns/back-off.ts'

t.test('a delay doubles with each failure, up to the most', (t) => {
  const delay = backOff({ first: 500, most: 3_000 })
  t.same(
    [1, 2, 3, 4, 5_000].map((failures) => delay(failures)),
    [500, 1_000, 2_000, 3_000, 3_000],
  )
  t.end()
})

t.test('jitter leaves a part of the delay to chance, and never makes it longer', (t) => {
  const half = backOff({ first: 1_000, most: 60_000, jitter: 0.5 })
  t.same(
    [0, 0.5, 1].map((chance) => half(2, () => chance)),
    [1_000, 1_500, 2_000],
  )
  const all = backOff({ first: 1_000, most: 60_000, jitter: 1 })
  t.same(
    [0, 0.5, 1].map((chance) => all(2, () => chance)),
    [0, 1_000, 2_000],
  )
  t.end()
})
