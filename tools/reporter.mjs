/**
 * Prints the output of `npm test`: a line for each file, all details of failures, the counts, and why tests were skipped. The runner decides
 * whether the tests passed. Besides, a file without tests is a failure here.
 */

import { Transform } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

// Control characters other than line ends and tabs are written as escapes, because they would steer a terminal or make a log binary.
const visible = (line) =>
  line.replace(/[\0-\x08\x0b-\x1f\x7f]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** Reads TAP. Writes its outermost lines, its failures at any depth, and the details below them. */
// biome-ignore lint/style/noDefaultExport: the runner loads a reporter by its default export
export default class Reporter extends Transform {
  #decoder = new StringDecoder()
  #rest = ''
  /** The indentation of the details of a failure while they are printed; `undefined` at other times. */
  #details
  #empty = 0
  /** The tests that were skipped, by their reason. */
  #skipped = new Map()

  _transform(chunk, _, done) {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n')
    this.#rest = lines.pop()
    for (const line of lines) this.#line(line)
    done()
  }

  _flush(done) {
    if (this.#rest) this.#line(this.#rest)
    for (const [why, count] of this.#skipped) this.push(`# skipped, ${count}: ${visible(why)}\n`)
    if (this.#empty > 0) {
      this.push(`# files without tests, which is a failure: ${this.#empty}\n`)
      process.exitCode = 1
    }
    done()
  }

  #line(line) {
    const indent = line.search(/\S/)
    const [, not, empty] = /^ *(not )?ok\b.*?( # SKIP no tests found)?$/.exec(line) ?? []
    if (this.#details !== undefined && (indent < 0 || indent >= this.#details)) this.push(`${visible(line)}\n`)
    else {
      this.#details = not ? indent + 2 : undefined
      if (not || (indent === 0 && !line.startsWith('# Subtest'))) this.push(`${visible(line)}\n`)
    }
    if (empty && indent === 0) this.#empty++
    const [, why] = / # SKIP (.+?)(?: # time=\S+)?$/.exec(line) ?? []
    if (why !== undefined && !empty) this.#skipped.set(why, (this.#skipped.get(why) ?? 0) + 1)
  }
}
