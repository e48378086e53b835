/** The receiver of deliveries. It answers after a few milliseconds, and remembers every post. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'

export type Post = {
  readonly route: string
  readonly deliveryId: string
  readonly webhookId: string
  readonly text: string
  readonly at: number
  /** The time of the answer. Absent when the sender went away before. */
  answeredAt?: number
}

export type Receiver = {
  readonly url: string
  readonly posts: readonly Post[]
  /** Returns the number of posts whose headers have come and that are not answered. */
  readonly open: () => number
  close(): void
}

export const startReceiver = async (longestMs: number, random: (below: number) => number): Promise<Receiver> => {
  const posts: Post[] = []
  let open = 0
  const server = createServer(async (request, response) => {
    open++
    const at = performance.now()
    response.once('close', () => open--)
    try {
      const body: { route: string; delivery_id: string; text: string } = JSON.parse(await text(request))
      const webhookId = String(request.headers['webhook-id'])
      const post: Post = { route: body.route, deliveryId: body.delivery_id, webhookId, text: body.text, at }
      posts.push(post)
      await wait(random(longestMs))
      response.end('{}', () => {
        post.answeredAt = performance.now()
      })
    } catch {
      // A kill cut the post off, so it was no delivery yet.
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    open: () => open,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
