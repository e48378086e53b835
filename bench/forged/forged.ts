/**
 * Measures the most expensive forged request of each sender: how long it holds the event loop, and how /health fares beside a crowd that
 * sends such requests.
 */

import { works } from '../../test/fakes/process.ts'
import type { Case, Options } from '../compare.ts'
import type { Contender } from '../contender.ts'
import { type Figure, type Findings, judge, type Wanted } from '../report.ts'
import { type Flooded, flood, SOCKETS } from './flood.ts'
import { senders } from './forgeries.ts'
import { type Live, withLives } from './live.ts'
import { type Cost, type Worst, worstOf } from './worst.ts'

const heldGoal: Wanted = { must: 10, aim: 5 }
const healthGoal: Wanted = { must: 50, aim: 25 }

type Say = (figure: string, value: number, wanted?: Wanted) => Figure

/** Makes the function that makes figures. Only the build of this tree has goals. */
const saying =
  (name: string, peer: string): Say =>
  (figure, value, wanted) => ({
    case: name,
    peer,
    figure,
    value,
    ...(wanted && peer === 'headgate' ? { goal: judge(value, wanted) } : {}),
  })

const worstFigure = (say: Say, what: string, all: readonly Worst[], pick: (worst: Worst) => Cost): Figure => {
  const worst = all.toSorted((a, b) => pick(b).ms - pick(a).ms)[0] as Worst
  const { forgery, ms } = pick(worst)
  return say(`${what}, worst: ${worst.sender}, ${forgery.what}`, ms, heldGoal)
}

const shown = ({ p50Ms, p99Ms, maxMs, lost, statuses }: Flooded): string =>
  `p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)}, at most ${maxMs.toFixed(1)} ms, ${lost} lost; the crowd got ${JSON.stringify(statuses)}`

const heldFigures = (say: Say, all: readonly Worst[]): Findings => ({
  rows: [],
  figures: [
    worstFigure(say, 'ms held', all, ({ open }) => open),
    worstFigure(say, 'ms held past the limit', all, ({ limited }) => limited),
  ],
  details: all.flatMap(({ sender, open, limited }) => [
    say(`${sender}, ms held: ${open.forgery.what}`, open.ms),
    say(`${sender}, ms held past the limit: ${limited.forgery.what}`, limited.ms),
  ]),
})

const healthFigures = async (say: Say, { open, limited, peer }: Live, all: readonly Worst[], note: Options['note']): Promise<Figure[]> => {
  const posts = (pick: (worst: Worst) => Cost) => all.map((worst) => pick(worst).forgery.make(Date.now()))
  const beside = async (what: string, flooded: Flooded): Promise<Figure> => {
    note(`${peer}, /health beside ${what}: ${shown(flooded)}`)
    return say(`p99 ms of /health beside ${what}`, flooded.p99Ms, healthGoal)
  }
  return [
    await beside(
      `${SOCKETS} clients`,
      await flood(
        open.url,
        posts((worst) => worst.open),
        false,
      ),
    ),
    await beside(
      `${SOCKETS} sockets past the limit`,
      await flood(
        limited.url,
        posts((worst) => worst.limited),
        true,
      ),
    ),
  ]
}

/** `contender`: our server. Its launcher is not used, and its post shows that a server is up. */
export const forged = (name: string, contender: Contender): Case => ({
  name,
  missing: () => (works('openssl', 'version') ? undefined : 'needs openssl'),
  run: (options) => {
    const all = senders()
    return withLives(contender, all, options, async (lives) => {
      const worst = new Map<Live, Worst[]>(lives.map((live) => [live, []]))
      for (const sender of all) {
        for (const live of lives) {
          const { open, limited, ...rest } = await worstOf(live, sender, options.rounds)
          worst.get(live)?.push({ open, limited, ...rest })
          const past = `${limited.ms.toFixed(2)} ms past the limit: ${limited.forgery.what}`
          options.note(`${name} ${live.peer} ${sender.name}: ${open.ms.toFixed(2)} ms: ${open.forgery.what}; ${past}`)
        }
      }
      const found: Required<Findings> = { rows: [], figures: [], details: [] }
      for (const [live, own] of worst) {
        const say = saying(name, live.peer)
        const { figures, details = [] } = heldFigures(say, own)
        found.figures.push(...figures, ...(await healthFigures(say, live, own, options.note)))
        found.details.push(...details)
      }
      return found
    })
  },
})
