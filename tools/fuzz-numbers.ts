/**
 * Reads pairs of numbers of every kind, and compares what ids, keys, conditions, lists, texts and redaction make of them with decimal texts:
 * `npm run fuzz:numbers`. Ends with 1 where there is a finding, and with 2 where an option is wrong.
 */

import { parseArgs } from 'node:util'
import { runNumbersFuzz } from './fuzz-numbers/run.ts'

const usage = `npm run fuzz:numbers -- [--seed N] [--requests 200000]
A finding is printed with the seed that makes it again.`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    requests: { type: 'string', default: '200000' },
    help: { type: 'boolean', default: false },
  },
})

const main = async (): Promise<number> => {
  const [seed, requests] = [Number(values.seed), Number(values.requests)]
  const isOdd = ![seed, requests].every((number) => Number.isSafeInteger(number) && number >= 0)
  if (values.help || isOdd) {
    console.log(usage)
    return values.help ? 0 : 2
  }
  const findings = await runNumbersFuzz({ seed, requests })
  for (const { what, body, detail } of findings) console.log(`${what}: ${detail}\n  ${body}`)
  console.log(`${requests} requests from seed ${seed}: ${findings.length} findings`)
  return findings.length > 0 ? 1 : 0
}

process.exitCode = await main()
