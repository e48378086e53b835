/** The bodies that become payloads besides JSON and forms: XML, and multipart with its files. */

import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Busboy } from '@fastify/busboy'
import fc from 'fast-check'
import t from 'tap'
import { readMultipart } from '../../src/parts/body/multipart/read-multipart.ts'
import { ReadOnceBody } from '../../src/parts/body/request-body.ts'
import { readXml } from '../../src/parts/body/xml/read-xml.ts'
import { mailgunInbound } from '../../src/parts/schemes/mail/mailgun-inbound.ts'
import { hexHmac, lastEnd, startGateway, type TestGateway } from '../fakes/gateway.ts'

const rawRoute = { prompt: '{__raw__}' }

t.test('XML', async (t) => {
  const gateway = await startGateway(t, {
    extra: { max_body_bytes: 2_000_000 },
    routes: {
      raw: rawRoute,
      orders: { filters: [{ field: 'order.@status', equals: 'paid' }], prompt: 'Order {order.@id}: {order.item.0.name}, {order.total}' },
      redacted: { redact: ['note.to.#text', 'note.secret'], prompt: '{__raw__}' },
    },
  })
  const payload = async (body: string | Buffer) => JSON.parse(await deliveredText(gateway, 'raw', body))

  t.test('a long text is read with turns for others, and as a short one is', async (t) => {
    // A slice ends at each place of this text once: in a pair of characters, a line end, a name and a reference.
    const unit = '<b c="\u{1f600}&lt;">\r\n\u{1f680} &amp; ]]&gt;</b><!-- - -->'
    const items = Array.from({ length: 6_000 }, (_, i) => unit + 'x'.repeat(i % 197)).join('')
    const body = Buffer.from(`<a>${items}</a>`)
    let turns = 0
    const reading = new ReadOnceBody({}, body)
    const done = reading.readInTurns()?.then(() => true)
    while (!(await Promise.race([done, new Promise((then) => setImmediate(then, false))]))) turns++
    t.ok(turns > 2, `${turns} turns`)
    t.same(reading.content(), readXml(body))
    t.equal(new ReadOnceBody({}, Buffer.from('<a/>')).readInTurns(), undefined)
    const { status, headers } = await gateway.post('raw', { body: `<a>${items}<b></a>` })
    const id = headers.get('x-headgate-event-id')
    t.match([status, (await gateway.line(({ event_id: of }) => of === id)).reason], [400, /unexpected close tag/])
    t.match(await deliveredText(gateway, 'raw', body), '"@c": "\u{1f600}<"')
  })

  t.test('attributes, texts and repeated elements', async (t) => {
    t.same(
      await payload(
        '<?xml version="1.0" encoding="UTF-8"?>\n<!-- by a shop -->\n<o:a id="007" x:y=\'&quot;\'>\r\n <b>01</b><b c="2"/> &lt;t&gt;<e/> &#x1f600;</o:a>\n',
      ),
      { 'o:a': { '@id': '007', '@x:y': '"', b: ['01', { '@c': '2' }], e: '', '#text': '<t> \u{1f600}' } },
    )
    t.same(await payload('\ufeff<a>a<![CDATA[<b>&amp;</b>]]>&amp;</a>'), { a: 'a<b>&amp;</b>&' }, 'what CDATA has is no markup')
    t.same(await payload('<?xml-stylesheet href="a"?><a> 1e400 </a>'), { a: '1e400' }, 'a number is a text')
    t.same(
      await payload('<!--b-->\n<a b="1\n2">1\r\n2</a ><!--c-->\n<?d e?>'),
      { a: { '@b': '1 2', '#text': '1\n2' } },
      'as XML reads line ends',
    )
    t.same(await payload('<a><toString>1</toString><hasOwnProperty>2</hasOwnProperty></a>'), { a: { toString: '1', hasOwnProperty: '2' } })
    t.equal(
      await deliveredText(
        gateway,
        'orders',
        '<order id="7" status="paid"><item><name>Cup</name></item><item/><total>010.00</total></order>',
      ),
      'Order 7: Cup, 010.00',
    )
  })

  t.test('what is refused, and why', async (t) => {
    for (const [body, why] of [
      ['<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', /document type/],
      ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', /document type/],
      ['<a><!DOCTYPE a></a>', /line 1, column 12/],
      ['<a><!ENTITY x "y"></a>', /malformed/],
      ['<a><?php echo 1 ?></a>', /processing instruction/],
      ['<?xml version="1.0" encoding="ISO-8859-1"?><a/>', /encoding/],
      [Buffer.from('<a>\xe9</a>', 'latin1'), /not UTF-8/],
      ['<a>&nbsp;</a>', /entity/],
      ['<a b="&#0;"/>', /entity/],
      ['<a>\u0001</a>', /character/],
      ['<a>\n<b></a></b>', /line 2, column 7: unexpected close tag$/],
      ['<a>', /malformed/],
      ['<a/><b/>', /one root/],
      ['<a/>text', /outside of root/],
      ['<a>1</a>text', /malformed/],
      ['<a b="1" b="2"/>', /malformed/],
      ['<__proto__/>', /every object/],
      ['<a><constructor/></a>', /every object/],
      ['<a>&constructor;</a>', /undefined entity/],
      ['<a><b/></b/></a>', /closing tag/],
      ['<!-- a --> text <a/>', /outside of root/],
      ['<a/><![CDATA[]]>', /outside of root/],
      ['<a b="<"/>', /malformed/],
      ['<a b=1/>', /unquoted/],
      ['<a b="1"c="2"/>', /whitespace/],
      ['<a>]]></a>', /"]]>"/],
      ['<a><!-- a -- b --></a>', /comment/],
      ['<a><!-- a ---></a>', /comment/],
      ['<a\u00a0b="1"/>', /tag name/],
      ['<a\u00a0/>', /tag name/],
      ['<a.b><1/></a.b>', /tag name/],
      ['<a>&lt</a>', /malformed/],
      ['<a>&#xd800;</a>', /character entity/],
      ['<?xml version="1.1"?><a>&#1;</a>', /character entity/],
      [' <?xml version="1.0"?><a/>', /start of the document/],
      ['<?xml encoding="UTF-8"?><a/>', /malformed/],
      ['<a></secret-name>', /column \d+: unexpected close tag$/],
      ['<a><secret-name>', /column \d+: unclosed tag$/],
      ['<a>'.repeat(101) + '</a>'.repeat(101), /deeper than 100/],
      ['<', /malformed/],
    ] as const) {
      const { status, headers } = await gateway.post('raw', { body })
      t.equal(status, 400, String(body))
      const id = headers.get('x-headgate-event-id')
      t.match((await gateway.line(({ event_id: of }) => of === id)).reason, why, String(body))
    }
    t.equal((await gateway.post('raw', { body: '<a>'.repeat(100) + '</a>'.repeat(100) })).status, 202)
    t.equal((await gateway.post('raw', { body: '<a/>', sign: false })).status, 401, 'nothing is parsed before the signature holds')
  })

  t.test('bombs are within the bounds of the front door', async (t) => {
    const many = 20_000
    for (const body of [
      `<a>${'<b/>'.repeat(many)}</a>`,
      `<a ${Array.from({ length: many }, (_, i) => `b${i}="1"`).join(' ')}/>`,
      `<a>${'<![CDATA[]]>'.repeat(many)}</a>`,
      `<a>${'<!---->'.repeat(many)}</a>`,
    ])
      t.equal((await gateway.post('raw', { body })).status, 413, body.slice(0, 20))
    t.equal((await gateway.post('raw', { body: `<a>${'<b/>'.repeat(many - 1)}</a>` })).status, 202)
    for (const body of [
      `<a ${'b '.repeat(500_000)}/>`,
      `<a ${'='.repeat(900_000)}/>`,
      '<a'.repeat(300_000),
      `<a>${'<!--'.repeat(200_000)}`,
      `<a b="${'x'.repeat(900_000)}`,
      `<${'n'.repeat(900_000)}>`,
      `<!DOCTYPE a [${'<!ENTITY b "c">'.repeat(60_000)}]><a/>`,
    ])
      t.equal((await gateway.post('raw', { body })).status, 400, body.slice(0, 20))
  })

  t.test('a redacted field is nowhere in the stored request, which replays the same', async (t) => {
    const body = '<note><to mail="a">Ada</to><secret>s3cr3t</secret></note>'
    const expected = { note: { to: { '@mail': 'a', '#text': '[redacted]' }, secret: '[redacted]' } }
    t.same(JSON.parse(await deliveredText(gateway, 'redacted', body)), expected)
    t.notOk(JSON.stringify(gateway.lines).includes('s3cr3t'))
  })
})

t.test('multipart', async (t) => {
  const gateway = await startGateway(t, {
    extra: { max_body_bytes: 12_000_000 },
    config: { agent: { runner: 'command', command: ['sh', '-c', reportFiles], untrusted: 'off' } },
    routes: {
      listed: rawRoute,
      kept: { ...rawRoute, attachments: { max_files: 3, max_bytes: 5_000_000, max_total_bytes: 5_000_010 } },
      redacted: { ...rawRoute, redact: ['from'] },
      named: { ...rawRoute, attachments: { max_files: 2 }, redact: ['attachments.*.name', 'attachments.2'] },
      hidden: { ...rawRoute, attachments: {}, redact: ['attachments'] },
      split: { ...rawRoute, attachments: {}, split: 'rows' },
    },
  })
  const post = async (route: string, parts: readonly Part[], type = multipartType) => {
    const [prompt, ...files] = (await deliveredText(gateway, route, multipart(parts), type)).split('\n@')
    return { payload: JSON.parse(prompt ?? ''), files }
  }

  t.test('fields are keys, and files are listed', async (t) => {
    const parts: Part[] = [
      { name: 'from', text: 'Ada <ada@example.org>' },
      { name: 'to', text: 'a' },
      { name: 'to', text: 'b' },
      { name: '__proto__', text: 'x' },
      { name: 'attachments', text: '2' },
      { name: 'latin', text: Buffer.from('caf\xe9', 'latin1'), type: 'text/plain; charset=iso-8859-1' },
      { name: 'html', text: Buffer.from('\xe9', 'latin1') },
      { name: 'charsets', text: '{"html":"windows-1252"}' },
      { name: 'attachment-1', file: '../../etc/\u202eevil\u0007.txt', text: 'hello' },
      { name: 'f', file: '', text: '' },
    ]
    const { payload, files } = await post('listed', parts)
    t.same(files, [])
    t.match(payload, { from: 'Ada <ada@example.org>', to: ['a', 'b'], latin: 'caf\u00e9', html: '\u00e9' })
    t.ok(Object.hasOwn(payload, '__proto__'))
    const sha256 = createHash('sha256').update('hello').digest('hex')
    t.same(payload.attachments, [
      { name: 'evil.txt', type: 'text/plain', bytes: 5, sha256, field: 'attachment-1', dropped: 'the route has no attachments' },
    ])
    t.same((await post('listed', [{ name: 'attachments', text: '0' }])).payload, { attachments: '0' }, 'a field of the sender stays')
    const json = await post('listed', [
      { name: 'payload', text: '{"big":12345678901234567890,"attachments":1}' },
      { name: 'thumb', file: 'a.jpg', text: 'x' },
    ])
    t.match(json.payload, { attachments: [{ name: 'a.jpg' }] })
  })

  t.test('a command gets kept files as paths, of which nothing is left', async (t) => {
    const big = randomBytes(5_000_000)
    const { payload, files } = await post('kept', [
      { name: 'a', file: '-rf', text: 'one' },
      { name: 'b', file: 'b/..', text: big },
      { name: 'c', file: 'c.bin', text: Buffer.concat([big, big.subarray(0, 1)]) },
      { name: 'd', file: 'd', text: 'past the total' },
      { name: 'e', file: '$(touch x)`.txt', text: 'two' },
      { name: 'f', file: 'f', text: 'x' },
    ])
    const sha = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
    t.same(
      files.map((line) => line.split(' ')),
      [
        [sha('one'), '01--rf'],
        [sha(big), '02-file'],
        [sha('two'), '03-(touch', 'x).txt'],
      ],
    )
    t.match(
      payload.attachments.map(({ dropped }: { dropped?: string }) => dropped),
      [undefined, undefined, /max_bytes/, /max_total_bytes/, undefined, /max_files/],
    )
    const long = await post('kept', [{ name: 'a', file: `${'\u6f22'.repeat(150)}.pdf`, text: 'long' }])
    t.same(long.files, [`${sha('long')} 01-${'\u6f22'.repeat(65)}.pdf`], 'a file system can hold the name')
    t.same(readdirSync(join(gateway.dir, 'state/attachments')), [])
  })

  t.test('a redacted request is kept as JSON, without its files', async (t) => {
    const { payload } = await post('redacted', [
      { name: 'from', text: 's3cr3t' },
      { name: 'a', file: 'a', text: 'b' },
    ])
    t.match(payload, { from: '[redacted]', attachments: [{ name: 'a' }] })
  })

  t.test('what is redacted in the list of files is hidden from the agent too', async (t) => {
    const parts = ['a', 'b', 'c'].map((field): Part => ({ name: field, file: `${field}-s3cr3t.txt`, text: field }))
    const sha = (text: string) => createHash('sha256').update(text).digest('hex')
    const named = await post('named', parts)
    t.same(
      named.payload.attachments.map((entry: { name?: string }) => entry.name ?? entry),
      ['[redacted]', '[redacted]', '[redacted]'],
    )
    t.same(named.files, [`${sha('a')} 01-file`, `${sha('b')} 02-file`])
    const [first, ...others] = parts as [Part, Part, Part]
    const large = { ...first, text: 'x'.repeat(5_300_000) }
    t.same((await post('named', [large, ...others])).files, [`${sha('b')} 01-file`], 'the third is hidden, and the first was dropped')
    t.match(await post('hidden', parts), { payload: { attachments: '[redacted]' }, files: [] })
  })

  t.test('a route that splits keeps no files, and the payload says so', async (t) => {
    const sent = (json: string) => [{ name: 'payload', text: json }, ...['a.txt', 'b.txt'].map((file) => ({ name: 'f', file, text: file }))]
    const whole = await post('split', sent('{"n":2}'))
    t.match(whole, { payload: { n: 2, attachments: [{ dropped: 'the route splits its requests' }] }, files: [] })
    const headers = { 'Content-Type': multipartType, 'X-Request-ID': 'rows' }
    t.equal((await gateway.post('split', { body: multipart(sent('{"rows":[{"n":1}]}')), headers })).status, 202)
    const item = await gateway.line(({ msg, delivery_id: id }) => msg === 'delivered' && id === 'rows#0')
    t.same(JSON.parse(String(item.text)), { n: 1 }, 'nor do its items get any')
  })

  t.test('what is refused, and why', async (t) => {
    const whole = multipart([{ name: 'a', text: 'b' }]).toString()
    const status = async (body: string | Buffer, type = multipartType) => {
      const { status, headers } = await gateway.post('listed', { body, headers: { 'Content-Type': type } })
      const id = headers.get('x-headgate-event-id')
      return `${status} ${(await gateway.line(({ event_id: of }) => of === id)).reason}`
    }
    t.match(await status(whole), /^202/)
    t.match(await status(`\r\n${whole}`), /^202/)
    for (const [body, type, why] of [
      [whole, 'application/json', /content type/],
      [whole, 'application/x-www-form-urlencoded', /content type/],
      [whole, 'multipart/form-data; boundary=other', /boundary/],
      [whole, 'multipart/form-data; boundary=B; boundary=other', /content type/],
      [whole, `multipart/form-data; boundary=${'b'.repeat(71)}`, /1 to 70/],
      [`preamble\r\n${whole}`, multipartType, /null|undefined|/],
      [whole.slice(0, -6), multipartType, /cut off/],
      ...['--B', '--Bx', 'x\r\n--Bx', 'x\r\n--B-'].map((text) => [multipart([{ name: 'a', text }]), multipartType, /boundary/] as const),
      [whole.replace('form-data', 'attachment'), multipartType, /form-data/],
      [whole.replace('name="a"', 'name="a"; name="b"'), multipartType, /form-data/],
      [whole.replace('\r\n\r\n', '\r\nContent-Disposition: form-data; name="b"\r\n\r\n'), multipartType, /twice/],
      [whole.replace('\r\n\r\n', '\r\nContent-Transfer-Encoding: base64\r\n\r\n'), multipartType, /transfer encoding/],
      [whole.replace('\r\n\r\n', `\r\nX: ${'x'.repeat(9_000)}\r\n\r\n`), multipartType, /boundary/],
    ] as const) {
      const got = await status(body, type)
      t.match(got, /^400/, got)
      t.match(got, why)
    }
  })

  t.test('bombs are within the bounds of the front door', async (t) => {
    const send = async (body: string | Buffer, type = multipartType) =>
      (await gateway.post('listed', { body, headers: { 'Content-Type': type } })).status
    const part = (i: number): Part => ({ name: `f${i}`, text: '' })
    t.equal(await send(multipart(Array.from({ length: 1_000 }, (_, i) => part(i)))), 202)
    t.equal(await send(multipart(Array.from({ length: 1_001 }, (_, i) => part(i)))), 413)
    t.equal(await send(`--B\r\n${'\r\n--Bx'.repeat(1_000_000)}`), 400, 'what only begins like a boundary')
    t.equal(await send(`--B\r\n\r\n${'\r\n--B '.repeat(1_000_000)}`), 400)
    t.equal(await send(`--B${' '.repeat(7_000_000)}`), 400)
    t.equal(await send(`--B\r\n${'a: b\r\n'.repeat(1_000_000)}`), 400, 'a head without an end')
    const long = 'x'.repeat(70)
    t.equal(await send(`--${long}\r\n${`\r\n--${long.slice(1)}`.repeat(90_000)}`, `multipart/form-data; boundary=${long}`), 400)
  })

  t.test('the same fields and files as @fastify/busboy reads', async (t) => {
    const text = fc.string({ unit: fc.constantFrom('a', '-', 'B', '\r', '\n', '"', ';', '\u00e9', ' ', '='), maxLength: 12 })
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', ' ', '\u00e9', ';', '='), minLength: 1, maxLength: 8 })
    const parts = fc.array(fc.record({ name, text, file: fc.option(name, { nil: undefined }) }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(parts, async (parts) => {
        const body = multipart(parts)
        const read = readMultipart(multipartType, body)
        if ('why' in read) {
          t.ok(
            parts.some(({ text }) => /(^|\r\n)--B/.test(text)),
            'only the boundary itself is refused',
          )
          return
        }
        const ours = [
          ...read.fields.map(({ name, text }) => [name, text]),
          ...read.files.map(({ field, name, bytes }) => [field, name, bytes.toString('hex')]),
        ]
        t.same(ours, await readByBusboy(body))
      }),
      { numRuns: 200 },
    )
  })
})

t.test('inbound mail: Mailgun signs two of its fields, SendGrid all bytes', async (t) => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  let now = 1_750_000_000_000
  const gateway = await startGateway(t, {
    now: () => now,
    config: { agent: { runner: 'command', command: ['sh', '-c', reportFiles], untrusted: 'off' } },
    routes: {
      mailgun: { verify: 'mailgun_inbound', secret: 'key', attachments: {}, prompt: '{from}: {subject} {attachments.0.name}' },
      sendgrid: { verify: 'sendgrid_inbound', public_key: publicKey, attachments: {}, prompt: '{from}: {subject} {attachments.0.name}' },
    },
  })
  const send = async (route: string, body: string | Buffer, headers: { readonly [name: string]: string }) => {
    const { status } = await gateway.post(route, { sign: false, body, headers })
    return status < 300 ? lastEnd(gateway) : { status }
  }
  const time = String(now / 1000)
  const mailgun = (token: string, changed: { readonly [name: string]: string } = {}): [string, string][] =>
    Object.entries({
      ...{ from: 'Ada', subject: 'Hi', timestamp: time, token, signature: hexHmac(`${time}${token}`, 'key') },
      ...changed,
    })
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const asForm = (fields: [string, string][]) => new URLSearchParams(fields).toString()
  const asParts = (fields: [string, string][]) =>
    multipart([...fields.map(([name, text]) => ({ name, text })), { name: 'attachment-1', file: 'a.pdf', text: 'PDF' }])
  t.match(await send('mailgun', asForm(mailgun('token-1')), form), { status: 'accepted', delivery_id: 'token-1' })
  t.match(await send('mailgun', asForm(mailgun('token-1', { subject: 'Other' })), form), { status: 'duplicate' }, 'its token serves once')
  const mail = { 'Content-Type': multipartType }
  t.match(await send('mailgun', asParts(mailgun('token-2')), mail), { status: 'accepted', delivery_id: 'token-2' })
  t.match(
    (await gateway.line(({ msg, delivery_id: id }) => msg === 'delivered' && id === 'token-2')).text,
    /^Ada: Hi a\.pdf\n@\w{64} 01-a\.pdf$/,
  )
  t.match(await send('mailgun', asParts(mailgun('token-3', { signature: hexHmac(`${time}token-2`, 'key') })), mail), { status: 401 })
  t.match(await send('mailgun', asParts([...mailgun('token-4'), ['token', 'token-2']]), mail), { status: 401 }, 'two tokens')
  t.match(await send('mailgun', JSON.stringify(Object.fromEntries(mailgun('token-5'))), {}), { status: 401 }, 'it sends no JSON')
  t.match(await send('mailgun', `<a>${asForm(mailgun('token-5'))}</a>`, form), { status: 401 }, 'nor XML')

  const body = asParts([
    ['from', 'Ada'],
    ['subject', 'Hi'],
  ])
  const signed = (bytes: Buffer) => ({
    ...mail,
    'X-Twilio-Email-Event-Webhook-Timestamp': time,
    'X-Twilio-Email-Event-Webhook-Signature': sign('sha256', Buffer.concat([Buffer.from(time), bytes]), pair.privateKey).toString('base64'),
  })
  t.match(await send('sendgrid', body, signed(body)), { status: 'accepted' })
  t.match(await send('sendgrid', body, signed(body)), { status: 'duplicate' })
  t.match(await send('sendgrid', Buffer.concat([body, Buffer.from(' ')]), signed(body)), { status: 401 })
  t.match(await send('sendgrid', body, { ...signed(body), 'Content-Type': 'multipart/form-data; boundary=PDF' }), { status: 400 })
  const prepared = mailgunInbound.sign({
    secret: 'key',
    body: asParts([['token', 'old']]).toString(),
    id: 'token-7',
    at: now,
    contentType: multipartType,
  })
  t.match(await send('mailgun', prepared.body, mail), { status: 'accepted', delivery_id: 'token-7' }, 'a test request')
  now += 3_601_000
  t.match(await send('mailgun', asForm(mailgun('token-6')), form), { status: 401 }, 'later than tokens are known')
})

t.test('the files of an accepted event outlive the process, in its folder and nowhere else', async (t) => {
  const script = `test -e '${join(t.testdirName, 'go')}' || exit 1; ${reportFiles}`
  const options = {
    config: { agent: { runner: 'command', command: ['sh', '-c', script], untrusted: 'off' }, storage: { kind: 'sqlite' } },
    routes: { kept: { prompt: 'x', attachments: {}, retry: { max_attempts: 1 } } },
  }
  const first = await startGateway(t, options)
  const body = multipart([{ name: 'a', file: 'a.bin', text: Buffer.from([0, 255, 1]) }])
  const { headers } = await first.post('kept', { body, headers: { 'Content-Type': multipartType } })
  const eventId = headers.get('x-headgate-event-id') ?? ''
  await first.line(({ msg, event_id: id }) => id === eventId && /dead/.test(msg))
  await first.stop()
  const left = join(first.dir, 'state/attachments')
  mkdirSync(join(left, '999999999-dead'), { recursive: true })
  writeFileSync(join(first.dir, 'go'), '')
  const next = await startGateway(t, { ...options, dir: first.dir })
  t.same(readdirSync(left), [], 'what a killed process left is removed')
  await next.operations.retry({ id: eventId })
  const sum = createHash('sha256')
    .update(Buffer.from([0, 255, 1]))
    .digest('hex')
  t.equal((await next.line(({ msg }) => msg === 'delivered')).text, `x\n@${sum} 01-a.bin`)
})

/** A part of a multipart body: a field, or a file where `file` names it. */
type Part = {
  readonly name: string
  readonly text: string | Buffer
  readonly type?: string | undefined
  readonly file?: string | undefined
}

const multipartType = 'multipart/form-data; boundary=B'
const multipart = (parts: readonly Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ name, text, file, type }) => [
      Buffer.from(`--B\r\nContent-Disposition: form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}\r\n`),
      Buffer.from(`${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`),
      Buffer.from(text),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--B--\r\n'),
  ])

/** Reads a body with the library: fields as pairs, then files with their bytes. */
const readByBusboy = (body: Buffer): Promise<readonly (readonly string[])[]> =>
  new Promise((resolve, reject) => {
    const [fields, files]: [string[][], string[][]] = [[], []]
    const reader = new Busboy({ headers: { 'content-type': multipartType }, preservePath: true })
    reader.on('field', (name, value) => fields.push([name, value]))
    reader.on('file', (field, stream, name) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => files.push([field, name ?? '', Buffer.concat(chunks).toString('hex')]))
    })
    reader.on('finish', () => resolve([...fields, ...files]))
    reader.on('error', reject)
    reader.end(body)
  })

/** An agent that gives its prompt back, and the digest and the name of each file. */
const reportFiles = `cat; IFS=:; for file in $HEADGATE_ATTACHMENTS; do sum=$(sha256sum < "$file"); printf '\\n@%s %s' "\${sum%% *}" "\${file##*/}"; done`

/** Posts a body, and resolves to the text that is delivered. */
const deliveredText = async (gateway: TestGateway, route: string, body: string | Buffer, type = 'application/xml'): Promise<string> => {
  const id = randomUUID()
  const { status, text } = await gateway.post(route, { body, headers: { 'Content-Type': type, 'X-Request-ID': id } })
  if (status !== 202) throw new Error(`${status} ${text}`)
  const line = await gateway.line(({ msg, delivery_id: of }) => msg === 'delivered' && of === id)
  return String(line.text)
}
