/**
 * Hashes of passwords, by scrypt (RFC 7914). A hash is one word of letters, digits, `-`, `_` and `:`, so that shells, systemd and docker
 * read it alike in a `.env` file: `scrypt:15:8:3:<salt>:<key>`, where the numbers are log2(N), r and p.
 */

import { randomBytes, scrypt } from 'node:crypto'
import { isSameSecret } from './same-secret.ts'

/** The cost of one guess: 32 MiB, and about 0.2 seconds of one core. */
const cost = { ln: 15, r: 8, p: 3 }
/** The most memory that the check against a configured hash may take. */
const maxBytes = 128 * 1024 * 1024
const saltBytes = 16
const keyBytes = 32

type Hash = { readonly ln: number; readonly r: number; readonly p: number; readonly salt: Buffer; readonly key: Buffer }

const form = /^scrypt:(\d{1,2}):(\d{1,2}):(\d{1,2}):([\w-]{22}):([\w-]{43})$/

const parse = (text: string): Hash | undefined => {
  const [, ln, r, p, salt = '', key = ''] = form.exec(text) ?? []
  const hash = { ln: Number(ln), r: Number(r), p: Number(p), salt: Buffer.from(salt, 'base64url'), key: Buffer.from(key, 'base64url') }
  const isBounded = hash.ln >= 10 && hash.r >= 1 && hash.p >= 1 && hash.p <= 16 && memoryOf(hash) <= maxBytes
  return isBounded ? hash : undefined
}

const memoryOf = ({ ln, r }: Pick<Hash, 'ln' | 'r'>): number => 128 * 2 ** ln * r

const derive = (password: string, { ln, r, p, salt }: Omit<Hash, 'key'>): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options = { N: 2 ** ln, r, p, maxmem: maxBytes + 32 * 1024 * 1024 }
    // One character can have several forms in Unicode, and keyboards differ in which they send.
    scrypt(password.normalize('NFKC'), salt, keyBytes, options, (error, key) => (error ? reject(error) : resolve(key)))
  })

export const isPasswordHash = (text: string): boolean => parse(text) !== undefined

/** Returns the hash of a password, with a salt of its own. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(saltBytes)
  const key = await derive(password, { ...cost, salt })
  return `scrypt:${cost.ln}:${cost.r}:${cost.p}:${salt.toString('base64url')}:${key.toString('base64url')}`
}

/**
 * Makes a hash that no password has. The password of an unknown user is compared with it, so that the answer takes as long as for a known
 * user.
 */
const noHash = (): Hash => ({ ...cost, salt: Buffer.alloc(saltBytes), key: randomBytes(keyBytes) })

/** Whether the hash was made of the password. Takes as long for `undefined` as for a hash that `hashPassword` made. */
export const isPassword = async (password: string, text: string | undefined): Promise<boolean> => {
  const known = text === undefined ? undefined : parse(text)
  const hash = known ?? noHash()
  return isSameSecret(await derive(password, hash), hash.key) && known !== undefined
}
