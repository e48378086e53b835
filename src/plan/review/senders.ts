/**
 * Reviews routes whose senders put several events into one request (WH322), never send a refused event again (WH321), also where a direct
 * delivery fails (WH335), or leave a value out of some events (WH349).
 */

import type { RouteSource } from '../../config/config.ts'
import type { Loaded } from '../../config/load.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../../core/diagnostic.ts'
import { printable } from '../../core/text.ts'
import { parseTemplate } from '../../expr/placeholder.ts'
import { batchOf } from '../../parts/route-batch.ts'
import { hasSenderLog } from '../../parts/sender-logs/index.ts'
import { verifyNames } from '../../parts/written-names.ts'
import type { Catalogue } from '../compile.ts'
import { templatePieces } from '../dialects.ts'
import { checkedWith } from '../route-schemes.ts'
import { leavesOf } from './filters/fields.ts'
import { likelySenders } from './likely-senders.ts'
import type { Subject } from './subject.ts'

export const reviewSenders = (subject: Subject): void => {
  reviewNulls(subject)
  if (verifyNames(subject.spec).length === 0) return
  reviewSeveral(subject)
  reviewDirect(subject)
}

/** Reports placeholders of the prompt below a map that some events lack. Nothing is said where a filter, a script or a transform
 * may keep those out. */
const reviewNulls = ({ route, catalogue, spec, texts, say, placeOf }: Subject): void => {
  if (spec.script !== undefined || spec.transform !== undefined || spec.prompt === undefined) return
  const nulls = likelySenders(route, catalogue).flatMap(({ events }) => events?.nulls ?? [])
  for (const { event, key, when, told } of nulls) {
    const isKept = leavesOf(spec.filters).some(({ field }) =>
      [key, told[0], 'after'].includes(field.replace(/^payload\./, '').split('.')[0] ?? ''),
    )
    const found = templatePieces(spec.prompt).find(({ piece }) => piece.kind === 'path' && piece.path.startsWith(`${key}.`))
    if (!spec.events?.includes(event) || isKept || found?.piece.kind !== 'path') continue
    const { written } = found.piece
    const whole = placeOf(['prompt'])
    say(
      'WH349',
      ['prompt'],
      `${when} has no ${key}: "${printable(written, 80)}" stays as it is there, and the agent is asked all the same`,
      {
        help: `keep them out: filters: [{ field: ${told[0]}, equals: ${told[1]} }]`,
        place: texts.inside(whole, spec.prompt, { text: written, at: found.from }) ?? whole,
      },
    )
  }
}

/** Reports a direct delivery that is lost when its target fails for a moment, because its sender does not repeat the event. */
const reviewDirect = ({ route, catalogue, spec, say }: Subject): void => {
  if (!spec.deliver_only || spec.retry || spec.catch_up) return
  const sender = neverAgain(route, catalogue)
  if (sender === undefined) return
  say('WH335', ['deliver_only'], `${sender} does not repeat refused events: what the target does not take at once is lost`, {
    help: 'add retry: {}, so that the message is kept and tried again; without it, headgate events retry <id> sends it by hand',
  })
}

/**
 * Reviews a route whose sender puts several events into one request. Where the route takes the request as one event, `events` lets it on as
 * soon as one of its events is listed, and the prompt gets all of them. Where the route splits it, no path may lead into the list.
 */
const reviewSeveral = (subject: Subject): void => {
  const { route, catalogue, spec, say } = subject
  const schemes = checkedWith(route, catalogue)
  const batch = batchOf(spec, schemes)
  if (typeof batch === 'object') {
    reviewSplit(batch.items, subject)
    return
  }
  if ((spec.events ?? []).length === 0) return
  for (const { title, reads } of schemes) {
    if (!reads?.several) continue
    const { list } = reads.several
    const first = list === '' ? '0' : `${list}.0`
    const message = `${title} may send several events in one request, which is taken as a whole when "events" lists any of them`
    const help = `let the prompt have ${list === '' ? 'the whole list, {__raw__},' : `{${list}}`} and say which events count: {${first}.…} is of the first, which need not be listed`
    say('WH322', ['events'], message, { help })
  }
}

/** Reports paths of a splitting route that lead into the list of the request, although each item is an event. */
const reviewSplit = (items: string, { spec, say }: Subject): void => {
  const firstItem = [...items.split('.').filter((step, i, { length }) => step !== '*' || i < length - 1), '0']
    .join('.')
    .replaceAll('*', '0')
  const inPrompt = parseTemplate(spec.prompt ?? '', () => {}).flatMap((piece) =>
    piece.kind === 'path' ? { path: piece.path, at: ['prompt'] } : [],
  )
  const inFilters = leavesOf(spec.filters).map(({ field, path }) => ({ path: field.replace(/^payload\./, ''), at: path }))
  for (const { path, at } of [...inPrompt, ...inFilters]) {
    if (!`${path}.`.startsWith(`${firstItem}.`)) continue
    const own = path.slice(firstItem.length + 1)
    const message = `each item of the request is an event of its own, and has no "${path}"`
    say('WH322', at, message, {
      help: `write "${own}" for the item, "batch.${path}" for the request, or split: false to take the request as one event`,
    })
  }
}

type Sources = readonly { readonly route: RouteSource }[]

/**
 * Reports once, for all enabled routes whose senders never send a refused event again, that the rate limit refuses events. Nothing is
 * reported where the configuration has a `rate_limit`, because its author has chosen the limit.
 */
export const reviewRepeats = (sources: Sources, { config, written }: Loaded, catalogue: Catalogue): Diagnostic[] => {
  if (written.has('rate_limit')) return []
  const losing = sources.map(({ route }) => route).filter((route) => neverAgain(route, catalogue) !== undefined)
  const [first] = losing
  const sender = first && neverAgain(first, catalogue)
  if (!first || sender === undefined) return []
  const names = losing.slice(0, 5).map(({ name }) => `"${name}"`)
  const more = losing.length > names.length ? ` and ${losing.length - names.length} more` : ''
  const message = `${sender} does not repeat refused events, and past ${config.adapter.rate_limit} posts in a minute these routes refuse: ${names.join(', ')}${more}`
  return [
    diagnostic('WH321', message, {
      route: first.name,
      pointer: pointerOf([...first.base, 'verify']),
      place: first.place([...first.base, 'verify']),
      help: `write rate_limit as you want it; where posts come in bursts, raise it and let coalesce merge the runs; what was refused is kept for events replay${losing.some(hasSenderLog) ? '; with catch_up, headgate events catch-up has the sender send it again (docs/catch-up.md)' : ''}`,
    }),
  ]
}

/** Returns the title of a route's sender that never sends a refused event again; `undefined` without one, and for a disabled route. */
const neverAgain = (route: RouteSource, catalogue: Catalogue): string | undefined =>
  route.enabled && verifyNames(route.spec).length > 0
    ? checkedWith(route, catalogue).find(({ repeats }) => repeats?.byItself === false)?.title
    : undefined
