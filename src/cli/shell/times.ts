/** Reads the times that options give, as `--since` does. */

import { usage } from '../../core/fault.ts'

const unitsMs: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Returns a time in milliseconds since 1970. The text is ISO 8601, or says how long ago: `10m`. Throws a usage Fault for any other text.
 */
export const timeOf = (option: string, text: string): number => {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== undefined) return Date.now() - Number(count) * (unitsMs[unit] ?? 0)
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isFinite(time)) return time
  throw usage(`${option}: "${text}" is not a time`, 'write 90s, 10m, 2h or 3d, or a time like 2026-03-01T12:00:00Z')
}
