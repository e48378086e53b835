/** The faults that hit the replicas, the database server and the connections between them, each fault aimed at a moment. */

import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { OwnServer } from '../../test/fakes/postgres-server.ts'
import type { AgentLog } from '../durability/agent-log.ts'
import type { Random } from '../durability/random.ts'
import type { Replica } from './replica.ts'

/** The length of a lease: a silent replica keeps its runs for this time. */
export const leaseMs = 60_000
/** Longer than a lease and the wait of the other replicas until their next look together. */
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
  /** The time of the last answer to an event that need not be sent again. Most of these answers are 202. */
  readonly lastAcceptedAt: () => number
  /** The faults that go on beside later faults. Each promise resolves at the end of its fault. */
  readonly background: Promise<void>[]
}

/**
 * The death of a replica, or a pause of a replica that is longer than its leases. Both may break runs off. Times are of
 * `performance.now()`.
 */
export type Break = { readonly life: number; readonly from: number; readonly until: number }
/** `run` adds its break to `breaks` before it resolves, also when the fault goes on in the background. */
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

/** Waits until `find` finds a replica, and returns that replica. After `patienceMs`, returns any replica that is well. */
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

/** Kills a replica when its agent has ended, while the gateway stores or posts the reply. */
const killBetweenReplyAndPost = async (world: World, breaks: Break[]): Promise<void> => {
  const replica = await whileAgentRuns(world)
  const running = world.agents.running(replica.life)
  await aimed(world, () => running.some(({ endSeenAt }) => endSeenAt !== undefined))
  await wait(world.random.number(4))
  await kill(replica, breaks)
}

/** Pauses a replica for longer than a lease. While another replica is not well, the pause is short. */
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

/** Kills a child process of the server, such as a session. The server then ends all sessions, and recovers. */
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
