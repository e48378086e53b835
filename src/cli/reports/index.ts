/** The formats of `validate`, each loaded when it is asked for. */

import type { Render } from './report.ts'

/** Each format by its name: a function that loads the format. */
export const formats = {
  pretty: async () => (await import('./pretty.ts')).pretty,
  concise: async () => (await import('./lines.ts')).concise,
  json: async () => (await import('./json.ts')).json,
  jsonl: async () => (await import('./lines.ts')).jsonl,
  github: async () => (await import('./github.ts')).github,
  gitlab: async () => (await import('./gitlab.ts')).gitlab,
  sarif: async () => (await import('./sarif.ts')).sarif,
  junit: async () => (await import('./junit.ts')).junit,
  tap: async () => (await import('./tap.ts')).tap,
} satisfies { readonly [name: string]: () => Promise<Render> }

export type FormatName = keyof typeof formats
