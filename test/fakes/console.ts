/** Runs the built `console` command as a process, and Chromium to look at it. Both end with their test. */

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { type Browser, type BrowserContext, chromium, type Page } from '../foreign/browser.ts'
import { deafEnv, main } from './built.ts'

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The path of Chromium; `undefined` where it is not installed. */
export const chromiumPath = programs.find((each) => existsSync(each))

export type ProcessConsole = {
  readonly dir: string
  /** The address without a code: `http://127.0.0.1:4711`. */
  readonly origin: string
  /** The address that signs one browser in. */
  readonly signInUrl: string
  /** Returns what the process wrote to standard error. */
  readonly said: () => string
  stop(): Promise<void>
}

/** Starts the console of a data directory. `port`: 0 for a free one. */
export const startConsole = async (t: Test, dir: string, port = 0): Promise<ProcessConsole> => {
  const { HOME = '', PATH = '' } = process.env
  const args = [main, '--data-dir', dir, 'console', '--no-open', '--port', String(port)]
  const child = spawn(process.execPath, args, { env: { HOME, PATH, ...deafEnv() }, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  t.teardown(stop)
  const signInUrl = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve)
    void ended.then(() => reject(new Error(`the console ended: ${said}`)))
  })
  return { dir, origin: new URL(signInUrl).origin, signInUrl, said: () => said, stop }
}

export type Asked = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }

/** Sends a request with exactly these headers. */
export const send = (
  origin: string,
  path: string,
  {
    method = 'POST',
    headers = {},
    body = '{}',
  }: { method?: string; headers?: { readonly [name: string]: string | string[] }; body?: string } = {},
): Promise<Asked> =>
  new Promise((resolve, reject) => {
    const sent = request(new URL(path, origin), { method, headers, agent: false }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
    })
    sent.on('error', reject)
    sent.end(method === 'GET' ? undefined : body)
  })

/** Returns the headers of a question that a page of the console asks. */
export const ofPage = (origin: string): { [name: string]: string } => ({
  origin,
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/json',
})

export const cookieIn = ({ headers }: Asked): string => String(headers['set-cookie']?.[0]).split(';')[0] ?? ''

/** Signs in with these headers and this body. Returns the headers with the cookie and the token of the sign-in. */
export const signInAs = async (
  origin: string,
  headers: { readonly [name: string]: string },
  body = '{}',
): Promise<{ [name: string]: string }> => {
  const signedIn = await send(origin, '/ask/signIn', { headers, body })
  if (signedIn.status !== 200) throw new Error(signedIn.text)
  return { ...headers, cookie: cookieIn(signedIn), authorization: `Bearer ${JSON.parse(signedIn.text).bearer}` }
}

/** Signs in without a browser. Returns the headers with the cookie and the token of the sign-in. */
export const signIn = ({ origin, signInUrl }: ProcessConsole): Promise<{ [name: string]: string }> =>
  signInAs(origin, ofPage(origin), JSON.stringify({ code: new URL(signInUrl).hash.replace('#code=', '') }))

/** Starts Chromium. It speaks to no other machine. `rebound`: a name that leads to this machine, as a stranger's name server may say. */
export const startBrowser = async (t: Test, rebound?: string): Promise<Browser> => {
  const quiet = [
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ]
  const rules = rebound === undefined ? [] : [`--host-resolver-rules=MAP ${rebound} 127.0.0.1`]
  const browser = await chromium.launch({ executablePath: chromiumPath ?? '', chromiumSandbox: false, args: [...quiet, ...rules] })
  t.teardown(() => browser.close())
  return browser
}

/** Opens a page, and collects what the browser complains of: errors of scripts, and whatever the content security policy stopped. */
export const openPage = async (context: BrowserContext): Promise<{ readonly page: Page; readonly complaints: string[] }> => {
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // Chromium also reports each refusal by the server. A refusal is an answer like any other, so it is left out.
    if (['error', 'warning'].includes(message.type()) && !/the server responded with a status of/.test(message.text()))
      complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.setDefaultTimeout(15_000)
  return { page, complaints }
}
