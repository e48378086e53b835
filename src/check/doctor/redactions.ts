/** Checks whether fields of `redact` were in no event since the start, because nothing was hidden there. */

import { type Check, type CheckInput, warn } from '../../datadir/check.ts'

const name = 'redactions'

/** Returns a check for each field that no event had; none where no gateway runs. */
export const checkRedactions = ({ workspace: { self }, status }: CheckInput): readonly Check[] =>
  (status?.redactions_missed ?? []).map(({ route, field, events }) => {
    const of = route === null ? '"redact" of the adapter' : `"redact" of the route "${route}"`
    const none = events === 1 ? 'the one event' : `all ${events} events`
    return warn(
      name,
      `"${field}" in ${of} is in no event: ${none} since the start or the last reload had nothing to hide there`,
      `compare it with an event (${self} events show <id>), or take it out of redact`,
    )
  })
