/**
 * Types for the part of the database driver `pg` that this folder uses: its client. The driver's whole module would also load its pool of
 * connections.
 */

declare module 'pg/lib/client' {
  import type { EventEmitter } from 'node:events'
  import type { ConnectionOptions } from 'node:tls'

  export type ClientOptions = {
    readonly host: string
    readonly port: number
    readonly user: string
    readonly database: string
    readonly password: () => string
    readonly ssl: false | ConnectionOptions
    readonly sslnegotiation: 'postgres'
    readonly client_encoding: 'utf8'
    readonly application_name: string
    readonly options: string
    readonly pipeline: true
    readonly keepAlive: true
    readonly query_timeout: number
    readonly connectionTimeoutMillis: number
  }

  export type Query = {
    readonly name?: string
    readonly text: string
    readonly values?: readonly unknown[]
    readonly rowMode: 'array'
  }

  // biome-ignore lint/style/noDefaultExport: the driver exports its class in this way.
  export default class Client extends EventEmitter {
    constructor(options: ClientOptions)
    connect(): Promise<unknown>
    query(query: Query): Promise<{ readonly rows: readonly (readonly unknown[])[] }>
    query(text: string): Promise<unknown>
    end(): Promise<void>
    readonly connection: { readonly stream: { destroy(): void } }
  }
}
