/**
 * The modes that the editor sets on a terminal, and resets: the alternate screen, marks around pastes, and mouse reports. The constants are
 * control sequences for the terminal, and the functions return them.
 */

const esc = '\u001b['

export type Modes = {
  readonly isAlternate: boolean
  /** The terminal reports the wheel and clicks. Then the mouse cannot mark text. */
  readonly mouse: boolean
}

/** Reports of buttons, in the form that allows places of any size. */
const mouseOn = `${esc}?1000h${esc}?1006h`
const mouseOff = `${esc}?1006l${esc}?1000l`

/**
 * Returns the sequences that begin the editor. The alternate screen keeps the previous contents of the terminal. Without that screen, the
 * contents are scrolled up and not drawn over. A paste comes between marks, so that its letters are not keys.
 */
export const enterSequence = ({ isAlternate, mouse }: Modes, rows: number): string =>
  `${isAlternate ? `${esc}?1049h` : '\n'.repeat(rows)}${esc}?2004h${mouse ? mouseOn : ''}${esc}?25l${clearSequence}`

/**
 * Returns the sequences that end the editor. Without the alternate screen, the last frame stays, and the shell goes on below the frame. The
 * alternate screen is left empty: if the window was resized meanwhile, tmux puts rows of that screen above the rows of the shell.
 */
export const leaveSequence = ({ isAlternate, mouse }: Modes, rows: number): string =>
  `${esc}?2004l${mouse ? mouseOff : ''}${esc}?25h${isAlternate ? `${clearSequence}${esc}?1049l` : `${moveToRow(rows - 1)}\r\n`}`

/** Clears the terminal, and puts the cursor at its first row. */
export const clearSequence = `${esc}2J${esc}H`

/** Puts the cursor at the start of a row, counted from 0. */
export const moveToRow = (row: number): string => `${esc}${row + 1};1H`

/** Marks around an update. A terminal that knows the marks shows everything between them at once; other terminals ignore them. */
export const beginUpdate = `${esc}?2026h`
export const endUpdate = `${esc}?2026l`

/** Returns the sequence that puts a text on the clipboard of the user's own terminal, even over ssh (OSC 52). */
export const clipboardSequence = (text: string): string => `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`
