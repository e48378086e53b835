/**
 * Makes the package for Debian: the common list of contents, the units of systemd, and the scripts of `debian/`, which make a user and a
 * data directory, and keep both.
 */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { defaults } from '../../src/generated/defaults.ts'
import { lastWordsMs } from '../../src/operate/gateway/stop.ts'
import { serviceUnit, socketUnit } from '../../src/operate/gateway/systemd-units.ts'
import { contentsOf, type ShippedEntry } from './contents.ts'
import { layOut } from './lay-out.ts'
import type { Making } from './making.ts'
import { run } from './run.ts'
import { debianArch } from './targets.ts'

const dataDir = '/var/lib/headgate'
const maintainer = 'headgate maintainers <headgate@users.noreply.github.com>'
const scripts = ['postinst', 'prerm', 'postrm']
const ours = (name: string): string => fileURLToPath(new URL(`debian/${name}`, import.meta.url))

const debPath = ({ out, arch, product }: Making): string => join(out, `headgate_${product.version}_${debianArch[arch]}.deb`)

/** Throws where the package that was made does not keep to the policy of Debian, but for what its overrides say. Returns its path. */
export const checkPolicy = (making: Making): string => {
  const file = debPath(making)
  run(['lintian', '--allow-root', '--fail-on', 'error,warning', file])
  return file
}

/** Writes the package into the output folder and returns its path. */
export const makeDeb = (making: Making): string => {
  const { out, seconds } = making
  const tree = join(out, 'deb')
  rmSync(tree, { recursive: true, force: true })
  const files = contentsOf(making, { launcher: { prefix: '/usr' } })
  layOut([...files.map((entry) => ({ ...entry, path: `usr/${entry.path}` })), ...debianFiles(making)], tree)
  const kibibytes = Number(run(['du', '--summarize', '--apparent-size', '--block-size=1K', tree]).split('\t')[0])
  layOut([{ path: 'DEBIAN/control', text: control(making, kibibytes), isProgram: false }, ...controlScripts], tree)
  const file = debPath(making)
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(seconds) }
  // xz would save a quarter and take minutes.
  run(['dpkg-deb', '--root-owner-group', '-Zgzip', '-z6', '--build', tree, file], { env })
  rmSync(tree, { recursive: true })
  return file
}

const controlScripts: readonly ShippedEntry[] = scripts.map((name) => ({ path: `DEBIAN/${name}`, from: ours(name), isProgram: true }))

const control = ({ arch, product }: Making, kibibytes: number): string => `Package: headgate
Version: ${product.version}
Architecture: ${debianArch[arch]}
Maintainer: ${maintainer}
Installed-Size: ${kibibytes}
Depends: adduser, libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 8)
Section: net
Priority: optional
Homepage: ${product.homepage}
Description: declarative pipeline engine for inbound webhooks
 headgate takes webhooks, verifies their signatures, filters and transforms
 them, runs an agent, and delivers what comes of it. Routes are described in
 YAML. What was accepted is stored before the sender gets its answer, and
 survives crashes and restarts.
 .
 Node.js is inside, so no other package of it is needed.
`

/** Returns what Debian expects of a package beside its program. */
const debianFiles = ({ product, seconds }: Making): readonly ShippedEntry[] => {
  const date = new Date(seconds * 1_000).toUTCString().replace('GMT', '+0000')
  const changelog = `headgate (${product.version}) stable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- ${maintainer}  ${date}\n`
  const text = (path: string, content: string): ShippedEntry => ({ path, text: content, isProgram: false })
  const systemd = 'usr/lib/systemd/system'
  return [
    text(`${systemd}/headgate.service`, service),
    text(`${systemd}/headgate.socket`, socketUnit({ dataDir, ...defaults.webhook })),
    { path: `${systemd}/headgate.service.d/configured.conf`, from: ours('configured.conf'), isProgram: false },
    { path: 'usr/share/doc/headgate/changelog.gz', text: gzipSync(changelog, { level: 9 }), isProgram: false },
    { path: 'usr/share/doc/headgate/copyright', from: ours('copyright'), isProgram: false },
    { path: 'usr/share/lintian/overrides/headgate', from: ours('lintian-overrides'), isProgram: false },
  ]
}

/** The unit of `gateway unit --strict`, under the user of the package. */
const service = serviceUnit({
  dataDir,
  command: ['/usr/bin/headgate', '--data-dir', dataDir, 'gateway', 'run', '--log-format', 'json'],
  stopSeconds: Math.ceil(defaults.gateway.drain_seconds + lastWordsMs / 1_000),
  credentials: [],
  wantedBy: 'multi-user.target',
  stateDirectory: 'headgate',
  user: 'headgate',
  homepage: 'https://github.com/headgate/headgate',
})
