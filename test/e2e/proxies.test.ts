/** The recipes of docs/tls.md for proxies, run as they stand there but for addresses and files, where the proxy is installed. */

import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { createAuthority } from '../fakes/certificate.ts'
import { freePort } from '../fakes/console-proxy.ts'
import { newFolder } from '../fakes/folder.ts'
import { hexHmac, startGateway } from '../fakes/gateway.ts'
import { until } from '../fakes/wait.ts'

const page = readFileSync(fileURLToPath(new URL('../../docs/tls.md', import.meta.url)), 'utf8')
const authority = createAuthority('the authority')

/** Returns the recipe of a proxy. A change that is made in no place of it fails. */
const recipe = (language: string, changes: { readonly [from: string]: string }): string => {
  const [, block = ''] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page) ?? []
  return Object.entries(changes).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`docs/tls.md has no ${from}`)
    return text.replaceAll(from, to)
  }, block)
}

/** What differs: how the recipe becomes a whole file, and how the program runs with it in the foreground. */
const proxies = {
  nginx: {
    file: (dir: string, port: number, to: number) =>
      `daemon off;\nuser root;\npid ${dir}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${recipe('nginx', {
        'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
        '/etc/letsencrypt/live/hooks.example.org/fullchain.pem': `${dir}/cert.pem`,
        '/etc/letsencrypt/live/hooks.example.org/privkey.pem': `${dir}/key.pem`,
        '127.0.0.1:8644': `127.0.0.1:${to}`,
      })}}\n`,
    argv: (dir: string, file: string) => ['nginx', '-p', dir, '-c', file, '-e', 'stderr'],
  },
  caddy: {
    file: (dir: string, port: number, to: number) =>
      `{\n  admin off\n  auto_https off\n  default_bind 127.0.0.1\n}\n${recipe('caddy', {
        'hooks.example.org {': `https://hooks.example.org:${port} {\n  tls ${dir}/cert.pem ${dir}/key.pem`,
        '127.0.0.1:8644': `127.0.0.1:${to}`,
      })}`,
    argv: (_dir: string, file: string) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', file],
  },
}

const post = (port: number, route: string, headers: { readonly [name: string]: string }): Promise<number> =>
  new Promise((resolve, reject) => {
    const target = { host: '127.0.0.1', port, servername: 'hooks.example.org', ca: authority.pem, path: `/webhooks/${route}` }
    // The sender is not at the address that is trusted.
    const sent = request({
      ...target,
      localAddress: '127.0.0.2',
      method: 'POST',
      agent: false,
      headers: { Host: 'hooks.example.org', ...headers },
    })
    sent.on('response', (answer) => resolve(answer.resume().statusCode ?? 0)).on('error', reject)
    sent.end('{}')
  })

const run = async (t: Test, argv: readonly string[], dir: string): Promise<void> => {
  const [program = '', ...args] = argv
  const child = spawn(program, args, {
    stdio: 'ignore',
    env: { PATH: process.env.PATH, HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir },
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
  })
}

for (const [name, proxy] of Object.entries(proxies)) {
  const isThere = spawnSync('sh', ['-c', `command -v ${name}`]).status === 0
  t.test(
    `${name}: signatures that cover the address, and addresses of clients`,
    { skip: !isThere && `${name} is not installed` },
    async (t) => {
      const verify = { algorithm: 'hmac_sha256', signature: { header: 'X-S' }, signed: '{url}|{body}' }
      const routes = {
        url: { prompt: 'p', verify, secret: 'k' },
        near: { prompt: 'p', allow_from: ['127.0.0.2'] },
        far: { prompt: 'p', allow_from: ['192.0.2.7'] },
      }
      const gateway = await startGateway(t, { routes, extra: { trust_proxy: ['127.0.0.1'] } })
      const { pem, key } = authority.issue({ san: 'DNS:hooks.example.org' })
      const dir = newFolder(t, { 'cert.pem': pem + authority.pem, 'key.pem': key })
      const port = await freePort()
      writeFileSync(join(dir, 'proxy.conf'), proxy.file(dir, port, gateway.port))
      await run(t, proxy.argv(dir, join(dir, 'proxy.conf')), dir)
      const forged = { 'X-Forwarded-For': '192.0.2.7', 'X-Forwarded-Host': 'elsewhere.example', 'X-Forwarded-Proto': 'http' }
      const signed = { ...forged, 'X-Webhook-Signature': hexHmac('{}') }
      await until(() =>
        post(port, 'near', signed).then(
          () => true,
          () => false,
        ),
      )
      t.equal(await post(port, 'url', { ...forged, 'X-S': hexHmac('https://hooks.example.org/webhooks/url|{}', 'k') }), 202)
      t.equal(await post(port, 'near', signed), 202, 'the gateway knows the address of the sender')
      t.equal(await post(port, 'far', signed), 403, 'and believes no sender who names another one')
    },
  )
}
