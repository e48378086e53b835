/**
 * Is loaded into the measured server before its program. Certificates of senders then come from a file, so that no request leaves the
 * machine.
 */

import { readFileSync } from 'node:fs'

const pem = readFileSync(process.env.BENCH_CERTIFICATE ?? '')

globalThis.fetch = async () => new Response(pem)
