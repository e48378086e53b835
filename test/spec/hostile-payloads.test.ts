import t from 'tap'
import { curiousRoutes, megabytes } from '../../bench/megabytes.ts'
import { hexHmac, startGateway } from '../fakes/gateway.ts'

// How long each of these keeps the others waiting is measured by `npm run bench -- --case stall`.
t.test('Payloads', async (t) => {
  const gateway = await startGateway(t, { routes: curiousRoutes, files: { 'list.txt': 'zz' }, level: 'warn' })

  for (const [what, text] of Object.entries(megabytes)) {
    t.test(`${what}: no 5xx, without a prompt and with every operator`, async (t) => {
      const body = Buffer.from(text)
      const headers = { 'X-Webhook-Signature': hexHmac(body) }
      for (const route of Object.keys(curiousRoutes)) {
        const { status } = await gateway.post(route, { sign: false, body, headers })
        t.ok(status === 202 || status === 200, `${route}: ${status}`)
      }
    })
  }

  t.test('nothing was polluted', async (t) => {
    t.equal(({} as { polluted?: unknown }).polluted, undefined)
  })
})
