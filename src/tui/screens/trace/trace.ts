/** The whole trace of the payload through the route: every stage, every condition, the text and the answer. */

import { moved, moves } from '../../model/list.ts'
import { type Screen, screenModel } from '../../model/screen.ts'

export type TraceScreen = Screen & { readonly kind: 'trace'; readonly scroll: number }

export const openTrace = (): TraceScreen => ({ kind: 'trace', scroll: 0 })

/** More lines than any trace has. */
const longest = 5_000

export const traceModel = screenModel<TraceScreen>({
  title: (_, { draft }) => `trace of ${draft?.opened.name ?? ''}`,
  actions: () => ['back', ...moves],
  act: (screen, action) =>
    action === 'back' ? { go: { back: true } } : { screen: { ...screen, scroll: moved(screen.scroll, action, longest) } },
  rows: (_, { preview }) =>
    (preview?.trace?.stages ?? []).map(({ stage, result, reason }) => [`${stage}: ${result}`, reason].filter(Boolean).join(', ')),
})
