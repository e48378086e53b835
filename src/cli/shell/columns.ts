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
