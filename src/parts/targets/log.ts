/** The target `log`: writes the text to the gateway's log. It is the default target, because it needs no settings. */

import type { TargetPart } from './target.ts'

export const log: TargetPart = {
  name: 'log',
  title: "One line in the gateway's log",
  schema: { deliver_extra: { properties: {} } },
  internal: true,
  repeatable: true,
  async send(outgoing, kit) {
    kit.log(outgoing)
    return { ok: true }
  },
}
