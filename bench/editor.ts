/** `npm run bench:editor [-- --size 60x16]`: how soon the terminal editor shows its first frame, and each frame after a key. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type IPty, spawn } from '@lydell/node-pty'
import { table } from './durability/table.ts'
import { machine } from './machine.ts'
import { median } from './median.ts'

const { values: given } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    keys: { type: 'string', default: '200' },
    size: { type: 'string', default: '120x40' },
  },
})
const [columns = 120, rows = 40] = given.size.split('x').map(Number)
const main = process.env.HEADGATE_MAIN ?? fileURLToPath(new URL('../dist/main.js', import.meta.url))
const routes = 500
const payloadBytes = 1_000_000
/** The time between two keys, as when a key is held down. */
const keyGapMs = 35
const limits = { keyMs: 50, firstFrameMs: 350 }
const endOfFrame = '\u001b[?2026l'
const timeoutMs = 60_000

/** Makes a data directory with many routes, and a large payload. */
const prepare = (): { readonly dir: string; readonly payload: string } => {
  const dir = mkdtempSync(join(tmpdir(), 'bench-editor-'))
  const route = (i: number): string => `        route-${String(i).padStart(3, '0')}:
          description: 'route number ${i}' # as agreed
          events: [pull_request, push]
          filters:
            - { field: action, in: [opened, reopened] }
            - { field: number, not_equals: ${i} }
            - { not: { field: pull_request.draft, equals: true } }
          prompt: 'Review {title} in {repository.full_name}'
          deliver: log
`
  const head = 'platforms:\n  webhook:\n    enabled: true\n    extra:\n      secret: bench-bench-bench-bench\n      routes:\n'
  writeFileSync(join(dir, 'config.yaml'), head + Array.from({ length: routes }, (_, i) => route(i)).join(''))
  const items = Array.from({ length: payloadBytes / 100 }, (_, i) => ({ id: i, name: `item ${i}`, text: 'x'.repeat(60) }))
  const payload = join(dir, 'payload.json')
  writeFileSync(payload, JSON.stringify({ action: 'opened', number: 7, title: 'a title', repository: { full_name: 'a/b' }, items }))
  return { dir, payload }
}

type Terminal = {
  readonly pty: IPty
  /** Returns all that was written since the last `forget`. */
  written(): string
  forget(): void
  /** Waits until this is written. Resolves to the milliseconds from now until then. */
  until(sought: string | RegExp): Promise<number>
}

const open = (argv: readonly string[], dir: string): Terminal => {
  const [program = '', ...args] = argv
  const { HOME = '', PATH = '' } = process.env
  const env = { HOME, PATH, LANG: 'C.UTF-8', TERM: 'xterm-256color', HEADGATE_HOME: dir }
  const pty = spawn(program, args, { name: 'xterm-256color', cols: columns, rows, cwd: dir, env })
  let written = ''
  let look = (): void => {}
  pty.onData((data) => {
    written += data
    look()
  })
  const until = (sought: string | RegExp): Promise<number> =>
    new Promise((resolve, reject) => {
      const began = performance.now()
      const late = setTimeout(() => reject(new Error(`not within ${timeoutMs} ms: ${sought}\n${written.slice(-2_000)}`)), timeoutMs)
      look = () => {
        if (typeof sought === 'string' ? !written.includes(sought) : !sought.test(written)) return
        clearTimeout(late)
        look = () => {}
        resolve(performance.now() - began)
      }
      look()
    })
  return {
    pty,
    written: () => written,
    forget: () => {
      written = ''
    },
    until,
  }
}

const close = (terminal: Terminal): Promise<void> =>
  new Promise((resolve) => {
    terminal.pty.onExit(() => resolve())
    terminal.pty.kill('SIGKILL')
  })

const firstOf = async (argv: readonly string[], dir: string, sought: string): Promise<number> => {
  const terminal = open(argv, dir)
  const ms = await terminal.until(sought)
  await close(terminal)
  return ms
}

/** Waits until no frame has come for a while. */
const settled = async (terminal: Terminal): Promise<void> => {
  for (let before = -1; before !== terminal.written().length; await wait(1_000)) before = terminal.written().length
}

/** Returns the milliseconds from each key to the end of its frame. */
const timeKeys = async (terminal: Terminal, keys: readonly string[]): Promise<number[]> => {
  const times: number[] = []
  for (const key of keys) {
    await wait(keyGapMs)
    terminal.forget()
    terminal.pty.write(key)
    times.push(await terminal.until(endOfFrame))
  }
  return times
}

const share = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? 0

type Case = { readonly name: string; readonly times: readonly number[] }

/** Returns at least so many keys, which move down and up again. A key that moves nothing has no frame. */
const down = (count: number): string[] => Array.from({ length: Math.ceil(count / 40) * 40 }, (_, i) => (i % 40 < 20 ? 'j' : 'k'))

/** Measures one editor, on the screens in which keys come quickly. */
const keyCases = async (dir: string, payload: string, count: number): Promise<Case[]> => {
  const terminal = open([process.execPath, main, 'edit'], dir)
  const press = async (key: string, seen: string | RegExp): Promise<void> => {
    terminal.forget()
    terminal.pty.write(key)
    await terminal.until(seen)
  }
  await terminal.until('route-001')
  await settled(terminal)
  const list = await timeKeys(terminal, down(count))
  await press('/', 'filter')
  const filter = await timeKeys(terminal, [...'route-25', ...'\u007f'.repeat(8)])
  await press('\r', endOfFrame)
  await press('\r', '> Mode')
  await settled(terminal)
  // This key shows all fields, so that there are enough rows to move over.
  await press('z', endOfFrame)
  const form = await timeKeys(terminal, down(count))
  await press('p', 'Samples')
  await settled(terminal)
  await press('\t', '[Recorded')
  await press('\t', '[File]')
  await press('\r', 'the file of the payload')
  await press(payload, 'payload.json')
  await press('\r', /Mode {4}/)
  await settled(terminal)
  const large = await timeKeys(terminal, down(count))
  await close(terminal)
  return [
    { name: `list of ${routes} routes`, times: list },
    { name: 'filter of the list, typed', times: filter },
    { name: 'form of a route', times: form },
    { name: 'form, payload of 1 MB', times: large },
  ]
}

const round = (ms: number): string => ms.toFixed(1)

const { dir, payload } = prepare()
try {
  const starts: { node: number; frame: number }[] = []
  for (let i = 0; i < Number(given.rounds); i++) {
    const node = await firstOf([process.execPath, '-e', 'process.stdout.write("ready")'], dir, 'ready')
    starts.push({ node, frame: await firstOf([process.execPath, main, 'edit'], dir, endOfFrame) })
  }
  const cases = await keyCases(dir, payload, Number(given.keys))
  const { cpu, cores, node } = machine()
  console.log(`${cpu}, ${cores} cores, Node ${node}, ${columns}x${rows}, load ${loadavg().map(round).join(' ')}\n`)
  const bare = median(starts.map((each) => each.node))
  const frame = median(starts.map((each) => each.frame))
  const ratio = median(starts.map((each) => each.frame / each.node))
  const more = median(starts.map((each) => each.frame - each.node))
  const verdict = (value: number, limit: number): string => (value <= limit ? `ok, at most ${limit}` : `MISSED: at most ${limit}`)
  console.log(
    table(
      ['start', 'bare Node ms', 'first frame ms', 'ratio', 'more ms', 'must'],
      [['edit', round(bare), round(frame), ratio.toFixed(2), round(more), verdict(more, limits.firstFrameMs)]],
    ),
  )
  console.log()
  console.log(
    table(
      ['key to frame', 'keys', 'p50 ms', 'p95 ms', 'most ms', 'must'],
      cases.map(({ name, times }) => {
        const p95 = share(times, 0.95)
        return [name, times.length, round(median(times)), round(p95), round(Math.max(...times)), verdict(p95, limits.keyMs)]
      }),
    ),
  )
} finally {
  rmSync(dir, { recursive: true, force: true })
}
