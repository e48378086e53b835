/** Real code-host payloads, written compactly as their sender writes them, and the signed posts that carry them. */

import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const SECRET = 'bench-secret-0123456789'
const PATH = '/webhooks/bench'

export type PayloadName = 'pr' | 'push' | 'pru'
/** Everything of a request but its delivery id: the generator makes a new one for each request. */
export type Post = { path: string; headers: Record<string, string>; body: Buffer }

type Pull = { action: string; pull_request: { title: string; body: string } }
type Examples = { name: string; examples: unknown[] }[]

const examplesFile = fileURLToPath(import.meta.resolve('@octokit/webhooks-examples/api.github.com/index.json'))
const examples: Examples = JSON.parse(readFileSync(examplesFile, 'utf8'))

/** Returns the example of an event that is nearest to a size, so that a new version of the package leads to a similar choice. */
const nearest = (event: string, bytes: number): string => {
  const texts = (examples.find(({ name }) => name === event)?.examples ?? []).map((example) => JSON.stringify(example))
  const distance = (text: string): number => Math.abs(Buffer.byteLength(text) - bytes)
  return texts.toSorted((a, b) => distance(a) - distance(b))[0] ?? '{}'
}

const pr = nearest('pull_request', 23_571)

/** Returns the same pull request with an emoji, a dash and an accent, so that V8 needs two bytes for each character of the text. */
const withUnicode = (text: string): string => {
  const event: Pull = JSON.parse(text)
  event.pull_request.title += ' — déjà vu 🚀'
  event.pull_request.body += ' — voilà 🎉'
  return JSON.stringify(event)
}

const payloads: Record<PayloadName, { event: string; body: Buffer }> = {
  pr: { event: 'pull_request', body: Buffer.from(pr) },
  push: { event: 'push', body: Buffer.from(nearest('push', 7_678)) },
  pru: { event: 'pull_request', body: Buffer.from(withUnicode(pr)) },
}

export const post = (name: PayloadName, path = PATH, secret = SECRET): Post => {
  const { event, body } = payloads[name]
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  return {
    path,
    body,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'GitHub-Hookshot/bench',
      'X-GitHub-Event': event,
      'X-Hub-Signature-256': `sha256=${signature}`,
    },
  }
}
