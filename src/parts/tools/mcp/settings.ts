/** Reads the settings of an MCP server from its entry in `toolsets`, and reports settings that cannot be used. */

import type { Report } from '../../../core/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../../../core/json.ts'
import { defaults } from '../../../generated/defaults.ts'
import { createRedactor } from '../../../secrets/redact.ts'
import { secretsOfSettings } from '../../../secrets/settings-secrets.ts'

type Texts = { readonly [name: string]: string }

/** How a server is reached: as a program that is started, or at a web address. */
type Access =
  | { readonly argv: readonly string[]; readonly env: Texts; readonly folder?: string }
  | { readonly url: URL; readonly headers: Texts }

export type ServerSettings = {
  readonly name: string
  readonly access: Access
  /** The names of the tools that may be used. */
  readonly allow: ReadonlySet<string>
  readonly callMs: number
  /** How long the opening of a connection may take, and after it, once more, the listing of tools. */
  readonly startMs: number
  /** Takes the secrets of the server's settings out of a text. */
  readonly redact: (text: string) => string
}

/** Returns a setting in seconds, or its default, as milliseconds. */
const milliseconds = (value: Json | undefined, fallback: number): number => (typeof value === 'number' ? value : fallback) * 1000
const textsIn = (list: Json | undefined): string[] => (Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [])
const textMap = (map: Json | undefined): Texts =>
  Object.fromEntries(Object.entries(isObject(map) ? map : {}).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])))

/** Reads the settings of the toolset `name`. `undefined`: they cannot be used, which was reported. */
export const readSettings = (name: string, settings: JsonObject, report: Report): ServerSettings | undefined => {
  const { command, url } = settings
  if ((command === undefined) === (url === undefined)) {
    const found = command === undefined ? 'has neither command nor url' : 'has both command and url'
    report('WH231', [], `the toolset "${name}" ${found}`, 'give it one: a program (command) or an address (url)')
    return undefined
  }
  const access = command === undefined ? serviceOf(settings, report) : programOf(settings, report)
  if (!access) return undefined
  return {
    name,
    access,
    allow: new Set(textsIn(settings.allow)),
    callMs: milliseconds(settings.timeout_seconds, defaults.toolset.timeout_seconds),
    startMs: milliseconds(settings.start_timeout_seconds, defaults.toolset.start_timeout_seconds),
    redact: createRedactor(secretsOfSettings(settings)),
  }
}

const programOf = ({ command, env, folder }: JsonObject, report: Report): Access | undefined => {
  const argv = textsIn(command)
  if (argv[0]) return { argv, env: textMap(env), ...(typeof folder === 'string' ? { folder } : {}) }
  report('WH231', ['command'], 'the command names no program', 'write it like [program, argument]')
  return undefined
}

const serviceOf = (settings: JsonObject, report: Report): Access | undefined => {
  const url = typeof settings.url === 'string' && URL.canParse(settings.url) ? new URL(settings.url) : undefined
  const isFit = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  // The reports quote neither the address nor the value of a header, because both may have a secret.
  if (!isFit) report('WH231', ['url'], 'url is not an http or https address without credentials', 'write it like https://host/mcp')
  const headers = textMap(settings.headers)
  const unfit = Object.entries(headers).filter(([key, value]) => !canBeHeader(key, value))
  for (const [key] of unfit) report('WH231', ['headers', key], 'no request can carry this header', 'its value is one line of Latin letters')
  return isFit && unfit.length === 0 ? { url, headers } : undefined
}

const canBeHeader = (key: string, value: string): boolean => {
  try {
    new Headers([[key, value]])
    return true
  } catch {
    return false
  }
}
