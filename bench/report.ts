/** Prints what the bench found, as plain tables. */

type Verdict = 'aim' | 'must' | 'short' | 'MISSED'
export type Goal = { must: string; aim: string; verdict: Verdict }
/** A goal. A figure that misses the aim is only `short` of it where there is no `must`. `sense`: which side is good. */
export type Wanted = { sense?: '>=' | '<='; must?: number; aim: number }

/** One contender of a case, in medians over the rounds. Ratios compare it with the case's first contender. */
export type Row = {
  case: string
  peer: string
  perSecond: number
  cpuUs: number
  p50Ms: number
  p99Ms: number
  peakMib: number
  ratio: number
  cpuRatio: number
  goal?: Goal
}
/** A figure that is not compared with that of another contender. */
export type Figure = { case: string; peer: string; figure: string; value: number; goal?: Goal }
/** `details`: figures that only the file of `--json` has. */
export type Findings = { rows: Row[]; figures: Figure[]; details?: Figure[] }

export const judge = (value: number, { sense = '<=', must, aim }: Wanted, unit = ''): Goal => {
  const reaches = (goal: number): boolean => (sense === '>=' ? value >= goal : value <= goal)
  const shown = (goal: number): string => `${sense} ${goal}${unit}`
  const verdict = reaches(aim) ? 'aim' : must === undefined ? 'short' : reaches(must) ? 'must' : 'MISSED'
  return { must: must === undefined ? '' : shown(must), aim: shown(aim), verdict }
}

const table = (head: string[], lines: string[][], texts: number): string => {
  const widths = head.map((title, i) => Math.max(title.length, ...lines.map((line) => line[i]?.length ?? 0)))
  const pad = (line: string[]): string =>
    line.map((cell, i) => (i < texts ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')
  return [head, widths.map((width) => '-'.repeat(width)), ...lines].map(pad).join('\n')
}

const goalCells = (goal: Goal | undefined): string[] => [goal?.must ?? '', goal?.aim ?? '', goal?.verdict ?? '']

export const rowsTable = (rows: Row[]): string =>
  table(
    ['case', 'peer', 'req/s', 'CPU us/req', 'p50 ms', 'p99 ms', 'peak MiB', 'ratio', 'CPU ratio', 'must', 'aim', 'ok?'],
    rows.map((row) => [
      row.case,
      row.peer,
      row.perSecond.toFixed(0),
      row.cpuUs.toFixed(1),
      row.p50Ms.toFixed(2),
      row.p99Ms.toFixed(2),
      row.peakMib.toFixed(0),
      row.ratio.toFixed(2),
      row.cpuRatio.toFixed(2),
      ...goalCells(row.goal),
    ]),
    2,
  )

export const figuresTable = (figures: Figure[]): string =>
  table(
    ['case', 'peer', 'figure', 'value', 'must', 'aim', 'ok?'],
    figures.map((row) => [row.case, row.peer, row.figure, row.value.toFixed(2), ...goalCells(row.goal)]),
    3,
  )
