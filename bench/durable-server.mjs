/**
 * Does the least that a server must do to accept durably: the work of the base server, and a claim and a job on disk before each 202,
 * committed on the main thread. All requests of one turn are one row in one commit, which SQLite does not sync; their answers go when the
 * thread pool has synced SQLite's log by one fdatasync. The server is there to compare speed and is no store: it reads nothing back,
 * forgets its ids when it ends, and ends at the first error of the disk.
 */

import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { fdatasync, fsyncSync, openSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import Database from 'libsql'

const folder = process.env.FOLDER ?? '.'
const key = createSecretKey(Buffer.from(process.env.SECRET ?? ''))

const holds = (header, body) => {
  const given = Buffer.from(String(header ?? '').slice('sha256='.length), 'hex')
  const wanted = createHmac('sha256', key).update(body).digest()
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

const db = new Database(join(folder, 'prototype.db'))
// Exclusive locking keeps the index of the log in this process's memory. A checkpoint still syncs, each thousand pages.
for (const pragma of ['locking_mode = EXCLUSIVE', 'journal_mode = WAL', 'synchronous = NORMAL']) db.pragma(pragma)
db.exec('CREATE TABLE inbox (batch INTEGER PRIMARY KEY, events TEXT NOT NULL)')
const insert = db.prepare('INSERT INTO inbox (events) VALUES (?)')
const log = openSync(join(folder, 'prototype.db-wal'), 'r')
fsyncSync(openSync(folder, 'r'))

const answer = (response, status, text) => {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': text.length })
  response.end(text)
}

/** The ids that were accepted or are about to be, so that a repeat is known without a look at the disk. */
const claimed = new Set()
let jobs = []
let waiting = []
/**
 * Whether a batch is being stored: from its first request until its sync is done. Requests that come while the disk syncs are the next
 * batch.
 */
let busy = false

const commit = () => {
  insert.run(JSON.stringify(jobs))
  const answered = waiting
  jobs = []
  waiting = []
  fdatasync(log, (error) => {
    if (error) throw error
    for (const response of answered) answer(response, 202, '{"status":"accepted"}')
    busy = jobs.length > 0
    if (busy) commit()
  })
}

const accept = (response, id, event) => {
  if (claimed.has(id)) return answer(response, 200, '{"status":"duplicate"}')
  claimed.add(id)
  const { action = '', number = '', ref = '', repository, sender } = event
  const prompt = `${action} in ${repository.full_name} by ${sender.login}: #${number} ${ref}`
  jobs.push({ id, route: 'bench', at: Date.now(), prompt, deliver: 'log' })
  waiting.push(response)
  if (busy) return
  busy = true
  setImmediate(commit)
}

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
    if (!holds(request.headers['x-hub-signature-256'], body)) return answer(response, 401, '{"error":"Invalid signature"}')
    accept(response, request.headers['x-github-delivery'], JSON.parse(body))
  })
})

server.listen(0, '127.0.0.1', () => console.log(`prototype listens on http://127.0.0.1:${server.address().port}`))
