/** How wide the panes of a route are. In a narrow terminal one of them is shown, in a very wide one the YAML, too. */

/** From this width on form and trace stand beside each other. */
const wide = 100
const veryWide = 150

export type Layout = { readonly form: number; readonly trace: number; readonly yaml: number; readonly isNarrow: boolean }

/** Three columns are taken by the bar between two panes. */
export const layoutOf = (width: number): Layout => {
  if (width < wide) return { form: width, trace: width, yaml: 0, isNarrow: true }
  if (width < veryWide) {
    const form = Math.floor(width * 0.45)
    return { form, trace: width - form - 3, yaml: 0, isNarrow: false }
  }
  const third = Math.floor((width - 6) / 3)
  return { form: third, trace: third, yaml: width - 2 * third - 6, isNarrow: false }
}
