/** Finished runs a second: a server that finds accepted events at its start works them off, and delivers each to its log. */

import { cpSync } from 'node:fs'
import { absolute, type Goals, type Values } from './absolute.ts'
import type { Case } from './compare.ts'
import { type Contender, newFolder, runIn, withFolder } from './contender.ts'
import { cpuUs, peakRssMib } from './cpu.ts'
import { flood } from './durability/flood.ts'
import type { Child } from './processes.ts'

const PATIENCE_MS = 60_000
const delivered = /"delivery_id":"([^"]+)".*"msg":"delivered"/

/** Counts the log's lines, each delivery id once, and takes the time from the first to the last line. */
const counting = (child: Child, wanted: number): { done: Promise<Values>; count: () => number } => {
  const pid = child.pid ?? 0
  const ids = new Set<string>()
  let rest = ''
  let [beganAt, cpuBefore] = [0, 0]
  const done = new Promise<Values>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      if (ids.size >= wanted) return
      const lines = (rest + chunk.toString('latin1')).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const id = delivered.exec(line)?.[1]
        if (id !== undefined && ids.size === 0) [beganAt, cpuBefore] = [performance.now(), cpuUs(pid)]
        if (id !== undefined) ids.add(id)
      }
      if (ids.size < wanted) return
      const seconds = (performance.now() - beganAt) / 1000
      resolve({ 'runs/s': ids.size / seconds, 'CPU us/run': (cpuUs(pid) - cpuBefore) / ids.size, 'peak RSS MiB': peakRssMib(pid) })
    })
  })
  return { done, count: () => ids.size }
}

/** Waits until all runs are finished. Rejects when none has been finished for a minute. */
const untilDone = async ({ done, count }: ReturnType<typeof counting>): Promise<Values> => {
  let timer: NodeJS.Timeout | undefined
  let before = -1
  const stuck = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      if (count() === before) reject(new Error(`after ${before} runs none was finished for ${PATIENCE_MS / 1000} s`))
      before = count()
    }, PATIENCE_MS)
  })
  return Promise.race([done, stuck]).finally(() => clearInterval(timer))
}

/** Lets a server accept what every round works off, and stops the server. Resolves to its folder. */
const fill = async ({ fill: launch, ...contender }: Contender, count: number): Promise<string> => {
  const folder = newFolder()
  await runIn(folder, { ...contender, launch: launch ?? contender.launch }, async ({ baseUrl }) => {
    await flood({ url: baseUrl, routes: ['bench'], count, name: 'backlog' })
  })
  return folder
}

/** How often a contender is started. Each start accepts one more event, which shows that the server is up. */
const STARTS = 2

export const finished = (name: string, contenders: Contender[], goals: Goals): Case => {
  const filled = new Map<string, string>()
  return absolute(name, contenders, goals, async (contender, { queued }) => {
    const full = filled.get(contender.name) ?? (await fill(contender, queued))
    filled.set(contender.name, full)
    return withFolder((folder) => {
      cpSync(full, folder, { recursive: true })
      let counted: ReturnType<typeof counting> | undefined
      const started = (child: Child): void => {
        counted = counting(child, queued + STARTS)
      }
      return runIn(folder, contender, () => (counted ? untilDone(counted) : Promise.reject(new Error('it did not start'))), started)
    })
  })
}
