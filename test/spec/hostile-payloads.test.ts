import t from 'tap'
import { curiousFiles, curiousRoutes, megabytes } from '../../bench/megabytes.ts'
import { hexHmac, startGateway } from '../fakes/gateway.ts'

// How long each of these keeps the others waiting is measured by `npm run bench -- --case stall`.
t.test('Payloads', async (t) => {
  const gateway = await startGateway(t, { routes: curiousRoutes, files: curiousFiles, level: 'warn' })

  for (const [what, text] of Object.entries(megabytes)) {
    t.test(`${what}: no 5xx, without a prompt and with every operator`, async (t) => {
      const body = Buffer.from(text)
      const headers = { 'X-Webhook-Signature': hexHmac(body) }
      for (const route of Object.keys(curiousRoutes)) {
        const { status } = await gateway.post(route, { sign: false, body, headers })
        // Hundreds of thousands of lists are more than anybody sends in good faith.
        t.equal(status === 200 ? 202 : status, what.startsWith('nested') ? 413 : 202, route)
      }
    })
  }

  t.test('a hundred thousand lists are parsed, one more is not; brackets inside strings do not count', async (t) => {
    const status = async (body: string): Promise<number> => (await gateway.post('nop', { body })).status
    const lists = (count: number): string =>
      `[${Array(count - 1)
        .fill('[]')
        .join()}]`
    t.equal(await status(lists(100_000)), 202)
    t.equal(await status(lists(100_001)), 413)
    t.equal(await status(JSON.stringify({ text: '[{"\\'.repeat(150_000) })), 202)
  })

  t.test('nothing was polluted', async (t) => {
    t.equal(({} as { polluted?: unknown }).polluted, undefined)
  })
})
