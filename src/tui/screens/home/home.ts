/** The home screen: a list of all routes, and whether something is wrong with each route. */

import { draftOf, isRemoved, type RouteDraft } from '../../../edit/draft/route-draft.ts'
import type { KeptDraft, PayloadChoice, PayloadRow, RouteRow } from '../../../edit/service.ts'
import { pauseText } from '../../../features/pauses/pause-text.ts'
import {
  isNarrowing,
  type Narrowing,
  narrowedByAction,
  narrowedByKey,
  narrowedByText,
  narrowingActions,
  narrowingSaid,
} from '../../model/narrowing.ts'
import { entryScreen, pickScreen } from '../../model/overlays.ts'
import { changedDrafts, changesOf, withOpen } from '../../model/pending.ts'
import { type Message, type Returned, type Screen, type ScreenUpdate, screenModel, type World, warned } from '../../model/screen.ts'
import { textField } from '../../model/text-field.ts'
import { openLive } from '../live/live.ts'
import { openSamples, payloadId } from '../payload/payload.ts'
import { enterRoute } from '../route/route.ts'
import { homeLayout } from './layout.ts'
import { changeRoute, onChangeAction } from './list-changes.ts'
import { type RouteLine, routeLines } from './rows.ts'

declare module '../../model/screen.ts' {
  interface Screens {
    readonly home: HomeScreen
  }
}

export type HomeScreen = Screen &
  Narrowing & {
    readonly kind: 'home'
    /** The payload that was picked for the route that is being opened. */
    readonly chosen?: PayloadChoice | undefined
    /** A change to make to the route that is being opened. Then the route is changed on the list, and its screen is not shown. */
    readonly change?: 'toggle' | 'remove' | undefined
    /** The name of the new route that is being made. */
    readonly named?: string | undefined
    /** The drafts that an earlier run of the editor kept. */
    readonly kept?: readonly KeptDraft[]
  }

export const homeScreen: HomeScreen = { kind: 'home', cursor: 0, search: textField(), isFinding: false }

const changeActions = ['add', 'clone', 'remove', 'toggle', 'undo', 'redo', 'test'] as const

export const homeModel = screenModel<HomeScreen>({
  title: (screen, world) => routesTitle(screen, world),
  actions: (screen, { options, ...world }) =>
    isNarrowing(screen)
      ? narrowingActions(screen)
      : [
          'open',
          ...(options.readOnly || changedDrafts(world).length === 0 ? [] : (['save', 'undo', 'diff'] as const)),
          ...(options.readOnly ? [] : changeActions),
          'trace',
          'live',
          'samples',
          ...(options.readOnly ? [] : (['editor'] as const)),
          ...narrowingActions(screen),
        ],
  takes: (screen) => (isNarrowing(screen) ? 'text' : undefined),
  type: (screen, text) => ({ screen: narrowedByText(screen, text) }),
  press: (screen, key) => ({ screen: narrowedByKey(screen, key) }),
  onAction(screen, action, world) {
    const rows = routeLines(screen, world)
    const row = rows[screen.cursor]
    const narrowed = narrowedByAction(screen, action, rows.length)
    if (narrowed) return { screen: narrowed }
    if (action === 'add') return { go: { push: askNewName('add', 'the name of the new route', world) } }
    if (action === 'editor') return inEditor(world)
    if (action === 'live') return openLive(undefined, row?.name)
    const change = action === 'toggle' || action === 'remove' ? action : undefined
    return (
      onChangeAction(action, row, world) ?? (row ? { screen: { ...screen, chosen: undefined, change }, ...onRow(action, row, world) } : {})
    )
  },
  onMessage: (screen, message, world) => onMessage(screen, message, world),
  rows: (screen, world) => routeLines(screen, world).map(routeSentence),
  said: (screen, world) => [
    ...(world.home?.problem ? [`Problem: ${world.home.problem.message}.`] : []),
    ...narrowingSaid(screen, routeLines(screen, world).length),
  ],
  point: (screen, cursor) => ({ ...screen, cursor }),
  list: (screen, world, room) => homeLayout(screen, world, room).list,
})

const onRow = (action: string, row: RouteRow, world: World, chosen?: PayloadChoice): ScreenUpdate<HomeScreen> => {
  const { name, source } = row
  const draft = changesOf(world, row)
  switch (action) {
    case 'open':
    case 'trace':
      if (draft && isRemoved(draft)) return warned(`"${name}" is deleted when you save: u takes that back`)
      return draft ? openDraft(draft, world, chosen) : { commands: [{ kind: 'ask', question: { ask: 'open', of: { name, source } } }] }
    case 'samples':
      return openSamples(name)
    case 'clone':
      return { go: { push: askNewName(`clone ${name}`, `the name of the clone of "${name}"`, world) } }
    case 'toggle':
    case 'remove':
      return draft ? changeRoute(action, draft, world) : { commands: [{ kind: 'ask', question: { ask: 'open', of: { name, source } } }] }
    case 'test':
      if (draft) return warned('save first: a test is posted to the route as the gateway has it')
      return { commands: [{ kind: 'ask', question: { ask: 'test', of: { name } } }] }
    default:
      return {}
  }
}

const onMessage = (screen: HomeScreen, message: Message, world: World): ScreenUpdate<HomeScreen> => {
  switch (message.type) {
    case 'open':
    case 'create': {
      const { change, chosen } = screen
      const next = { ...screen, chosen: undefined, change: undefined, named: undefined }
      const draft = draftOf(message.answer)
      return { screen: next, ...(change && message.type === 'open' ? changeRoute(change, draft, world) : openDraft(draft, world, chosen)) }
    }
    case 'payloads':
      return screen.named !== undefined && message.of.route === undefined
        ? { go: { push: askBeginning(screen.named, message.answer) } }
        : {}
    case 'drafts':
      return askKeptDraft(screen, message.answer, message.of.route)
    case 'test':
      return { world: { notice: { tone: message.answer.ok ? 'ok' : 'warn', text: message.answer.message } } }
    case 'returned':
      return message.id === payloadId ? openWithPayload(screen, JSON.parse(message.value), world) : onReturned(screen, message, world)
    case 'home':
      return { screen: { ...screen, cursor: Math.min(screen.cursor, Math.max(0, message.answer.rows.length - 1)) } }
    default:
      return {}
  }
}

/**
 * Opens the file of the routes in the user's editor, at the mistake if the file has one. Unsaved changes stay. When they are saved later,
 * they are put onto the file as it is then, or there is a conflict.
 */
const inEditor = ({ home }: World): ScreenUpdate<HomeScreen> => {
  if (!home) return {}
  const { file, line } = home.problem ?? { file: home.file, line: 1 }
  return { commands: [{ kind: 'edit-file', file, line }] }
}

const askNewName = (id: string, title: string, world: World) =>
  entryScreen(id, title, { form: 'name', taken: routeLines(homeScreen, world).map(({ name }) => name) })

/** Asks for the sample or recorded event from which the new route is made. */
const askBeginning = (name: string, rows: readonly PayloadRow[]) =>
  pickScreen('like', `what should "${name}" begin with?`, [
    { value: '', title: 'nothing', detail: 'an empty route' },
    ...rows.map(({ choice, title, detail, group }) => ({
      value: JSON.stringify(choice),
      title,
      detail: [group === 'recorded' ? 'recorded' : 'sample', detail].join('  '),
    })),
  ])

/**
 * Makes the new route from a payload, and tries the route with that payload, too. `value`: the choice as JSON; empty for an empty route.
 */
const createRoute = (screen: HomeScreen, name: string, value: string): ScreenUpdate<HomeScreen> => {
  const chosen = value === '' ? undefined : (JSON.parse(value) as PayloadChoice)
  const like = chosen?.from === 'sample' ? chosen.name : chosen?.from === 'event' ? chosen.id : undefined
  return {
    screen: { ...screen, chosen },
    commands: [{ kind: 'ask', question: { ask: 'create', of: { name, ...(like === undefined ? {} : { like }) } } }],
  }
}

/** Returns the title: the number of routes, their file, and the number of subscriptions. A narrowed list has both numbers of routes. */
const routesTitle = (screen: HomeScreen, world: World): string => {
  const { home } = world
  if (!home) return 'routes'
  const all = routeLines(homeScreen, world).length
  const count = screen.search.text === '' ? String(all) : `${routeLines(screen, world).length} of ${all}`
  const more = home.subscriptions > 0 ? ` + ${home.subscriptions} subscription${home.subscriptions === 1 ? '' : 's'}` : ''
  return `routes (${count}) ─ ${home.file}${more}`
}

/** Opens the route of the cursor with the payload that was picked for the route. */
const openWithPayload = (screen: HomeScreen, chosen: PayloadChoice, world: World): ScreenUpdate<HomeScreen> => {
  const row = routeLines(screen, world)[screen.cursor]
  return row ? { screen: { ...screen, chosen }, ...onRow('open', row, world, chosen) } : {}
}

/**
 * Asks with which kept draft the user wants to go on. `route`: the route that the editor was started with. It is opened if there is no
 * draft, or if the user wants no draft.
 */
const askKeptDraft = (screen: HomeScreen, kept: readonly KeptDraft[], route?: string): ScreenUpdate<HomeScreen> => {
  if (kept.length === 0) return route === undefined ? {} : { commands: [{ kind: 'ask', question: { ask: 'open', of: { name: route } } }] }
  const rows = kept.map(({ draft: { opened }, at, note }) => ({
    value: opened.name,
    title: opened.name,
    detail: [`left ${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`, note].filter(Boolean).join('; '),
  }))
  const asItIs = route === undefined ? [] : [{ value: '', title: 'without the draft', detail: `"${route}" as it is saved` }]
  const id = route === undefined ? 'draft' : `draft ${route}`
  return {
    screen: { ...screen, kept },
    go: { push: pickScreen(id, 'drafts that were left: pick one to go on with it', [...rows, ...asItIs]) },
  }
}

const onReturned = (screen: HomeScreen, { id, value }: Returned, world: World): ScreenUpdate<HomeScreen> => {
  const { kept = [] } = screen
  const [action = '', about] = id.split(' ')
  const ask = (
    question: Extract<NonNullable<ScreenUpdate['commands']>[number], { kind: 'ask' }>['question'],
  ): ScreenUpdate<HomeScreen> => ({
    commands: [{ kind: 'ask', question }],
  })
  if (action === 'add') return { screen: { ...screen, named: value.trim() }, ...ask({ ask: 'payloads', of: {} }) }
  if (action === 'like' && screen.named !== undefined) return createRoute(screen, screen.named, value)
  if (action === 'clone' && about !== undefined) return ask({ ask: 'create', of: { name: value.trim(), clone: about } })
  if (action === 'draft' && value === '' && about !== undefined) return ask({ ask: 'open', of: { name: about } })
  return action === 'draft'
    ? openKeptDraft(
        kept.find(({ draft: { opened } }) => opened.name === value),
        world,
      )
    : {}
}

/** Opens a draft and goes to the screen of its route. */
const openDraft = (draft: RouteDraft, world: World, chosen?: PayloadChoice): ScreenUpdate<never> => ({
  world: withOpen(world, draft),
  ...enterRoute(draft.opened.name, chosen),
})

/** Goes on with a kept draft. The route screen does not show a draft that deletes its route, so such a draft only changes the list. */
const openKeptDraft = (kept: KeptDraft | undefined, world: World): ScreenUpdate<HomeScreen> => {
  if (!kept) return {}
  const { draft, note } = kept
  const update = isRemoved(draft) ? { world: withOpen(world, draft) } : openDraft(draft, world)
  return { ...update, world: { ...update.world, ...(note === undefined ? {} : { notice: { tone: 'warn', text: note } }) } }
}

const routeSentence = ({ name, source, mode, deliver, enabled, pause, shadowed, errors, warnings, change }: RouteLine): string =>
  [
    `${name}, ${source === 'config' ? 'configured' : 'subscription'}, ${mode}, to ${deliver}`,
    enabled ? '' : 'disabled',
    pause ? pauseText(pause) : '',
    shadowed ? 'hidden by a configured route' : '',
    errors > 0 ? `${errors} errors` : warnings > 0 ? `${warnings} warnings` : 'no findings',
    change === undefined ? '' : `${change}, not saved`,
  ]
    .filter(Boolean)
    .join(', ')
