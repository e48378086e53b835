/** What a route says and to whom: its `prompt` and `deliver_extra`, compiled. */

import type { Opened } from '../core/exchange.ts'
import type { JsonObject } from '../core/json.ts'
import { compileTemplate, compileTexts, wholePayload } from '../expr/template.ts'
import type { Route } from '../generated/config.ts'
import type { Delivery } from '../store/ports.ts'
import { readDelivery } from './delivery.ts'
import type { StageKit } from './part.ts'

export type Message = { readonly text: string; readonly delivery: Delivery }

/** Renders a route's prompt for one event; a promise only where JSONata is used. */
export const compilePrompt = (route: Route, kit: StageKit): ((opened: Opened) => string | Promise<string>) =>
  // spec: Limits - an empty template is the whole payload too.
  route.prompt ? compileTemplate(route.prompt, { report: (message) => kit.report('WH503', ['prompt'], message) }) : wholePayload

/** Renders a route's message for one event; a promise only where JSONata is used. */
export const compileMessage = (route: Route, kit: StageKit): ((opened: Opened) => Message | Promise<Message>) => {
  const written = readDelivery(route, kit.targets, kit.report)
  const text = compilePrompt(route, kit)
  const extra = compileTexts(written.extra, { report: (message) => kit.report('WH503', ['deliver_extra'], message) })
  const join = (text: string, filled: JsonObject): Message => ({ text, delivery: { ...written, extra: filled } })
  return (opened) => {
    const rendered = text(opened)
    const filled = extra(opened)
    if (typeof rendered === 'string' && !(filled instanceof Promise)) return join(rendered, filled)
    return Promise.all([rendered, filled]).then(([r, f]) => join(r, f))
  }
}
