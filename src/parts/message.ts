/** What a route says and to whom: its `prompt` and `deliver_extra`, compiled. */

import type { Opened } from '../core/exchange.ts'
import type { JsonObject } from '../core/json.ts'
import { targetName } from '../core/names.ts'
import { compileTemplate, compileTexts, wholePayload } from '../expr/template.ts'
import type { Route } from '../generated/config.ts'
import type { Delivery } from '../store/ports.ts'
import type { StageKit } from './part.ts'

export type Message = { readonly text: string; readonly delivery: Delivery }

/** Renders a route's message for one event; a promise only where JSONata is used. */
export const compileMessage = (route: Route, kit: StageKit): ((opened: Opened) => Message | Promise<Message>) => {
  const target = targetName(route.deliver ?? 'log')
  const part = kit.targets.get(target)
  const written = (route.deliver_extra ?? {}) as JsonObject
  part?.check?.(written, (code, path, message, help) => kit.report(code, ['deliver_extra', ...path], message, help))
  const withheld = (part?.withheld ?? []).filter((key) => Object.hasOwn(written, key))
  const stored = Object.fromEntries(Object.entries(written).filter(([key]) => !withheld.includes(key)))
  const report = (key: string) => (message: string) => kit.report('WH503', [key], message)
  // spec: Limits - an empty template is the whole payload too.
  const text = !route.prompt ? wholePayload : compileTemplate(route.prompt, { report: report('prompt') })
  const extra = compileTexts(stored, { report: report('deliver_extra') })
  const join = (rendered: string, filled: JsonObject): Message => ({
    text: rendered,
    delivery: { target, extra: filled, ...(withheld.length > 0 ? { withheld } : {}) },
  })
  return (opened) => {
    const rendered = text(opened)
    const filled = extra(opened)
    if (typeof rendered === 'string' && !(filled instanceof Promise)) return join(rendered, filled)
    return Promise.all([rendered, filled]).then(([r, f]) => join(r, f))
  }
}
