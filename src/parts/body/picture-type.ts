/** Recognises pictures by their first bytes, because servers and senders often name a wrong media type. */

/** The first bytes of each kind of picture that models take, as Latin-1. */
const pictureKinds: readonly (readonly [mediaType: string, start: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
]

/** Returns the media type of a picture; `undefined` when the bytes are no picture of these kinds. */
export const pictureType = (bytes: Buffer): string | undefined => {
  const start = bytes.toString('latin1', 0, 12)
  return pictureKinds.find(([, pattern]) => pattern.test(start))?.[0]
}
