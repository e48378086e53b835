/** `npm run bench`: measures our server beside bare `node:http` and other receivers, prints tables, and writes JSON if asked. */

import { rmSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { cases } from './cases.ts'
import type { Case, Options } from './compare.ts'
import { root } from './contender.ts'
import { fdatasyncMs } from './disk.ts'
import { machine } from './machine.ts'
import { median } from './median.ts'
import { type PeerName, peerNames } from './peers.ts'
import { killAll } from './processes.ts'
import { type Figure, figuresTable, type Row, rowsTable } from './report.ts'

const usage = `npm run bench -- [--case a,b] [--rounds 5] [--seconds 3] [--quick] [--peers a,b] [--json FILE]
  cases: ${cases.map(({ name }) => name).join(', ')}
  peers: ${peerNames.join(', ')} (fastify only when named)`

type Arguments = { chosen: Case[]; options: Options; json: string | undefined }

const numberOf = (text: string, name: string): number => {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} takes a whole number from 1, found ${text}`)
  return number
}

/** The listed names. An unknown one is an error, so that a mistyped name does not look like a good result. */
const listed = <T extends string>(text: string, known: readonly T[], name: string): T[] => {
  const words = text.split(',').map((word) => word.trim())
  const unknown = words.find((word) => !known.some((each) => each === word))
  if (unknown !== undefined) throw new Error(`--${name}: no ${unknown}; there are ${known.join(', ')}`)
  return known.filter((each) => words.includes(each))
}

const readArguments = (found: ReturnType<typeof machine>): Arguments => {
  const { values } = parseArgs({
    options: {
      case: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      peers: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  const usual: PeerName[] = ['base', 'headgate', ...(found.webhook ? (['webhook'] as const) : [])]
  const names = cases.map(({ name }) => name)
  const wanted = values.case === undefined ? names : listed(values.case, names, 'case')
  return {
    chosen: cases.filter(({ name }) => wanted.includes(name)),
    options: {
      rounds: numberOf(values.rounds ?? (values.quick ? '2' : '5'), 'rounds'),
      seconds: numberOf(values.seconds ?? (values.quick ? '1' : '3'), 'seconds'),
      peers: values.peers === undefined ? usual : listed(values.peers, peerNames, 'peers'),
      note: (line) => console.error(line),
    },
    json: values.json,
  }
}

const main = async (): Promise<void> => {
  const found = machine()
  const { chosen, options, json } = readArguments(found)
  console.log(
    Object.entries(found)
      .map(([name, value]) => `${name}: ${value}`)
      .join(', '),
  )
  const rows: Row[] = []
  const figures: Figure[] = []
  const failures: { case: string; error: string }[] = []
  const syncsMs: number[] = []
  for (const each of chosen) {
    if (each.durable) syncsMs.push(fdatasyncMs(root))
    try {
      const findings = await each.run(options)
      rows.push(...findings.rows)
      figures.push(...findings.figures)
    } catch (error) {
      failures.push({ case: each.name, error: error instanceof Error ? error.message : String(error) })
      console.error(`FAILED ${each.name}: ${failures.at(-1)?.error}`)
    }
  }
  const fdatasync = syncsMs.length > 0 ? median(syncsMs) : undefined
  if (rows.length > 0) console.log(`\n${rowsTable(rows)}`)
  if (figures.length > 0) console.log(`\n${figuresTable(figures)}`)
  console.log('\nratios: against the first line of the case, within a round, median over the rounds')
  if (fdatasync !== undefined) {
    console.log('durable, open-loop, startup: the agent sleeps and takes one run at a time, so that only accepting is measured')
    console.log(
      `fdatasync in this run: median ${fdatasync.toFixed(2)} ms${found.dataOnTmpfs ? ' (memory file system: means nothing)' : ''}`,
    )
  }
  for (const failure of failures) console.log(`FAILED ${failure.case}: ${failure.error}`)
  const { rounds, seconds, peers } = options
  if (json !== undefined) {
    const result = { machine: found, rounds, seconds, peers, fdatasyncMs: fdatasync, rows, figures, failures }
    writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`)
  }
  process.exitCode = failures.length > 0 ? 1 : 0
}

process.on('exit', () => {
  killAll()
  rmSync(root, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))
await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(2)
})
