/** TLS in the built gateway: what the commands of its own machine say and do, and a renewed certificate after SIGHUP. */

import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import t from 'tap'
import { createAuthority } from '../fakes/certificate.ts'
import { command, dataDir, startGateway } from '../fakes/process-gateway.ts'

const authority = createAuthority('the authority')
const first = authority.issue({ san: 'DNS:hooks.example.org' })
const renewed = authority.issue({ san: 'DNS:hooks.example.org', days: 60 })

/** The fingerprint of the certificate that a new connection gets. */
const shownAt = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256.replaceAll(':', '').toLowerCase())
      socket.destroy()
    })
    socket.on('error', reject)
  })

t.test('health, test and status work over TLS, whatever the names of the certificate are, and SIGHUP takes a renewed one', async (t) => {
  const dir = dataDir(t, {
    routes: { a: { prompt: 'p', deliver: 'log' } },
    config: { tls: { cert: 'cert.pem', key: 'key.pem' } },
    files: { 'cert.pem': first.pem, 'key.pem': first.key },
  })
  chmodSync(join(dir, 'key.pem'), 0o600)
  const gateway = await startGateway(t, dir)
  const url = await gateway.listening
  t.match(url, /^https:\/\/127\.0\.0\.1:\d+$/)
  const health = command({ dir }, 'gateway', 'health')
  t.match(health, { status: 0, stdout: `ok  ${url}/health  200\n` })
  t.match(command({ dir }, 'webhook', 'test', 'a', '--payload', '{}', '--wait'), { status: 0, stdout: /202/ })
  t.match(command({ dir }, 'gateway', 'status').stdout, /^certificate +hooks\.example\.org, until 20\d\d-\d\d-\d\d \(89 days\)$/m)
  t.match(command({ dir }, 'webhook', 'show', 'a').stdout, /https:\/\/127\.0\.0\.1:/)
  t.equal(await shownAt(url), first.fingerprint)
  writeFileSync(join(dir, 'cert.pem'), renewed.pem)
  writeFileSync(join(dir, 'key.pem'), renewed.key)
  gateway.kill('SIGHUP')
  await gateway.line(({ msg }) => msg.startsWith('certificates replaced'))
  t.equal(await shownAt(url), renewed.fingerprint)
  t.match(command({ dir }, 'gateway', 'health'), { status: 0 }, 'the command knows the new one')
  writeFileSync(join(dir, 'key.pem'), first.key)
  t.match(command({ dir }, 'gateway', 'reload'), { status: 1, stdout: /WH324.*does not belong/ })
  t.equal(await shownAt(url), renewed.fingerprint)
  gateway.kill('SIGTERM')
  t.match(await gateway.ended, { code: 0 })
})

t.test('a gateway does not start with a key of another certificate', async (t) => {
  const files = { 'cert.pem': first.pem, 'key.pem': renewed.key }
  const dir = dataDir(t, { routes: {}, config: { tls: { cert: 'cert.pem', key: 'key.pem' } }, files })
  t.match(command({ dir }, 'gateway', 'run'), {
    status: 78,
    stderr: /WH324.*does not belong to the certificate[\s\S]*config\.yaml:\d+:\d+/,
  })
})
