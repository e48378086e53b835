/** Makes the pictures of the console in `docs/`: of a gateway that runs, with samples that were posted to it. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from '../test/foreign/browser.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const main = join(root, 'dist/main.js')
const size = { width: 1_000, height: 620 }

const config = `platforms:
  webhook:
    enabled: true
    extra:
      port: 0
      secret: "a secret of this recording alone"
      routes:
        pr-review:
          description: Reviews pull requests that are ready
          events: [pull_request]
          filters:
            - { field: payload.action, in: [opened, reopened] }
            - { not: { field: payload.pull_request.draft, equals: true } }
          prompt: "Review PR #{number} of {repository.full_name}: {pull_request.title}"
        pushes:
          events: [push]
          prompt: "{pusher.name} pushed to {ref}"
agent: { runner: echo }
`
/** The samples that are posted, each with its route. */
const posts = [
  ['pushes', 'github/push'],
  ['pr-review', 'github/pull_request.closed'],
  ['pr-review', 'github/pull_request.opened'],
  ['pushes', 'github/push'],
  ['pr-review', 'github/pull_request.opened'],
] as const

/** The pictures, by the names of their files: how the page comes to what each shows. */
const pictures: { readonly [name: string]: (page: Page) => Promise<void> } = {
  async 'console.png'(page) {
    await page.locator('.event').filter({ hasText: 'ignored' }).first().click()
    await page.locator('.stages').waitFor()
  },
  async 'console-editor.png'(page) {
    await page.goto(new URL('/routes/pr-review/edit', page.url()).href)
    await page.getByText('payload.action').first().waitFor()
    await page.getByRole('heading', { name: 'Conditions' }).waitFor()
  },
}

const folder = mkdtempSync(join(tmpdir(), 'headgate-record-'))
/** Posts a sample. The command ends with 1 where the event is ignored, as some are here. */
const post = (route: string, sample: string): void =>
  void spawnSync(process.execPath, [main, '--data-dir', folder, 'webhook', 'test', route, '--sample', sample])
const running: ChildProcess[] = []
/** Starts a command that goes on. Resolves to the first address that the command prints. */
const begin = async (...args: string[]): Promise<string> => {
  const child = spawn(process.execPath, [main, '--data-dir', folder, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  running.push(child)
  for await (const line of createInterface({ input: child.stdout })) {
    const [address] = /http:\S+/.exec(line) ?? []
    if (address === undefined) continue
    child.stdout.resume()
    return address
  }
  throw new Error(`it ended: ${args.join(' ')}`)
}

try {
  writeFileSync(join(folder, 'config.yaml'), config, { mode: 0o600 })
  await begin('gateway', 'run')
  for (const [route, sample] of posts) post(route, sample)
  const address = await begin('console', '--no-open', '--port', '0')
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', chromiumSandbox: false, args: ['--disable-gpu'] })
  const page = await browser.newPage({ viewport: size })
  await page.goto(address)
  await page
    .locator('.event')
    .nth(posts.length - 1)
    .waitFor()
  for (const [name, open] of Object.entries(pictures)) {
    await open(page)
    // Fonts and figures are drawn a moment later.
    await wait(500)
    await page.screenshot({ path: join(root, 'docs', name) })
  }
  await browser.close()
} finally {
  for (const child of running) {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  }
  rmSync(folder, { recursive: true, force: true })
}
