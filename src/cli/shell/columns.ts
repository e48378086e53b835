/** Lays out tables of plain text for the output of commands. */

import { printable } from '../../core/text.ts'

/** Returns a value as the text of one cell of a table: safe on a terminal, cut at 200 characters; `-` for no value. */
export const cellText = (value: unknown): string => printable(String(value ?? ''), 200) || '-'

/** Takes rows of cells and returns one line for each row. The columns are aligned, two spaces apart. The last column is not padded. */
export const aligned = (rows: readonly (readonly string[])[]): string[] => {
  const widthOf = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  const widths = Array.from({ length: Math.max(0, ...rows.map(({ length }) => length)) }, (_, column) => widthOf(column))
  return rows.map((row) =>
    row
      .map((text, i) => (i === row.length - 1 ? text : text.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}
