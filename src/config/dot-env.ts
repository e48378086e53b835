/** Reads a `.env` file. Where shells, systemd and docker agree, so does headgate; where they differ, it reports the line. */

export type DotEnv = {
  readonly env: { readonly [name: string]: string }
  /** Lines that cannot be read (WH007), and lines that other programs read differently (WH008). */
  readonly oddities: readonly Oddity[]
}

/**
 * A line that cannot be read and is skipped (WH007), or that other programs read differently (WH008). Line and column are 1-based. The
 * message quotes nothing of a value, which may be a secret.
 */
type Oddity = {
  readonly code: 'WH007' | 'WH008'
  readonly line: number
  readonly column: number
  readonly message: string
  readonly help: string
}

const assignment = /^[ \t]*(?<exported>export[ \t]+)?(?<name>[A-Za-z_][A-Za-z0-9_]*)(?<before>[ \t]*)=(?<after>[ \t]*)/
const skipped = /^\s*(?:#|$)/
/** Characters that every program reads alike, for messages that say what to write instead. */
const plainCharacters = 'letters, digits and -_.:/+=@%,#'
const singleQuotes = `single quotes serve a shell and systemd, but docker keeps them; a value of ${plainCharacters} serves all`

type Difference = readonly [pattern: RegExp, message: string, help: string]

/** The characters of a value without quotes that programs read differently. Of several, only the first in this list is reported. */
const differences: readonly Difference[] = [
  [
    /[\0-\x08\x0b-\x1f\x7f]/,
    'a control character: a shell or systemd drops it or ends the value there',
    `write it with ${plainCharacters}`,
  ],
  [/\\/, 'a shell and systemd take the backslash away; docker and headgate keep it', singleQuotes],
  [/\$/, 'a shell replaces $ and what follows; systemd, docker and headgate keep it', singleQuotes],
  [/`/, 'a shell runs what stands between backticks; systemd, docker and headgate keep it', singleQuotes],
  [
    /["']/,
    'a shell takes the quote for the beginning of a quoted text; systemd, docker and headgate keep it',
    `use a value of ${plainCharacters}`,
  ],
  [/[ \t;&|<>()]/, 'a shell ends the value here; systemd, docker and headgate read on', singleQuotes],
  [/(?:^|:)~/, 'a shell replaces ~ by a home folder; systemd, docker and headgate keep it', 'write the whole path'],
]

const comment = '# after a blank begins a comment here and for a shell; systemd and docker take it into the value'
const commentHelp = 'put the comment on a line of its own; for a # in the value, write no blank before it'
const blanks = 'docker takes the blanks at the end of the line into the value'

/** Parses the text of a `.env` file. Where several lines set a variable, the last line counts, as in other programs. */
export const parseDotEnv = (text: string): DotEnv => {
  const env: { [name: string]: string } = {}
  const oddities: Oddity[] = []
  const marked = text.startsWith('\ufeff')
  const lines = (marked ? text.slice(1) : text).split('\n')
  const say = (line: number, column: number, message: string, help: string, code: Oddity['code'] = 'WH008'): void => {
    oddities.push({ code, line: line + 1, column: column + 1, message, help })
  }
  if (marked) say(0, 0, 'a byte order mark: a shell and systemd take it for a part of the first name', 'save the file without it')
  const windows = lines.findIndex((line) => line.endsWith('\r'))
  if (windows >= 0) {
    const help = 'save the file with LF line ends'
    say(windows, (lines[windows] as string).length - 1, 'lines end in CR LF: a shell takes the CR into the value', help)
    for (const [at, line] of lines.entries()) lines[at] = line.replace(/\r$/, '')
  }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string
    if (skipped.test(line)) continue
    const match = assignment.exec(line)
    if (!match?.groups) {
      say(at, line.search(/\S/), 'not of the form NAME=value: the line is skipped', 'mend it, or begin it with #')
      continue
    }
    const { exported, name = '', before = '', after = '' } = match.groups
    const from = match[0].length
    const tell = (column: number, message: string, help: string, code?: Oddity['code']): void =>
      say(at, column, `${name}: ${message}`, help, code)
    const isQuoted = line[from] === '"' || line[from] === "'"
    const read = isQuoted ? readQuoted(lines, at, from, tell) : readPlain(line, from, tell)
    if (!read) continue
    env[name] = read.value
    if (exported) tell(line.indexOf('export'), 'systemd and docker do not take a line with "export"', `write ${name}=…`)
    if (before + after !== '') tell(from - after.length - 1, 'a shell and docker take no blank beside =', `write ${name}=…`)
    at = read.last ?? at
  }
  return { env, oddities: oddities.sort((a, b) => a.line - b.line || a.column - b.column) }
}

type ReportColumn = (column: number, message: string, help: string, code?: Oddity['code']) => void
/** `last`: the index of the last line of a value that goes over several lines. */
type ReadValue = { readonly value: string; readonly last?: number }

/** Reads a value without quotes, which begins at the index `from`. Each character stands for itself, up to a comment. */
const readPlain = (line: string, from: number, tell: ReportColumn): ReadValue => {
  const note = line.slice(from - 1).search(/[ \t]#/)
  const beforeNote = note < 0 ? line.slice(from) : line.slice(from, from + note - 1)
  const value = beforeNote.trimEnd()
  for (const [pattern, message, help] of differences) {
    const at = value.search(pattern)
    if (at < 0) continue
    tell(from + at, message, help)
    return { value }
  }
  if (note >= 0) tell(from + note, comment, commentHelp)
  else if (value.length < beforeNote.length) tell(from + value.length, blanks, 'remove them')
  return { value }
}

/**
 * Reads a value in quotes, which may go over several lines. It begins in the line `first` at the index `from`. In double quotes a backslash
 * before " \ $ or ` is removed, and a backslash before a line end joins the two lines. Returns `undefined` where the line is skipped:
 * `tell` got the reason.
 */
const readQuoted = (lines: readonly string[], first: number, from: number, tell: ReportColumn): ReadValue | undefined => {
  const quote = (lines[first] as string)[from] as '"' | "'"
  const parts: string[] = []
  for (let at = first, start = from + 1; at < lines.length; at++, start = 0) {
    const line = lines[at] as string
    const end = closingQuoteAt(line, start, quote)
    parts.push(line.slice(start, end < 0 ? undefined : end))
    if (end < 0) continue
    if (!/^(?:[ \t]*|[ \t]+#.*)$/.test(line.slice(end + 1))) {
      const help = 'end the quotes where the value ends; write a quote inside double quotes as \\"'
      tell(from, `the quotes that begin here end on line ${at + 1}, and more follows them: the line is skipped`, help, 'WH007')
      return undefined
    }
    const inner = parts.join('\n')
    tell(from, ...quoteDifference(inner, quote))
    return { value: quote === "'" ? inner : inner.replace(/\\(["\\$`\n])/g, (_, char: string) => (char === '\n' ? '' : char)), last: at }
  }
  tell(from, 'the quotes that begin here do not end: the line is skipped', 'close them, or leave them out', 'WH007')
  return undefined
}

const closingQuoteAt = (line: string, from: number, quote: '"' | "'"): number => {
  for (let at = from; at < line.length; at++) {
    if (line[at] === '\\' && quote === '"') at++
    else if (line[at] === quote) return at
  }
  return -1
}

const quoteDifference = (inner: string, quote: '"' | "'"): [message: string, help: string] => {
  if (quote === '"' && /(?<!\\)[$`]/.test(inner)) return ['a shell replaces $ and backticks inside double quotes, too', singleQuotes]
  if (inner.includes('\n')) return ['docker reads each line on its own', 'put the value into a file, and write file:/path in config.yaml']
  const help = differences.some(([pattern]) => pattern.test(inner))
    ? `only a value of ${plainCharacters} needs none; or put it into a file, and write file:/path in config.yaml`
    : 'write it without the quotes'
  return ['docker takes the quotes into the value', help]
}
