/** Runs the built command as a process, to read its log, post to it and kill it. The process ends with its test. */

import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Test } from 'tap'
import { stringify } from 'yaml'
import { deafEnv, main } from './built.ts'
import { newFolder } from './folder.ts'
import { isRunning } from './process.ts'

const secret = 'It is a secret to everybody'
const timeoutMs = 20_000
/** A gateway that hangs is ended, so that its test fails and not the test runner. */
const longestLifeMs = 60_000

type Tree = { readonly [key: string]: unknown }
export type Line = Tree & { readonly msg: string }
type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly json: Tree }
export type Ended = { readonly code: number | null; readonly signal: string | null; readonly out: string; readonly err: string }

export type StartOptions = {
  /** Further arguments of `gateway run`. */
  readonly args?: readonly string[]
  readonly env?: { readonly [name: string]: string }
  /** Shell lines that run first, in the process that becomes the gateway. */
  readonly before?: string
  /** A file descriptor of this process, which the gateway finds as its descriptor 3. */
  readonly file3?: number
  /** The `main.js` of another build, in place of the built one. */
  readonly program?: string
}

export type ProcessGateway = {
  readonly pid: number
  readonly dir: string
  /** The log lines so far. A line that is not JSON is `{ msg }`. */
  readonly lines: Line[]
  readonly ended: Promise<Ended>
  /** Resolves to the gateway's address when the gateway listens. Rejects when the gateway ends before. */
  readonly listening: Promise<string>
  /** Waits for a log line that fits; rejects when the process ends without it. */
  line(fits: (line: Line) => boolean): Promise<Line>
  /** Posts a signed event; rejects when no answer comes. */
  post(route: string, id: string, options?: PostOptions): Promise<Answer>
  health(): Promise<Answer>
  kill(signal?: NodeJS.Signals): void
}

type PostOptions = {
  readonly body?: string
  readonly key?: string
  /** The content type. */
  readonly type?: string
  /** Called when the server has let the headers in and waits for the body. The body is sent when the promise resolves. */
  readonly admitted?: () => Promise<void>
}

/** Starts `gateway run` over a data directory. */
export const spawnGateway = (
  t: Test,
  dir: string,
  { args = [], env = {}, before = '', program = main, file3 }: StartOptions = {},
): ProcessGateway => {
  const { HOME = '', PATH = '' } = process.env
  const argv = [process.execPath, program, '--data-dir', dir, 'gateway', 'run', ...args]
  // The test runner sets a Node option for every child. It brings a loader, and signal handlers that would end the gateway on a full disk.
  const script = `unset NODE_OPTIONS\n${before}\nexec "$@"`
  const child = spawn('sh', ['-c', script, 'sh', ...argv], {
    env: { HOME, PATH, ...deafEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe', file3 ?? 'ignore'],
  }) as ChildProcessByStdio<null, Readable, Readable>
  const lines: Line[] = []
  const looks = new Set<() => void>()
  const said = { out: '', err: '' }
  createInterface({ input: child.stdout }).on('line', (text) => {
    said.out += `${text}\n`
    lines.push(text.startsWith('{') ? (JSON.parse(text) as Line) : { msg: text })
    for (const look of [...looks]) look()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    said.err += chunk
  })
  const tooLong = setTimeout(() => child.kill('SIGKILL'), longestLifeMs)
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code, signal) => {
      clearTimeout(tooLong)
      resolve({ code, signal, ...said })
    }),
  )
  const agent = new Agent({ keepAlive: true })
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
    agent.destroy()
    killAgents(dir)
  })

  const line = (fits: (line: Line) => boolean): Promise<Line> =>
    new Promise((resolve, reject) => {
      const done = (then: () => void): void => {
        clearTimeout(late)
        looks.delete(look)
        then()
      }
      const look = (): void => {
        const found = lines.find(fits)
        if (found) done(() => resolve(found))
      }
      const late = setTimeout(() => done(() => reject(new Error(`no such log line: ${fits}\n${said.out}${said.err}`))), timeoutMs)
      looks.add(look)
      look()
      void ended.then((end) => done(() => reject(new Error(`ended without such a log line: ${fits}\n${JSON.stringify(end)}`))))
    })
  const listening = line(({ msg }) => msg.startsWith('headgate is listening on ')).then(({ msg }) => /https?:\S+/.exec(msg)?.[0] ?? '')
  listening.catch(() => undefined)

  return {
    pid: child.pid ?? 0,
    dir,
    lines,
    ended,
    listening,
    line,
    post: async (route, id, options) => send(agent, new URL(`/webhooks/${route}`, await listening), id, options),
    health: async () => exchange(agent, new URL('/health', await listening), 'GET', {}),
    kill: (signal = 'SIGKILL') => void child.kill(signal),
  }
}

/** Starts a gateway, and waits until the gateway listens. */
export const startGateway = async (t: Test, dir: string, options: StartOptions = {}): Promise<ProcessGateway> => {
  const gateway = spawnGateway(t, dir, options)
  await gateway.listening
  return gateway
}

export type Setup = {
  readonly routes: Tree
  readonly agent?: string
  readonly config?: Tree
  readonly files?: { readonly [name: string]: string }
}

/** Makes a data directory. `agent`: a shell script that runs as the agent, in which `$dir` is the directory. */
export const dataDir = (t: Test, { routes, agent, config = {}, files = {} }: Setup): string => {
  const dir = t.testdirName
  const webhook = { enabled: true, extra: { port: 0, secret, rate_limit: 100_000, routes } }
  const runner = { runner: 'command', command: ['sh', join(dir, 'agent.sh')] }
  // The shell keeps its process id in a file, so that an agent that outlives its gateway can be ended with its test.
  const script = `dir='${dir}'\necho $$ >> "$dir/agent.pids"\n${agent}`
  return newFolder(t, {
    'config.yaml': stringify({ platforms: { webhook }, ...(agent === undefined ? {} : { agent: runner }), ...config }),
    ...(agent === undefined ? {} : { 'agent.sh': script }),
    ...files,
  })
}

/** Returns the lines of a file in a data directory; none when the file is not there. */
export const linesIn = (dir: string, name: string): string[] => {
  const file = join(dir, name)
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}

/** Returns the process ids of the agents that were started over this data directory and still run. */
export const runningAgents = (dir: string): number[] =>
  linesIn(dir, 'agent.pids')
    .map(Number)
    .filter((pid) => isRunning(pid) && commandOf(pid).includes(join(dir, 'agent.sh')))

/** Returns the command line of a process: its id may belong to another process by now. */
const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

const killAgents = (dir: string): void => {
  for (const pid of runningAgents(dir)) {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // The agent has ended meanwhile.
    }
  }
}

const send = (agent: Agent, url: URL, id: string, { body = '{}', key = secret, type, admitted }: PostOptions = {}): Promise<Answer> => {
  const headers = {
    'Content-Length': Buffer.byteLength(body),
    'X-GitHub-Event': 'push',
    'X-GitHub-Delivery': id,
    'X-Hub-Signature-256': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
    ...(type === undefined ? {} : { 'Content-Type': type }),
    ...(admitted ? { Expect: '100-continue' } : {}),
  }
  return exchange(agent, url, 'POST', headers, body, admitted)
}

const exchange = (
  agent: Agent,
  url: URL,
  method: string,
  headers: OutgoingHttpHeaders,
  body?: string,
  admitted?: () => Promise<void>,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent })
    sent.on('error', reject)
    sent.on('response', async (response) => {
      let text = ''
      try {
        for await (const chunk of response) text += chunk
        const json = text.startsWith('{') ? (JSON.parse(text) as Tree) : {}
        resolve({ status: response.statusCode ?? 0, headers: response.headers, json })
      } catch (error) {
        reject(error)
      }
    })
    if (!admitted) {
      sent.end(body)
      return
    }
    sent.on('continue', () => void admitted().then(() => sent.end(body)))
    sent.flushHeaders()
  })

/** Runs the built command on a gateway's data directory, and returns what the command prints. */
export const command = ({ dir }: Pick<ProcessGateway, 'dir'>, ...args: string[]) => run(process.execPath, main, '--data-dir', dir, ...args)

/** Runs the built command over a data directory that is mounted read-only, and returns what the command prints. */
export const readOnly = (dir: string, ...args: string[]) => {
  const script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
  return run('unshare', '-m', 'sh', '-c', script, dir, process.execPath, main, '--data-dir', dir, ...args)
}

const run = (program: string, ...args: readonly string[]) => {
  const { NODE_OPTIONS: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env, timeout: timeoutMs })
  return { status, stdout, stderr }
}
