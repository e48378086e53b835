/**
 * Forges requests of all senders, or of the chosen ones, and prints each finding: `npm run fuzz:signatures`. Ends with 1 where there is a
 * finding, and with 2 where an option is wrong.
 */

import { parseArgs } from 'node:util'
import { type Found, requestsPerCase, runFuzz, senderNames } from './fuzz/run.ts'

const usage = `npm run fuzz:signatures -- [--seed N] [--presets a,b] [--requests 200000] [--quick (3000 requests)]
A finding is printed with the seed that makes it again.`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    presets: { type: 'string', default: '' },
    requests: { type: 'string' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const show = ({ finding: { property, sender, scheme, route, steps, detail, seed }, times }: Found): string =>
  [
    `${property}: signed by ${sender}, taken by ${scheme} (${route}), ${times} times`,
    `  ${steps.join(', then ') || 'as it is'}`,
    `  ${detail}`,
    `  npm run fuzz:signatures -- --seed ${seed} --presets ${sender} --requests ${requestsPerCase}`,
  ].join('\n')

const main = async (): Promise<number> => {
  const presets = values.presets.split(',').filter((name) => name !== '')
  const [seed, requests] = [Number(values.seed), Number(values.requests ?? (values.quick ? 3_000 : 200_000))]
  const isOdd = ![seed, requests].every((number) => Number.isSafeInteger(number) && number >= 0)
  if (values.help || isOdd || !presets.every((name) => senderNames().includes(name))) {
    console.log(`${usage}\nSenders: ${senderNames().join(', ')}`)
    return values.help ? 0 : 2
  }
  const found = await runFuzz({ seed, requests, presets })
  for (const each of found) console.log(show(each))
  console.log(`${requests} requests from seed ${seed}: ${found.length} findings`)
  return found.length > 0 ? 1 : 0
}

process.exitCode = await main()
