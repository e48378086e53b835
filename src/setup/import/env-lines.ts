/** Collects variables for `.env`. Imported routes refer to their secrets by these variables, so that no secret is in the YAML. */

import { parseDotEnv } from '../../config/dot-env.ts'
import { isOneLine } from '../../config/edit-dot-env.ts'
import type { Env } from '../../config/env.ts'
import { own } from '../../core/json.ts'
import { newSecret } from '../../datadir/subscription-record.ts'

/** A variable to which an imported route refers. */
export type EnvLine = {
  readonly name: string
  /** Absent where the source has only a reference to the variable, which is not set here. */
  readonly value?: string
  /**
   * Where the value comes from. `elsewhere`: only the user has it. `kept`: the variable is set already, in the `.env` of the data directory
   * or in the environment.
   */
  readonly from: 'source' | 'generated' | 'elsewhere' | 'kept'
}

export type EnvLines = {
  /**
   * Returns the reference (`${NAME}`) to a variable with a secret of the source. The variable has this name, or this name with a number
   * where a variable of this name has another value.
   */
  readonly refer: (name: string, value: string) => string
  /** Returns the reference to a variable with a new secret; a variable of this name that is set already keeps its secret. */
  readonly generate: (name: string) => string
  /** Adds a variable to which the source refers by itself. */
  readonly expect: (name: string) => void
  /** Whether the variable of this name has a known value. */
  readonly knows: (name: string) => boolean
  readonly lines: () => readonly EnvLine[]
}

/** Returns the name of the variable for a route's secret: `WEBHOOK_SECRET_PR_REVIEW`. */
export const secretName = (route: string): string => `WEBHOOK_SECRET_${route.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`

/** Makes an empty collection. `knownEnv`: the variables of the data directory's `.env` and of this process. */
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

/** Returns a variable as a line of `.env`, in quotes where the value needs them; `undefined` where no single line can hold the value. */
export const envLineText = (name: string, value: string): string | undefined =>
  isOneLine(value)
    ? [`${name}=${value}`, `${name}='${value}'`].find((line, index) => {
        const { env, oddities } = parseDotEnv(line)
        const isQuoted = index === 1
        return env[name] === value && (isQuoted || oddities.length === 0)
      })
    : undefined
