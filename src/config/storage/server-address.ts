/** Reads the address of a PostgreSQL database: one or several servers, of which one is the primary, and how to connect to them. */

import { readFileSync } from 'node:fs'
import { exit, Fault, messageOf } from '../../core/fault.ts'

export type Host = { readonly host: string; readonly port: number }

/**
 * The encryption of a connection. `undefined`: there is none. `isChecked`: the server's certificate is checked, by the authority `ca` (PEM)
 * or, where it is absent, by the usual authorities.
 */
export type Tls = { readonly isChecked: boolean; readonly ca?: string } | undefined

export type ServerAddress = {
  readonly hosts: readonly Host[]
  readonly user: string
  readonly password: string
  readonly database: string
  readonly tls: Tls
}

const defaultPort = 5432
const shape = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/

const badAddress = (why: string, hint = 'write it as postgres://user:password@host:5432/database'): Fault =>
  new Fault('store_address', `the address of the database cannot be used: ${why}`, { exitCode: exit.config, hint })

/**
 * Reads `postgres://user:password@host:port,host:port/database?sslmode=…`, and the file that its `sslrootcert` names. Throws a Fault where
 * either cannot be used. The Fault never shows the address.
 */
export const parseAddress = (url: string): ServerAddress => {
  const [, login = '', hostList = '', database = '', query = ''] = shape.exec(url) ?? []
  if (hostList === '') throw badAddress('it is no postgres:// address')
  const [user = '', ...password] = login.split(':')
  if (user === '') throw badAddress('it names no user')
  const hosts = hostList.split(',').map(hostOf)
  return {
    hosts,
    user: decoded(user),
    password: decoded(password.join(':')),
    database: decoded(database) || decoded(user),
    tls: tlsOf(new URLSearchParams(query), hosts),
  }
}

/** Returns the password in an address, also where another part of the address cannot be used; empty where none can be found. */
export const passwordOf = (url: string): string => {
  // An address that cannot be used may have a password with a character that must be escaped, such as a slash.
  const password = /^postgres(?:ql)?:\/\/[^:@]*:(.*)@/s.exec(url)?.[1] ?? ''
  try {
    return decodeURIComponent(password)
  } catch {
    return password
  }
}

/**
 * Whether two addresses have the same hosts in the same order, and the same database. Users, passwords and parameters may differ.
 * Addresses that cannot be read must be equal as texts.
 */
export const isSameDatabase = (a: string, b: string): boolean => {
  const placeOf = (url: string): string => {
    try {
      const { hosts, database } = parseAddress(url)
      return JSON.stringify([hosts, database])
    } catch {
      return url
    }
  }
  return placeOf(a) === placeOf(b)
}

const hostOf = (text: string): Host => {
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = bracketed ?? decoded(plain)
  if (host === '') throw badAddress('one of its hosts cannot be read')
  return { host, port: port === undefined ? defaultPort : Number(port) }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw badAddress('a % in it begins no escape', 'write % as %25')
  }
}

const isLoopback = ({ host }: Host): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')

/**
 * Reads the encryption from `sslmode`. Where the address has no `sslmode`, the connection is unencrypted only if all servers are on this
 * machine.
 */
const tlsOf = (query: URLSearchParams, hosts: readonly Host[]): Tls => {
  const mode = query.get('sslmode') ?? (hosts.every(isLoopback) ? 'disable' : 'verify-full')
  if (mode === 'disable') return undefined
  if (mode === 'no-verify') return { isChecked: false }
  if (!['require', 'verify-ca', 'verify-full'].includes(mode)) {
    throw badAddress(`sslmode ${JSON.stringify(mode)} is not known`, 'use disable, require, verify-full or no-verify')
  }
  const file = query.get('sslrootcert')
  if (file === null) return { isChecked: true }
  try {
    return { isChecked: true, ca: readFileSync(file, 'utf8') }
  } catch (thrown) {
    throw badAddress(`sslrootcert cannot be read: ${messageOf(thrown)}`, 'name a readable file with the certificate of the authority')
  }
}
