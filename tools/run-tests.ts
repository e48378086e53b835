/**
 * Runs test files, each as a process of its own, from one script of all of them: `npm test` those that need Node and a few minutes,
 * `npm run test:rest` the others, `npm run test:all` both. The names of files run these alone. Prints a line for each file, all details of
 * failures, the counts, why tests were skipped, and what was left out. A file without tests is a failure.
 */

import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { install } from './install.ts'
import { bundleTests, type TestBundle } from './test-bundle.ts'
import { type Counts, type Report, readReport } from './test-report.ts'

/** One more than processors, because each file waits at times. */
const jobs = availableParallelism() + 1
const timeoutSeconds = 240

const imported = new Map<string, boolean>()
/** Whether a file of the tests imports what `test/foreign/` installs, itself or through another. */
const isForeign = (file: string): boolean => {
  const known = imported.get(file)
  if (known !== undefined) return known
  imported.set(file, false)
  const others = [...readFileSync(file, 'utf8').matchAll(/(?:from|import) ?\(?'(\.[^']+)'/g)].map(([, path = '']) => join(file, '..', path))
  const found =
    /^test\/foreign\/|^test\/fakes\/postgres-server\./.test(file) ||
    others.some((each) => each.startsWith('test') && existsSync(each) && isForeign(each))
  imported.set(file, found)
  return found
}

/** The reasons why a file of tests is of the rest, each with the function that finds such files. */
const rest: { readonly [need: string]: (file: string) => boolean } = {
  "others' libraries, a browser or a database server": isForeign,
  'the built program or other programs': (file) =>
    /^test\/(?:e2e|deploy)\/|^test\/cli\/built\.|^test\/tui\/terminal\.|^test\/contract\/editor\./.test(file),
  'some minutes more': (file) =>
    /^test\/app\/catch-up\.|^test\/contract\/platforms\.|^test\/relay\/front\.|^test\/spec\/fuzz-config\.|^test\/store\/sqlite\./.test(
      file,
    ),
}

type Ran = Report & { readonly isPassed: boolean }

/** Runs one file, and gives what it said. It is killed when it does not end. */
const runFile = (file: string, { argv, inSources }: TestBundle): Promise<Ran> =>
  new Promise((resolve) => {
    const env = { ...process.env, TAP: '1', TAP_TIMEOUT: String(timeoutSeconds) }
    const child = spawn(process.execPath, argv(file), { env, stdio: ['ignore', 'pipe', 'pipe'] })
    createInterface(child.stderr).on('line', (line) => console.error(inSources(line)))
    let tap = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      tap += text
    })
    const late = setTimeout(() => child.kill('SIGKILL'), (timeoutSeconds + 10) * 1_000)
    child.once('close', (code, signal) => {
      clearTimeout(late)
      const report = readReport(inSources(tap))
      const broken = report.counts ? '' : signal ? `ended by ${signal}` : `no tests, or none that ended (code ${code})`
      const failures = broken ? [...report.failures, `    ${broken}`] : report.failures
      resolve({ ...report, failures, isPassed: code === 0 && !broken && report.counts?.fail === 0 })
    })
  })

const [set = 'quick', ...words] = process.argv.slice(2)
const all = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.test.ts') && !file.includes('/node_modules/'))
const ofRest = all.filter((file) => Object.values(rest).some((needs) => needs(file)))
const named = words.map((file) => file.replaceAll('\\', '/'))
const chosen = named.length > 0 ? named : set === 'rest' ? ofRest : all.filter((file) => !ofRest.includes(file))
install('test')
if (chosen.some((file) => ofRest.includes(file))) install('test/foreign')

/** Where coverage is measured, each module is read from its own source. */
const bundle: TestBundle = process.env.NODE_V8_COVERAGE
  ? { argv: (file) => ['--import=tsx', file], inSources: (text) => text }
  : await bundleTests(chosen)

// Large files come first, so that no long one runs alone at the end.
const waiting = chosen.map((file) => ({ file, size: statSync(file).size })).sort((a, b) => b.size - a.size)
const began = Date.now()
const sum: { -readonly [count in keyof Counts]: number } = { total: 0, pass: 0, fail: 0, skip: 0, todo: 0 }
const skipped = new Map<string, number>()
let done = 0
let areAllPassed = true
const work = async (): Promise<void> => {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const from = Date.now()
    const { isPassed, counts, failures, skipped: reasons } = await runFile(next.file, bundle)
    console.log(`${isPassed ? 'ok' : 'not ok'} ${++done} - ${next.file} # time=${Date.now() - from}ms`)
    for (const line of failures) console.log(`    ${line}`)
    for (const count of Object.keys(sum) as (keyof Counts)[]) sum[count] += counts?.[count] ?? 0
    if (!isPassed && !counts?.fail) sum.fail++
    for (const why of reasons) skipped.set(why, (skipped.get(why) ?? 0) + 1)
    areAllPassed &&= isPassed
  }
}
console.log(`TAP version 14\n1..${chosen.length}`)
await Promise.all(Array.from({ length: jobs }, work))
const counted = Object.entries(sum).filter(([name, count]) => count > 0 || name === 'total' || name === 'pass')
console.log(`# { ${counted.map(([name, count]) => `${name}: ${count}`).join(', ')} }\n# time=${Date.now() - began}ms`)
for (const [why, count] of skipped) console.log(`# skipped, ${count}: ${why}`)
if (set === 'quick' && named.length === 0) {
  const needs = Object.entries(rest).map(([need, isOne]) => `${ofRest.filter(isOne).length} need ${need}`)
  console.log(`# left out, run by npm run test:all: ${ofRest.length} files (${needs.join(', ')})`)
}
if (!areAllPassed) process.exitCode = 1
