/** The faults that hit the replicas, the database server and the connections between them, each fault aimed at a moment. */

import { setTimeout as wait } from 'node:timers/promises'
import type { OwnServer } from '../../test/fakes/postgres-server.ts'
import type { Replica } from './replica.ts'
import { upgradeAll } from './rolling-upgrade.ts'
import { checkStatus } from './status.ts'
import type { World } from './world.ts'

/** The length of a lease: a silent replica keeps its runs for this time. */
export const leaseMs = 60_000
/** Longer than a lease and the wait of the other replicas until their next look together. */
const pastLeaseMs = leaseMs + 5_000
const shortPauseMs = 3_000
const serverPauseMs = 5_000
const serverAwayMs = 1_000
const timeoutMs = 3_000
const rightAfterMs = 3
const clockShiftMs = 3_600_000

type Fault = (world: World) => Promise<void>

/** Makes a fault that takes the database away from at least one replica. */
const outage =
  (fault: Fault): Fault =>
  async (world) => {
    const from = performance.now()
    await fault(world)
    world.outages.push({ from, until: performance.now() })
  }

const kill = async (replica: Replica, { breaks }: World): Promise<void> => {
  const { life } = replica
  const dead = replica.kill()
  const at = performance.now()
  breaks.push({ life, from: at, until: at })
  await dead
  await replica.begin()
}

const wellOf = ({ replicas, random }: World): Replica => random.pick(replicas.filter(({ isWell }) => isWell))

/** Waits until `find` finds a replica, and returns that replica. After `timeoutMs`, returns any replica that is well. */
const aimed = async (world: World, find: (replica: Replica) => boolean): Promise<Replica> => {
  for (const end = performance.now() + timeoutMs; performance.now() < end; await wait(1)) {
    world.agents.read()
    const found = world.replicas.find((replica) => replica.isWell && find(replica))
    if (found) return found
  }
  return wellOf(world)
}

/** Waits until an event was accepted a moment ago. Other events of the same batch may still wait for their answers. */
const inBatch = (world: World): Promise<Replica> => aimed(world, () => performance.now() - world.lastAcceptedAt() < rightAfterMs)

const killInBatch = async (world: World): Promise<void> => {
  await inBatch(world)
  await kill(wellOf(world), world)
}

const whileAgentRuns = (world: World): Promise<Replica> => aimed(world, ({ life }) => world.agents.running(life).length > 0)

/** Kills a replica when its agent has ended, while the gateway stores or posts the reply. */
const killBetweenReplyAndPost = async (world: World): Promise<void> => {
  const replica = await whileAgentRuns(world)
  const running = world.agents.running(replica.life)
  await aimed(world, () => running.some(({ endSeenAt }) => endSeenAt !== undefined))
  await wait(world.random.number(4))
  await kill(replica, world)
}

/** Pauses a replica for longer than a lease. While another replica is not well, the pause is short. */
const pausePastLease = async (world: World): Promise<void> => {
  const replica = await whileAgentRuns(world)
  const from = performance.now()
  if (world.replicas.some(({ isWell }) => !isWell)) {
    await replica.pause(shortPauseMs)
    // The short pause breaks nothing, but what the replica had posted before the pause is recorded after it.
    world.outages.push({ from, until: performance.now() })
    return
  }
  world.breaks.push({ life: replica.life, from, until: from + pastLeaseMs })
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

const pauseServer = async ({ servers }: World): Promise<void> => {
  signalServer(servers.primary, 'SIGSTOP')
  await wait(serverPauseMs)
  signalServer(servers.primary, 'SIGCONT')
}

const startAgain = async (server: OwnServer): Promise<void> => {
  await wait(serverAwayMs)
  await server.start()
}

/** Kills a child process of the server, such as a session. The server then ends all sessions, and recovers. */
const killSession = async ({ servers, random }: World): Promise<void> => {
  const [, ...children] = servers.primary.pids()
  process.kill(random.pick(children), 'SIGKILL')
  await wait(serverAwayMs)
}

const cutInCommit = async (world: World): Promise<void> => {
  const replica = await inBatch(world)
  await Promise.race([replica.detour.cutAtNextAnswer(), wait(timeoutMs)])
}

/** Restarts a replica in order. `clockShiftMs`: the wall clock of its next life is ahead of the right time by this much. */
const restart = async (world: World, clockShiftMs?: number): Promise<Replica> => {
  const replica = wellOf(world)
  world.failures.push(...(await replica.stop()))
  await replica.begin(clockShiftMs)
  return replica
}

const shiftClock = async (world: World): Promise<void> => {
  const wanted = world.random.pick([-clockShiftMs, clockShiftMs])
  const replica = await restart(world, wanted)
  const isNear = (seconds: number): boolean => Math.abs(seconds * 1000 - wanted) < clockShiftMs / 10
  const wrong = await checkStatus([replica], ({ clock_ahead_seconds: ahead }) =>
    isNear(ahead) ? undefined : `its clock is ahead by ${ahead} s, and was shifted by ${wanted} ms`,
  )
  world.failures.push(...wrong)
}

/** The faults in the order in which they hit. */
export const faults = {
  'replica paused past its leases': pausePastLease,
  'replica killed in a batch': killInBatch,
  'server killed': outage(async ({ servers: { primary } }) => {
    await primary.kill()
    await startAgain(primary)
  }),
  'connection cut inside a commit': outage(cutInCommit),
  'fail-over to a synchronous standby': outage((world) => world.servers.failOver(() => inBatch(world))),
  'replica with a clock an hour off': shiftClock,
  'rolling upgrade': upgradeAll,
  'replica killed between reply and post': killBetweenReplyAndPost,
  'server paused': outage(pauseServer),
  'replica killed while an agent runs': async (world) => kill(await whileAgentRuns(world), world),
  'server restarted': outage(async ({ servers: { primary } }) => {
    await primary.end()
    await startAgain(primary)
  }),
  'session of the server killed': outage(killSession),
  'replica stopped in order, and started': async (world) => void (await restart(world)),
} satisfies Record<string, Fault>

export type FaultName = keyof typeof faults
export const faultNames = Object.keys(faults) as FaultName[]
