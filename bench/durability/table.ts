/** Returns a plain table. The first column is aligned left, the others right. */

export type Cell = string | number

export const table = (head: readonly string[], rows: readonly (readonly Cell[])[]): string => {
  const lines = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)))
  const padded = (line: readonly string[]): string =>
    line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')
  const [first = [], ...rest] = lines
  return [first, widths.map((width) => '-'.repeat(width)), ...rest].map(padded).join('\n')
}
