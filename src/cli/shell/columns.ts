/** Makes tables of text. */

import { printable } from '../../core/text.ts'

/** Returns a value as the text of a cell, cut at 200 characters; `-` for no value. */
export const cellText = (value: unknown): string => printable(String(value ?? ''), 200) || '-'

/** Aligns rows in columns, two spaces apart. The last column is not padded. */
export const aligned = (rows: readonly (readonly string[])[]): string[] => {
  const widths = rows.reduce<number[]>((most, row) => row.map((text, i) => Math.max(text.length, most[i] ?? 0)), [])
  return rows.map((row) =>
    row
      .map((text, i) => (i === row.length - 1 ? text : text.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}
