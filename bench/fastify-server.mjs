/** An optional peer, for the record: the work of the base server behind fastify with one raw-buffer parser. */

import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import fastify from 'fastify'

const key = createSecretKey(Buffer.from(process.env.SECRET ?? ''))

const holds = (header, body) => {
  const given = Buffer.from(String(header ?? '').slice('sha256='.length), 'hex')
  const wanted = createHmac('sha256', key).update(body).digest()
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

const app = fastify()
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
app.post('/webhooks/:route', (request, reply) => {
  reply.header('Content-Type', 'application/json; charset=utf-8')
  if (!holds(request.headers['x-hub-signature-256'], request.body)) {
    reply.code(401).send('{"error":"Invalid signature"}')
    return
  }
  JSON.parse(request.body)
  reply.send('{"status":"accepted"}')
})

console.log(`fastify listens on ${await app.listen({ port: 0, host: '127.0.0.1' })}`)
