/** Compiles what the ending of a route gets of each event: the prompt, and the targets with their `deliver_extra`. */

import type { Json, JsonObject } from '../../../core/json.ts'
import type { Delivery, Destination } from '../../../core/new-run.ts'
import type { Prompt } from '../../../core/prompt.ts'
import type { Event } from '../../../core/request.ts'
import { compilePromptTemplate, compileWhole, type Renderer, thenAll } from '../../../expr/template.ts'
import { compileTexts, type TextUse } from '../../../expr/template-map.ts'
import type { Route } from '../../../generated/config.ts'
import { compileBodyPieces, piecesKey } from '../../body-pieces.ts'
import { deliveriesOf, readDelivery } from '../../destination.ts'
import type { StageKit } from '../../stages/stage.ts'
import { addressKeys, exactKeys } from '../../targets/delivery/settings.ts'
import type { TargetPart } from '../../targets/target.ts'
import { templateKit } from '../../template-kit.ts'

/** The prompt and the targets for one event, with all templates filled in. */
export type EventMessage = {
  readonly prompt: Prompt
  readonly delivery: Destination
}

export type CompiledMessage = {
  /** The targets as configured, with templates not yet filled in. */
  readonly written: Destination
  /** Renders the message for an event. The result is a promise only when a template uses JSONata. */
  readonly render: (event: Event) => EventMessage | Promise<EventMessage>
}

/**
 * Makes the function that renders a route's prompt, or the whole payload where the route has none. The function returns a promise only when
 * the prompt uses JSONata.
 */
export const compilePrompt = (route: Route, kit: StageKit): ((event: Event) => Prompt | Promise<Prompt>) => {
  if (route.prompt) return compilePromptTemplate(route.prompt, templateKit(kit, ['prompt']))
  // Where the prompt is empty or absent, the whole payload is the prompt (rules: Templates 2).
  const payloadText = compileWhole('the whole payload', templateKit(kit, ['prompt']))
  return (event) => {
    const text = payloadText(event)
    return { text, untrusted: [[0, text.length]] }
  }
}

/** Returns how the texts of a target's `deliver_extra` are filled in, by their keys. Of a target without a schema, each may be an id. */
const extraUse = (target: TargetPart | undefined): ((key: string) => TextUse) => {
  const properties = target?.schema?.deliver_extra.properties
  const exact: readonly string[] = properties ? [...addressKeys, ...exactKeys(properties)] : []
  return (key) => (target?.addresses?.includes(key) ? 'address' : !properties || exact.includes(key) ? 'exact' : 'text')
}

/** Compiles the templates in the settings of a target. */
const compileExtra = ({ target, extra }: Delivery, kit: StageKit): Renderer<JsonObject> => {
  const { [piecesKey]: pieces, ...settings } = extra
  const templates = templateKit(kit, ['deliver_extra'])
  const fill = compileTexts(settings, templates, extraUse(kit.targets.get(target)))
  if (pieces === undefined) return fill
  const fillBody = compileBodyPieces(extra, templates)
  return (event) =>
    thenAll<Json, JsonObject>([fill(event), fillBody(event)], ([filled, body]) => ({
      ...(filled as JsonObject),
      [piecesKey]: body as Json,
    }))
}

/** Compiles the prompt and the targets of a route. Mistakes in them go to `kit.report`. */
export const compileMessage = (route: Route, kit: StageKit): CompiledMessage => {
  const written = readDelivery(route, kit.targets, kit.report)
  const renderPrompt = compilePrompt(route, kit)
  const fillExtras = deliveriesOf(written).map((delivery) => compileExtra(delivery, kit))
  const join = (prompt: Prompt, extras: readonly JsonObject[]): EventMessage => {
    const filled = (delivery: Delivery, i: number): Delivery => ({ ...delivery, extra: extras[i] as JsonObject })
    const delivery = 'to' in written ? { ...written, to: written.to.map(filled) } : filled(written, 0)
    kit.effects.onlooker?.addressed(delivery)
    return { prompt, delivery }
  }
  const render: CompiledMessage['render'] = (event) => {
    const rendered = renderPrompt(event)
    const filled = thenAll(
      fillExtras.map((fill) => fill(event)),
      (extras) => extras,
    )
    if (!(rendered instanceof Promise) && !(filled instanceof Promise)) return join(rendered, filled)
    return Promise.all([rendered, filled]).then(([prompt, extras]) => join(prompt, extras))
  }
  return { written, render }
}
