/** Reads the TAP that a test file printed: how many tests passed, which failed and how, and why tests were skipped. */

export type Counts = { readonly total: number; readonly pass: number; readonly fail: number; readonly skip: number; readonly todo: number }

export type Report = {
  /** `undefined` where the file broke off, or had no tests. */
  readonly counts: Counts | undefined
  /** Its failures at any depth, with the details below each. */
  readonly failures: readonly string[]
  /** The reason of each test that was skipped. */
  readonly skipped: readonly string[]
}

// Control characters other than line ends and tabs are written as escapes, because they would steer a terminal or make a log binary.
const visible = (line: string): string =>
  line.replace(/[\0-\x08\x0b-\x1f\x7f]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)

const countsIn = (line: string): Counts => {
  const of = (name: string): number => Number(new RegExp(`\\b${name}: (\\d+)`).exec(line)?.[1] ?? 0)
  return { total: of('total'), pass: of('pass'), fail: of('fail'), skip: of('skip'), todo: of('todo') }
}

export const readReport = (tap: string): Report => {
  let counts: Counts | undefined
  const failures: string[] = []
  const skipped: string[] = []
  /** The indentation of the details of a failure while they are read. */
  let details: number | undefined
  for (const line of tap.split('\n')) {
    const indent = line.search(/\S/)
    if (details !== undefined && (indent < 0 || indent >= details)) {
      failures.push(visible(line))
      continue
    }
    details = undefined
    if (/^ *not ok\b(?!.* # (?:TODO|SKIP))/.test(line)) {
      details = indent + 2
      failures.push(visible(line))
    } else if (line.startsWith('# { total: ')) counts = countsIn(line)
    const [, why] = / # SKIP (.+?)(?: # time=\S+)?$/.exec(line) ?? []
    if (why !== undefined) skipped.push(visible(why))
  }
  return { counts: counts?.total ? counts : undefined, failures, skipped }
}
