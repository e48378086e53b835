/** The faults that hit the replicas, the server of the database and what is between them, each aimed at a moment. */

import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { OwnServer } from '../../test/fakes/postgres-server.ts'
import type { AgentLog } from '../durability/agent-log.ts'
import type { Random } from '../durability/random.ts'
import type { Replica } from './replica.ts'

/** How long a run stays with a replica that is silent. */
export const leaseMs = 60_000
/** Longer than a lease, and than the wait of the others for their next look. */
const pastLeaseMs = leaseMs + 5_000
const shortPauseMs = 3_000
const serverPauseMs = 5_000
const serverAwayMs = 1_000
const patienceMs = 3_000
const rightAfterMs = 3

export type World = {
  readonly replicas: readonly Replica[]
  readonly server: OwnServer
  readonly agents: AgentLog
  readonly random: Random
  /** When an event was last answered with a 202. */
  readonly lastAcceptedAt: () => number
  /** What goes on beside later faults. Each promise resolves at its end. */
  readonly background: Promise<void>[]
}

/** What may break runs of a replica off: its death, or a pause that is longer than its leases. Times are of `performance.now()`. */
export type Break = { readonly life: number; readonly from: number; readonly until: number }
/** `breaks` is filled at once, also by what goes on in the background. */
type Fault = { readonly title: string; readonly run: (world: World, breaks: Break[]) => Promise<void> }

const kill = async (replica: Replica, breaks: Break[]): Promise<void> => {
  const { life } = replica
  const dead = replica.kill()
  const at = performance.now()
  breaks.push({ life, from: at, until: at })
  await dead
  await replica.begin()
}

const wellOf = ({ replicas, random }: World): Replica => random.pick(replicas.filter(({ isWell }) => isWell))

/** Waits until `find` finds a replica; after a while any replica will do. */
const aimed = async (world: World, find: (replica: Replica) => boolean): Promise<Replica> => {
  for (const end = performance.now() + patienceMs; performance.now() < end; await nextTurn()) {
    world.agents.read()
    const found = world.replicas.find((replica) => replica.isWell && find(replica))
    if (found) return found
  }
  return wellOf(world)
}

const killInBatch = async (world: World, breaks: Break[]): Promise<void> => {
  await aimed(world, () => performance.now() - world.lastAcceptedAt() < rightAfterMs)
  await kill(wellOf(world), breaks)
}

const whileAgentRuns = (world: World): Promise<Replica> => aimed(world, ({ life }) => world.agents.running(life).length > 0)

/** The agent has ended, and the gateway stores its reply or posts it. */
const killBetweenReplyAndPost = async (world: World, breaks: Break[]): Promise<void> => {
  const replica = await whileAgentRuns(world)
  const running = world.agents.running(replica.life)
  await aimed(world, () => running.some(({ endSeenAt }) => endSeenAt !== undefined))
  await wait(world.random.number(4))
  await kill(replica, breaks)
}

/** Only one replica at a time is paused for that long. Where another one is, this one is paused for a moment. */
const pausePastLease = async (world: World, breaks: Break[]): Promise<void> => {
  const replica = await whileAgentRuns(world)
  const isAlone = world.replicas.every(({ isWell }) => isWell)
  if (!isAlone) return replica.pause(shortPauseMs)
  const from = performance.now()
  breaks.push({ life: replica.life, from, until: from + pastLeaseMs })
  world.background.push(replica.pause(pastLeaseMs))
}

export const signalServer = (server: OwnServer, signal: NodeJS.Signals): void => {
  for (const pid of server.pids()) {
    try {
      process.kill(pid, signal)
    } catch {
      // The session has ended meanwhile.
    }
  }
}

const pauseServer = async ({ server }: World): Promise<void> => {
  signalServer(server, 'SIGSTOP')
  await wait(serverPauseMs)
  signalServer(server, 'SIGCONT')
}

const startAgain = async (server: OwnServer): Promise<void> => {
  await wait(serverAwayMs)
  await server.start()
}

/** The server starts all sessions anew when one of them is killed. */
const killSession = async ({ server, random }: World): Promise<void> => {
  const [, ...children] = server.pids()
  process.kill(random.pick(children), 'SIGKILL')
  await wait(serverAwayMs)
}

const cutInCommit = async (world: World): Promise<void> => {
  const replica = await aimed(world, () => performance.now() - world.lastAcceptedAt() < rightAfterMs)
  await Promise.race([replica.detour.cutAtNextAnswer(), wait(patienceMs)])
}

export const faults = {
  'replica paused past its leases': { run: pausePastLease },
  'replica killed in a batch': { run: killInBatch },
  'server killed': {
    run: async ({ server }) => {
      await server.kill()
      await startAgain(server)
    },
  },
  'connection cut inside a commit': { run: cutInCommit },
  'replica killed between reply and post': { run: killBetweenReplyAndPost },
  'server paused': { run: pauseServer },
  'replica killed while an agent runs': { run: async (world, breaks) => kill(await whileAgentRuns(world), breaks) },
  'server restarted': {
    run: async ({ server }) => {
      await server.end()
      await startAgain(server)
    },
  },
  'session of the server killed': { run: killSession },
  'replica stopped in order, and started': {
    run: async (world) => {
      const replica = wellOf(world)
      const wrong = await replica.stop()
      if (wrong.length > 0) throw new Error(wrong.join())
      await replica.begin()
    },
  },
} satisfies Record<string, Omit<Fault, 'title'>>

export type FaultName = keyof typeof faults
export const faultNames = Object.keys(faults) as FaultName[]
