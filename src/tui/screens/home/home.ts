/** All routes, and what is amiss with each. */

import type { KeptDraft, PayloadChoice, RouteRow } from '../../../app/editor/desk.ts'
import { draftOf, isModified, type RouteDraft } from '../../../app/editor/draft/route-draft.ts'
import { fuzzy, matchMoves, moved, moves } from '../../model/list.ts'
import { choose, entry, leaveChoices, pick } from '../../model/overlays.ts'
import { type News, type Returned, type Screen, screenModel, type Turn, type World } from '../../model/screen.ts'
import { editField, type TextField, textField, typeInto } from '../../model/text-field.ts'
import { openLive } from '../live/live.ts'
import { openSamples, payloadId } from '../payload/payload.ts'
import { enterRoute } from '../route/route.ts'

export type HomeScreen = Screen & {
  readonly kind: 'home'
  readonly cursor: number
  readonly search: TextField
  /** The search is being written. */
  readonly isFinding: boolean
  /** The payload that was picked for the route that is being opened. */
  readonly chosen?: PayloadChoice | undefined
  /** Drafts that an earlier session left. */
  readonly kept?: readonly KeptDraft[]
}

export const homeScreen: HomeScreen = { kind: 'home', cursor: 0, search: textField(), isFinding: false }

/** The rows that the search leaves. */
export const rowsOf = ({ search: { text } }: HomeScreen, { home }: World): readonly RouteRow[] =>
  (home?.rows ?? []).filter(
    ({ name, deliver, description }) => text === '' || fuzzy(`${name} ${deliver} ${description}`, text) !== undefined,
  )

const changes = ['add', 'clone', 'remove', 'toggle', 'test'] as const

export const homeModel = screenModel<HomeScreen>({
  title: (_, { home }) => `routes ─ ${home?.file ?? ''}${home && home.subscriptions > 0 ? ` + ${home.subscriptions} subscriptions` : ''}`,
  actions: ({ isFinding, search }, { options }) =>
    isFinding
      ? ['open', 'back', 'up', 'down']
      : [
          'open',
          ...(options.readOnly ? [] : changes),
          'trace',
          'live',
          'samples',
          'find',
          ...(search.text === '' ? [] : matchMoves),
          ...moves,
        ],
  takes: ({ isFinding }) => (isFinding ? 'text' : undefined),
  type: (screen, text) => ({ screen: { ...screen, search: typeInto(screen.search, text), cursor: 0 } }),
  press: (screen, key) => (screen.isFinding ? { screen: { ...screen, search: editField(screen.search, key), cursor: 0 } } : {}),
  act(screen, action, world) {
    const rows = rowsOf(screen, world)
    const row = rows[screen.cursor]
    if (screen.isFinding && action === 'open') return { screen: { ...screen, isFinding: false } }
    if (action === 'back') return { screen: { ...screen, isFinding: false, search: textField(), cursor: 0 } }
    if (action === 'find') return { screen: { ...screen, isFinding: true } }
    if (action === 'add' || action === 'clone') {
      const question = leaveFirst(world.draft)
      if (question) return question
    }
    if (action === 'add')
      return { go: { push: entry('add', 'the name of the new route', { help: 'lower-case letters, digits and hyphens' }) } }
    if (action === 'live') return openLive(row?.name)
    if (moves.includes(action) || matchMoves.includes(action))
      return { screen: { ...screen, cursor: moved(screen.cursor, action, rows.length) } }
    return row ? { screen: { ...screen, chosen: undefined }, ...onRow(action, row, world) } : {}
  },
  hear: (screen, news, world) => heard(screen, news, world),
  rows: (screen, world) => rowsOf(screen, world).map(sentenceOf),
  point: (screen, cursor) => ({ ...screen, cursor }),
})

/** The question what becomes of changes that another route would take the place of. */
const leaveFirst = (draft: RouteDraft | undefined): Turn<HomeScreen> | undefined =>
  draft && isModified(draft)
    ? { go: { push: choose('leave', `"${draft.opened.name}" has changes that are not saved`, leaveChoices, 2) } }
    : undefined

const onRow = (action: string, { name, enabled, source }: RouteRow, { draft }: World, chosen?: PayloadChoice): Turn<HomeScreen> => {
  switch (action) {
    case 'open':
    case 'trace':
      // Another route's changes would be lost.
      if (draft?.opened.name === name && isModified(draft)) return enterRoute(name, chosen)
      return leaveFirst(draft) ?? { wishes: [{ kind: 'ask', question: { ask: 'open', of: { name, source } } }] }
    case 'samples':
      return openSamples(name)
    case 'clone':
      return { go: { push: entry(`clone ${name}`, `the name of the clone of "${name}"`) } }
    case 'toggle':
      return { wishes: [{ kind: 'ask', question: { ask: 'switch', of: { name, source, enabled: !enabled } } }] }
    case 'test':
      return { wishes: [{ kind: 'ask', question: { ask: 'test', of: { name } } }] }
    case 'remove': {
      const question = `delete the ${source === 'config' ? 'route' : 'subscription'} "${name}"?`
      const answers = [
        { value: name, title: 'Delete' },
        { value: '', title: 'Cancel' },
      ]
      return { go: { push: choose(`remove ${source}`, question, answers, 1) } }
    }
    default:
      return {}
  }
}

const again = { kind: 'ask', question: { ask: 'home', of: {} } } as const

const heard = (screen: HomeScreen, news: News, world: World): Turn<HomeScreen> => {
  switch (news.told) {
    case 'open':
    case 'create':
      return {
        screen: { ...screen, chosen: undefined },
        // The payload of another route means nothing to this one.
        world: { draft: draftOf(news.answer), ...(world.draft?.opened.name === news.answer.name ? {} : { payload: undefined }) },
        ...enterRoute(news.answer.name, screen.chosen),
      }
    case 'drafts':
      return keptDrafts(screen, news.answer, news.of.route)
    case 'switch':
    case 'remove':
      return { world: { notice: { tone: 'ok', text: news.answer } }, wishes: [again] }
    case 'test':
      return { world: { notice: { tone: news.answer.ok ? 'ok' : 'warn', text: news.answer.said } } }
    case 'returned':
      return news.id === payloadId ? withPayload(screen, JSON.parse(news.value), world) : given(screen, news, world)
    case 'home':
      return { screen: { ...screen, cursor: Math.min(screen.cursor, Math.max(0, news.answer.rows.length - 1)) } }
    default:
      return {}
  }
}

/** The route of the cursor is opened with what was picked for it. */
const withPayload = (screen: HomeScreen, chosen: PayloadChoice, world: World): Turn<HomeScreen> => {
  const row = rowsOf(screen, world)[screen.cursor]
  return row ? { screen: { ...screen, chosen }, ...onRow('open', row, world, chosen) } : {}
}

/** `route`: the one that is to be opened. */
const keptDrafts = (screen: HomeScreen, kept: readonly KeptDraft[], route?: string): Turn<HomeScreen> => {
  if (kept.length === 0) return route === undefined ? {} : { wishes: [{ kind: 'ask', question: { ask: 'open', of: { name: route } } }] }
  const rows = kept.map(({ draft: { opened }, at, note }) => ({
    value: opened.name,
    title: opened.name,
    detail: [`left ${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`, note].filter(Boolean).join('; '),
  }))
  const asItIs = route === undefined ? [] : [{ value: '', title: 'without the draft', detail: `"${route}" as it is saved` }]
  const id = route === undefined ? 'draft' : `draft ${route}`
  return { screen: { ...screen, kept }, go: { push: pick(id, 'drafts that were left: pick one to go on with it', [...rows, ...asItIs]) } }
}

const given = ({ kept = [] }: HomeScreen, { id, value }: Returned, { draft }: World): Turn<HomeScreen> => {
  const [what = '', about] = id.split(' ')
  const ask = (question: Extract<NonNullable<Turn['wishes']>[number], { kind: 'ask' }>['question']): Turn<HomeScreen> => ({
    wishes: [{ kind: 'ask', question }],
  })
  if (what === 'add') return ask({ ask: 'create', of: { name: value } })
  if (what === 'clone' && about !== undefined) return ask({ ask: 'create', of: { name: value, clone: about } })
  if (what === 'remove' && value !== '') return ask({ ask: 'remove', of: { name: value, source: sourceOf(about) } })
  if (what === 'draft' && value === '' && about !== undefined) return ask({ ask: 'open', of: { name: about } })
  if (what === 'draft') return goOn(kept.find(({ draft: { opened } }) => opened.name === value))
  if (what === 'leave' && value === 'save') return draft ? enterRoute(draft.opened.name) : {}
  if (what === 'leave' && value === 'discard' && draft)
    return { world: { draft: undefined }, ...ask({ ask: 'dropDraft', of: { name: draft.opened.name, source: draft.opened.source } }) }
  return {}
}

const sourceOf = (word: string | undefined): RouteRow['source'] => (word === 'subscription' ? word : 'config')

const goOn = (kept: KeptDraft | undefined): Turn<HomeScreen> => {
  if (!kept) return {}
  const { draft, note } = kept
  return { world: { draft, ...(note === undefined ? {} : { notice: { tone: 'warn', text: note } }) }, ...enterRoute(draft.opened.name) }
}

const sentenceOf = ({ name, source, mode, deliver, enabled, shadowed, errors, warnings }: RouteRow): string =>
  [
    `${name}, ${source === 'config' ? 'configured' : 'subscription'}, ${mode}, to ${deliver}`,
    enabled ? '' : 'disabled',
    shadowed ? 'hidden by a configured route' : '',
    errors > 0 ? `${errors} errors` : warnings > 0 ? `${warnings} warnings` : 'no findings',
  ]
    .filter(Boolean)
    .join(', ')
