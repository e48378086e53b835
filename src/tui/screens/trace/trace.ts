/** The trace screen: the whole trace of the payload through the route, with every stage, every condition, the text and the answer. */

import { moveActions, scrollAfter } from '../../model/list.ts'
import { roomOf } from '../../model/room.ts'
import { type Screen, screenModel } from '../../model/screen.ts'
import { traceRows } from './trace-rows.ts'
import { endSentences, promptSentences, stageSentences } from './trace-said.ts'

declare module '../../model/screen.ts' {
  interface Screens {
    readonly trace: TraceScreen
  }
}

export type TraceScreen = Screen & { readonly kind: 'trace'; readonly scroll: number }

export const openTrace = (): TraceScreen => ({ kind: 'trace', scroll: 0 })

export const traceModel = screenModel<TraceScreen>({
  title: (_, { draft }) => `trace of ${draft?.opened.name ?? ''}`,
  actions: () => ['back', ...moveActions],
  onAction(screen, action, world) {
    if (action === 'back') return { go: { back: true } }
    const { width, height } = roomOf(world.size)
    const last = traceRows(world, width, true).length - height
    return { screen: { ...screen, scroll: scrollAfter(screen.scroll, action, last) } }
  },
  rows: (_, { preview }) => (preview?.trace ? stageSentences(preview.trace) : []),
  said: (_, { preview }) => [...(preview?.trace ? endSentences(preview.trace) : []), ...promptSentences(preview)],
})
