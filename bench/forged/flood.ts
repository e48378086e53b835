/** Measures /health beside a crowd of sockets that send forged requests all the time. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withFolder } from '../contender.ts'
import { generated } from '../load.ts'
import type { Post } from '../payloads.ts'

export const SOCKETS = 300
const HEALTH_PER_SECOND = 50
const SECONDS = 10

/** `statuses`: how many answers the crowd got, by status. `lost`: questions for /health that had no answer, or another than 200. */
export type Flooded = { p50Ms: number; p99Ms: number; maxMs: number; lost: number; statuses: Record<string, number> }

const program = fileURLToPath(import.meta.resolve('./crowd.mjs'))

const bytesOf = ({ path, headers, body }: Post): Buffer => {
  const lines = Object.entries({ Host: 'bench', ...headers, 'Content-Length': body.length }).map(([name, value]) => `${name}: ${value}`)
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

/** Lets a crowd send the posts in turn. Each socket has an address of its own, unless all are one client. */
export const flood = (url: string, posts: readonly Post[], isOneClient: boolean): Promise<Flooded> =>
  withFolder((folder) => {
    const files = posts.map((post, i) => {
      const file = join(folder, String(i))
      writeFileSync(file, bytesOf(post))
      return file
    })
    const job = { url, files, sockets: SOCKETS, isOneClient, perSecond: HEALTH_PER_SECOND, seconds: SECONDS }
    return generated<Flooded>([process.execPath, program, JSON.stringify(job)])
  })
