/** The schemes of a route beside each other: one that is never asked, and several that one key serves. */

import type { Headers } from '../../core/request.ts'
import { inDecidingOrder } from '../../parts/deciding-order.ts'
import type { Scheme } from '../../parts/schemes/scheme.ts'
import { verifyNames } from '../../parts/verify-names.ts'
import { checkedWith } from '../compile.ts'
import type { Subject } from './subject.ts'

export const reviewSchemes = ({ route, catalogue, spec, say }: Subject): void => {
  if (verifyNames(spec).length < 2) return
  const schemes = checkedWith(route, catalogue)
  const order = inDecidingOrder(schemes)
  for (const [i, scheme] of order.entries()) {
    const first = order.slice(0, i).find((each) => each.shows(shownBy(scheme)))
    if (!first) continue
    const message = `${scheme.name} is never asked: whatever it sends shows ${first.name} as well, which decides`
    say('WH319', ['verify'], message, { help: `give ${scheme.name} a route of its own` })
  }
  const sharing = schemes.filter(({ keys = 'secret' }) => keys === 'secret')
  if (sharing.length > 1 && route.secrets.length === 1) {
    const names = sharing.map(({ name }) => name).join(' and ')
    const message = `${names} are checked with the same key: a request that one of them signed may hold as one of another`
    say('WH320', ['verify'], message, { help: 'give each sender a route and a secret of its own' })
  }
}

/** Headers by which a request shows the scheme. */
const shownBy = (scheme: Scheme): Headers => {
  if (scheme.shownBy) return scheme.shownBy
  try {
    const { headers } = scheme.sign({ secret: 'any', body: '{}', id: 'any', at: 0 })
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  } catch {
    return {}
  }
}
