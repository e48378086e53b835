import t from 'tap'
import { equalJson, own } from '../../src/core/json.ts'
import { cut, excerpt, nearest, printable } from '../../src/core/text.ts'
import { createRedactor } from '../../src/secrets/redact.ts'

t.test('a cut never splits a surrogate pair', async (t) => {
  t.equal(cut('ab😀', 3), 'ab')
  t.equal(cut('ab😀', 4), 'ab😀')
  t.equal(cut('abc', 0), '')
})

t.test('an excerpt ends before the word that is cut', async (t) => {
  t.equal(excerpt('not found', 9), 'not found')
  t.equal(excerpt('bad token ab12cd34', 16), 'bad token …')
  t.equal(excerpt('不合法的access_token', 10), '不合法的…')
  t.equal(excerpt('不合法的令牌', 4), '不合法的…')
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

t.test('a secret is found as it stands in an address and in a form too', async (t) => {
  const secret = "p@ss 'w(o)rd'!~*&"
  const redact = createRedactor([secret, 'short'])
  const url = new URL(`http://a.test/${encodeURIComponent(secret)}?p=${encodeURIComponent(secret)}`)
  t.equal(createRedactor(['\ud800half a character'])('\ud800half a character'), '***', 'a secret that no address can hold')
  t.equal(redact(`${secret} ${url.href} ${new URLSearchParams({ p: secret })} short`), '*** http://a.test/***?p=*** p=*** short')
})
