import t from 'tap'
import { equalJson, own } from '../../src/core/json.ts'
import { cut, nearest, printable } from '../../src/core/text.ts'

t.test('a cut never splits a surrogate pair', async (t) => {
  t.equal(cut('ab😀', 3), 'ab')
  t.equal(cut('ab😀', 4), 'ab😀')
  t.equal(cut('abc', 0), '')
})

t.test('printable text cannot drive a terminal', async (t) => {
  t.equal(printable('a\u001b[31mb\nc\u202e'), 'a\\u{1b}[31mb\\nc\\u{202e}')
})

t.test('nearest finds the slip of a finger and nothing else', async (t) => {
  t.same(nearest('evnts', ['events', 'secret']), ['events'])
  t.same(nearest('zzz', ['events', 'secret']), [])
})

t.test('own properties only, deep equality', async (t) => {
  t.equal(own({ a: 1 }, 'constructor'), undefined)
  t.ok(equalJson({ a: [1, { b: null }], c: 1 }, { c: 1, a: [1, { b: null }] }))
  t.notOk(equalJson({ a: 1 }, { b: 1 }))
  t.notOk(equalJson([1], { 0: 1 }))
})
