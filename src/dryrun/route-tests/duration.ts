/** Durations in tests: a number of seconds, or a text with a unit. */

const units: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Returns the milliseconds of a duration: `90` is seconds, `5m` has its unit. The schema has checked the form. */
export const durationMs = (written: string | number): number => {
  if (typeof written === 'number') return written * 1000
  const [, number = '0', unit = 's'] = /^([0-9.]+)([a-z]+)$/.exec(written) ?? []
  return Number(number) * (units[unit] ?? 1000)
}
