/** Quotes a word for a POSIX shell, in the commands that hints and messages give to a user. */
export const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
