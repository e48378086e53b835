/**
 * What is wrong or worth knowing in an operator's files, and in what they need of the machine: a closed list of codes. Findings are
 * collected and shown all at once, never thrown.
 */

import { isAbsolute, relative } from 'node:path'
import { maskAddresses } from './secret-names.ts'

/** Returns the path of a file relative to the working folder where the file is below that folder, else the whole path. */
export const shownFile = (file: string): string => {
  const near = relative(process.cwd(), file)
  return near !== '' && !near.startsWith('..') && !isAbsolute(near) ? near : file
}

export const shownPlace = ({ file, line, column }: SourceRange): string => `${shownFile(file)}:${line}:${column}`

export type Severity = 'error' | 'warning' | 'info'

type CodeMeaning = {
  readonly severity: Severity
  readonly title: string
  /** The gateway starts despite the error. For example, a file that is missing now may be there when a run needs it. */
  readonly starts?: true
  /** The finding is about something beside the checked file. A check of files alone (`--no-refs`) leaves the finding out. */
  readonly outside?: true
  /**
   * A plain check does not look for all findings of this code: some or all of them take a sample (`--sample`), the machine (`--env`) or a
   * reload. So a comment that ignores the code may be needed although a plain check finds nothing.
   */
  readonly onDemand?: true
}

/** Every code of a finding, with its severity and title. WH201 to WH205 report what the rules forbid (rules: Start-up 1 to 4). */
export const codeCatalogue = {
  WH001: { severity: 'error', title: 'the file cannot be read as YAML' },
  WH002: { severity: 'error', title: 'a key stands twice' },
  WH003: { severity: 'error', title: 'the file cannot be read' },
  WH004: { severity: 'info', title: 'there is no configuration file' },
  WH006: { severity: 'warning', title: 'a value that other YAML readers take for another' },
  WH007: { severity: 'error', title: 'a line of .env cannot be read' },
  WH008: { severity: 'warning', title: 'a line of .env that others read differently' },
  WH010: { severity: 'warning', title: 'a webhook-ignore comment that has no effect' },
  WH011: { severity: 'warning', title: 'a comment that cuts a text' },
  WH012: { severity: 'warning', title: 'a pattern under include that finds no file', outside: true },
  WH013: { severity: 'error', title: 'a file that is not of its kind' },
  WH014: { severity: 'error', title: 'a link out of the folder of the configuration' },
  WH101: { severity: 'error', title: 'unknown key' },
  WH102: { severity: 'error', title: 'wrong type' },
  WH103: { severity: 'error', title: 'value not in the list' },
  WH104: { severity: 'error', title: 'missing key' },
  WH105: { severity: 'error', title: 'value out of range' },
  WH106: { severity: 'warning', title: 'the same key under webhook and extra; extra wins' },
  WH108: { severity: 'error', title: 'name not usable in a URL' },
  WH109: { severity: 'error', title: 'the adapter is not enabled' },
  WH201: { severity: 'error', title: 'a route has no secret' },
  WH202: { severity: 'error', title: 'deliver_only needs a real target' },
  WH203: { severity: 'error', title: 'cron_job and deliver_only exclude each other' },
  WH204: { severity: 'error', title: 'coalesce excludes deliver_only and cron_job' },
  WH205: { severity: 'error', title: 'INSECURE_NO_AUTH needs a loopback host' },
  WH207: { severity: 'error', title: 'secret, secrets and public_key exclude each other' },
  WH208: { severity: 'error', title: 'a key that does not go with the mode of the route' },
  WH210: { severity: 'warning', title: 'a key that has no effect here' },
  WH211: { severity: 'warning', title: 'a subscription hidden by a configured route' },
  WH212: { severity: 'warning', title: 'max_wait_seconds is shorter than window_seconds' },
  WH213: { severity: 'warning', title: 'a profile without multiplexing' },
  WH214: { severity: 'error', title: 'unknown profile', starts: true, outside: true },
  WH215: { severity: 'warning', title: 'a key that no sample has', onDemand: true },
  WH216: { severity: 'warning', title: 'other tools than the default ones beside text from strangers' },
  WH217: { severity: 'error', title: 'no such scheduled job', starts: true, outside: true },
  WH218: { severity: 'error', title: 'several scheduled jobs have this name', outside: true },
  WH219: { severity: 'warning', title: 'a scheduled job is paused or disabled', outside: true },
  WH220: { severity: 'error', title: 'not built in this version' },
  WH222: { severity: 'error', title: 'the agent lacks a setting' },
  WH223: { severity: 'error', title: 'bad schedule or time zone' },
  WH224: { severity: 'warning', title: 'the one time of a scheduled job is past' },
  WH225: { severity: 'warning', title: 'a scheduled job has no prompt' },
  WH226: { severity: 'warning', title: 'an event name that nobody sends' },
  WH227: { severity: 'warning', title: 'the command of the agent is not there', outside: true },
  WH228: { severity: 'error', title: 'a tool lacks a setting', starts: true },
  WH229: { severity: 'warning', title: 'a prompt that the program of the agent could read as an option' },
  WH230: { severity: 'info', title: 'a key of the environment that is not sent to another API' },
  WH231: { severity: 'error', title: 'an MCP server lacks a setting, or has one that cannot be used' },
  WH232: { severity: 'warning', title: 'a tool of an MCP server would have the name of another tool' },
  WH233: { severity: 'error', title: 'a store without an address that it can use' },
  WH234: { severity: 'error', title: 'telemetry without an address that it can use', starts: true },
  WH236: { severity: 'error', title: 'a catch-up that cannot work' },
  WH237: { severity: 'error', title: 'a polling endpoint that cannot be read' },
  WH240: { severity: 'warning', title: 'metrics that other machines can read' },
  WH241: { severity: 'error', title: 'a console that other machines reach, and nobody signs in' },
  WH242: { severity: 'error', title: 'a console whose address or sign-in cannot work' },
  WH245: { severity: 'warning', title: 'a wait for a reply that is vain or too long' },
  WH246: { severity: 'error', title: 'a protection that cannot act here' },
  WH247: { severity: 'error', title: 'a dispatch that cannot work' },
  WH248: { severity: 'warning', title: 'a route that no event reaches' },
  WH250: { severity: 'error', title: 'an agent that is not configured' },
  WH249: { severity: 'error', title: 'a lookup that cannot work' },
  WH238: { severity: 'warning', title: 'a route whose silence is to be told is not there', outside: true },
  WH301: { severity: 'warning', title: 'a secret that is easy to guess' },
  WH302: { severity: 'warning', title: 'the same secret on two routes' },
  WH303: { severity: 'warning', title: 'a secret in clear text where others read it', outside: true },
  WH304: { severity: 'warning', title: 'verification is switched off' },
  WH305: { severity: 'error', title: 'unresolved reference' },
  WH306: { severity: 'warning', title: 'a blank or line end around a secret' },
  WH307: { severity: 'error', title: 'whsec_ secret is not base64', starts: true },
  WH308: { severity: 'info', title: 'plain HTTP beyond this machine' },
  WH309: { severity: 'error', title: 'nothing follows whsec_' },
  WH310: { severity: 'warning', title: 'a scheme that signs with SHA-1' },
  WH311: { severity: 'warning', title: 'a secret in the address' },
  WH312: { severity: 'warning', title: 'a time that is not signed' },
  WH313: { severity: 'error', title: 'a signature scheme that cannot work' },
  WH314: { severity: 'error', title: 'a key that does not go with the scheme' },
  WH315: { severity: 'info', title: 'a fact about a sender is not certain' },
  WH316: { severity: 'error', title: 'not an IP address or network' },
  WH317: { severity: 'error', title: 'a client certificate that nobody checks' },
  WH318: { severity: 'error', title: 'a key that answers questions serves another scheme too' },
  WH319: { severity: 'warning', title: 'a scheme that is never asked' },
  WH320: { severity: 'info', title: 'one key for several routes or schemes' },
  WH321: { severity: 'info', title: 'a rate limit for a sender that does not repeat refused events' },
  WH322: { severity: 'info', title: 'a sender that puts several events into one request' },
  WH323: { severity: 'warning', title: 'a key that only the sender can make' },
  WH324: { severity: 'error', title: 'a certificate or key that cannot be used', outside: true },
  WH325: { severity: 'error', title: 'a certificate that is not valid now', starts: true, outside: true },
  WH326: { severity: 'warning', title: 'a certificate that ends soon', outside: true },
  WH327: { severity: 'error', title: 'a certificate that does not cover its name', starts: true, outside: true },
  WH328: { severity: 'warning', title: 'a chain of certificates in a wrong order', outside: true },
  WH329: { severity: 'error', title: 'a program gave no secret', outside: true, onDemand: true },
  WH330: { severity: 'warning', title: 'a program gave no newer secret, or none that is needed', outside: true, onDemand: true },
  WH331: { severity: 'warning', title: 'a client certificate that does not pass the relay' },
  WH335: { severity: 'warning', title: 'a direct delivery whose sender does not repeat it' },
  WH340: { severity: 'error', title: 'a path at which no event has a value' },
  WH341: { severity: 'warning', title: 'a path that is likely written as in another tool' },
  WH342: { severity: 'warning', title: 'a sender whose signature nothing checks' },
  WH337: { severity: 'warning', title: 'a program that other users could replace', outside: true },
  WH336: { severity: 'warning', title: 'an event whose reply has nowhere to go', onDemand: true },
  WH343: { severity: 'warning', title: 'an operand in another form than all samples have' },
  WH344: { severity: 'info', title: 'a key that two repositories share' },
  WH345: { severity: 'warning', title: 'an expression that no sample gives a value', onDemand: true },
  WH346: { severity: 'info', title: 'an expression that selects nothing in any sample', onDemand: true },
  WH347: { severity: 'warning', title: 'a type of an event with an action' },
  WH348: { severity: 'warning', title: 'a condition that gives no true or false', onDemand: true },
  WH349: { severity: 'info', title: 'a value that some events of the sender lack' },
  WH350: { severity: 'warning', title: 'a GET whose parameters nothing vouches for' },
  WH351: { severity: 'error', title: 'a field that no payload of the route can have' },
  WH352: { severity: 'warning', title: 'a key that all events of the route share' },
  WH401: { severity: 'error', title: 'bad pattern' },
  WH402: { severity: 'error', title: 'pattern is not linear-time' },
  WH403: { severity: 'error', title: 'a condition that can never hold', starts: true },
  WH404: { severity: 'warning', title: 'a condition that always holds' },
  WH405: { severity: 'error', title: 'a condition needs exactly one operator' },
  WH406: { severity: 'error', title: 'an operand that the field can never have', starts: true },
  WH407: { severity: 'error', title: 'list file missing or malformed', starts: true, outside: true },
  WH408: { severity: 'error', title: 'a condition on an event that "events" does not list', starts: true },
  WH409: { severity: 'warning', title: 'a field that no sample has', onDemand: true },
  WH410: { severity: 'warning', title: 'a condition that adds nothing' },
  WH411: { severity: 'warning', title: 'an operand that the operator takes letter by letter' },
  WH412: { severity: 'error', title: 'bad JSONata expression' },
  WH413: { severity: 'error', title: 'too many or too deep conditions' },
  WH414: { severity: 'warning', title: 'a condition that asks for another kind of value than samples have' },
  WH415: { severity: 'info', title: 'a field that no sample of its sender has' },
  WH416: { severity: 'error', title: 'a payload schema that cannot be used', outside: true },
  WH417: { severity: 'error', title: 'a field that the payload schema excludes', starts: true, outside: true },
  WH418: { severity: 'warning', title: 'a number past 2^53 that is rounded' },
  WH419: { severity: 'error', title: 'a text that is no date' },
  WH420: { severity: 'info', title: 'an expression that a condition can say' },
  WH421: { severity: 'error', title: 'a list that cannot be asked' },
  WH501: { severity: 'warning', title: 'a placeholder that no sample fills in', onDemand: true },
  WH502: { severity: 'warning', title: 'a placeholder of another template language' },
  WH503: { severity: 'error', title: 'bad template expression' },
  WH504: { severity: 'warning', title: 'a text that will be cut', onDemand: true },
  WH505: { severity: 'warning', title: 'a brace without its other half' },
  WH506: { severity: 'info', title: 'no prompt: the whole payload goes out' },
  WH507: { severity: 'warning', title: 'a placeholder looks for payload inside the payload' },
  WH508: { severity: 'warning', title: 'a template or filter reads a redacted field' },
  WH509: { severity: 'info', title: 'files go to the agent as they came, beside redacted fields' },
  WH510: { severity: 'error', title: 'a mask stands in place of a secret' },
  WH601: { severity: 'error', title: 'script not found', starts: true, outside: true },
  WH602: { severity: 'error', title: 'script outside the scripts folder' },
  WH603: { severity: 'warning', title: 'the interpreter of a script is not there', outside: true },
  WH604: { severity: 'error', title: 'a script with a mistake in its syntax', starts: true, outside: true, onDemand: true },
  WH605: { severity: 'warning', title: 'a script that ignores every sample', outside: true, onDemand: true },
  WH701: { severity: 'warning', title: 'a skill that is not there', outside: true },
  WH702: { severity: 'warning', title: 'no such toolset' },
  WH703: { severity: 'warning', title: 'a toolset that webhook runs may not have' },
  WH704: { severity: 'error', title: 'unknown target' },
  WH705: { severity: 'error', title: 'missing delivery setting' },
  WH706: { severity: 'warning', title: 'a setting that no target reads' },
  WH707: { severity: 'error', title: 'bad delivery setting' },
  WH708: { severity: 'info', title: 'posts of http are not signed' },
  WH709: { severity: 'warning', title: 'the program of a target is not there or not logged in', outside: true, onDemand: true },
  WH710: { severity: 'error', title: 'a plugin cannot be used', outside: true },
  WH711: { severity: 'error', title: 'no plugin brings this target, scheme, runner or operator', outside: true },
  WH712: { severity: 'warning', title: 'a target that is switched off or not connected' },
  WH713: { severity: 'error', title: 'a delivery without an address', starts: true },
  WH714: { severity: 'error', title: 'a setting that a plugin refuses', outside: true },
  WH715: { severity: 'warning', title: 'a lookup that nothing reads' },
  WH716: { severity: 'warning', title: 'a lookup that lacks a setting' },
  WH801: { severity: 'error', title: 'the port cannot be used', starts: true, outside: true, onDemand: true },
  WH802: { severity: 'error', title: 'the data directory cannot be written', starts: true, outside: true, onDemand: true },
  WH803: { severity: 'error', title: 'the subscriptions file is corrupt', starts: true },
  WH804: { severity: 'warning', title: 'a file with secrets is open to others', outside: true },
  WH805: { severity: 'warning', title: 'the clock was set back, or is wrong', outside: true, onDemand: true },
  WH806: { severity: 'error', title: 'the jobs file is corrupt', starts: true },
  WH807: { severity: 'warning', title: 'a check of the machine failed', outside: true, onDemand: true },
  WH808: { severity: 'error', title: 'a reload that would remove most of the routes', starts: true, onDemand: true },
} as const satisfies { readonly [code: string]: CodeMeaning }

export type Code = keyof typeof codeCatalogue

/** A range in a file. Lines and columns count from 1. */
export type SourceRange = {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}

/** A change of a file's text: `text` replaces the range. */
export type Edit = { readonly place: SourceRange; readonly text: string }

/**
 * The change that would mend a finding. `safe`: afterwards the route does what its author plainly meant, so the change may be applied
 * without asking.
 */
export type Fix = { readonly title: string; readonly safe: boolean; readonly edits: readonly Edit[] }

export type Diagnostic = {
  readonly code: Code
  readonly severity: Severity
  readonly stopsStart: boolean
  /** The problem, in a sentence. */
  readonly message: string
  /** The way out. */
  readonly help?: string
  /** Names that the operator may have meant. */
  readonly suggest?: readonly string[]
  /** Absent where the finding is about no place in a file. */
  readonly place?: SourceRange
  /** JSON pointer into the file. */
  readonly pointer: string
  /** The name of the route that the finding is about; absent where it is about none. */
  readonly route?: string
  readonly fix?: Fix
  /** Other places that the finding is about. `message` says what stands at each. */
  readonly related?: readonly { readonly place: SourceRange; readonly message: string }[]
}

export const isErrorCode = (code: Code): boolean => codeCatalogue[code].severity === 'error'

/** Whether a finding of this code is about something beside the checked file. */
export const isOutside = (code: Code): boolean => 'outside' in codeCatalogue[code]

/**
 * Whether a finding of this code stops the start. A finding about an entry never does, but its code does not show that, so the caller must
 * know it.
 */
export const isStopping = (code: Code): boolean => {
  const { severity, starts }: CodeMeaning = codeCatalogue[code]
  return severity === 'error' && !starts
}

/** Makes a finding. Its severity, and whether it stops the start, follow from its code. Addresses in the message are masked. */
export const diagnostic = (
  code: Code,
  message: string,
  more: Omit<Diagnostic, 'code' | 'severity' | 'stopsStart' | 'message' | 'pointer'> & { pointer?: string } = {},
): Diagnostic => {
  const { severity } = codeCatalogue[code]
  return { code, severity, stopsStart: isStopping(code), message: maskAddresses(message), pointer: '', ...more }
}

/** A place inside a document: keys and list indexes. */
export type Path = readonly (string | number)[]

/** Reports a problem in settings, at a path inside them. `help`: the way to mend the problem. */
export type Report = (code: Code, path: Path, message: string, help: string) => void

/** Reports a problem, as `Report` does. `of`: whether the place is that of the key (the default) or of its value. */
export type ReportOf = (code: Code, path: Path, message: string, help: string, of?: 'key' | 'value') => void

/** Returns the JSON pointer of a path: `/routes/a~1b/0`. */
export const pointerOf = (path: Path): string => path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
