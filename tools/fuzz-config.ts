/**
 * Sets keys of the schema to values of every kind, and validates the files: `npm run fuzz:config`. Ends with 1 where `validate` crashes, or
 * refuses a file without a place or a way out, and with 2 where an option is wrong.
 */

import { parseArgs } from 'node:util'
import { runMutations } from './fuzz-config/mutations.ts'
import { runConfigFuzz } from './fuzz-config/run.ts'

const usage = `npm run fuzz:config -- [--seed N] [--cases N] [--mutations N]
Without --cases all are tried, which takes some minutes. --mutations changes valid configurations instead, as people do by mistake.`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    cases: { type: 'string' },
    mutations: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const main = async (): Promise<number> => {
  const [seed, wanted, mutations] = [Number(values.seed), Number(values.cases ?? 0), Number(values.mutations ?? 0)]
  const isOdd = ![seed, wanted, mutations].every((number) => Number.isSafeInteger(number) && number >= 0)
  if (values.help || isOdd) {
    console.log(usage)
    return values.help ? 0 : 2
  }
  const { cases, slips } =
    mutations > 0
      ? await runMutations({ seed, cases: mutations })
      : await runConfigFuzz({ seed, cases: values.cases === undefined ? undefined : wanted })
  for (const { file, path, value, wrong } of slips) console.log(`${file}: ${path} = ${value}\n  ${wrong}`)
  console.log(`${cases} cases: ${slips.length} findings`)
  return slips.length > 0 ? 1 : 0
}

process.exitCode = await main()
