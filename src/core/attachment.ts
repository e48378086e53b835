/** The files of an event: what its payload says of them, and what its run keeps of them. */

/**
 * A file that came with an event, as its payload says. `field`: the name of its part. `name`: a harmless name. `type`: the media type as the
 * sender says. `bytes`: its length. `dropped`: why the file was not kept; absent for a file that was.
 */
export type Attachment = {
  readonly name: string
  readonly type: string
  readonly bytes: number
  /** In hexadecimal digits. */
  readonly sha256: string
  readonly field: string
  readonly dropped?: string
}

/** A file that is kept for the run of an event. `content`: a view of the body. */
export type KeptFile = Attachment & { readonly content: Buffer }

/** A file in a stored run. `data`: the file in base64, because a stored run is JSON. */
export type RunFile = Pick<Attachment, 'name' | 'type' | 'sha256'> & { readonly data: string }
