/**
 * Shows the gateway at work once: starts a gateway with default settings, posts a real signed pull_request, and prints stages and reply.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const secret = 'demo-secret'
const config = `
platforms:
  webhook:
    enabled: true
    extra:
      secret: ${secret}
      routes:
        pr-review:
          events: [pull_request]
          filters:
            - { field: action, in: [opened, reopened] }
            - not: { field: pull_request.draft, equals: true }
          prompt: |
            Review PR #{number} "{pull_request.title}" in {repository.full_name} by {pull_request.user.login}.
`
const patienceMs = 20_000

/** The body of a real `pull_request` event, as GitHub documents it. */
const openedPullRequest = (): string => {
  const file = createRequire(import.meta.url).resolve('@octokit/webhooks-examples/api.github.com/index.json')
  const events = JSON.parse(readFileSync(file, 'utf8')) as { name: string; examples: { action?: string }[] }[]
  const example = events.find(({ name }) => name === 'pull_request')?.examples.find(({ action }) => action === 'opened')
  if (!example) throw new Error('no opened pull_request among the examples')
  return JSON.stringify(example)
}

type OutputLine = { msg?: string; stage?: string; outcome?: string; text?: string }

/** Yields the lines that the gateway prints, log lines and plain lines, as they come. */
const outputLines = async function* (gateway: ChildProcess): AsyncGenerator<OutputLine> {
  if (!gateway.stdout) throw new Error('no output')
  for await (const line of createInterface({ input: gateway.stdout })) {
    yield line.startsWith('{') ? (JSON.parse(line) as OutputLine) : { msg: line }
  }
}

const post = async (url: string): Promise<void> => {
  const body = openedPullRequest()
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  console.log(`--> pull_request opened, ${body.length} bytes, signed`)
  const response = await fetch(`${url}/webhooks/pr-review`, {
    method: 'POST',
    headers: { 'X-GitHub-Event': 'pull_request', 'X-GitHub-Delivery': 'demo-1', 'X-Hub-Signature-256': `sha256=${signature}` },
    body,
  })
  console.log(`<-- ${response.status} ${await response.text()}`)
  if (response.status !== 202) throw new Error('the event was not accepted')
}

const follow = async (gateway: ChildProcess): Promise<void> => {
  for await (const { msg = '', stage, outcome, text } of outputLines(gateway)) {
    const url = /http:\/\/\S+:\d+/.exec(msg)?.[0]
    if (url && !stage) {
      console.log(msg)
      // The answer to the post is not awaited here: the stages are printed while it is on its way.
      void post(url).catch((error: Error) => fail(error.message))
    }
    if (stage) console.log(`    ${stage.padEnd(10)} ${outcome}`)
    if (msg === 'delivered' && text !== undefined) {
      console.log(`delivered to the log:\n    ${text.trim().replaceAll('\n', '\n    ')}`)
      return
    }
  }
  throw new Error('the gateway ended before the reply was delivered')
}

const folder = mkdtempSync(join(tmpdir(), 'headgate-demo-'))
writeFileSync(join(folder, 'config.yaml'), config)
const gateway = spawn(
  process.execPath,
  ['dist/main.js', 'gateway', 'run', '--data-dir', folder, '--port', '0', '--log-level', 'debug', '--log-format', 'json'],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
const fail = (why: string): void => {
  console.error(`demo failed: ${why}`)
  process.exitCode = 1
  gateway.kill('SIGKILL')
}
const patience = setTimeout(() => fail(`nothing was delivered within ${patienceMs / 1000} s`), patienceMs)
const exited = new Promise<number | null>((resolve) => gateway.once('exit', resolve))
try {
  await follow(gateway)
} catch (error) {
  fail((error as Error).message)
}
clearTimeout(patience)
gateway.kill('SIGTERM')
const code = await exited
if (code !== 0) process.exitCode = 1
rmSync(folder, { recursive: true })
console.log(process.exitCode === 1 ? 'demo failed' : 'the gateway stopped cleanly')
