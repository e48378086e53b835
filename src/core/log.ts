/** Logging as a port: a level, fields and a short message. */

export type Level = 'debug' | 'info' | 'warn' | 'error'

export type LogFields = { readonly [name: string]: string | number | boolean | undefined }

export interface Log {
  (level: Level, fields: LogFields, message: string): void
  /** Whether lines of this level are written at all. Callers ask before they make a message that is costly to make. */
  readonly writes: (level: Level) => boolean
}
