/** Makes the agent of the durability programs, a shell script that notes its start and its end in a file, and reads that file. */

import { closeSync, openSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One start of the agent. */
export type Start = {
  /** The life of the gateway that started the agent. */
  readonly life: number
  /** The route; empty for a run of a schedule. */
  readonly route: string
  readonly id: string
  readonly seenAt: number
  endSeenAt?: number
  /** The other runs of the same job that were running in the same life when this one began. */
  readonly beside: readonly string[]
}

/** Returns the script. Each line is one write to a file opened for appending. `work`: what the agent does between its start and its end. */
const scriptOf = (folder: string, work: string): string => `
log='${join(folder, 'agent.log')}'
line="$HEADGATE_BENCH_LIFE \${HEADGATE_ROUTE:--} $HEADGATE_DELIVERY_ID"
echo "start $line" >> "$log"
${work}
echo "end $line" >> "$log"
echo "$reply"
`

/** Writes the script, and returns its argv. `work`: shell code that may set `reply`. */
export const writeAgent = (folder: string, work: string): string[] => {
  const script = join(folder, 'agent.sh')
  writeFileSync(script, scriptOf(folder, work))
  writeFileSync(join(folder, 'agent.log'), '')
  return ['sh', script]
}

const blockBytes = 65_536

/** Follows the file that the agent writes. `jobOf`: returns the scheduled job of a run that has one. */
export class AgentLog {
  readonly starts = new Map<string, Start[]>()
  readonly #running = new Map<string, Start>()
  readonly #jobOf: (route: string, id: string) => string | undefined
  readonly #file: number
  readonly #block = Buffer.alloc(blockBytes)
  #offset = 0
  #rest = ''

  constructor(folder: string, jobOf: (route: string, id: string) => string | undefined) {
    this.#jobOf = jobOf
    this.#file = openSync(join(folder, 'agent.log'), 'r')
  }

  /** Reads what was written since the last call. */
  read(): void {
    for (let got = -1; got !== 0; this.#offset += got) {
      got = readSync(this.#file, this.#block, 0, blockBytes, this.#offset)
      const lines = (this.#rest + this.#block.toString('utf8', 0, got)).split('\n')
      this.#rest = lines.pop() ?? ''
      for (const line of lines) this.#take(line)
    }
  }

  /** Returns the runs that a life of the gateway began and that have not ended. */
  running(life: number): Start[] {
    return [...this.#running.values()].filter((start) => start.life === life)
  }

  close(): void {
    closeSync(this.#file)
  }

  #take(line: string): void {
    const [kind, life = '', route = '', id = ''] = line.split(' ')
    const key = `${life} ${route} ${id}`
    if (kind === 'start') this.#begin(key, Number(life), route === '-' ? '' : route, id)
    const started = kind === 'end' ? this.#running.get(key) : undefined
    if (!started) return
    started.endSeenAt = performance.now()
    this.#running.delete(key)
  }

  #begin(key: string, life: number, route: string, id: string): void {
    const job = this.#jobOf(route, id)
    const others = job === undefined ? [] : this.running(life).filter((other) => this.#jobOf(other.route, other.id) === job)
    const start = { life, route, id, seenAt: performance.now(), beside: others.map((other) => other.id) }
    this.#running.set(key, start)
    const earlier = this.starts.get(id)
    if (earlier) earlier.push(start)
    else this.starts.set(id, [start])
  }
}
