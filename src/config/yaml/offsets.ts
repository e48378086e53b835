/** Turns places in texts into offsets. The lines of each text are counted once. */

export const lineStarts = (text: string): number[] => {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** Finds offsets in texts, which are given by the paths of their files. */
export class Offsets {
  readonly #texts: ReadonlyMap<string, string>
  readonly #starts = new Map<string, readonly number[]>()

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts
  }

  /** Returns the offset of a 1-based place; `undefined` where the text has no such place. */
  at(file: string, line: number, column: number): number | undefined {
    const text = this.#texts.get(file)
    if (text === undefined) return undefined
    const starts = this.#starts.get(file) ?? lineStarts(text)
    this.#starts.set(file, starts)
    const start = starts[line - 1]
    const end = (starts[line] ?? text.length + 1) - 1
    return start === undefined || start + column - 1 > end ? undefined : start + column - 1
  }
}
