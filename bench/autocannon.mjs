/**
 * Makes a closed-loop load where wrk is not installed. Takes the job of load.ts as its argument, and prints the same line of JSON as wrk's
 * script.
 */

import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'

const job = JSON.parse(process.argv[2] ?? '{}')
let sent = 0
let requests = 0
let unexpected = 0
let example = ''

const unexpectedAnswer = (shown) => {
  unexpected++
  example = shown
}

const run = autocannon(
  {
    url: job.url,
    duration: job.seconds,
    connections: job.connections,
    // Rebuilding the request each time is slow, but its id replacement would search the whole body.
    requests: [
      {
        method: 'POST',
        headers: job.headers,
        body: readFileSync(job.bodyFile),
        setupRequest: (request) => ({ ...request, headers: { ...request.headers, 'X-GitHub-Delivery': `${job.runId}-${++sent}` } }),
      },
    ],
    verifyBody: (body) => body.includes(job.text) || unexpectedAnswer(body.slice(0, 100)),
  },
  (error, result) => {
    if (error) throw error
    const { p50: p50Ms, p99: p99Ms, p99_9: p999Ms } = result.latency
    unexpected += result.errors + result.timeouts
    console.log(JSON.stringify({ requests, seconds: result.duration, p50Ms, p99Ms, p999Ms, unexpected, example }))
  },
)
run.on('response', (_client, status) => {
  requests++
  if (status !== job.status) unexpectedAnswer(`status ${status}`)
})
