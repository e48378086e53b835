/** The live screen: requests to the running gateway and attempts at runs as they come, and actions: replay, sample, test, filter, curl. */

import { carriedJson } from '../../../core/carried-numbers.ts'
import { isJson, valueAt } from '../../../core/json.ts'
import type { ActionName } from '../../../edit/actions.ts'
import { change } from '../../../edit/draft/route-draft.ts'
import type { TailLine, TrafficLine } from '../../../generated/control.ts'
import { moveActions, movedCursor, paneActions, paneAfter } from '../../model/list.ts'
import { entryScreen } from '../../model/overlays.ts'
import { type Message, type Screen, type ScreenUpdate, screenModel, type World, warned } from '../../model/screen.ts'
import { type Detail, detailSentences, eventSentence } from './detail-said.ts'
import { liveLayout } from './layout.ts'

export const livePanes = ['Trace', 'Headers', 'Body', 'Delivery'] as const

/** A request, or the run of a job, with the latest lines of traffic about it: when it came, its outcome, and each attempt at its run. */
export type LiveEvent = { readonly key: string; readonly lines: readonly TrafficLine[] }

declare module '../../model/screen.ts' {
  interface Screens {
    readonly live: LiveScreen
  }
}

export type LiveScreen = Screen & {
  readonly kind: 'live'
  /** The route whose events are shown; `undefined` for all routes. */
  readonly route?: string | undefined
  readonly from?: string | undefined
  readonly state: 'opening' | 'open' | 'ended'
  readonly why?: string | undefined
  readonly events: readonly LiveEvent[]
  readonly cursor: number
  /** The cursor stays on the newest event. */
  readonly follows: boolean
  readonly pane: (typeof livePanes)[number]
  /** The row of the cursor among the values of the body. */
  readonly row: number
  /** The number of lines of traffic that were lost, because they came faster than they were read. */
  readonly lost: number
  /** The details of the event with this key, as far as the service has answered; `undefined` until the user asks for details. */
  readonly shown?: (Detail & { readonly key: string }) | undefined
}

/** The most events that are kept. Older events are dropped. Of one event the latest fifty lines are kept. */
const maxEvents = 500

/** Opens the screen for one route, or for all routes. `from`: a route to which the user may narrow the screen if it shows all routes. */
export const openLive = (route: string | undefined, from = route): ScreenUpdate<never> => ({
  go: {
    push: {
      kind: 'live',
      ...(route === undefined ? {} : { route }),
      ...(from === undefined ? {} : { from }),
      state: 'opening',
      events: [],
      cursor: 0,
      follows: true,
      pane: 'Trace',
      row: 0,
      lost: 0,
    } satisfies LiveScreen as Screen,
  },
  commands: [{ kind: 'watch', ...(route === undefined ? {} : { route }) }],
})

const changeActions: readonly ActionName[] = ['replay', 'saveSample', 'saveTest']

export const liveModel = screenModel<LiveScreen>({
  title: ({ route, state, why, lost, follows }) =>
    [
      `live: ${route ?? 'all routes'}`,
      state === 'open' ? (follows ? 'following' : 'stopped: G follows again') : (why ?? state),
      lost > 0 ? `${lost} lines lost` : '',
    ]
      .filter(Boolean)
      .join(' ─ '),
  actions: (_, { options }) => [
    'allRoutes',
    'copyCurl',
    ...(options.readOnly ? [] : [...changeActions, 'makeFilter' as const]),
    ...paneActions,
    'open',
    ...moveActions,
    'back',
  ],
  onAction: (screen, action, world) => onAction(screen, action, world),
  onMessage: (screen, message, world) => onMessage(screen, message, world),
  panes: ({ pane }) => ({ names: livePanes, at: livePanes.indexOf(pane) }),
  said: (screen) => detailSentences(screen.pane, detailOf(screen), screen.events[screen.cursor]?.lines ?? []),
  rows: ({ events }) => events.map(({ lines }) => eventSentence(lines)),
  point: (screen, cursor) => ({ ...screen, cursor, follows: false }),
  list: ({ cursor, events }, _, room) => liveLayout(cursor, events.length, room).list,
})

/** Returns the event of the cursor, with its id in the records; `undefined` if the request left no record. */
export const eventAt = ({
  events,
  cursor,
}: LiveScreen): { readonly key: string; readonly id: string; readonly route: string } | undefined => {
  const event = events[cursor]
  const line = event?.lines.find((each) => each.event_id !== null)
  return event && line?.event_id ? { key: event.key, id: line.event_id, route: line.route ?? '' } : undefined
}

const onAction = (screen: LiveScreen, action: ActionName, world: World): ScreenUpdate<LiveScreen> => {
  if (action === 'back') return { go: { back: true }, commands: [{ kind: 'unwatch' }] }
  if (action === 'open') return askDetails({ ...screen, shown: undefined, follows: false })
  if (paneActions.includes(action)) return askDetails({ ...screen, pane: paneAfter(livePanes, screen.pane, action), row: 0 })
  if (moveActions.includes(action)) return moveCursor(screen, action)
  if (action === 'allRoutes') return screen.route === undefined ? showOneRoute(screen) : watchAgain({ ...screen, route: undefined })
  const event = eventAt(screen)
  if (!event) return warned('this request left no record')
  switch (action) {
    case 'replay':
      return { commands: [{ kind: 'ask', question: { ask: 'replay', of: { eventId: event.id } } }] }
    case 'copyCurl':
      return { commands: [{ kind: 'ask', question: { ask: 'curl', of: { eventId: event.id } } }] }
    case 'saveTest':
      return { commands: [{ kind: 'ask', question: { ask: 'addTest', of: { eventId: event.id } } }] }
    case 'saveSample':
      return {
        go: { push: entryScreen(`sample ${event.id}`, 'save as a sample', { help: 'provider/event; secrets and addresses are scrubbed' }) },
      }
    case 'makeFilter':
      return addFilter(screen, event.route, world)
    default:
      return {}
  }
}

/** Shows only the route of the cursor's event. Where that event has no route or no record, shows only the route that `from` names. */
const showOneRoute = (screen: LiveScreen): ScreenUpdate<LiveScreen> => {
  const route = eventAt(screen)?.route || screen.from
  if (route === undefined) return warned('there is no request yet whose route could be followed')
  const events = screen.events.filter(({ lines }) => lines.some((each) => each.route === route))
  const key = screen.events[screen.cursor]?.key
  return watchAgain({
    ...screen,
    route,
    events,
    cursor: Math.max(
      0,
      events.findIndex((each) => each.key === key),
    ),
  })
}

/** Watches another route, or all routes. The events so far stay. */
const watchAgain = (screen: LiveScreen): ScreenUpdate<LiveScreen> => ({
  screen: { ...screen, state: 'opening', why: undefined },
  commands: [{ kind: 'watch', ...(screen.route === undefined ? {} : { route: screen.route }) }],
})

/**
 * Moves the cursor: in the body between values, elsewhere between events. `end` goes to the newest event in every pane, and the screen
 * follows again. Every other move stops the following.
 */
const moveCursor = (screen: LiveScreen, action: ActionName): ScreenUpdate<LiveScreen> => {
  if (action === 'end') return askDetails({ ...screen, follows: true, cursor: Math.max(0, screen.events.length - 1) })
  const values = detailOf(screen)?.payload?.values ?? []
  if (screen.pane === 'Body' && values.length > 0)
    return { screen: { ...screen, follows: false, row: movedCursor(screen.row, action, values.length) } }
  return askDetails({ ...screen, follows: false, cursor: movedCursor(screen.cursor, action, screen.events.length) })
}

/** Asks for the details of the cursor's event, unless they are known, or were asked for before. */
const askDetails = (screen: LiveScreen): ScreenUpdate<LiveScreen> => {
  const event = eventAt(screen)
  if (!event || detailOf(screen)) return { screen }
  const choice = { from: 'event', id: event.id } as const
  return {
    screen: { ...screen, shown: { key: event.key } },
    commands: [
      { kind: 'ask', question: { ask: 'recorded', of: { choice, route: event.route } } },
      { kind: 'ask', question: { ask: 'traceOf', of: { choice, route: event.route } } },
    ],
  }
}

/** Adds a condition to the draft of the open route: the field of the row in the body must equal the value of the row. */
const addFilter = (screen: LiveScreen, route: string, { draft }: World): ScreenUpdate<LiveScreen> => {
  const value = screen.pane === 'Body' ? detailOf(screen)?.payload?.values[screen.row] : undefined
  if (!value) return warned('choose a line of the body first: tab')
  if (value.shown.endsWith('…')) return warned('the value is too long to be compared with')
  if (draft?.opened.name !== route) return warned(`open the route "${route}" first: the filter is put into its draft`)
  const filters = valueAt(draft.spec, ['filters'])
  // A list or a map is shown as the count of its items or keys (`3 items`), which is no JSON and is compared as a text.
  const { path: field, shown } = value
  const condition = { field, equals: isJson(shown) ? carriedJson(shown) : shown }
  const edit = { kind: 'insert', path: ['filters'], at: Array.isArray(filters) ? filters.length : 0, value: condition } as const
  const next = change(draft, `filter on ${field}`, [edit])
  if (next === draft) return warned('the filters of the route are one group: add it there')
  return { world: { draft: next, notice: { tone: 'ok', text: `the draft has a filter on ${field}` } } }
}

/** Whether a line is about a profile whose routes the editor does not show. Such a line is not shown either. */
const isOfOtherProfile = (line: TailLine, profile: string | undefined): boolean =>
  profile !== undefined && 'profile' in line && line.profile !== null && line.profile !== profile

const onMessage = (screen: LiveScreen, message: Message, world: World): ScreenUpdate<LiveScreen> => {
  switch (message.type) {
    case 'traffic':
      if (message.line.type === 'lost') return { screen: { ...screen, lost: screen.lost + message.line.lines } }
      return isOfOtherProfile(message.line, world.options.profile) ? {} : withLine(screen, message.line)
    case 'watching':
      return { screen: { ...screen, state: message.state, why: message.why } }
    case 'recorded':
      return withDetail(screen, message.of.choice, { payload: message.answer })
    case 'traceOf':
      return withDetail(screen, message.of.choice, { trace: message.answer })
    case 'failed':
      // The record of the event may not be written yet. The details are asked for again when the user moves or presses enter.
      return message.ask === 'recorded' || message.ask === 'traceOf' ? { screen: { ...screen, shown: undefined } } : {}
    case 'replay':
      return { world: { notice: { tone: message.answer.ok ? 'ok' : 'warn', text: `replayed: ${message.answer.message}` } } }
    case 'curl':
      return { commands: [{ kind: 'copy', text: message.answer }] }
    case 'addSample':
    case 'addTest':
      return { world: { notice: { tone: 'ok', text: message.answer } } }
    case 'returned':
      return message.id.startsWith('sample ') && !world.options.readOnly
        ? {
            commands: [
              { kind: 'ask', question: { ask: 'addSample', of: { eventId: message.id.slice('sample '.length), name: message.value } } },
            ],
          }
        : {}
    default:
      return {}
  }
}

/** Returns the details of the cursor's event; `undefined` if the known details belong to another event. */
export const detailOf = (screen: LiveScreen): LiveScreen['shown'] => (screen.shown?.key === eventAt(screen)?.key ? screen.shown : undefined)

const withDetail = (
  screen: LiveScreen,
  choice: { readonly from: string; readonly id?: string },
  more: Partial<NonNullable<LiveScreen['shown']>>,
): ScreenUpdate<LiveScreen> => {
  const detail = detailOf(screen)
  return detail && eventAt(screen)?.id === choice.id ? { screen: { ...screen, shown: { ...detail, ...more } } } : {}
}

const withLine = (screen: LiveScreen, line: TailLine): ScreenUpdate<LiveScreen> => {
  if (line.type !== 'event' && line.type !== 'outcome' && line.type !== 'delivery') return {}
  const { events } = screen
  const key = line.event_id ?? `${line.at} ${line.route} ${line.delivery_id}`
  const known = events.findLastIndex((each) => each.key === key)
  const all =
    known < 0 ? [...events, { key, lines: [line] }] : events.with(known, { key, lines: [...(events[known]?.lines ?? []), line].slice(-50) })
  const dropped = Math.max(0, all.length - maxEvents)
  const kept = all.slice(dropped)
  const cursor = screen.follows ? kept.length - 1 : Math.max(0, screen.cursor - dropped)
  return { screen: { ...screen, events: kept, cursor } }
}
