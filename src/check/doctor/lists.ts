/** Checks whether the running gateway has the lists at web addresses that its conditions ask (`in_list`). */

import { type Check, type CheckInput, fail, ok, warn } from '../../datadir/check.ts'

const name = 'lists'

/** Returns a check for each list that is missing, too old or not fetched again; none where no gateway runs or asks a list. */
export const checkLists = ({ status }: CheckInput): readonly Check[] => {
  const lists = status?.lists ?? []
  const found = lists.flatMap(({ address, usable, values, fetched_at: at, failure }): readonly Check[] => {
    const why = failure ? `: ${failure.reason} (${failure.times} times since ${failure.since})` : ''
    if (!usable)
      return [
        fail(
          name,
          `${address} ${at === null ? 'was not fetched yet' : `is too old, of ${at}`}, so events get 503${why}`,
          'see that its server answers',
        ),
      ]
    return failure ? [warn(name, `${address} has ${values} values of ${at}, and no newer ones${why}`, 'see that its server answers')] : []
  })
  return found.length === 0 && lists.length > 0 ? [ok(name, `${lists.length} fetched`)] : found
}
