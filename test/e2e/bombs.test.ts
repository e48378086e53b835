/**
 * Signed bodies that grow when they are read: compressed ones, XML and multipart. What reading one costs is taken from the process: its
 * processor time, which other programs do not change, and the most memory that it ever had.
 */

import { readFileSync } from 'node:fs'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { hexHmac, secret } from '../fakes/gateway.ts'
import { dataDir, startGateway } from '../fakes/process-gateway.ts'

const mostBytes = 8_388_608
/** Six times as much as the dearest of them takes. */
const mostSeconds = 3
/** The heap of the process has half as much: it would end if a body needed more. */
const mostMebibytes = 512

type Bomb = readonly [what: string, body: string | Buffer, status: number, headers?: { readonly [name: string]: string }]

const xml = { 'Content-Type': 'application/xml' }
const form = (boundary = 'B') => ({ 'Content-Type': `multipart/form-data; boundary=${boundary}` })
const packed = (encoding: string) => ({ 'Content-Encoding': encoding, 'Content-Type': 'application/json' })
const zeros = Buffer.alloc(100_000_000)
const disposition = (name: string): string => `Content-Disposition: form-data; name="${name}"\r\n`
const part = (name: string, text = '', more = ''): string => `--B\r\n${disposition(name)}${more}\r\n${text}\r\n`
const closed = (parts: string): string => `${parts}--B--\r\n`
const filled = (text: string, bytes = mostBytes): string => text.repeat(Math.floor((bytes - 1_000) / text.length))
/** As much as XML may have. */
const inXml = (text: string): string => filled(text, 2_097_152)
const laughs = Array.from({ length: 10 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')
/** A zip whose entry says that it unpacks to four gigabytes. */
const zip = Buffer.concat([
  Buffer.from('504b03041400000008000000000000000000', 'hex'),
  Buffer.from('ffffffffffffffff0100000061', 'hex'),
  deflateRawSync(zeros.subarray(0, 50_000_000)),
])

const bombs: readonly Bomb[] = [
  ['gzip', gzipSync(zeros), 413, packed('gzip')],
  ['gzip in gzip', gzipSync(gzipSync(zeros)), 415, packed('gzip, gzip')],
  ['deflate', deflateSync(zeros), 413, packed('deflate')],
  ['brotli', brotliCompressSync(zeros.subarray(0, 10_000_000)), 413, packed('br')],
  ['XML that says it is compressed', '<a>1</a>', 400, { ...xml, 'Content-Encoding': 'gzip' }],

  ['entities in entities', `<!DOCTYPE a [<!ENTITY l0 "ha">${laughs}]><a>&l10;</a>`, 400, xml],
  ['an entity of megabytes, used often', `<!DOCTYPE a [<!ENTITY b "${'x'.repeat(1_000_000)}">]><a>${'&b;'.repeat(300_000)}</a>`, 400, xml],
  ['an entity from a file', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///dev/zero">]><a>&b;</a>', 400, xml],
  ['entities that XML defines', `<a>${inXml('&amp;')}</a>`, 202, xml],
  ['elements in each other', '<a>'.repeat(19_000), 400, xml],
  ['elements beside each other', `<a>${inXml('<b/>')}</a>`, 413, xml],
  ['an attribute of megabytes', `<a b="${inXml('x')}"/>`, 202, xml],
  ['an attribute without an end', `<a b="${inXml('x')}`, 400, xml],
  ['attributes', `<a ${Array.from({ length: 150_000 }, (_, i) => `a${i}="1"`).join(' ')}/>`, 413, xml],
  ['a name of megabytes', `<${inXml('n')}/>`, 202, xml],
  ['more bytes than XML may have', `<a>${filled('x')}</a>`, 413, xml],
  ['comments', `<a>${inXml('<!---->')}</a>`, 413, xml],
  ['CDATA', `<a>${inXml('<![CDATA[]]>')}</a>`, 413, xml],

  ['a hundred thousand parts', closed(Array.from({ length: 100_000 }, (_, i) => part(`f${i}`)).join('')), 413, form()],
  ['parts without anything', filled('--B\r\n\r\n\r\n'), 400, form()],
  [
    'a zip',
    Buffer.concat([Buffer.from(part('z', '', 'Content-Type: application/zip\r\n').slice(0, -2)), zip, Buffer.from('\r\n--B--')]),
    202,
    form(),
  ],
  ['a long header', closed(part('a', 'b', `X-Long: ${'x'.repeat(7_000_000)}\r\n`)), 400, form()],
  ['many headers', closed(part('a', 'b', filled('X: y\r\n').slice(0, 7_000_000 - 4))), 400, form()],
  [
    'a boundary in a boundary',
    closed(part('a', `${filled('--C\r\n\r\n').slice(0, 7_000_000)}--C--`, 'Content-Type: multipart/mixed; boundary=C\r\n')),
    202,
    form(),
  ],
  ['what begins as the boundary', `--${'x'.repeat(70)}\r\n${filled(`\r\n--${'x'.repeat(69)}`)}`, 400, form('x'.repeat(70))],
  ['a body without an end', part('a', filled('x')), 400, form()],
]

t.test('each is refused or read within a second or two, and without growing', async (t) => {
  const routes = { a: { prompt: 'p', secret } }
  const webhook = { enabled: true, extra: { port: 0, rate_limit: 1_000, max_body_bytes: mostBytes, routes } }
  const dir = dataDir(t, { routes, config: { agent: { runner: 'echo' }, platforms: { webhook } } })
  const gateway = await startGateway(t, dir, { before: 'export NODE_OPTIONS=--max-old-space-size=256' })
  const base = await gateway.listening
  const figures = (file: string): string => readFileSync(`/proc/${gateway.pid}/${file}`, 'utf8')
  // The times stand behind the name, which may have blanks: the 14th and 15th of all values, in hundredths of a second.
  const seconds = (): number => {
    const values = figures('stat')
      .replace(/^.*\) /s, '')
      .split(' ')
    return (Number(values[11]) + Number(values[12])) / 100
  }
  const peak = (): number => Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(figures('status'))?.[1]) / 1024)
  for (const [what, body, status, headers] of bombs) {
    const before = seconds()
    const signed = { ...headers, 'X-Hub-Signature-256': `sha256=${hexHmac(Buffer.from(body))}` }
    const answer = await fetch(`${base}/webhooks/a`, { method: 'POST', headers: signed, body: Buffer.from(body) })
    await answer.text()
    t.equal(answer.status, status, what)
    const spent = seconds() - before
    t.comment(`${what}: ${spent.toFixed(2)} s, ${peak()} MiB`)
    t.ok(spent < mostSeconds, `${what}: ${spent} s`)
  }
  t.equal((await gateway.health()).status, 200)
  t.ok(peak() < mostMebibytes, `${peak()} MiB`)
})
