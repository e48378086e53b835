/**
 * Replaces the gateways one after the other by a later version, under load. The later version is the same build under another number. After
 * the first gateway, the schema gets what a later version may add: a version that both builds can read, and a column in each table.
 */

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { connect } from '../../src/store/postgres/connection.ts'
import { folder, main } from '../durability/lab.ts'
import { checkStatus } from './status.ts'
import type { World } from './world.ts'

type Build = { readonly main: string; readonly version: string }

const run = promisify(execFile)
let made = 0

/** Replaces all gateways that are well. */
export const upgradeAll = async ({ replicas, servers, schema, failures }: World): Promise<void> => {
  const build = await makeLaterBuild(++made)
  const well = replicas.filter(({ isWell }) => isWell)
  for (const replica of well) {
    failures.push(...(await replica.replaceBuild(build.main)))
    if (replica === well[0]) await expandSchema(servers.primary.url, schema, made)
  }
  const wrong = await checkStatus(well, ({ version }) => (version === build.version ? undefined : `${version} instead of ${build.version}`))
  failures.push(...wrong)
}

/** Copies the build, and gives the copy another version. Nothing here blocks, because the balancer works in this process too. */
const makeLaterBuild = async (number: number): Promise<Build> => {
  const { stdout } = await run(process.execPath, [main, '--version'])
  const [present, version] = [stdout.trim(), `${stdout.trim()}-later.${number}`]
  const home = folder(`build-${number}`)
  const dist = join(home, 'dist')
  await cp(dirname(main), dist, { recursive: true })
  const packages = join(dirname(main), '../node_modules')
  if (existsSync(packages)) await symlink(packages, join(home, 'node_modules'))
  for (const name of (await readdir(dist)).filter((file) => file.endsWith('.js'))) {
    const text = await readFile(join(dist, name), 'utf8')
    if (text.includes(`"${present}"`)) await writeFile(join(dist, name), text.replace(`"${present}"`, `"${version}"`))
  }
  return { main: join(dist, basename(main)), version }
}

/** Each table is changed for itself, because a statement that waits for several tables could deadlock with the gateways. */
const expandSchema = async (url: string, schema: string, number: number): Promise<void> => {
  const connection = await connect({ url: () => url, schema, durability: 'fsync', byIndex: false })
  const text = `select relname from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`
  const tables = await connection.query({ name: 'tables', text }, [])
  for (const [table] of tables) await connection.run(`alter table ${table} add column later_${number} text`)
  await connection.run('update meta set version = version + 1')
  await connection.end()
}
