/** Keeps the console running beside the gateway, as a process of its own, and asks it for addresses at which browsers sign in. */

import { join } from 'node:path'
import type { ConsoleSettings } from '../config/console/settings.ts'
import type { Clock } from '../core/clock.ts'
import { isObject } from '../core/json.ts'
import type { Log } from '../core/log.ts'
import { printable } from '../core/text.ts'
import { Timer } from '../core/turns/timer.ts'
import { within } from '../core/turns/within.ts'
import { KeptChild } from '../process/kept-child.ts'

export interface ConsoleChild {
  /** Resolves to an address at which one browser can sign in within a minute; `undefined` where the console does not answer. */
  signInUrl(): Promise<string | undefined>
  close(): Promise<void>
}

export type ConsoleChildOptions = {
  readonly dataDir: string
  /** The file that the gateway reads as `config.yaml`. */
  readonly configFile: string
  readonly settings: ConsoleSettings
  readonly clock: Clock
  readonly log: Log
}

/** The time between the end of the console and its next start, in milliseconds. */
const restartMs = 5_000
/** How long the console may take to give an address. */
const answerMs = 5_000
const maxLineBytes = 4_096

/** Starts the console, and starts it again whenever it ends. The console ends by itself when this process has ended. */
export const keepConsole = ({ dataDir, configFile, settings, clock, log }: ConsoleChildOptions): ConsoleChild => {
  const waiting: ((url: string) => void)[] = []
  let isOver = false
  let isUp = false
  const onLine = async (line: readonly Uint8Array[]): Promise<undefined> => {
    const url = urlOf(Buffer.concat(line).toString('utf8'))
    if (url === undefined) return
    if (!isUp) log('info', { url: new URL(url).origin }, 'console')
    // The first address that a console prints only shows that it listens: nobody asked for that address.
    else waiting.shift()?.(url)
    isUp = true
  }
  const onEnd = (why: string, stderr: string): void => {
    isUp = false
    waiting.splice(0)
    if (isOver) return
    log('warn', { reason: printable(stderr.trim().split('\n')[0] || why, 200) }, 'the console has ended: it is started again')
    restart.start(restartMs)
  }
  const start = (): KeptChild => {
    const options = ['--data-dir', dataDir, '--json', 'console', '--no-open', '--until-stdin-ends']
    const started = new KeptChild({
      argv: [process.execPath, process.argv[1] ?? '', ...options],
      env: configFile === join(dataDir, 'config.yaml') ? process.env : { ...process.env, HEADGATE_CONFIG: configFile },
      maxLineBytes,
      clock,
      onLine,
      onEnd,
    })
    // Arguments of programs can be read by other users of this machine, and the settings have secrets.
    started.write(JSON.stringify(settings))
    return started
  }
  let child = start()
  const restart = new Timer(clock, () => {
    child = start()
  })
  return {
    async signInUrl() {
      if (!isUp || !child.write('')) return undefined
      let answered = (_url: string): void => {}
      const answer = new Promise<string>((resolve) => {
        answered = resolve
      })
      // A caller whose answer is late keeps its place: the console answers each line in turn, and the late answer is this caller's.
      waiting.push((url) => answered(url))
      return within(answer, answerMs, clock, () => undefined)
    },
    async close() {
      isOver = true
      restart.stop()
      await child.stop()
    },
  }
}

const urlOf = (line: string): string | undefined => {
  try {
    const said: unknown = JSON.parse(line)
    return isObject(said) && typeof said.url === 'string' ? said.url : undefined
  } catch {
    return undefined
  }
}
