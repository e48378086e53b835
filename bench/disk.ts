/** Measures how fast the disk is right now: the median time of one fdatasync after a 4 kB append. */

import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { median } from './median.ts'

const SYNCS = 100

export const fdatasyncMs = (folder: string): number => {
  const path = join(folder, 'fdatasync-probe')
  const file = openSync(path, 'w')
  const block = Buffer.alloc(4096, 1)
  const times = Array.from({ length: SYNCS }, () => {
    writeSync(file, block)
    const began = performance.now()
    fdatasyncSync(file)
    return performance.now() - began
  })
  closeSync(file)
  rmSync(path)
  return median(times)
}
