/**
 * Ranks samples for a route. The samples that the route takes come first. Among them, samples with more of the values that the route's
 * conditions and templates read come first.
 */

import type { RouteSource } from '../../config/config.ts'
import { Fault, messageOf } from '../../core/fault.ts'
import { isObject, type Json } from '../../core/json.ts'
import type { Event } from '../../core/request.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { asReceived } from '../../dryrun/requests/prepare-test.ts'
import { schemeOf } from '../../dryrun/requests/sign-test.ts'
import { type KnownSample, listSamples, readSample } from '../../dryrun/samples/gallery.ts'
import { compileField } from '../../expr/path.ts'
import { placeholders } from '../../expr/placeholder.ts'
import type { Route } from '../../generated/config.ts'
import { eventReader, type RequestContent } from '../../operate/events/event-reader.ts'
import { compileTypeList } from '../../parts/listed-types.ts'
import type { Scheme } from '../../parts/schemes/scheme.ts'

export type RankedSample = {
  readonly name: string
  readonly type: string
  readonly bytes: number
  /** Whether the route takes the sample's event type and a signature of the sample's sender. */
  readonly fits: boolean
  /**
   * Whether the sample fits, and also shows what the route is about: by the route's `events` or `verify`, or by a value that its conditions
   * or templates read.
   */
  readonly isLike: boolean
  /** Why the sample cannot be used; `undefined` if it can. */
  readonly problem?: string
}

/** The most samples that are ranked, because a user may have any number of samples. */
const maxSamples = 500

/**
 * Returns the samples, the best first. Of equally good samples, those of the provider with the most samples come first; a provider is the
 * first part of a sample's name. Without a route, all samples that can be read are equally good.
 */
export const rankedSamples = (
  workspace: Workspace,
  source: RouteSource | undefined,
  schemes: readonly Scheme[],
): readonly RankedSample[] => {
  const judge = judgeOf(source, schemes)
  const known = listSamples(workspace).slice(0, maxSamples)
  const many = (name: string): number => known.filter((each) => each.name.startsWith(`${name.split('/')[0]}/`)).length
  return known
    .map((each) => ({ ...ranked(each, judge), many: many(each.name) }))
    .sort((a, b) => Number(b.fits) - Number(a.fits) || b.has - a.has || b.many - a.many || (a.name < b.name ? -1 : 1))
}

/**
 * The judgement of a sample. `has`: how many of the fields that the route reads have a value in the sample; -1 where no event could be
 * read.
 */
type Judged = Pick<RankedSample, 'type' | 'fits' | 'isLike'> & { readonly has: number }

type Judge = (request: RequestContent) => Judged

const ranked = (sample: KnownSample, judge: Judge): RankedSample & { readonly has: number } => {
  const { name } = sample
  try {
    const { headers, body } = readSample(sample)
    const bytes = Buffer.from(body)
    return { name, bytes: bytes.length, ...judge({ headers: asReceived(headers), body: bytes }) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { name, type: '-', bytes: 0, fits: false, isLike: false, has: -1, problem: messageOf(error) }
  }
}

const judgeOf = (source: RouteSource | undefined, schemes: readonly Scheme[]): Judge => {
  const { events = [], verify } = source?.spec ?? {}
  const isListed = events.length === 0 ? () => true : compileTypeList(events)
  const wanted = [...fieldsIn(source?.spec as Json | undefined)].map(compileField)
  const read = eventReader(source, schemes)
  return (request) => {
    const event = read(request)
    if (!event) return { type: 'not JSON', fits: false, isLike: false, has: -1 }
    const has = wanted.filter((field) => field(event) !== undefined).length
    const fits = isListed(event) && isOfSenders(source?.spec ?? {}, request.headers, schemes)
    return { type: event.eventType, fits, isLike: fits && (events.length > 0 || has > 0 || verify !== undefined), has }
  }
}

/**
 * Whether the headers come from a sender of the route. Headers that show a scheme which the route does not verify come from another sender.
 */
export const isOfSenders = ({ verify }: Pick<Route, 'verify'>, headers: Event['headers'], schemes: readonly Scheme[]): boolean =>
  verify === undefined || schemeOf('auto', { verify }, '-', schemes, headers) === schemes.find((scheme) => scheme.shows(headers))?.name

/** Collects the fields of all conditions and the paths of all placeholders in a value. */
const fieldsIn = (value: Json | undefined, into: Set<string> = new Set()): ReadonlySet<string> => {
  if (typeof value === 'string') for (const path of placeholders(value)) into.add(path)
  if (Array.isArray(value)) for (const item of value) fieldsIn(item, into)
  if (isObject(value)) {
    if (typeof value.field === 'string') into.add(value.field)
    for (const item of Object.values(value)) fieldsIn(item, into)
  }
  return into
}
