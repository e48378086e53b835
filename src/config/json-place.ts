/** Finds where a JSON text stops being JSON, without quoting any of it: what stands there may be a secret. */

/** Whether a text could still become JSON if more followed. */
const viable = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const position = /at position (\d+)/.exec(message)?.[1]
    return (
      message.includes('end of JSON') || message.includes('Unterminated') || (position !== undefined && Number(position) >= text.length)
    )
  }
}

/** 1-based place of the first character that cannot stand where it does; the end of a text that merely breaks off. */
export const jsonErrorPlace = (text: string): { readonly line: number; readonly column: number } => {
  // Every start of a viable text is viable, so the first bad one is found by halving.
  let good = 0
  let bad = text.length + 1
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (viable(text.slice(0, middle))) good = middle
    else bad = middle
  }
  const before = text.slice(0, good)
  return { line: before.split('\n').length, column: good - before.lastIndexOf('\n') }
}
