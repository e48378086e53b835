/** Collects the lines for `.env` that imported routes refer to, so that no secret stands in the YAML. */

import { parseDotEnv } from '../../config/dot-env.ts'
import { isOneLine } from '../../config/edit-dot-env.ts'
import type { Env } from '../../config/env.ts'
import { own } from '../../core/json.ts'
import { newSecret } from '../routes/subscription-record.ts'

export type EnvLine = {
  readonly name: string
  /** Absent: the source only refers to it. */
  readonly value?: string
  /** `kept`: the data directory has it already. */
  readonly from: 'source' | 'generated' | 'elsewhere' | 'kept'
}

export type EnvLines = {
  /** The reference to a secret of the source, under this name or one like it that is free. */
  readonly refer: (name: string, value: string) => string
  /** The reference to a new secret, or to the one that has this name already. */
  readonly generate: (name: string) => string
  /** Notes a name that the source refers to. */
  readonly expect: (name: string) => void
  /** Whether a value of this name is known. */
  readonly knows: (name: string) => boolean
  readonly lines: () => readonly EnvLine[]
}

/** `WEBHOOK_SECRET_PR_REVIEW` */
export const secretName = (route: string): string => `WEBHOOK_SECRET_${route.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`

/** `known`: what the data directory's environment has. */
export const createEnvLines = (known: Env): EnvLines => {
  const lines = new Map<string, EnvLine>()
  const held = (name: string): string | undefined => lines.get(name)?.value ?? own(known as { [name: string]: string }, name)
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
      const name = free(wanted, (each) => (held(each) ?? value) === value && lines.get(each)?.from !== 'elsewhere')
      return put(lines.get(name) ?? { name, value, from: held(name) === value ? 'kept' : 'source' })
    },
    generate(wanted) {
      const name = free(wanted, (each) => !lines.has(each))
      const value = held(name)
      return put(value === undefined ? { name, value: newSecret(), from: 'generated' } : { name, value, from: 'kept' })
    },
    expect(name) {
      const value = held(name)
      if (!lines.has(name)) put(value === undefined ? { name, from: 'elsewhere' } : { name, value, from: 'kept' })
    },
    knows: (name) => held(name) !== undefined,
    lines: () => [...lines.values()],
  }
}

/** The line as `.env` takes it, in quotes where it needs them; `undefined` where no single line can hold the value. */
export const envLineText = (name: string, value: string): string | undefined =>
  isOneLine(value)
    ? [`${name}=${value}`, `${name}='${value}'`].find((line, quoted) => {
        const { env, oddities } = parseDotEnv(line)
        return env[name] === value && (quoted === 1 || oddities.length === 0)
      })
    : undefined
