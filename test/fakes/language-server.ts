/** Runs the real yaml-language-server over stdio, and asks it what an editor asks: completions, hover and problems of a text. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Test } from 'tap'

export type Item = { readonly label: string; readonly insertText?: string; readonly documentation?: unknown }
type Problem = { readonly message: string; readonly range: { readonly start: { readonly line: number } } }

export interface LanguageServer {
  /** Returns what the server offers where `▮` stands in the text. */
  complete(text: string): Promise<readonly Item[]>
  /** Returns the Markdown that is shown when the pointer rests where `▮` stands. */
  hover(text: string): Promise<string>
  /** Returns what the server underlines in the text. */
  problems(text: string): Promise<readonly Problem[]>
}

type Message = {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

const server = fileURLToPath(new URL('../../node_modules/yaml-language-server/bin/yaml-language-server', import.meta.url))
/** The server fetches nothing: the schema is the one that the text's modeline names. */
const settings: { readonly [section: string]: unknown } = {
  yaml: { schemaStore: { enable: false }, completion: true, hover: true, validate: true },
}

/**
 * Starts the server, which is stopped with the test. `heading`: the modeline that stands before each text. `folder`: where the texts lie.
 */
export const startLanguageServer = async (t: Test, heading: string, folder = '/test'): Promise<LanguageServer> => {
  const child = spawn(process.execPath, [server, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  })
  const wire = connect(child)
  const workspace = { configuration: true, didChangeConfiguration: {} }
  const textDocument = {
    hover: { contentFormat: ['markdown'] },
    completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown'] } },
  }
  await wire.ask('initialize', { processId: process.pid, rootUri: null, capabilities: { workspace, textDocument } })
  wire.tell('initialized', {})
  await wire.configured

  let documents = 0
  const open = (marked: string): { uri: string; textDocument: { uri: string }; position: { line: number; character: number } } => {
    const before = `${heading}${marked.split('▮')[0]}`.split('\n')
    const uri = pathToFileURL(`${folder}/${documents++}.yaml`).href
    const text = `${heading}${marked.replace('▮', '')}`
    wire.tell('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text } })
    return { uri, textDocument: { uri }, position: { line: before.length - 1, character: (before.at(-1) ?? '').length } }
  }
  const at = (text: string): object => {
    if (!text.includes('▮')) throw new Error('no ▮ in the text')
    const { textDocument, position } = open(text)
    return { textDocument, position }
  }
  return {
    complete: async (text) => ((await wire.ask('textDocument/completion', at(text))) as { items: Item[] }).items,
    hover: async (text) =>
      ((await wire.ask('textDocument/hover', at(text))) as { contents: { value: string } } | null)?.contents.value ?? '',
    problems: (text) => wire.problems(open(text).uri),
  }
}

type Wire = {
  readonly ask: (method: string, params: unknown) => Promise<unknown>
  readonly tell: (method: string, params: unknown) => void
  readonly problems: (uri: string) => Promise<readonly Problem[]>
  /** Resolves when the server has read its settings. */
  readonly configured: Promise<void>
}

/** Numbers questions and finds their answers; answers what the server itself asks. */
const connect = (child: ChildProcess): Wire => {
  const answers = new Map<number, (message: Message) => void>()
  const published = new Map<string, (problems: readonly Problem[]) => void>()
  let wasConfigured = (): void => {}
  const configured = new Promise<void>((resolve) => {
    wasConfigured = resolve
  })
  const send = (message: Message): void => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
    child.stdin?.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]))
  }
  const receive = (message: Message): void => {
    const { id, method, params } = message
    if (id !== undefined && method === undefined) answers.get(id)?.(message)
    else if (id !== undefined) {
      const asked = method === 'workspace/configuration' ? (params as { items: { section: string }[] }).items : undefined
      send({ id, result: asked ? asked.map(({ section }) => settings[section] ?? {}) : null })
      if (asked) wasConfigured()
    } else if (method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = params as { uri: string; diagnostics: Problem[] }
      published.get(uri)?.(diagnostics)
    }
  }
  child.stdout?.on('data', framed(receive))
  let asked = 0
  return {
    configured,
    ask: (method, params) =>
      new Promise((resolve, reject) => {
        const id = ++asked
        answers.set(id, ({ result, error }) => (error ? reject(new Error(`${method}: ${JSON.stringify(error)}`)) : resolve(result)))
        send({ id, method, params })
      }),
    tell: (method, params) => send({ method, params }),
    problems: (uri) => new Promise((resolve) => published.set(uri, resolve)),
  }
}

/** Cuts a stream of `Content-Length` frames into messages. */
const framed = (receive: (message: Message) => void): ((chunk: Buffer) => void) => {
  let buffer = Buffer.alloc(0)
  return (chunk) => {
    buffer = Buffer.concat([buffer, chunk])
    for (let end = buffer.indexOf('\r\n\r\n'); end >= 0; end = buffer.indexOf('\r\n\r\n')) {
      const length = Number(/Content-Length: (\d+)/i.exec(buffer.toString('latin1', 0, end))?.[1])
      if (buffer.length < end + 4 + length) return
      const body = buffer.toString('utf8', end + 4, end + 4 + length)
      buffer = buffer.subarray(end + 4 + length)
      receive(JSON.parse(body) as Message)
    }
  }
}
