/** Collects lines for `.env`, to which imported routes refer, so that no secret stands in the YAML. */

import { parseDotEnv } from '../../config/dot-env.ts'
import { isOneLine } from '../../config/edit-dot-env.ts'
import type { Env } from '../../config/env.ts'
import { own } from '../../core/json.ts'
import { newSecret } from '../routes/subscription-record.ts'

export type EnvLine = {
  readonly name: string
  /** Absent where the source has only a reference. */
  readonly value?: string
  /** `elsewhere`: the source has only a reference. `kept`: the variable is set already, in the data directory's `.env` or in the environment. */
  readonly from: 'source' | 'generated' | 'elsewhere' | 'kept'
}

export type EnvLines = {
  /** Returns the reference to a secret of the source. Its variable has this name, or with a number where the name is taken. */
  readonly refer: (name: string, value: string) => string
  /** Returns the reference to a new secret, or to the secret that the variable of this name has already. */
  readonly generate: (name: string) => string
  /** Adds a variable to which the source refers. */
  readonly expect: (name: string) => void
  /** Whether a value of this name is known. */
  readonly knows: (name: string) => boolean
  readonly lines: () => readonly EnvLine[]
}

/** Returns the variable of a route's secret, as `WEBHOOK_SECRET_PR_REVIEW`. */
export const secretName = (route: string): string => `WEBHOOK_SECRET_${route.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`

/** Starts with no lines. `knownEnv`: the variables of the data directory's `.env` and of this process. */
export const createEnvLines = (knownEnv: Env): EnvLines => {
  const lines = new Map<string, EnvLine>()
  const takenValue = (name: string): string | undefined => lines.get(name)?.value ?? own(knownEnv as { [name: string]: string }, name)
  const free = (name: string, fits: (name: string) => boolean): string => {
    let found = name
    for (let n = 2; !fits(found); n++) found = `${name}_${n}`
    return found
  }
  const put = (line: EnvLine): string => {
    lines.set(line.name, line)
    return `\${${line.name}}`
  }
  return {
    refer(wanted, value) {
      const name = free(wanted, (each) => (takenValue(each) ?? value) === value && lines.get(each)?.from !== 'elsewhere')
      return put(lines.get(name) ?? { name, value, from: takenValue(name) === value ? 'kept' : 'source' })
    },
    generate(wanted) {
      const name = free(wanted, (each) => !lines.has(each))
      const value = takenValue(name)
      return put(value === undefined ? { name, value: newSecret(), from: 'generated' } : { name, value, from: 'kept' })
    },
    expect(name) {
      const value = takenValue(name)
      if (!lines.has(name)) put(value === undefined ? { name, from: 'elsewhere' } : { name, value, from: 'kept' })
    },
    knows: (name) => takenValue(name) !== undefined,
    lines: () => [...lines.values()],
  }
}

/** Returns the line of `.env`, in quotes where the value needs them; `undefined` where no single line can hold the value. */
export const envLineText = (name: string, value: string): string | undefined =>
  isOneLine(value)
    ? [`${name}=${value}`, `${name}='${value}'`].find((line, index) => {
        const { env, oddities } = parseDotEnv(line)
        const isQuoted = index === 1
        return env[name] === value && (isQuoted || oddities.length === 0)
      })
    : undefined
