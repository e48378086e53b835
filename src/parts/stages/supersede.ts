/**
 * The gate `supersede` gives an event the key whose earlier work it ends, and by which later events end its own (rules: Ending work 2). It
 * stands last: what another gate holds back ends nothing.
 */

import { thenAll } from '../../expr/template.ts'
import { compileEndKey } from './kit/end-key.ts'
import type { StagePart } from './stage.ts'

export const supersede: StagePart = {
  name: 'supersede',
  compile(route, kit) {
    if (!route.supersede) return {}
    const keyOf = compileEndKey('supersede', route, kit)
    return {
      onEvent: kit.expressions.around((event) =>
        thenAll([keyOf(event)], ([key]) => {
          if (key === undefined) return event
          const { endKeys = key, eventId: by } = event
          return { ...event, endKeys: endKeys === key ? key : `${key} ${endKeys}`, ending: { key, by } }
        }),
      ),
    }
  },
}
