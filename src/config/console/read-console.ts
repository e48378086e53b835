/** Reads the section `console`. In place of a value of a wrong type, which the shape check has reported, a default counts. */

import { BlockList } from 'node:net'
import { type Diagnostic, diagnostic, pointerOf, type Report } from '../../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, numberOr } from '../../core/json.ts'
import { addNetwork } from '../../core/network.ts'
import { defaults } from '../../generated/defaults.ts'
import { isPasswordHash } from '../../secrets/password-hash.ts'
import { isLoopback } from '../config.ts'
import { hasReference } from '../secrets/reference.ts'
import type { Source } from '../yaml/source.ts'
import type { ConsoleAuth, ConsoleSettings } from './settings.ts'

/** The fewest characters of the secret that a proxy shows. */
const minSecretLength = 16

/**
 * WH241 reports a console that other machines reach and that asks nobody to sign in, WH242 an address or a way to sign in that cannot
 * work, WH316 a proxy that is no address.
 */
export const readConsole = (section: JsonObject, source: Source | undefined, into: Diagnostic[]): ConsoleSettings => {
  const report: Report = (code, path, message, help) => {
    const full = ['console', ...path]
    into.push(diagnostic(code, message, { help, pointer: pointerOf(full), ...(source ? { place: source.place(full) } : {}) }))
  }
  const publicOrigin = textOr(section.public_origin, '')
  const console: ConsoleSettings = {
    enabled: section.enabled === true,
    host: textOr(section.host, defaults.console.host),
    port: numberOr(section.port, defaults.console.port),
    ...(publicOrigin === '' ? {} : { publicOrigin: originOf(publicOrigin) ?? publicOrigin }),
    proxies: textsOf(section.proxies),
    ...(isObject(section.auth) ? { auth: authOf(section.auth) } : {}),
  }
  checkAddress(console, report)
  checkAuth(console, report)
  return console
}

const textOr = (value: Json | undefined, other: string): string => (typeof value === 'string' ? value : other)
const textsOf = (value: Json | undefined, other: readonly string[] = []): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : other

const authOf = ({ forward, oidc, password, roles }: JsonObject): ConsoleAuth => {
  const asked = isObject(roles) ? roles : {}
  return {
    roles: { viewer: textsOf(asked.viewer), operator: textsOf(asked.operator), payloads: textsOf(asked.payloads) },
    ...(isObject(forward)
      ? {
          forward: {
            secret: textOr(forward.secret, ''),
            secretHeader: textOr(forward.secret_header, defaults.console_forward.secret_header).toLowerCase(),
            userHeader: textOr(forward.user_header, defaults.console_forward.user_header).toLowerCase(),
            groupsHeader: textOr(forward.groups_header, defaults.console_forward.groups_header).toLowerCase(),
          },
        }
      : {}),
    ...(isObject(oidc)
      ? {
          oidc: {
            issuer: textOr(oidc.issuer, ''),
            clientId: textOr(oidc.client_id, ''),
            clientSecret: textOr(oidc.client_secret, ''),
            scopes: textsOf(oidc.scopes, defaults.console_oidc.scopes),
            userClaim: textOr(oidc.user_claim, defaults.console_oidc.user_claim),
            groupsClaim: textOr(oidc.groups_claim, defaults.console_oidc.groups_claim),
          },
        }
      : {}),
    ...(isObject(password) ? { password: textMembers(password) } : {}),
  }
}

const textMembers = (map: JsonObject): { readonly [key: string]: string } =>
  Object.fromEntries(Object.entries(map).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])))

const checkAddress = ({ host, publicOrigin, proxies, auth }: ConsoleSettings, report: Report): void => {
  const isOpen = !isLoopback(host)
  if (isOpen && !auth)
    report(
      'WH241',
      ['host'],
      `console.host is ${host}, so other machines reach the console, and nobody is asked to sign in`,
      'add console.auth (docs/console.md), or leave console.host out and forward the port: ssh -L',
    )
  if (isOpen && auth && publicOrigin === undefined)
    report(
      'WH242',
      ['host'],
      `console.host is ${host}, and console.public_origin does not say at which address browsers ask`,
      'add public_origin: https://hooks.example.com under console',
    )
  if (publicOrigin !== undefined && originOf(publicOrigin) === undefined)
    report(
      'WH242',
      ['public_origin'],
      'console.public_origin is no address of a console: https://, a host, perhaps a port, and no path',
      'http:// is for 127.0.0.1 and localhost alone: browsers would send a sign-in over the network for everybody to read',
    )
  const networks = new BlockList()
  for (const [i, text] of proxies.entries())
    if (!addNetwork(networks, text))
      report('WH316', ['proxies', i], `"${text}" is no network and no address`, 'write 192.0.2.0/24, 2001:db8::/32 or 192.0.2.7')
}

const checkAuth = ({ proxies, publicOrigin, auth }: ConsoleSettings, report: Report): void => {
  if (!auth) return
  const { forward, oidc, password, roles } = auth
  if (!forward && !oidc && !password)
    report('WH242', ['auth'], 'console.auth has no way to sign in', 'add forward, oidc or password under console.auth')
  if (roles.viewer.length + roles.operator.length === 0)
    report('WH242', ['auth', 'roles'], 'console.auth.roles gives nobody a role, so nobody can sign in', 'add viewer: ["*"], or operator')
  if (forward && proxies.length === 0)
    report(
      'WH242',
      ['auth', 'forward'],
      'console.auth.forward has no proxy to believe',
      'list its address: proxies: [10.0.0.7] under console',
    )
  if (forward && !hasReference(forward.secret) && forward.secret.length < minSecretLength)
    report(
      'WH242',
      ['auth', 'forward', 'secret'],
      `the secret of console.auth.forward has fewer than ${minSecretLength} characters`,
      'make another: openssl rand -hex 32',
    )
  if (oidc && !hasReference(oidc.issuer) && !isSafeAddress(oidc.issuer))
    report(
      'WH242',
      ['auth', 'oidc', 'issuer'],
      'the issuer is no https address',
      'write https://id.example.com; http is for 127.0.0.1 alone',
    )
  if (oidc && publicOrigin === undefined)
    report(
      'WH242',
      ['auth', 'oidc'],
      'console.auth.oidc needs console.public_origin, to which the identity provider sends browsers back',
      'add public_origin: https://hooks.example.com under console',
    )
  checkUsers(auth, report)
}

const checkUsers = ({ password = {}, roles }: ConsoleAuth, report: Report): void => {
  // A user with a password is in no group. Whoever has no role is refused after the right password, too.
  const admitted = new Set([...roles.viewer, ...roles.operator])
  for (const user of admitted.has('*') ? [] : Object.keys(password))
    if (!admitted.has(`user:${user}`))
      report(
        'WH242',
        ['auth', 'password', user],
        `${user} has a password and no role, so ${user} cannot sign in`,
        `add user:${user} to viewer or operator under console.auth.roles`,
      )
  // A reference that is still there was reported, or the environment is not known.
  for (const [user, hash] of Object.entries(password))
    if (!hasReference(hash) && !isPasswordHash(hash))
      report(
        'WH242',
        ['auth', 'password', user],
        `the password of ${user} is no hash`,
        'make one: headgate console --hash-password; put it into .env and write ${NAME} here',
      )
}

/** Returns the origin of an address that is nothing more than an origin, and over which a sign-in may go; else `undefined`. */
const originOf = (text: string): string | undefined => {
  if (!isSafeAddress(text)) return undefined
  const { origin, pathname, search, hash } = new URL(text)
  return pathname === '/' && search === '' && hash === '' ? origin : undefined
}

/** A value that is still a reference was not resolved: that was reported, or the environment is not known. */
const isSafeAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  const isOwn = isLoopback(hostname) || hostname === '[::1]'
  return (protocol === 'https:' || (protocol === 'http:' && isOwn)) && username === '' && password === ''
}
