/**
 * Makes `docs/editor.svg`, a moving picture of the terminal editor: it runs the editor in a pseudo-terminal, and draws its frames. `npm run
 * record`.
 */

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type IPty, spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'

const root = fileURLToPath(new URL('..', import.meta.url))
const main = join(root, 'dist/main.js')
const columns = 104
const rows = 28
const cell = { width: 8, height: 17 }
const timeoutMs = 60_000

/**
 * `row`: the row of the form to go to first. `keys`: what is typed. `see`: what must be on the screen before it counts as a frame.
 * `passing`: the screen is no frame of its own.
 */
const scenes: readonly { readonly row?: string; readonly keys: string; readonly see: RegExp; readonly passing?: true }[] = [
  { keys: 'jj', see: /> pr-review +cfg .* ok/ },
  { keys: '\r', see: /dispatch +ok/ },
  { row: 'Filters', keys: '\r', see: /samples \d+[\s\S]*never true here/ },
  { keys: '\u001b', see: /dispatch +ok/, passing: true },
  { row: 'Prompt', keys: '\r', see: /0 unresolved/, passing: true },
  { keys: 'By {pull_request.us', see: /> pull_request\.user/ },
  { keys: '\u001b[B\r\r', see: /│ By Codertocat/ },
  { keys: '\u001b', see: /\*modified\*/, passing: true },
  { keys: 'w', see: /enter writes/ },
  { keys: '\r', see: /saved config\.yaml/ },
]
const secondsEach = 2.5

/** The subscriptions that the example has besides its route, as arguments of `webhook subscribe`. */
const subscriptions: readonly (readonly string[])[] = [
  ['deploys', '--events', 'push', '--prompt', '{pusher.name} pushed to {ref}', '--deliver', 'slack', '--deliver-only'],
  ['alerts', '--prompt', '{title}: {text}', '--deliver', 'ntfy', '--description', 'Wakes whoever is on call'],
]

type Screen = InstanceType<typeof xterm.Terminal>

const screenText = ({ buffer: { active } }: Screen): string =>
  Array.from({ length: rows }, (_, y) => active.getLine(active.baseY + y)?.translateToString(true) ?? '').join('\n')

const until = async (screen: Screen, sought: RegExp): Promise<void> => {
  for (let waited = 0; !sought.test(screenText(screen)); waited += 50) {
    if (waited > timeoutMs) throw new Error(`not on the screen: ${sought}\n${screenText(screen)}`)
    await wait(50)
  }
  // Waits for the rest of the frame.
  await wait(300)
}

const palette: { readonly [colour: number]: string } = { 1: '#e06c75', 2: '#98c379', 3: '#e5c07b', 6: '#56b6c2' }
const colours = { back: '#1e2127', text: '#d7dae0', dim: '#7f848e' }

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

type Run = { text: string; readonly style: string; readonly isInverse: boolean; readonly from: number }

/** Joins neighbouring cells of a row that look alike. */
const runsOf = (screen: Screen, y: number): readonly Run[] => {
  const line = screen.buffer.active.getLine(screen.buffer.active.baseY + y)
  const runs: Run[] = []
  for (let x = 0; x < columns; x++) {
    const at = line?.getCell(x)
    if (!at || at.getWidth() === 0) continue
    const isInverse = at.isInverse() !== 0
    const colour = at.isFgPalette() ? (palette[at.getFgColor()] ?? colours.text) : at.isDim() ? colours.dim : colours.text
    const style = `fill="${isInverse ? colours.back : colour}"${at.isBold() ? ' font-weight="bold"' : ''}`
    const last = runs.at(-1)
    if (last?.style === style && last.isInverse === isInverse) last.text += at.getChars() || ' '
    else runs.push({ text: at.getChars() || ' ', style, isInverse, from: x })
  }
  return runs.filter(({ text, isInverse }) => isInverse || text.trim() !== '')
}

const frameOf = (screen: Screen): string =>
  Array.from({ length: rows }, (_, y) =>
    runsOf(screen, y)
      .map(({ text, style, isInverse, from }) => {
        const x = from * cell.width
        const shown = isInverse ? text : text.trimEnd().replaceAll(dir, '~/.headgate')
        const back = isInverse
          ? `<rect x="${x}" y="${y * cell.height + 4}" width="${text.length * cell.width}" height="${cell.height}" fill="${colours.text}" shape-rendering="crispEdges"/>`
          : ''
        return `${back}<text x="${x}" y="${(y + 1) * cell.height}" ${style} textLength="${shown.length * cell.width}">${escaped(shown)}</text>`
      })
      .join(''),
  ).join('\n')

/** Returns an endless animation, which shows one frame after the other for the same time. */
const svgOf = (frames: readonly string[]): string => {
  const seconds = frames.length * secondsEach
  const share = 100 / frames.length
  const [width, height] = [columns * cell.width + 16, rows * cell.height + 16]
  const alt =
    'The terminal editor: the list of routes, a route beside its trace, the filters with verdicts, the prompt beside its expansion, and the lines that are saved.'
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${alt}">
<title>${alt}</title>
<style>
text { font: 13px ui-monospace, Menlo, Consolas, monospace; white-space: pre; }
.f { visibility: hidden; animation: f ${seconds}s infinite step-end; }
${frames.map((_, i) => `.f${i} { animation-delay: ${(i - frames.length) * secondsEach}s; }`).join('\n')}
@media (prefers-reduced-motion) { .f { animation: none; } .f1 { visibility: visible; } }
@keyframes f { 0% { visibility: visible; } ${share}% { visibility: hidden; } }
</style>
<rect width="100%" height="100%" rx="6" fill="${colours.back}"/>
<g transform="translate(8 4)">
${frames.map((frame, i) => `<g class="f f${i}" xml:space="preserve">${frame}</g>`).join('\n')}
</g>
</svg>
`
}

const record = async (pty: IPty, screen: Screen): Promise<readonly string[]> => {
  const frames: string[] = []
  for (const { row, keys, see, passing } of scenes) {
    for (let i = 0; row !== undefined && i < 60 && !screenText(screen).includes(`> ${row} `); i++) {
      pty.write('j')
      await wait(150)
    }
    for (const key of keys.match(/\u001b\[.|./gs) ?? []) {
      pty.write(key)
      await wait(60)
    }
    await until(screen, see)
    if (!passing) frames.push(frameOf(screen))
  }
  return frames
}

const dir = mkdtempSync(join(tmpdir(), 'record-editor-'))
copyFileSync(join(root, 'examples/pr-review.yaml'), join(dir, 'config.yaml'))
const { HOME = '', PATH = '' } = process.env
const env = { HOME, PATH, LANG: 'C.UTF-8', TERM: 'xterm-256color', HEADGATE_HOME: dir, WEBHOOK_SECRET: 'made-up-for-the-recording-0123' }
for (const each of subscriptions) execFileSync(process.execPath, [main, 'webhook', 'subscribe', ...each], { env, stdio: 'ignore' })
const screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
const pty = spawn(process.execPath, [main, 'edit'], { name: 'xterm-256color', cols: columns, rows, cwd: dir, env })
pty.onData((data) => screen.write(data))
try {
  const frames = await record(pty, screen)
  const svg = svgOf(frames)
  writeFileSync(join(root, 'docs/editor.svg'), svg)
  process.stdout.write(`docs/editor.svg: ${frames.length} frames, ${Buffer.byteLength(svg)} bytes\n`)
} finally {
  pty.kill()
  rmSync(dir, { recursive: true, force: true })
}
