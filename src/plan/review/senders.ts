/** What the sender of a route does that its author should know: several events in one request. */

import { verifyNames } from '../../parts/verify-names.ts'
import { checkedWith } from '../compile.ts'
import type { Subject } from './subject.ts'

export const reviewSenders = (subject: Subject): void => {
  if (verifyNames(subject.spec).length === 0) return
  reviewSeveral(subject)
}

/** `events` looks at each event of a request, and what comes behind it gets all of them. */
const reviewSeveral = ({ route, catalogue, spec, say }: Subject): void => {
  if ((spec.events ?? []).length === 0) return
  for (const { title, reads } of checkedWith(route, catalogue)) {
    if (!reads?.several) continue
    const { list } = reads.several
    const first = list === '' ? '0' : `${list}.0`
    const message = `${title} may send several events in one request, which is taken as a whole when "events" lists any of them`
    const help = `let the prompt have ${list === '' ? 'the whole list, {__raw__},' : `{${list}}`} and say which events count: {${first}.…} is of the first, which need not be listed`
    say('WH322', ['events'], message, { help })
  }
}
