/**
 * Runs one file of a bundle that tools/test-bundle.ts made: `node bundled-test.cjs FOLDER FILE`. The first processes that end leave what V8
 * has compiled, for those that start later.
 */

const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { join, resolve } = require('node:path')
const { pathToFileURL } = require('node:url')
const { Script } = require('node:vm')

const [, , folder, file] = process.argv
// Changes `process.argv` to what it is when Node itself is given the file.
process.argv.splice(1, 3, resolve(file))

const filename = join(folder, 'tests.js')
const cache = join(folder, 'tests.cache')
const cachedData = existsSync(cache) ? readFileSync(cache) : undefined
const script = new Script(readFileSync(filename, 'utf8'), { filename, cachedData })
if (!cachedData)
  process.once('exit', () => {
    writeFileSync(`${cache}.${process.pid}`, script.createCachedData())
    renameSync(`${cache}.${process.pid}`, cache)
  })
script.runInThisContext()(createRequire(filename), (name) => import(name), { url: pathToFileURL(filename).href }, file)
