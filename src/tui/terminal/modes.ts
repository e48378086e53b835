/** What the editor asks of a terminal, and gives back: the alternate screen, and marks around what is pasted. */

const esc = '\u001b['

/**
 * The alternate screen keeps what was on the terminal before; without it that is scrolled up, not drawn over.
 * A paste comes between marks, so that its letters are no keys.
 */
export const enter = (isAlternate: boolean, rows: number): string =>
  `${isAlternate ? `${esc}?1049h` : '\n'.repeat(rows)}${esc}?2004h${esc}?25l${clear}`

/** Without the alternate screen the last frame stays, and the shell goes on below it. */
export const leave = (isAlternate: boolean, rows: number): string =>
  `${esc}?2004l${esc}?25h${isAlternate ? `${esc}?1049l` : `${moveTo(rows - 1)}\r\n`}`

export const clear = `${esc}2J${esc}H`

export const moveTo = (row: number): string => `${esc}${row + 1};1H`

export const eraseRest = `${esc}0m${esc}K`

/** A terminal that knows these marks shows what is between them at once; others ignore them. */
export const beginUpdate = `${esc}?2026h`
export const endUpdate = `${esc}?2026l`

/** Puts a text on the clipboard of the user's own terminal, also over ssh (OSC 52). Terminals refuse long ones. */
export const toClipboard = (text: string): string => `\u001b]52;c;${Buffer.from(text.slice(0, 75_000)).toString('base64')}\u0007`
