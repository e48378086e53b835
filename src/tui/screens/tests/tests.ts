/**
 * The tests screen: lists the tests in a route, with what each test sends and expects. The user adds, edits, moves and removes tests here.
 */

import { carriedJson, writeCarriedNumbers } from '../../../core/carried-numbers.ts'
import { isObject, type Json } from '../../../core/json.ts'
import type { ActionName } from '../../../edit/actions.ts'
import { change, type RouteDraft, redo, undo } from '../../../edit/draft/route-draft.ts'
import { makeTest, testRows } from '../../../edit/route-tests.ts'
import { type ListArea, moveActions, movedCursor } from '../../model/list.ts'
import { entryScreen } from '../../model/overlays.ts'
import type { Room } from '../../model/room.ts'
import { type Returned, type Screen, type ScreenUpdate, screenModel, type World, warned } from '../../model/screen.ts'

/** Returns the place of the list. `cursor`, `length`: the row of the cursor in the list, and the number of tests. */
export const testListArea = (cursor: number, length: number, { width, height }: Room): ListArea => ({
  above: 0,
  width,
  height: Math.min(length, Math.max(3, Math.floor(height / 2))),
  cursor,
  length,
})

declare module '../../model/screen.ts' {
  interface Screens {
    readonly tests: TestsScreen
  }
}

export type TestsScreen = Screen & {
  readonly kind: 'tests'
  readonly cursor: number
  /**
   * A text from `$EDITOR` that is not a test. Opening the test again goes on with this text, until the cursor or the tests change.
   */
  readonly edited?: string | undefined
}

export const openTests = (): TestsScreen => ({ kind: 'tests', cursor: 0 })

const addId = 'test add'
const editId = 'test edit'

/** Returns the tests as they are written in the route. */
export const testsIn = ({ draft }: Pick<World, 'draft'>): readonly Json[] => (Array.isArray(draft?.spec.tests) ? draft.spec.tests : [])

export const testsModel = screenModel<TestsScreen>({
  title: (_, { draft }) => `tests of ${draft?.opened.name ?? ''}`,
  enter: () => 'edit',
  actions: (_, { options }) => [
    ...(options.readOnly ? [] : (['open', 'add', 'remove', 'moveUp', 'moveDown', 'undo', 'redo'] as const)),
    ...moveActions,
    'back',
  ],
  onAction: (screen, action, world) => (world.draft ? onAction(screen, action, world, world.draft) : { go: { back: true } }),
  onMessage: (screen, message, world) =>
    message.type === 'returned' && world.draft ? onReturned(screen, message, world, world.draft) : {},
  rows: (_, { draft }) => testRows(draft?.spec ?? {}).map(({ name, sends, expects }) => `${name}, sends ${sends}, expects ${expects}`),
  point: (screen, cursor) => ({ ...screen, edited: cursor === screen.cursor ? screen.edited : undefined, cursor }),
  list: ({ cursor }, world, room) => testListArea(cursor, testsIn(world).length, room),
})

const onAction = (screen: TestsScreen, action: ActionName, world: World, draft: RouteDraft): ScreenUpdate<TestsScreen> => {
  const tests = testsIn(world)
  const { cursor } = screen
  const to = (next: RouteDraft, at = cursor): ScreenUpdate<TestsScreen> => ({
    screen: { ...screen, edited: undefined, cursor: Math.max(0, Math.min(at, testsIn({ draft: next }).length - 1)) },
    world: { draft: next },
  })
  const moving = (by: 1 | -1): ScreenUpdate<TestsScreen> =>
    tests[cursor + by] === undefined
      ? {}
      : to(change(draft, 'move a test', [{ kind: 'move', path: ['tests'], from: cursor, to: cursor + by }]), cursor + by)
  switch (action) {
    case 'back':
      return { go: { back: true } }
    case 'undo':
      return to(undo(draft))
    case 'redo':
      return to(redo(draft))
    case 'add':
      return askTestName(world)
    case 'open':
      return editTest(screen, tests[cursor])
    case 'remove':
      return tests.length > 0 ? to(removedTest(draft, cursor, tests.length)) : {}
    case 'moveUp':
      return moving(-1)
    case 'moveDown':
      return moving(1)
    default:
      return { screen: { ...screen, edited: undefined, cursor: movedCursor(cursor, action, tests.length) } }
  }
}

const editTest = ({ edited }: TestsScreen, test: Json | undefined): ScreenUpdate<TestsScreen> =>
  test === undefined
    ? warned('there is no test yet: a makes one of the payload')
    : { commands: [{ kind: 'edit-text', id: editId, text: edited ?? `${writeCarriedNumbers(JSON.stringify(test, null, 2))}\n` }] }

const askTestName = ({ payload, preview }: World): ScreenUpdate<TestsScreen> => {
  if (!payload) return warned('choose a payload first: the test sends it')
  if (payload.isCut) return warned('the payload is too large for a test: choose a sample')
  const what = preview?.trace ? `is ${preview.trace.name}` : 'is taken'
  return {
    go: {
      push: entryScreen(addId, 'what the new test shows', {
        text: `${payload.title} ${what}`,
        help: 'it sends the payload that is chosen, and expects what became of it',
      }),
    },
  }
}

const removedTest = (draft: RouteDraft, at: number, length: number): RouteDraft =>
  change(draft, 'remove a test', [{ kind: 'remove', path: length === 1 ? ['tests'] : ['tests', at] }])

const onReturned = (screen: TestsScreen, { id, value }: Returned, world: World, draft: RouteDraft): ScreenUpdate<TestsScreen> => {
  const { length } = testsIn(world)
  if (id === addId && world.payload && value.trim() !== '') {
    const test = makeTest(value.trim(), world.payload, world.preview?.trace)
    return {
      screen: { ...screen, cursor: length },
      world: { draft: change(draft, 'add a test', [{ kind: 'insert', path: ['tests'], at: length, value: test }]) },
    }
  }
  if (id !== editId) return {}
  const test = parseTest(value)
  if (!test)
    return {
      screen: { ...screen, edited: value },
      world: { notice: { tone: 'bad', text: 'a test is a JSON object; enter goes on with the text' } },
    }
  return {
    screen: { ...screen, edited: undefined },
    world: { draft: change(draft, 'edit a test', [{ kind: 'set', path: ['tests', screen.cursor], value: test }]) },
  }
}

const parseTest = (text: string): Json | undefined => {
  try {
    const value = carriedJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
