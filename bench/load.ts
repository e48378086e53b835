/** Loads a server from a core of its own, and returns what was answered. An unexpected answer is an error. */

import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { install } from '../tools/install.ts'
import { tools } from './machine.ts'
import type { Post } from './payloads.ts'
import { start } from './processes.ts'

const GENERATOR_CORE = 1
const CONNECTIONS = 32
const OPEN_LOOP_CONNECTIONS = 64

/** What every answer must look like. */
export type Expected = { status: number; text: string }
export type Loaded = { requests: number; seconds: number; p50Ms: number; p99Ms: number; p999Ms: number }
export type Load = {
  baseUrl: string
  post: Post
  expected: Expected
  seconds: number
  folder: string
  close?: boolean
  rate?: number
  connections?: number
}

const script = fileURLToPath(import.meta.resolve('./load.lua'))
const autocannon = fileURLToPath(import.meta.resolve('./autocannon.mjs'))
const openLoop = fileURLToPath(import.meta.resolve('./open-loop.mjs'))

const wrkArgv = (
  wrk: string,
  url: string,
  bodyFile: string,
  { post, expected, seconds, close, connections = CONNECTIONS }: Load,
): string[] => {
  const headers = { ...post.headers, ...(close ? { Connection: 'close' } : {}) }
  const args = [bodyFile, String(expected.status), expected.text, randomUUID(), ...Object.entries(headers).flat()]
  return [wrk, '-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url, '--', ...args]
}

const nodeArgv = (program: string, connections: number, url: string, bodyFile: string, load: Load): string[] => {
  const { post, expected, seconds, rate } = load
  const job = { url, bodyFile, headers: post.headers, ...expected, seconds, connections, rate, runId: randomUUID() }
  return [process.execPath, program, JSON.stringify(job)]
}

const generator = (load: Load, url: string, bodyFile: string): string[] => {
  if (load.rate !== undefined) return nodeArgv(openLoop, OPEN_LOOP_CONNECTIONS, url, bodyFile, load)
  if (tools.wrk !== undefined) return wrkArgv(tools.wrk, url, bodyFile, load)
  if (load.close) throw new Error('a new connection per request needs wrk: autocannon does not count such answers')
  install('bench')
  return nodeArgv(autocannon, load.connections ?? CONNECTIONS, url, bodyFile, load)
}

/** Runs one generator to its end, on its own core. Resolves to the line of JSON that it prints. */
export const generated = async <T>(argv: string[]): Promise<T> => {
  const child = start(GENERATOR_CORE, argv)
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  const line = out.split('\n').findLast((each) => each.startsWith('{'))
  if (line === undefined) throw new Error(`the load generator gave no result: ${(err || out).slice(-500)}`)
  return JSON.parse(line)
}

/** Loads a server for some seconds. */
export const load = async (job: Load): Promise<Loaded> => {
  const bodyFile = join(job.folder, 'body')
  writeFileSync(bodyFile, job.post.body)
  const result = await generated<Loaded & { unexpected: number; example: string }>(generator(job, job.baseUrl + job.post.path, bodyFile))
  if (result.unexpected > 0)
    throw new Error(`${result.unexpected} of ${result.requests} answers were not as expected, such as: ${result.example}`)
  if (result.requests === 0) throw new Error('no request was answered')
  return result
}
