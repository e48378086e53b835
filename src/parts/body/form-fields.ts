/**
 * Reads the fields of a form from its bytes (https://url.spec.whatwg.org/#urlencoded-parsing). `URLSearchParams` reads the same fields, but
 * takes ten times as long for a megabyte of escapes (`%41`), which anybody can send before a signature is checked.
 */

/** A field of a form. Its value stays bytes until a text is needed, because an HMAC is made of bytes. */
export type FormValue = { readonly name: string; readonly value: Buffer }

const ampersand = 0x26
const equals = 0x3d
const plus = 0x2b
const blank = 0x20
const percent = 0x25
const noBytes = Buffer.alloc(0)

/** Returns the fields in their order. In a name, and in a text made of a value, bytes that are not UTF-8 become U+FFFD. */
export const parseFormFields = (body: Buffer): FormValue[] => {
  const fields: FormValue[] = []
  for (let from = 0; from < body.length; ) {
    const next = body.indexOf(ampersand, from)
    const end = next === -1 ? body.length : next
    if (end > from) fields.push(parseField(body.subarray(from, end)))
    from = end + 1
  }
  return fields
}

const parseField = (bytes: Buffer): FormValue => {
  const at = bytes.indexOf(equals)
  const name = unescaped(at === -1 ? bytes : bytes.subarray(0, at)).toString()
  return { name, value: at === -1 ? noBytes : unescaped(bytes.subarray(at + 1)) }
}

/** The values of the hexadecimal digits, by their bytes; -1 for any other byte. */
const hexDigits = Int8Array.from({ length: 256 }, (_, byte) => {
  const value = Number.parseInt(String.fromCharCode(byte), 16)
  return Number.isNaN(value) ? -1 : value
})

/** Decodes escapes to their bytes, and each plus to a blank. Bytes without either are not copied. */
const unescaped = (bytes: Buffer): Buffer => {
  if (!bytes.includes(plus) && !bytes.includes(percent)) return bytes
  const out = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    let byte = bytes[at] as number
    if (byte === plus) byte = blank
    else if (byte === percent) {
      const value = escapedByte(bytes, at)
      if (value >= 0) {
        byte = value
        at += 2
      }
    }
    out[length++] = byte
  }
  return out.subarray(0, length)
}

/** Returns the byte of the escape at this index; below 0 where no escape begins there. */
const escapedByte = (bytes: Buffer, at: number): number =>
  at + 2 < bytes.length ? ((hexDigits[bytes[at + 1] as number] as number) << 4) | (hexDigits[bytes[at + 2] as number] as number) : -1
