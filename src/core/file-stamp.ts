/** Tells whether a file has changed: two stamps of a file differ when it was written, replaced or removed between them. */

import { type BigIntStats, statSync } from 'node:fs'
import { messageOf } from './fault.ts'

export const absent = 'absent'

/**
 * Returns the stamp of a file, which follows links. Never throws: the stamp is `absent` without a file, and the error's message where its
 * stats cannot be read.
 */
export const stampOf = (file: string): string => {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
    return stats ? stampOfStats(stats) : absent
  } catch (error) {
    // For example a loop of links, or a folder without permission.
    return messageOf(error)
  }
}

/**
 * Returns the stamp of the file that has these stats. The time of its last change (`ctime`) distinguishes two contents that have one size
 * and one time of writing, as after `cp -p` and `touch -d`.
 */
export const stampOfStats = ({ mtimeNs, ctimeNs, size, ino }: BigIntStats): string => `${mtimeNs} ${ctimeNs} ${size} ${ino}`
