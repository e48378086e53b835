/** Hands the listening socket of a server to another process, over a Unix socket. Node does that for child processes only (decision 0135). */

import { createServer, type Server } from 'node:net'
import { isFast } from './forms.ts'

/** A listening socket, as `Server.listen` takes it. */
export type SocketHandle = object

/** A pipe of Node that can carry a socket (src/pipe_wrap.cc). Its calls return 0 or the code of an error. */
type Pipe = {
  open(fd: number): number
  connect(request: { oncomplete?: (status: number) => void }, path: string): number
  writeUtf8String(request: { oncomplete?: (status: number) => void }, text: string, handle: SocketHandle): number
  readStart(): number
  readStop(): number
  close(): void
  /** Called with what was read. By then, `pendingHandle` is the socket that came with it. */
  onread?: () => void
  readonly pendingHandle?: SocketHandle | null
}
type Bindings = {
  binding(name: 'pipe_wrap'): { Pipe: new (kind: number) => Pipe; PipeConnectWrap: new () => object; constants: { readonly IPC: number } }
  binding(name: 'stream_wrap'): { WriteWrap: new () => object }
}

/** Whether this process can hand a socket over, and be handed one. There is no plain form. */
export const canHandSocket = (): boolean => isFast('socket') && process.platform !== 'win32'

const node = process as unknown as Bindings

const newPipe = (): Pipe => {
  const { Pipe, constants } = node.binding('pipe_wrap')
  return new Pipe(constants.IPC)
}

/** Makes one call of the pipe, and resolves when it is done. Rejects where it fails. */
const done = (request: { oncomplete?: (status: number) => void }, call: () => number): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (status: number): void => (status === 0 ? resolve() : reject(new Error(`the socket cannot be handed over (${status})`)))
    request.oncomplete = end
    const status = call()
    if (status !== 0) end(status)
  })

/** Hands the listening socket of `server` to the process that waits at `path`. Both processes have it from then on. */
export const handSocket = async (server: Server, path: string): Promise<void> => {
  const { _handle: handle } = server as Server & { readonly _handle?: SocketHandle | null }
  if (!handle) throw new Error('the server listens no more')
  const { PipeConnectWrap } = node.binding('pipe_wrap')
  const { WriteWrap } = node.binding('stream_wrap')
  const pipe = newPipe()
  try {
    const connecting: object = new PipeConnectWrap()
    await done(connecting, () => pipe.connect(connecting, path))
    const writing: object = new WriteWrap()
    await done(writing, () => pipe.writeUtf8String(writing, '\n', handle))
  } finally {
    pipe.close()
  }
}

/** Waits for a socket. `received` resolves to it; to `undefined` where the other process brought none. */
export type Waiting = { readonly server: Server; readonly received: Promise<SocketHandle | undefined> }

/** Makes the server to which another process brings a socket. The caller lets it listen on a Unix socket, and closes it. */
export const awaitSocket = (): Waiting => {
  let take = (_handle: SocketHandle | undefined): void => {}
  const received = new Promise<SocketHandle | undefined>((resolve) => {
    take = resolve
  })
  // A connection of a server carries no sockets. So it stays paused, and a pipe reads from the same file. Neither is closed: the other
  // would be left with a number that the next open file gets.
  const server = createServer({ pauseOnConnect: true }, (connection) => {
    const { _handle: inner } = connection as unknown as { readonly _handle: { readonly fd: number } }
    const pipe = newPipe()
    pipe.onread = () => {
      pipe.readStop()
      take(pipe.pendingHandle ?? undefined)
    }
    if (pipe.open(inner.fd) !== 0 || pipe.readStart() !== 0) take(undefined)
  })
  server.maxConnections = 1
  return { server, received }
}
