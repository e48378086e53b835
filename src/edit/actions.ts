/**
 * The actions of the terminal editor and their keys. Help, the hints and the palette (the list of every action by its name) are made from
 * this table. docs/terminal-editor.md has the same table, which a test compares with this one.
 */

type ActionGroup = 'move' | 'change' | 'look' | 'text' | 'program'

type Meaning = {
  /** The keys of the action. Hints show the first key. */
  readonly keys: readonly string[]
  readonly title: string
  readonly group: ActionGroup
}

/** Every action by its name. The names stand in `keys.yaml`, and are words of the line mode for screen readers. */
export const actions = {
  up: { keys: ['up', 'k', 'wheelup'], title: 'move up', group: 'move' },
  down: { keys: ['down', 'j', 'wheeldown'], title: 'move down', group: 'move' },
  left: { keys: ['left', 'h'], title: 'to the left, or the choice before', group: 'move' },
  right: { keys: ['right', 'l'], title: 'to the right, or the next choice', group: 'move' },
  top: { keys: ['g', 'home'], title: 'to the first', group: 'move' },
  end: { keys: ['G', 'end'], title: 'to the last; in the live view follow again', group: 'move' },
  pageUp: { keys: ['pgup', '^u'], title: 'a page up', group: 'move' },
  pageDown: { keys: ['pgdn', '^d'], title: 'a page down', group: 'move' },
  nextPane: { keys: ['tab'], title: 'to the next pane', group: 'move' },
  previousPane: { keys: ['shift+tab'], title: 'to the previous pane', group: 'move' },
  pane1: { keys: ['1'], title: 'to the first pane', group: 'move' },
  pane2: { keys: ['2'], title: 'to the second pane', group: 'move' },
  pane3: { keys: ['3'], title: 'to the third pane', group: 'move' },
  pane4: { keys: ['4'], title: 'to the fourth pane', group: 'move' },
  pane5: { keys: ['5'], title: 'to the fifth pane', group: 'move' },
  open: { keys: ['enter'], title: 'open, edit or confirm', group: 'move' },
  back: { keys: ['esc'], title: 'back', group: 'move' },
  fold: { keys: ['z'], title: 'show fields that are not set, or hide them', group: 'move' },
  find: { keys: ['/'], title: 'filter the list, or search it', group: 'move' },
  nextMatch: { keys: ['n'], title: 'to the next row that fits the filter, from the last on to the first', group: 'move' },
  previousMatch: { keys: ['N'], title: 'to the row before that fits the filter', group: 'move' },
  add: { keys: ['a'], title: 'add', group: 'change' },
  group: { keys: ['g'], title: 'put into a group: all, any, not', group: 'change' },
  operator: { keys: ['o'], title: 'change the operator', group: 'change' },
  value: { keys: ['v'], title: 'change the value', group: 'change' },
  remove: { keys: ['d'], title: 'delete', group: 'change' },
  clone: { keys: ['C'], title: 'clone', group: 'change' },
  moveUp: { keys: ['K'], title: 'move the row up', group: 'change' },
  moveDown: { keys: ['J'], title: 'move the row down', group: 'change' },
  toggle: { keys: ['space'], title: 'switch on or off', group: 'change' },
  fix: { keys: ['f'], title: 'apply the fix of the finding', group: 'change' },
  undo: { keys: ['u'], title: 'undo', group: 'change' },
  redo: { keys: ['^r'], title: 'redo', group: 'change' },
  save: { keys: ['w', '^s'], title: 'save', group: 'change' },
  saveAnyway: { keys: ['W'], title: 'save although there are errors', group: 'change' },
  diff: { keys: ['D'], title: 'show what changed', group: 'look' },
  payload: { keys: ['p'], title: 'choose the payload', group: 'look' },
  samples: { keys: ['s'], title: 'the samples', group: 'look' },
  trace: { keys: ['T'], title: 'the whole trace', group: 'look' },
  test: { keys: ['t'], title: 'post a signed test to the gateway', group: 'look' },
  live: { keys: ['L'], title: 'the requests of the running gateway', group: 'look' },
  allRoutes: { keys: ['A'], title: 'all routes, or only the one of the cursor', group: 'look' },
  replay: { keys: ['r'], title: 'replay the event', group: 'look' },
  copyCurl: { keys: ['c'], title: 'copy as a curl command', group: 'look' },
  saveSample: { keys: ['S'], title: 'save as a sample', group: 'look' },
  saveTest: { keys: ['X'], title: 'make a test from the event', group: 'look' },
  makeFilter: { keys: ['F'], title: 'make a filter from the line', group: 'look' },
  copy: { keys: ['y'], title: 'copy the value', group: 'look' },
  copyYaml: { keys: ['Y'], title: 'copy the YAML', group: 'look' },
  editor: { keys: ['E'], title: 'open in $EDITOR', group: 'program' },
  editText: { keys: ['^g'], title: 'write the text in $EDITOR', group: 'text' },
  help: { keys: ['?'], title: 'help', group: 'program' },
  palette: { keys: [':'], title: 'every action by its name', group: 'program' },
  quit: { keys: ['q'], title: 'quit', group: 'program' },
  interrupt: { keys: ['^c'], title: 'quit; twice: at once, with a draft kept', group: 'program' },
  suspend: { keys: ['^z'], title: 'suspend', group: 'program' },
  redraw: { keys: ['^l'], title: 'draw again', group: 'program' },
} as const satisfies { readonly [name: string]: Meaning }

export type ActionName = keyof typeof actions

export const actionMeaning = (name: ActionName): Meaning => actions[name]

/** The keys of each action: the keys of `actions`, or the keys that the user gave the action in `keys.yaml`. */
export type Keymap = { readonly [name in ActionName]: readonly string[] }

export const defaultKeymap: Keymap = Object.fromEntries(
  Object.entries(actions).map(([name, { keys }]) => [name, keys]),
) as unknown as Keymap

export const everywhere: readonly ActionName[] = ['interrupt', 'suspend', 'redraw', 'help', 'palette', 'quit', 'back']

/**
 * Returns the action of a key; `undefined` if no action of `among` has the key. If several actions have the key, the first of `among`
 * counts.
 */
export const actionOf = (key: string, among: readonly ActionName[], keymap: Keymap): ActionName | undefined =>
  among.find((name) => keymap[name].includes(key))
