import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { test } from 'tap'
import { type Edited, editYaml } from '../../src/config/yaml/edit/edit.ts'
import type { YamlEdit } from '../../src/config/yaml/edit/yaml-edit.ts'
import { parseSource } from '../../src/config/yaml/source.ts'
import { spliced } from '../../src/config/yaml/splice.ts'
import type { Path } from '../../src/core/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../../src/core/json.ts'
import { examples } from '../fakes/examples.ts'
import { yamlTexts } from '../fakes/yaml-texts.ts'

const set = (path: string, value: Json): YamlEdit => ({ kind: 'set', path: pathOf(path), value })
const remove = (path: string): YamlEdit => ({ kind: 'remove', path: pathOf(path) })
const insert = (path: string, at: number, value: Json): YamlEdit => ({
  kind: 'insert',
  path: pathOf(path),
  at,
  value,
})
const move = (path: string, from: number, to: number): YamlEdit => ({ kind: 'move', path: pathOf(path), from, to })
const rename = (path: string, key: string): YamlEdit => ({ kind: 'rename', path: pathOf(path), key })

const pathOf = (path: string): (string | number)[] =>
  path === '' ? [] : path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))

/** Title, text before, edit, text after. */
type Row = readonly [title: string, before: string, edit: YamlEdit, after: string]

const textOf = (edited: Edited): unknown => (edited.ok ? edited.text : edited)

const holds = (rows: readonly Row[]) => async (t: { strictSame: (found: unknown, wanted: unknown, title: string) => unknown }) => {
  for (const [title, before, edit, after] of rows) {
    t.strictSame(textOf(editYaml(before, edit)), after, title)
  }
}

test(
  'a value keeps its style and the comment behind it',
  holds([
    ['plain', 'a: old # why\nb: 2\n', set('a', 'new'), 'a: new # why\nb: 2\n'],
    ['wide gaps stay', 'a:    old   # why\n', set('a', 'new'), 'a:    new   # why\n'],
    ['single quotes', "a: 'old' # why\n", set('a', "it's"), "a: 'it''s' # why\n"],
    ['double quotes', 'a: "old"\n', set('a', 'say "x"'), 'a: "say \\"x\\""\n'],
    ['a text that plain would be a boolean', 'a: old\n', set('a', 'yes'), "a: 'yes'\n"],
    ['the quote that the file uses', 'a: old\nb: "x"\n', set('a', '0755'), 'a: "0755"\nb: "x"\n'],
    ['a number', "a: '5'\n", set('a', 6), 'a: 6\n'],
    ['an empty value', 'a:   # why\nb: 1\n', set('a', 'x'), 'a: x   # why\nb: 1\n'],
    ['an empty value with spaces behind', 'a:  \nb: 1\n', set('a', 'x'), 'a: x\nb: 1\n'],
    ['a tag goes with the value', 'a: !!str 5 # why\n', set('a', 6), 'a: 6 # why\n'],
    ['an alias is replaced by the value', 'x: &v 1\na: *v # why\n', set('a', 2), 'x: &v 1\na: 2 # why\n'],
    ['tabs are written as escapes', 'a: x\n', set('a', 'x\ty'), 'a: "x\\ty"\n'],
    ['spaces at an end are quoted', 'a: x\n', set('a', 'x '), 'a: "x "\n'],
  ]),
)

test(
  'a text of several lines is a block',
  holds([
    ['from plain', 'a: old # why\nb: 1\n', set('a', 'x\ny\n'), 'a: | # why\n  x\n  y\nb: 1\n'],
    ['from quotes, without a line end', 'a: "old"\nb: 1\n', set('a', 'x\n\ny'), 'a: |-\n  x\n\n  y\nb: 1\n'],
    ['block to block keeps comment and indent', 'a: |  # why\n    x\n    y\n\nb: 1\n', set('a', 'z\n'), 'a: |  # why\n    z\n\nb: 1\n'],
    ['chomping follows the text', 'a: |\n  x\nb: 1\n', set('a', 'z'), 'a: |-\n  z\nb: 1\n'],
    ['folded stays folded', 'a: >-\n  one\n  two\nb: 1\n', set('a', 'one\nthree'), 'a: >-\n  one\n\n  three\nb: 1\n'],
    ['a block becomes a number', 'a: |  # why\n  x\n\nb: 1\n', set('a', 5), 'a: 5  # why\n\nb: 1\n'],
    ['trailing line ends', 'a: x\nb: 1\n', set('a', 'x\n\n'), 'a: |+\n  x\n\nb: 1\n'],
    ['before a blank line those are quoted', 'a: x\n\nb: 1\n', set('a', 'x\n\n'), 'a: "x\\n\\n"\n\nb: 1\n'],
    ['at the end of a text that does not end its line too', 'a: |\n  one', set('a', 'x\n\n'), 'a: "x\\n\\n"'],
    ['with leading spaces', 'a: x\n', set('a', '  x\ny\n'), 'a: |2\n    x\n  y\n'],
    ['spaces at a line end are quoted', 'a: x\n', set('a', 'x \ny\n'), 'a: "x \\ny\\n"\n'],
    ['in a list', '- a # why\n- b\n', set('0', 'x\ny\n'), '- | # why\n  x\n  y\n- b\n'],
    ['with CRLF', 'a: x # why\r\nb: 1\r\n', set('a', 'x\ny\n'), 'a: | # why\r\n  x\r\n  y\r\nb: 1\r\n'],
    ['in braces it is quoted', 'a: { b: x }\n', set('a.b', 'x\ny'), 'a: { b: "x\\ny" }\n'],
  ]),
)

test(
  'lists and maps as values',
  holds([
    ['a map for a text', 'a: old # why\nc: 1\n', set('a', { x: 1, q: { z: [1] } }), 'a: # why\n  x: 1\n  q:\n    z:\n      - 1\nc: 1\n'],
    ['a text for a map', 'a: # why\n  x: 1 # in it\n  # in it too\nc: 1\n', set('a', 'new'), 'a: new # why\nc: 1\n'],
    ['a list in brackets stays in brackets', 'a: [x, "y"] # why\n', set('a', ['z']), 'a: [z] # why\n'],
    ['a list below stays below', 'a:\n- x\n- y\nb: 1\n', set('a', ['z', 'q']), 'a:\n- z\n- q\nb: 1\n'],
    ['an empty list', 'a:\n  - x\nb: 1\n', set('a', []), 'a: []\nb: 1\n'],
    ['from the empty list', 'a: [] # why\nb: 1\n', set('a', ['x']), 'a: # why\n  - x\nb: 1\n'],
    ['steps of four', 'a:\n    b: 1\nc: 1\n', set('c', { d: { e: 1 } }), 'a:\n    b: 1\nc:\n    d:\n        e: 1\n'],
    ['a list item', '- a: 1\n  b: 2\n- c\n', set('0', { x: 1, z: [{ q: 1 }] }), '- x: 1\n  z:\n    - q: 1\n- c\n'],
    ['a list item with a comment', '- a # why\n- c\n', set('0', { x: 1 }), '- # why\n  x: 1\n- c\n'],
    ['in braces', '{ "a": {"b": 1}, c: 2 }\n', set('a', { d: [1, 'x, y'] }), '{ "a": { d: [1, "x, y"] }, c: 2 }\n'],
    ['a list of several lines in brackets', 'a: [\n  x, # one\n  y\n  ] # why\nb: 1\n', set('a', ['z']), 'a: [z] # why\nb: 1\n'],
  ]),
)

test(
  'keys are added at the end of their map',
  holds([
    ['to the file', 'a: 1\n', set('b', 2), 'a: 1\nb: 2\n'],
    ['without a last line end', 'a: 1', set('b', 2), 'a: 1\nb: 2'],
    [
      'before the blank lines and comments that follow',
      'a:\n  b: 1 # x\n\n# next\nd: 1\n',
      set('a.c', 2),
      'a:\n  b: 1 # x\n  c: 2\n\n# next\nd: 1\n',
    ],
    ['behind a block', 'a:\n  b: |\n    x\n\nd: 1\n', set('a.c', 2), 'a:\n  b: |\n    x\n  c: 2\n\nd: 1\n'],
    [
      'behind a map with a comment in it',
      'a:\n  b:\n    c: 1\n    # in b\nd: 1\n',
      set('a.e', 2),
      'a:\n  b:\n    c: 1\n    # in b\n  e: 2\nd: 1\n',
    ],
    ['with the maps on the way', 'a: 1\n', set('b.c.d', 2), 'a: 1\nb:\n  c:\n    d: 2\n'],
    ['where nothing stands', 'a:\n  b: # why\nc: 1\n', set('a.b.d', 2), 'a:\n  b: # why\n    d: 2\nc: 1\n'],
    ['where an empty map stands', 'a: {} # why\nc: 1\n', set('a.d', 2), 'a: # why\n  d: 2\nc: 1\n'],
    ['in an empty file', '', set('a.b', 2), 'a:\n  b: 2\n'],
    ['below comments only', '# hello\n', set('a', 2), '# hello\na: 2\n'],
    ['below a document mark', '---\n', set('a', 2), '---\na: 2\n'],
    ['in braces', 'a: { b: 1 }\n', set('a.c', 'x, y'), "a: { b: 1, c: 'x, y' }\n"],
    ['in braces over lines', '{\n  "a": 1\n}\n', set('b', 'x'), '{\n  "a": 1,\n  "b": "x"\n}\n'],
    ['in braces over lines with a last comma', 'x: {\n  a: 1, # one\n  }\n', set('x.b', 2), 'x: {\n  a: 1, # one\n  b: 2,\n  }\n'],
    ['in a list item', '- a: 1\n- c\n', set('0.b', 2), '- a: 1\n  b: 2\n- c\n'],
    ['with a byte order mark', '\ufeffa: 1\n', set('b', 2), '\ufeffa: 1\nb: 2\n'],
    ['behind a document mark, before its end', '--- # x\na: 1\n...\n', set('b', 2), '--- # x\na: 1\nb: 2\n...\n'],
    ['a key that must be quoted', 'a: 1\n', set('yes', 2), "a: 1\n'yes': 2\n"],
  ]),
)

test(
  'what is removed goes with its lines',
  holds([
    ['a key', 'a: 1 # x\n# about b\nb: 2 # y\n\nc: 3\n', remove('b'), 'a: 1 # x\n# about b\n\nc: 3\n'],
    ['a block', 'a: |\n  x\n\nb: 1\n', remove('a'), '\nb: 1\n'],
    ['the last key of a file without a line end', 'a: 1\nb: 2', remove('b'), 'a: 1'],
    ['the first key of a list item', '- a: 1\n  # about b\n  b: 2\n', remove('0.a'), '- # about b\n  b: 2\n'],
    ['a list item', 'l:\n  - a # x\n  - b # y\n  - c\n', remove('l.1'), 'l:\n  - a # x\n  - c\n'],
    ['the only key', 'a: # why\n  # about b\n  b: 1 # x\nc: 1\n', remove('a.b'), 'a: {} # why\n  # about b\nc: 1\n'],
    ['the only item', 'a:\n- b\nc: 1\n', remove('a.0'), 'a: []\nc: 1\n'],
    ['the only key of the file', '# hello\na: 1\n', remove('a'), '# hello\n{}\n'],
    ['the only key of a list item', '- a: 1\n- b\n', remove('0.a'), '- {}\n- b\n'],
    ['the first in braces', 'a: { b: 1, c: 2 }\n', remove('a.b'), 'a: { c: 2 }\n'],
    ['the last in braces', 'a: { b: 1, c: 2 }\n', remove('a.c'), 'a: { b: 1 }\n'],
    ['the only one in braces', 'a: { b: 1 }\n', remove('a.b'), 'a: {}\n'],
    ['a line in brackets', 'a: [\n  x, # one\n  y, # two\n  ]\n', remove('a.0'), 'a: [\n  y, # two\n  ]\n'],
    ['the last line in braces', '{\n  "a": 1,\n  "b": 2\n}\n', remove('b'), '{\n  "a": 1\n}\n'],
  ]),
)

test(
  'items are inserted',
  holds([
    ['at the end', 'l:\n  - a # x\n# end\n', insert('l', 1, 'b'), 'l:\n  - a # x\n  - b\n# end\n'],
    ['before an item and its comment', 'l:\n  - a\n  # about b\n  - b\n', insert('l', 1, 'x'), 'l:\n  - a\n  - x\n  # about b\n  - b\n'],
    ['first in a list in a list', '- - a\n  - b\n', insert('0', 0, { x: 1, z: 2 }), '- - x: 1\n    z: 2\n  - a\n  - b\n'],
    ['in brackets', 'l: [a, b] # x\n', insert('l', 1, 'c'), 'l: [a, c, b] # x\n'],
    ['at the end in brackets', 'l: [a, b] # x\n', insert('l', 2, 'c'), 'l: [a, b, c] # x\n'],
    ['in brackets over lines', 'l: [\n  a, # x\n  b # y\n  ]\n', insert('l', 2, 'c'), 'l: [\n  a, # x\n  b, # y\n  c\n  ]\n'],
    ['into a list that is missing', 'a: 1\n', insert('l', 0, 'c'), 'a: 1\nl:\n  - c\n'],
    ['into an empty list', 'l: []\n', insert('l', 0, 'c'), 'l:\n  - c\n'],
    ['first, below an empty first line', '\n# one\n- a\n', insert('', 0, 'x'), '\n- x\n# one\n- a\n'],
    ['without an indent', 'l:\n- a\n- b\nm: 1\n', insert('l', 0, 'c'), 'l:\n- c\n- a\n- b\nm: 1\n'],
  ]),
)

test(
  'items move with their comments',
  holds([
    ['down', 'l:\n  # about a\n  - a # x\n\n  - b # y\n  - c\n', move('l', 0, 1), 'l:\n  - b # y\n\n  # about a\n  - a # x\n  - c\n'],
    ['up', '- a\n- b: 1\n  c: 2\n  # in b\n- d\n', move('', 1, 0), '- b: 1\n  c: 2\n  # in b\n- a\n- d\n'],
    ['to the end without a line end', '- a # x\n- b', move('', 0, 1), '- b\n- a # x'],
    ['in brackets', 'l: [a, "b",  c]\n', move('l', 2, 0), 'l: [c, a,  "b"]\n'],
  ]),
)

test(
  'keys are renamed in their place',
  holds([
    ['plain', 'a: 1 # x\nb: 2\n', rename('a', 'c'), 'c: 1 # x\nb: 2\n'],
    ['quoted', '"a": 1\n', rename('a', 'c'), '"c": 1\n'],
    ['to what must be quoted', 'a: 1\n', rename('a', 'x: y'), "'x: y': 1\n"],
    ['in braces', 'm: { a: 1 }\n', rename('m.a', 'x, y'), "m: { 'x, y': 1 }\n"],
  ]),
)

test(
  'members are added with comments above them',
  holds([
    [
      'before the first',
      'r: # all\n  # first\n  a: 1\n',
      {
        kind: 'add',
        path: ['r'],
        at: 0,
        members: [
          { key: 'x', value: { y2: 1 }, above: ['# new'] },
          { key: 'z', value: 2 },
        ],
      },
      'r: # all\n  # new\n  x:\n    y2: 1\n  z: 2\n  # first\n  a: 1\n',
    ],
    [
      'with the maps around them',
      'a:\n  b: 1\n',
      { kind: 'add', path: ['a', 'r'], members: [{ key: 'x', value: 1, above: ['# one', '# two'] }] },
      'a:\n  b: 1\n  r:\n    # one\n    # two\n    x: 1\n',
    ],
    [
      'into an empty map',
      'r: {} # none yet\n',
      { kind: 'add', path: ['r'], members: [{ key: 'x', value: 1, above: ['# one'] }] },
      'r: # none yet\n  # one\n  x: 1\n',
    ],
  ]),
)

test('what cannot be told for sure is refused with a reason', async (t) => {
  const rows: readonly (readonly [string, YamlEdit, RegExp])[] = [
    ['a: &v\n  b: 1\nc: *v\n', set('a.b', 2), /the anchor &v/],
    ['a: &v 1\nc: *v\n', set('a', 2), /the anchor &v/],
    ['a: &v\n  b: 1\nc: *v\n', remove('a'), /the anchor &v/],
    ['a: &v\n  b: 1\nc: *v\n', set('c.b', 2), /an alias/],
    ['a: &v {}\nc: *v\n', set('c.b', 2), /an alias/],
    ['x: &v { b: 1 }\na:\n  <<: *v\n', set('a.b', 2), /the merge key "<<"/],
    ['a: 1\na: 2\n', set('a', 3), /line 2: this key stands twice/],
    ['? a\n: 1\n', set('a', 3), /no plain text/],
    ['? [x]\n: 1\nb: 2\n', set('b', 3), /complex keys/],
    ['a:\n  long text\n', set('a', ['x']), /below its key/],
    ['l: [a: 1]\n', set('l.0.a', 3), /without braces/],
    ['l: [a]\n', set('l.1', 'x'), /an item 1/],
    ['l: [a]\n', remove('l.1'), /no "1"/],
    ['l: [a]\n', insert('l', 2, 'x'), /no place 2/],
    ['l: [a]\n', move('l', 0, 1), /no item 1/],
    ['a: 1\n', remove('b'), /no "b"/],
    ['a: 1\n', rename('b', 'c'), /no key "b"/],
    ['a: 1\nb: 2\n', rename('a', 'b'), /"b" already/],
    ['a: 1\n', set('a.b', 2), /"b" cannot stand in/],
    ['a: 1\n', set('', 2), /the whole file/],
    ['a: 1\n---\nb: 2\n', set('a', 2), /more than one document/],
    ['a: [\n', set('a', 2), /line 1: this bracket is not closed/],
    ['a:\n\t- b\n', set('a', 2), /line 2/],
    ['l: [\n  a, # one\n  b\n  ]\n', move('l', 0, 1), /comments stand between/],
    ['{ a: 1 }\n', { kind: 'add', path: [], members: [{ key: 'b', value: 1, above: ['# c'] }] }, /between braces/],
  ]
  for (const [text, edit, why] of rows) {
    const edited = editYaml(text, edit)
    t.match(edited, { ok: false, why }, text)
  }
})

test('each value of the examples can be changed, and changed back', async (t) => {
  for (const name of examples) {
    const text = readFileSync(name, 'utf8')
    for (const { path, value } of placesIn(dataOf(text))) {
      if (typeof value === 'object') continue
      const there = editYaml(text, { kind: 'set', path, value: typeof value === 'string' ? `x${value}` : 'x' })
      const back = there.ok && editYaml(there.text, { kind: 'set', path, value }, there.parsed)
      assert.notEqual(there.ok && there.text, text)
      assert.deepEqual(back && textOf(back), text, `${name} ${path.join('.')}`)
    }
    t.pass(name)
  }
})

const texts = fc.oneof(
  fc.constantFrom(
    '',
    'x',
    'yes',
    '0755',
    '1.0',
    '~',
    ': ',
    'a: b',
    'a #b',
    '@x',
    '- x',
    'x\ny',
    'x\n',
    'x\n\n',
    '\n',
    ' x\ny\n',
    'x \ny',
    'a\tb',
    '---',
    'é😀',
  ),
  fc.string({ maxLength: 12 }),
  fc.array(fc.constantFrom('one', '', ' two', '# three', 'k: v', '- x'), { minLength: 1, maxLength: 5 }).map((lines) => lines.join('\n')),
)
const newKeys = fc.oneof(fc.constantFrom('new', 'yes', 'k: v', '#x', '9', '', '__proto__'), fc.string({ maxLength: 6 }))
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { arbitrary: texts, weight: 4 },
    fc.constantFrom<Json>(0, 5, -1.5, 1e21, true, false, null, [], {}),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(newKeys, tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))

/** The paths of all values, with the values; that of the whole file first. */
const placesIn = (value: Json, path: Path = []): { readonly path: Path; readonly value: Json }[] => {
  const members: [string | number, Json][] = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
  return [{ path, value }, ...members.flatMap(([key, member]) => placesIn(member, [...path, key]))]
}

const editChoices = fc.record({
  kind: fc.constantFrom('set', 'add', 'remove', 'insert', 'move', 'rename'),
  which: fc.nat(),
  more: fc.tuple(fc.nat(), fc.nat()),
  key: newKeys,
  value: json,
})

type EditChoice = typeof editChoices extends fc.Arbitrary<infer T> ? T : never

/** A possible edit of these data; `undefined` where there is none of the kind. */
const editOf = (data: Json, { kind, which, more: [i, j], key, value }: EditChoice): YamlEdit | undefined => {
  const all = placesIn(data)
  const pick = <T>(from: readonly T[]): T | undefined => from[which % Math.max(from.length, 1)]
  if (kind === 'set') return withPath(pick(all.slice(1)), (path) => ({ kind, path, value }))
  if (kind === 'remove') return withPath(pick(all.slice(1)), (path) => ({ kind, path }))
  const map = pick(all.filter((each) => isObject(each.value) && !Object.hasOwn(each.value, key)))
  if (kind === 'add') return withPath(map, (path) => ({ kind: 'set', path: i % 3 === 0 ? [...path, key, 'deep'] : [...path, key], value }))
  if (kind === 'rename') {
    const holds = ({ path }: { readonly path: Path }): boolean => Object.hasOwn(Object(valueAt(data, path.slice(0, -1))), key)
    const keys = all.filter((each) => typeof each.path.at(-1) === 'string' && !holds(each))
    return withPath(pick(keys), (path) => ({ kind, path, key }))
  }
  const list = pick(all.filter((each) => Array.isArray(each.value)))
  const length = Array.isArray(list?.value) ? list.value.length : 0
  if (kind === 'insert') return withPath(list, (path) => ({ kind, path, at: i % (length + 1), value }))
  return length === 0 ? undefined : withPath(list, (path) => ({ kind: 'move', path, from: i % length, to: j % length }))
}

const withPath = (place: { readonly path: Path } | undefined, make: (path: Path) => YamlEdit): YamlEdit | undefined =>
  place && make(place.path)

/** The same change, made to data the plain way. */
const changed = (before: Json, edit: YamlEdit): Json => {
  const data = structuredClone(before)
  const ofList = edit.kind === 'insert' || edit.kind === 'move'
  let holder: Json = data
  for (const key of ofList ? edit.path : edit.path.slice(0, -1)) {
    const map = holder as JsonObject
    if (!Object.hasOwn(map, key)) put(map, key, {})
    holder = map[key] as Json
  }
  const last = edit.path.at(-1) ?? ''
  const list = holder as Json[]
  if (edit.kind === 'insert') list.splice(edit.at, 0, edit.value)
  if (edit.kind === 'move') list.splice(edit.to, 0, ...list.splice(edit.from, 1))
  if (edit.kind === 'set') put(holder as JsonObject, last, edit.value)
  if (edit.kind === 'remove' && Array.isArray(holder)) holder.splice(Number(last), 1)
  else if (edit.kind === 'remove') delete (holder as JsonObject)[last]
  if (edit.kind === 'rename') renameIn(holder as JsonObject, String(last), edit.key)
  return data
}

/** An own property, `__proto__` too. */
const put = (map: JsonObject, key: string | number, value: Json): unknown =>
  Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true })

const renameIn = (map: JsonObject, from: string, to: string): void => {
  const members = Object.entries(map)
  for (const [key] of members) delete map[key]
  for (const [key, value] of members) put(map, key === from ? to : key, value)
}

const dataOf = (text: string): Json => parseSource('', text).source?.data ?? null

/** What may be refused on a text of the generator: other lines that get below a text which keeps its last blank lines would change it. */
const mayRefuse = (text: string): RegExp =>
  /\|\d?\+/.test(text) ? /comments stand between the items|what stands around it/ : /comments stand between the items/

/** A run that takes forever says its seed: before it, and where fast-check can stop it also the text and the edit. */
const tries = (): fc.Parameters<unknown> => {
  const seed = Date.now() % 2 ** 31
  process.stderr.write(`# edit-yaml: seed ${seed}\n`)
  return { seed, numRuns: 600, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true }
}

test('random edits of random texts make just that change of the data', async (t) => {
  fc.assert(
    fc.property(yamlTexts, editChoices, (text, choice) => {
      const before = dataOf(text)
      const edit = editOf(before, choice)
      if (!edit) return
      const edited = editYaml(text, edit)
      if (!edited.ok) {
        assert.match(edited.why, mayRefuse(text))
        return
      }
      assert.deepStrictEqual(JSON.parse(JSON.stringify(dataOf(edited.text))), JSON.parse(JSON.stringify(changed(before, edit))))
      assert.equal(spliced(text, edited.splices), edited.text)
      if (edit.kind === 'set') assert.equal(textOf(editYaml(edited.text, edit)), edited.text)
    }),
    tries(),
  )
  t.pass('they did')
})

type Lines = readonly [from: number, to: number]

/** The lines of a member of a block map or list, from its key or dash, with the comments below it that stand further right. */
const linesOf = (text: string, path: Path): Lines => {
  const lines = text.split('\n')
  const place = parseSource('', text).source?.place
  const [key, value] = [place?.(path, 'key'), place?.(path)]
  let from = (key?.line ?? 1) - 1
  let column = (key?.column ?? 1) - 1
  if (typeof path.at(-1) === 'number') {
    column = (lines[from] ?? '').slice(0, column).lastIndexOf('-')
    while (column < 0 && from > 0) column = (/^[ -]*-(?= |\r?$)/.exec(lines[--from] ?? '')?.[0].length ?? 0) - 1
  }
  let to = (value?.endLine ?? 1) - (value?.endColumn === 1 ? 1 : 0)
  while (to > from + 1 && lines[to - 1]?.trim() === '') to--
  for (let at = to; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (/^ *#/.test(line) && line.indexOf('#') > column) to = at + 1
    else if (line.trim() !== '') break
  }
  return [from, to]
}

const valueAt = (data: Json, path: Path): Json | undefined =>
  path.reduce<Json | undefined>((value, key) => (Array.isArray(value) || isObject(value) ? (value as JsonObject)[key] : undefined), data)

/** The lines that an edit may change; `'none'`: it may only put lines between. `undefined` where a line is shared in a way that is hard to tell. */
const mayChange = (text: string, data: Json, edit: YamlEdit): Lines | 'none' | undefined => {
  // Blank lines below a text that keeps them are its own. An empty item at the end of a list has no place.
  if (/\|\d?\+|^[ -]*- *(?:# nothing)?\r?$/m.test(text)) return undefined
  const inner = edit.kind === 'insert' || edit.kind === 'move' ? edit.path : edit.path.slice(0, -1)
  const whole = rewritten(text, data, inner)
  if (whole) return linesOf(text, whole)
  if (edit.kind === 'move') return edit.path.length === 0 ? undefined : linesOf(text, edit.path)
  if (edit.kind === 'insert') return edit.at === 0 ? undefined : 'none'
  const present = valueAt(data, edit.path)
  if (present === undefined) return 'none'
  if (present === null && typeof edit.path.at(-1) === 'number') return undefined
  return edit.kind === 'remove' ? removedLines(text, data, edit.path) : linesOf(text, edit.path)
}

/** The path of the first list or map on the way that is empty or stands in brackets: its lines are one. */
const rewritten = (text: string, data: Json, path: Path): Path | undefined => {
  const place = parseSource('', text).source?.place
  const lines = text.split('\n')
  const isOne = (way: Path): boolean => {
    const held = valueAt(data, way)
    const { line = 1, column = 1 } = place?.(way) ?? {}
    return held === null || (held !== undefined && /[[{]/.test(lines[line - 1]?.[column - 1] ?? ''))
  }
  return [...path.keys()].map((depth) => path.slice(0, depth + 1)).find(isOne)
}

const removedLines = (text: string, data: Json, path: Path): Lines => {
  const own = linesOf(text, path)
  const inner = path.slice(0, -1)
  const lines = text.split('\n')
  const isOnly = Object.keys(valueAt(data, inner) as JsonObject).length === 1
  if (isOnly) return inner.length === 0 ? own : [linesOf(text, inner)[0], own[1]]
  // What follows the first member behind a dash takes its line.
  const next = lines.findIndex((line, i) => i >= own[1] && line.trim() !== '')
  return /^\ufeff? *- .*/.test(lines[own[0]] ?? '') && next >= 0 ? [own[0], next + 1] : own
}

test('random edits leave every other line as it is', async (t) => {
  fc.assert(
    fc.property(yamlTexts, editChoices, (text, choice) => {
      const data = dataOf(text)
      const edit = editOf(data, choice)
      const own = edit && mayChange(text, data, edit)
      const edited = edit && editYaml(text, edit)
      if (!own || !edited?.ok) return
      if (text.includes('\r\n')) assert.doesNotMatch(edited.text, /(?<!\r)\n/)
      const before = text.replace('\ufeff', '').split(/\r?\n/)
      const after = edited.text.replace('\ufeff', '').split(/\r?\n/)
      assert.equal(edited.text.startsWith('\ufeff'), text.startsWith('\ufeff'))
      const [from, to] = own === 'none' ? added(before, after) : own
      assert.deepEqual(after.slice(0, from), before.slice(0, from))
      assert.deepEqual(after.slice(after.length - (before.length - to)), before.slice(to))
      if (edit.kind === 'move') assert.deepEqual(barely(after), barely(before))
    }),
    tries(),
  )
  t.pass('they do')
})

/** Where lines were put between. */
const added = (before: readonly string[], after: readonly string[]): Lines => {
  const at = before.findIndex((line, i) => line !== after[i])
  return at < 0 ? [before.length, before.length] : [at, at]
}

/** The characters of a text without their order, and without spaces. */
const barely = (lines: readonly string[]): string => [...lines.join('').replaceAll(' ', '')].sort().join('')
