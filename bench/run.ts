/** `npm run bench`: measures our server beside bare `node:http` and other receivers, prints tables, and writes JSON if asked. */

import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { cases } from './cases.ts'
import type { Case, Options } from './compare.ts'
import { root } from './contender.ts'
import { fdatasyncMs } from './disk.ts'
import { machine } from './machine.ts'
import { median } from './median.ts'
import { type PeerName, peerNames } from './peers.ts'
import { killAll } from './processes.ts'
import { type Findings, figuresTable, rowsTable } from './report.ts'

const usage = `npm run bench -- [--case a,b] [--rounds 5] [--seconds 3] [--quick] [--queued 100000] [--peers a,b] [--interleave OTHER/dist/main.js] [--json FILE]
  cases: ${cases.map(({ name }) => name).join(', ')}
  peers: ${peerNames.join(', ')} (fastify only when named)`

type Arguments = { chosen: Case[]; options: Options; json: string | undefined }

const numberOf = (text: string, name: string): number => {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} takes a whole number from 1, found ${text}`)
  return number
}

/** Returns the listed names. An unknown name is an error, so that a mistyped name does not look like a good result. */
const listed = <T extends string>(text: string, known: readonly T[], name: string): T[] => {
  const words = text.split(',').map((word) => word.trim())
  const unknown = words.find((word) => !known.some((each) => each === word))
  if (unknown !== undefined) throw new Error(`--${name}: no ${unknown}; there are ${known.join(', ')}`)
  return known.filter((each) => words.includes(each))
}

const mainOf = (text: string): string => {
  const path = resolve(text)
  if (!existsSync(path) || !path.endsWith('.js')) throw new Error(`--interleave takes the main.js of another build, found ${text}`)
  return path
}

const readArguments = (found: ReturnType<typeof machine>): Arguments => {
  const { values } = parseArgs({
    options: {
      case: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      queued: { type: 'string' },
      peers: { type: 'string' },
      interleave: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  const usual: PeerName[] = ['base', 'headgate', 'prototype', ...(found.webhook ? (['webhook'] as const) : [])]
  const names = cases.map(({ name }) => name)
  const wanted = values.case === undefined ? names : listed(values.case, names, 'case')
  return {
    chosen: cases.filter(({ name }) => wanted.includes(name)),
    options: {
      rounds: numberOf(values.rounds ?? (values.quick ? '2' : '5'), 'rounds'),
      seconds: numberOf(values.seconds ?? (values.quick ? '1' : '3'), 'seconds'),
      queued: numberOf(values.queued ?? (values.quick ? '10000' : '100000'), 'queued'),
      ...(values.interleave === undefined ? {} : { other: mainOf(values.interleave) }),
      peers: values.peers === undefined ? usual : listed(values.peers, peerNames, 'peers'),
      note: (line) => console.error(line),
    },
    json: values.json,
  }
}

type Measured = Required<Findings> & { failures: { case: string; error: string }[]; missing: string[]; syncsMs: number[] }

const measureAll = async (chosen: Case[], options: Options): Promise<Measured> => {
  const all: Measured = { rows: [], figures: [], details: [], failures: [], missing: [], syncsMs: [] }
  for (const each of chosen) {
    const missing = each.missing?.()
    if (missing !== undefined) {
      all.missing.push(`${each.name}: cannot be measured here, ${missing}`)
      continue
    }
    if (each.durable) all.syncsMs.push(fdatasyncMs(root))
    try {
      const { rows, figures, details = [] } = await each.run(options)
      all.rows.push(...rows)
      all.figures.push(...figures)
      all.details.push(...details)
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error)
      all.failures.push({ case: each.name, error: said })
      console.error(`FAILED ${each.name}: ${said}`)
    }
  }
  return all
}

const main = async (): Promise<void> => {
  const found = machine()
  const { chosen, options, json } = readArguments(found)
  const { rounds, seconds, queued, peers, other } = options
  console.log(
    Object.entries(found)
      .map(([name, value]) => `${name}: ${value}`)
      .join(', '),
  )
  const { rows, figures, details, failures, missing, syncsMs } = await measureAll(chosen, options)
  const fdatasync = syncsMs.length > 0 ? median(syncsMs) : undefined
  if (rows.length > 0) console.log(`\n${rowsTable(rows)}`)
  if (figures.length > 0) console.log(`\n${figuresTable(figures)}`)
  console.log('\nratios: against the first line of the case, within a round, median over the rounds')
  if (fdatasync !== undefined) {
    console.log('durable, slow-disk, open-loop, startup: the agent sleeps and takes one run at a time, so that only accepting is measured')
    console.log(
      `fdatasync in this run: median ${fdatasync.toFixed(2)} ms${found.dataOnTmpfs ? ' (memory file system: means nothing)' : ''}`,
    )
  }
  if (other !== undefined) console.log(`other: ${other}`)
  for (const line of missing) console.log(line)
  for (const failure of failures) console.log(`FAILED ${failure.case}: ${failure.error}`)
  if (json !== undefined) {
    const result = {
      machine: found,
      rounds,
      seconds,
      queued,
      peers,
      other,
      fdatasyncMs: fdatasync,
      rows,
      figures,
      details,
      failures,
      missing,
    }
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
