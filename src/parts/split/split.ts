/**
 * Compiles `split` and `dispatch` of a route, by which a request is several events. `split` makes an event of each item of a request, with a
 * type, a delivery id and a run of its own. The events of one request are accepted together or not at all.
 */

import { randomUUID } from 'node:crypto'
import { isObject, type Json, own } from '../../core/json.ts'
import type { Split } from '../../core/plan.ts'
import type { Event, VerifiedRequest } from '../../core/request.ts'
import { compileExactPath, compilePath } from '../../expr/path.ts'
import { scalarKey } from '../../expr/render.ts'
import type { Route } from '../../generated/config.ts'
import { boundedId, unknownType, usableType } from '../body/event-values.ts'
import type { Effects } from '../effects.ts'
import { routeBatch } from '../route-batch.ts'
import type { Batch, Scheme } from '../schemes/scheme.ts'
import type { StageKit } from '../stages/stage.ts'
import { compileDispatch, type TargetRoute } from './dispatch.ts'
import { createGathering, maxEvents, tooManyEvents } from './gathered-work.ts'
import { compileItemList, type Item } from './item-list.ts'

/** A route that splits or dispatches: the split for its plan, and the kit for its ending, whose work is gathered. */
export type CompiledSplit = { readonly split: Split; readonly kit: StageKit }

/**
 * Compiles `split` and `dispatch` of a route; `undefined` where the route takes each request as one event. `planned`: compiles a route that
 * `dispatch` names, with the effects in which its work is gathered.
 */
export const compileSplit = (route: Route, kit: StageKit, planned: PlanTarget): CompiledSplit | undefined => {
  const batch = routeBatch(route, kit.schemes)
  if (batch === 'unknown') {
    const [message, help] = ['no scheme that the route names has a list of events', 'write the path of the list, for example split: alerts']
    kit.report('WH208', ['split'], message, help)
  }
  if (batch === 'unknown' || (batch === undefined && route.dispatch === undefined)) return undefined
  const gathering = createGathering(kit.effects)
  const items = batch ? compileItems(batch, kit.schemes) : () => undefined
  const dispatch = compileDispatch(route, kit, (name) => planned(name, gathering.effects))
  return {
    split: { items, ...(dispatch ? { dispatch } : {}), run: (...from) => gathering.run(...from) },
    kit: { ...kit, effects: gathering.effects },
  }
}

/** Returns a route that `dispatch` names, with its plan; `undefined` where there is no such route. */
type PlanTarget = (name: string, effects: Effects) => TargetRoute | undefined

const compileItems = ({ items: list, type, id, byEvents }: Batch, schemes: readonly Scheme[]): Split['items'] => {
  const find = compileItemList(list)
  const readType = compileType(type)
  const idPaths = (id ?? []).map(compileIdPart)
  // An id that the signature does not cover could make a captured request look new.
  const unsignedIds = new Set(schemes.filter(({ signsParts }) => signsParts).map(({ name }) => name))
  return (event, request) => {
    const found = find(event.payload, event.text, maxEvents)
    if (found === undefined) return undefined
    if (typeof found === 'number') return tooManyEvents(found)
    const ids = unsignedIds.has(request.verification.scheme) ? [] : idPaths
    const types = found.map(({ payload }) => readType(payload))
    // The type of such a request is that of one of its items, and says nothing of the others.
    const otherType = byEvents && types.includes(event.eventType) ? unknownType : event.eventType
    const only = request.replay?.item
    const wanted = only === undefined ? [...found.keys()] : only < found.length ? [only] : []
    return wanted.map((index): Event => {
      const item = found[index] as (typeof found)[number]
      const { payload, text } = item
      return {
        ...event,
        eventId: only === undefined ? randomUUID() : event.eventId,
        eventType: types[index] ?? otherType,
        ...itemId(event, request, item, index, ids),
        ...(only === undefined ? {} : { deliveryId: event.deliveryId }),
        payload,
        text,
        batch: event,
      }
    })
  }
}

/** Makes the function that reads the type of an item: at the paths of the sender, else its `event_type` or `type`. */
const compileType = (type: Batch['type']): ((item: Json) => string | undefined) => {
  const getters = [type ?? []].flat().map(compilePath)
  if (getters.length === 0)
    return (item) => (isObject(item) ? (usableType(own(item, 'event_type')) ?? usableType(own(item, 'type'))) : undefined)
  return (item) => {
    for (const get of getters) {
      const found = usableType(get(item))
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** Reads one of the values that make the id of an item; `undefined` where the item has none. */
type IdPart = (item: Item) => string | undefined

const compileIdPart = (paths: string | readonly string[]): IdPart => {
  const getters = [paths].flat().map(compileExactPath)
  return (item) => getters.map((get) => scalarKey(get(item))).find((text) => text !== undefined && text !== '')
}

/**
 * Returns the delivery id of an item: the values at all paths of its id, else the id of the request and the index of the item. A replay as
 * new events has the second form, because its request has a new id.
 */
const itemId = (
  { deliveryId }: Event,
  { replay }: VerifiedRequest,
  item: Item,
  index: number,
  ids: readonly IdPart[],
): Required<Pick<Event, 'deliveryId' | 'itemBy'>> => {
  const values = replay?.isNew ? [] : ids.map((read) => read(item))
  const isWhole = values.length > 0 && values.every((value) => value !== undefined)
  return isWhole
    ? { deliveryId: boundedId(joined(values as readonly string[])), itemBy: 'values' }
    : { deliveryId: boundedId(`${deliveryId}#${index}`), itemBy: 'place' }
}

/** Joins the values of an id so that no two combinations of values give one text (rules: Duplicates 6): one with a blank is quoted. */
const joined = (values: readonly string[]): string =>
  values.length === 1 ? (values[0] as string) : values.map((value) => (/[ "]/.test(value) ? JSON.stringify(value) : value)).join(' ')
