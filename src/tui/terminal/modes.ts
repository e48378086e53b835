/** What the editor asks of a terminal, and gives back: the alternate screen, marks around what is pasted, and reports of the mouse. */

const esc = '\u001b['

export type Modes = {
  readonly isAlternate: boolean
  /** The terminal reports wheel and clicks. It cannot be used to mark text then. */
  readonly mouse: boolean
}

/** Buttons, with places of any size. */
const mouseOn = `${esc}?1000h${esc}?1006h`
const mouseOff = `${esc}?1006l${esc}?1000l`

/**
 * The alternate screen keeps what was on the terminal before; without it that is scrolled up, not drawn over.
 * A paste comes between marks, so that its letters are no keys.
 */
export const enter = ({ isAlternate, mouse }: Modes, rows: number): string =>
  `${isAlternate ? `${esc}?1049h` : '\n'.repeat(rows)}${esc}?2004h${mouse ? mouseOn : ''}${esc}?25l${clear}`

/**
 * Without the alternate screen the last frame stays, and the shell goes on below it.
 * The alternate one is left empty: tmux puts rows of it above the shell's where the window was resized meanwhile.
 */
export const leave = ({ isAlternate, mouse }: Modes, rows: number): string =>
  `${esc}?2004l${mouse ? mouseOff : ''}${esc}?25h${isAlternate ? `${clear}${esc}?1049l` : `${moveTo(rows - 1)}\r\n`}`

export const clear = `${esc}2J${esc}H`

export const moveTo = (row: number): string => `${esc}${row + 1};1H`

/** A terminal that knows these marks shows what is between them at once; others ignore them. */
export const beginUpdate = `${esc}?2026h`
export const endUpdate = `${esc}?2026l`

/** Puts a text on the clipboard of the user's own terminal, also over ssh (OSC 52). Terminals refuse long ones. */
export const toClipboard = (text: string): string => `\u001b]52;c;${Buffer.from(text.slice(0, 75_000)).toString('base64')}\u0007`
