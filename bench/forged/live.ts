/** The servers that forged requests are sent to: one that no client's limit stops, and one on which every client is past its limit. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Route } from '../../src/generated/config.ts'
import { certificateOf } from '../../test/fakes/certificate.ts'
import type { Options } from '../compare.ts'
import { type Contender, chosen, type Running, withRunning } from '../contender.ts'
import { SECRET } from '../payloads.ts'
import { filtering, headgate, type Launcher } from '../peers.ts'
import { publicUrl, type Sender } from './forgeries.ts'
import { createGauge, type Gauge, plainRoutes } from './held.ts'

type Server = { readonly url: string; readonly gauge: Gauge }
export type Live = { readonly peer: string; readonly open: Server; readonly limited: Server }

/** How many wrong requests a client may send to a route in a minute. `LIMIT` is the gateway's default. */
const NO_LIMIT = 1_000_000_000
export const LIMIT = 30

/** Returns the launcher of a server with a route for each sender. */
const launcher =
  (all: readonly Sender[], rateLimit: number): Launcher =>
  async (folder) => {
    const plain = plainRoutes.map((name) => [name, { verify: 'gitlab', secret: SECRET, deliver: 'log' } satisfies Route] as const)
    const routes = { ...Object.fromEntries([...all.map(({ name, route }) => [name, route] as const), ...plain]), bench: filtering() }
    const { argv, env } = await headgate(() => routes, 'memory', undefined, { rate_limit: rateLimit, public_url: publicUrl })(folder)
    const [node = '', ...rest] = argv
    const certificate = join(folder, 'certificate.pem')
    writeFileSync(certificate, certificateOf('sender.example.com').pem)
    return { argv: [node, '--import', import.meta.resolve('./certificate.mjs'), ...rest], env: { ...env, BENCH_CERTIFICATE: certificate } }
  }

const serverOf = ({ pid, baseUrl }: Running): Server => ({ url: baseUrl, gauge: createGauge(pid, baseUrl) })

/** Starts both servers for each pair, and hands all of them to `use`. */
const startPairs = async <T>(
  pairs: readonly (readonly [Contender, Contender])[],
  use: (lives: Live[]) => Promise<T>,
  lives: Live[] = [],
): Promise<T> => {
  const [pair, ...rest] = pairs
  if (!pair) return use(lives)
  return withRunning(pair[0], (a) =>
    withRunning(pair[1], async (b) => {
      const [open, limited] = [serverOf(a), serverOf(b)]
      try {
        return await startPairs(rest, use, [...lives, { peer: pair[0].name, open, limited }])
      } finally {
        open.gauge.close()
        limited.gauge.close()
      }
    }),
  )
}

/**
 * Runs our server (`contender`) with routes for all senders, and also from another build if there is one. All run at once, so that they can
 * be measured in turn.
 */
export const withLives = <T>(
  contender: Contender,
  all: readonly Sender[],
  options: Options,
  use: (lives: Live[]) => Promise<T>,
): Promise<T> => {
  const started = (rateLimit: number): Contender[] => chosen([{ ...contender, launch: launcher(all, rateLimit) }], options)
  const limited = started(LIMIT)
  const pairs = started(NO_LIMIT).flatMap((open, i) => (limited[i] ? [[open, limited[i]] as const] : []))
  return startPairs(pairs, use)
}
