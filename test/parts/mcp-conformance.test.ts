/** What the conformance suite of the Model Context Protocol says of our client. The suite needs Node 22. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { newFolder } from '../fakes/folder.ts'
import { mcpConformance } from '../foreign/suites.ts'

const client = `${process.execPath} --import tsx ${fileURLToPath(new URL('../fakes/mcp-client.ts', import.meta.url))}`
/** That the client waits before it asks for a stream again is shown on a clock of the tests, because a busy machine is late. */
const isTimed = 'client-sse-retry-timing'

type Check = { readonly id: string; readonly status: string; readonly errorMessage?: string }

const isOld = Number(process.versions.node.split('.')[0]) < 22
for (const scenario of ['initialize', 'tools_call', 'sse-retry'])
  t.test(scenario, { skip: isOld && 'the suite needs Node 22' }, async (t) => {
    const folder = newFolder(t, {})
    const argv = [mcpConformance, 'client', '--command', client, '--scenario', scenario, '--output-dir', folder]
    const child = spawn(process.execPath, argv, { stdio: 'ignore' })
    await once(child, 'close')
    const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('checks.json'))
    const checks: readonly Check[] = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'))
    t.ok(
      checks.some(({ status }) => status === 'SUCCESS'),
      'something was checked',
    )
    t.same(
      checks.filter(({ id, status }) => status !== 'SUCCESS' && status !== 'INFO' && id !== isTimed),
      [],
    )
  })
