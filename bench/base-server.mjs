/** The base of all ratios: bare node:http that verifies an HMAC-SHA256 signature and parses the body. */

import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const key = createSecretKey(Buffer.from(process.env.SECRET ?? ''))

const holds = (header, body) => {
  const given = Buffer.from(String(header ?? '').slice('sha256='.length), 'hex')
  const wanted = createHmac('sha256', key).update(body).digest()
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

const answer = (response, status, text) => {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': text.length })
  response.end(text)
}

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
    if (!holds(request.headers['x-hub-signature-256'], body)) return answer(response, 401, '{"error":"Invalid signature"}')
    JSON.parse(body)
    answer(response, 200, '{"status":"accepted"}')
  })
})

server.listen(0, '127.0.0.1', () => console.log(`base listens on http://127.0.0.1:${server.address().port}`))
