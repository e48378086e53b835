/**
 * Reviews the schemes that `verify` of a route names. Reports a scheme whose requests an earlier scheme always claims (WH319), one secret for
 * several schemes (WH320), and a missing key of a sender that makes its key itself (WH323).
 */

import { insecure } from '../../config/config.ts'
import type { Headers } from '../../core/request.ts'
import { inDecidingOrder } from '../../parts/deciding-order.ts'
import type { Scheme } from '../../parts/schemes/scheme.ts'
import { verifyNames } from '../../parts/written-names.ts'
import { checkedWith } from '../route-schemes.ts'
import { ownSecrets } from './secrets/secrets.ts'
import type { Subject } from './subject.ts'

export const reviewSchemes = (subject: Subject): void => {
  const { route, catalogue, spec, say } = subject
  const named = verifyNames(spec).length
  if (named === 0) return
  const schemes = checkedWith(route, catalogue)
  reviewSenderKey(schemes, subject)
  if (named === 1) return
  const order = inDecidingOrder(schemes)
  for (const [i, scheme] of order.entries()) {
    const first = order.slice(0, i).find((each) => each.shows(showingHeaders(scheme)))
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

/**
 * Reports a route whose senders make their keys themselves, and which has no secret of its own. The global secret, which it inherits, is
 * hardly the key of such a sender.
 */
const reviewSenderKey = (schemes: readonly Scheme[], subject: Subject): void => {
  const { route, spec, say } = subject
  const isOff = spec.enabled === false || route.secrets.includes(insecure)
  const [first] = schemes
  if (isOff || !first || route.secrets.length === 0 || ownSecrets(subject).length > 0 || !schemes.every(needsTheirKey)) return
  const message = `${first.title} makes its key itself, and the route has none of its own: the global secret is taken for it`
  say('WH323', ['verify'], message, { help: `set "secret" of the route: ${first.senderKey}` })
}

const needsTheirKey = ({ senderKey, keys = 'secret' }: Scheme): boolean => senderKey !== undefined && keys === 'secret'

/** Returns headers of a request that shows the scheme; none where the scheme cannot sign an example. */
const showingHeaders = (scheme: Scheme): Headers => {
  if (scheme.shownBy) return scheme.shownBy
  try {
    const { headers } = scheme.sign({ secret: 'any', body: '{}', id: 'any', at: 0 })
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  } catch {
    return {}
  }
}
