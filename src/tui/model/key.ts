/** The notation in which the editor names keys: `a`, `G`, `^s`, `enter`, `shift+tab`. */

export type Key = {
  readonly name: string
  /** The characters that the key types; `undefined` for a key that types nothing. */
  readonly text?: string
}

/** A key as `node:readline` describes it. */
export type NodeKey = {
  readonly name?: string | undefined
  readonly sequence?: string | undefined
  readonly ctrl?: boolean
  readonly meta?: boolean
  readonly shift?: boolean
}

const editorNames: { readonly [name: string]: string } = {
  return: 'enter',
  pageup: 'pgup',
  pagedown: 'pgdn',
}

/**
 * Returns a key of `node:readline` in the notation of the editor; `undefined` for an unknown sequence, and for keys with alt. `typed`: the
 * characters that Node gives beside the key; `undefined` if the key types none.
 */
export const decodedKey = (typed: string | undefined, { name, sequence, ctrl, meta, shift }: NodeKey): Key | undefined => {
  if (name === 'undefined' || (name === undefined && (typed === undefined || isControl(typed)))) return undefined
  if (name === 'escape') return { name: 'esc' }
  if (meta) return undefined
  if (name === 'space' || typed === ' ') return { name: 'space', text: ' ' }
  if (ctrl && name !== undefined && name.length === 1) return { name: `^${name}` }
  if (typed !== undefined && !isControl(typed) && sequence === typed) return { name: typed, text: typed }
  const plain = name === undefined ? '' : (editorNames[name] ?? name)
  if (plain === '') return undefined
  return { name: shift && plain === 'tab' ? 'shift+tab' : plain }
}

const isControl = (text: string): boolean => /^\p{Cc}/u.test(text)
