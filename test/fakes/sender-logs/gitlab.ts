/**
 * Stands in for GitLab's log of a project's webhook, by its published description: pages by number, no times, and five resends a minute.
 */

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export type FakeGitlab = {
  readonly base: string
  receiver: string | undefined
  /** Sends a new event. Resolves to the event's key. */
  event(body: object, status?: string): Promise<string>
  /** The number of resends that are taken before the limit of a minute. Then one 429 comes, and as many resends are taken again. */
  left: number
}

export const startGitlab = async (t: Test, secret: string): Promise<FakeGitlab> => {
  const log: { id: number; key: string; body: string; response_status: string; at: string | undefined }[] = []
  const post = async (key: string, body: string): Promise<string> => {
    if (fake.receiver === undefined) return 'internal error'
    const headers = { 'content-type': 'application/json', 'x-gitlab-event': 'Push Hook', 'idempotency-key': key, 'x-gitlab-token': secret }
    return fetch(fake.receiver, { method: 'POST', headers, body }).then(({ status }) => String(status))
  }
  const add = (key: string, body: string, status: string): void => {
    const at = status === 'internal error' ? undefined : new Date().toUTCString()
    log.unshift({ id: log.length + 1, key, body, response_status: status, at })
  }
  const resend = async (id: number): Promise<number> => {
    const of = log.find((entry) => entry.id === id)
    if (!of) return 404
    if (fake.left-- <= 0) {
      fake.left = 5
      return 429
    }
    add(of.key, of.body, await post(of.key, of.body))
    return 201
  }
  const server = createServer(async ({ method, url = '', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const events = '/api/v4/projects/group%2Fname/hooks/7/events'
    const end = (status: number, body: unknown, more: object = {}): void =>
      void response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body))
    if (headers['private-token'] !== 'glpat-canary') return end(401, { message: '401 Unauthorized' })
    const [, id] = /\/events\/(\d+)\/resend$/.exec(pathname) ?? []
    if (method === 'POST' && id !== undefined) {
      const status = await resend(Number(id))
      return end(status, { response_status: 200 }, status === 429 ? { 'retry-after': '1' } : {})
    }
    if (pathname !== events) return end(404, { message: '404 Not found' })
    const [page, size] = [Number(searchParams.get('page')), Number(searchParams.get('per_page'))]
    const shown = log.slice((page - 1) * size, page * size)
    const next = log.length > page * size ? String(page + 1) : ''
    const view = shown.map(({ id, key, body, response_status, at }) => ({
      id,
      trigger: 'push_hooks',
      request_headers: { 'Idempotency-Key': key, 'X-Gitlab-Token': '[REDACTED]' },
      request_data: JSON.parse(body),
      response_headers: at === undefined ? {} : { Date: at },
      response_status,
    }))
    return end(200, view, { 'x-next-page': next })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const fake: FakeGitlab = {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v4`,
    receiver: undefined,
    left: 5,
    async event(body, status) {
      const [key, text] = [randomUUID(), JSON.stringify(body)]
      add(key, text, status ?? (await post(key, text)))
      return key
    },
  }
  return fake
}
