/** Compiles a route's message: its `prompt`, and its targets with their `deliver_extra`. */

import type { JsonObject } from '../../../core/json.ts'
import type { Prompt } from '../../../core/prompt.ts'
import type { Event } from '../../../core/request.ts'
import { compilePromptTemplate, compileWhole, thenAll } from '../../../expr/template.ts'
import { compileTexts } from '../../../expr/template-map.ts'
import type { Route } from '../../../generated/config.ts'
import type { Delivery, Destination } from '../../../store/ports.ts'
import { deliveriesOf, readDelivery } from '../../destination.ts'
import type { StageKit } from '../../stages/stage.ts'
import { templateKit } from '../../template-kit.ts'

export type Message = {
  readonly prompt: Prompt
  readonly delivery: Destination
}

export type CompiledMessage = {
  /** The targets as configured, with templates not yet filled in. */
  readonly written: Destination
  /** Renders the message for an event. The result is a promise only when a template uses JSONata. */
  readonly render: (event: Event) => Message | Promise<Message>
}

/** Compiles a route's prompt. Its result is a promise only when the prompt uses JSONata. */
export const compilePrompt = (route: Route, kit: StageKit): ((event: Event) => Prompt | Promise<Prompt>) => {
  if (route.prompt) return compilePromptTemplate(route.prompt, templateKit(kit, ['prompt']))
  // A route with an empty prompt, like a route without a prompt, gets the whole payload (rules: Templates 2).
  const whole = compileWhole('the whole payload', templateKit(kit, ['prompt']))
  return (event) => {
    const text = whole(event)
    return { text, untrusted: [[0, text.length]] }
  }
}

export const compileMessage = (route: Route, kit: StageKit): CompiledMessage => {
  const written = readDelivery(route, kit.targets, kit.report)
  const prompt = compilePrompt(route, kit)
  const fills = deliveriesOf(written).map(({ target, extra }) =>
    compileTexts(extra, templateKit(kit, ['deliver_extra']), kit.targets.get(target)?.addresses),
  )
  const join = (prompt: Prompt, extras: readonly JsonObject[]): Message => {
    const filled = (delivery: Delivery, i: number): Delivery => ({ ...delivery, extra: extras[i] as JsonObject })
    return { prompt, delivery: 'to' in written ? { ...written, to: written.to.map(filled) } : filled(written, 0) }
  }
  const render: CompiledMessage['render'] = (event) => {
    const rendered = prompt(event)
    const filled = thenAll(
      fills.map((fill) => fill(event)),
      (extras) => extras,
    )
    if (!(rendered instanceof Promise) && !(filled instanceof Promise)) return join(rendered, filled)
    return Promise.all([rendered, filled]).then(([r, f]) => join(r, f))
  }
  return { written, render }
}
