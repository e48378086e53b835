/**
 * The registry of the kinds of store. `storage.kind` names one of them. The code of a kind is loaded only when its store is opened or
 * inspected.
 */

import { databaseName, restoringName } from './sqlite/schema.ts'
import type { StoreOptions, StorePart } from './store-part.ts'

/** The embedded store: the only one with a file of its own. */
export const embedded = {
  name: 'sqlite',
  title: 'Embedded, durable, in state/',
  ownership: 'sole',
  isLasting: true,
  open: async (options: StoreOptions) => (await import('./sqlite/sqlite-store.ts')).openSqlite(options),
  openToMove: async ({ folder, clock }: StoreOptions) =>
    (await import('./sqlite/moving/movable-sqlite.ts')).openMovableSqlite(folder, clock),
  copies: {
    name: databaseName,
    restoring: restoringName,
    hold: async (options: Pick<StoreOptions, 'folder'>) => (await import('./sqlite/moving/copies.ts')).holdDatabase(options),
    check: async (file: string) => (await import('./sqlite/moving/copies.ts')).checkDatabase(file),
  },
  inspect: async ({ folder }: StoreOptions) => (await import('./sqlite/inspect.ts')).inspectDatabase(folder),
} satisfies StorePart

const memory: StorePart = {
  name: 'memory',
  title: 'Nothing survives a restart: for tests',
  ownership: 'sole',
  isLasting: false,
  open: async ({ clock }) => (await import('./memory/memory-store.ts')).openMemory({ clock }),
  inspect: async () => ({
    result: 'warn',
    message: 'memory: what is accepted is lost when the gateway ends',
    fix: 'set storage.kind: sqlite',
  }),
}

const postgres: StorePart = {
  name: 'postgres',
  title: 'Shared by several gateways, in a database',
  ownership: 'shared',
  isLasting: true,
  open: async (options) => (await import('./postgres/postgres-store.ts')).openPostgres(options),
  attach: async (options, access) => (await import('./postgres/attach.ts')).attachPostgres(options, access),
  openToMove: async (options) => (await import('./postgres/moving/movable-postgres.ts')).openMovablePostgres(options),
  inspect: async (options) => (await import('./postgres/inspect.ts')).inspectServer(options),
}

export const stores: readonly StorePart[] = [embedded, postgres, memory]

export const storesByName: ReadonlyMap<string, StorePart> = new Map(stores.map((store) => [store.name, store]))
